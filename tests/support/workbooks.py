"""Small workbooks as programs write them (.xlsx), with the standard library alone."""

import io
import zipfile
from xml.sax.saxutils import escape

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def column_name(column):
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def relations(of):
    """of: (id, kind, target)"""
    lines = "".join(f'<Relationship Id="{i}" Type="{OFFICE}/{kind}" Target="{target}"/>' for i, kind, target in of)
    return f'{DECLARATION}<Relationships xmlns="{PACKAGE}">{lines}</Relationships>'


def parts(sheets):
    """The parts of a workbook by name. sheets: {name: rows of cells}; a cell is None, a text or a number."""
    texts, made, names = {}, {}, list(sheets)
    for number, rows in enumerate(sheets.values(), 1):
        lines = []
        for r, row in enumerate(rows, 1):
            cells = []
            for c, value in enumerate(row):
                place = f"{column_name(c)}{r}"
                if isinstance(value, str):
                    cells.append(f'<c r="{place}" t="s"><v>{texts.setdefault(value, len(texts))}</v></c>')
                elif value is not None:
                    cells.append(f'<c r="{place}"><v>{value}</v></c>')
            lines.append(f'<row r="{r}">{"".join(cells)}</row>')
        made[f"xl/worksheets/sheet{number}.xml"] = (
            f'{DECLARATION}<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>')
    made["xl/sharedStrings.xml"] = (f'{DECLARATION}<sst xmlns="{MAIN}">' + "".join(
        f"<si><t>{escape(text)}</t></si>" for text in texts) + "</sst>")
    made["xl/workbook.xml"] = (f'{DECLARATION}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>' + "".join(
        f'<sheet name="{escape(name)}" sheetId="{i}" r:id="rId{i}"/>' for i, name in enumerate(names, 1)) +
        "</sheets></workbook>")
    made["xl/_rels/workbook.xml.rels"] = relations(
        [(f"rId{i}", "worksheet", f"worksheets/sheet{i}.xml") for i in range(1, len(names) + 1)] +
        [("rId0", "sharedStrings", "sharedStrings.xml")])
    made["_rels/.rels"] = relations([("rId1", "officeDocument", "xl/workbook.xml")])
    made["[Content_Types].xml"] = f"{DECLARATION}<Types/>"
    return made


def archive(made):
    """The bytes of a workbook of these parts, the same every time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, text in made.items():
            zipped.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def older_sheet(title, sample, loci, status="Single-Source"):
    """Rows of a sheet as UAS before 2.5 has it. loci: (id, genotype, alleles); an allele: (letter, typed, reads)."""
    typed = sum(genotype != "INC" for _, genotype, _ in loci)
    rows = [[f"{sample} {title} Report"], [], ["Sample Name", sample], ["Project Name", "Made up"],
            ["Analysis Method", "Kintelligence"], ["Run Name", "Run1"], ["Gender", "XY"], ["Contributor Status", status], [],
            [f"{title} Coverage Information"], ["Loci Typed", f"{typed} / {len(loci)}"], [],
            ["Locus", "Genotype", "Allele Name", "Typed Allele?", "Reads", "QC Indicators"]]
    for name, genotype, alleles in loci:
        for i, (letter, is_typed, reads) in enumerate(alleles):
            rows.append([name, None if i else genotype, letter, "Yes" if is_typed else "No", str(reads)])
    return rows


def newer_sheet(title, sample, loci, status="Single-Source"):
    """The same as UAS 2.5 has it: the table of genotypes and that of alleles side by side."""
    typed = sum(genotype != "INC" for _, genotype, _ in loci)
    left = [["Loci Typed", f"{typed} / {len(loci)}", None, None], ["Locus", "Genotype", "QC Indicators", None]]
    left += [[name, genotype, None, None] for name, genotype, _ in loci]
    right = [[name, letter, "Yes" if is_typed else "No", reads] for name, _, alleles in loci for letter, is_typed, reads in alleles]
    rows = [[f"{sample} {title} Report"], [], ["Sample", sample], ["Project", "Made up"], ["Contributor Status", status], [],
            [f"{title} Genotype Summary", None, None, None, "Locus", "Allele Name", "Typed Allele?", "Reads"]]
    for i in range(max(len(left), len(right))):
        rows.append((left[i] if i < len(left) else [None] * 4) + (right[i] if i < len(right) else []))
    return rows
