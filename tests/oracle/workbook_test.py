"""Made-up reports of a kit, right ones in both layouts, and workbooks that must be refused with their place and a cure."""

import sys
import zipfile
from pathlib import Path

import program

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import workbooks as wb  # noqa: E402

PANEL = "id\tchrom\tpos\tmajor\tminor\nrs1\t1\t100\tA\tG\nrs2\t1\t200\tC\tT\nrs3\t2\t300\tA\tC\nrs4\t3\t5\tG\tT\nrs5\tX\t9\tA\tG\n"
LOCI = [("rs1", "A,G", [("A", True, 40), ("G", True, 60), ("T", False, 2)]), ("rs2", "G,G", [("A", False, 0), ("G", True, 80)]),
        ("rs3", "INC", [("A", False, 9), ("C", False, 0)]), ("rs4", "G,T,C", [("C", True, 5), ("G", True, 50), ("T", True, 30)])]
ON_X = [("rs5", "G", [("A", False, 0), ("G", True, 33)])]
CALLS = {"rs1": "0/1", "rs2": "0/0", "rs3": "./.", "rs4": "0/1", "rs5": "1/1"}
BOMB_ROWS = '<row><c t="inlineStr"><is><t>' + "A" * 30000 + "</t></is></c></row>"


class Workbook(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.panel = cls.scratch / "panel.tsv"
        cls.panel.write_text(PANEL)

    def build(self, content, *options, status=0):
        report = self.scratch / "report.xlsx"
        report.write_bytes(content)
        return self.run_fastid("db", "build", "--force", "-o", self.scratch / "made.h5", "--kind", "mixtures", "--panel", self.panel, *options,
                               report, status=status)

    def calls(self):
        text = self.run_fastid("db", "export", self.scratch / "made.h5", "-o", "-").stdout
        return {line.split("\t")[2]: line.split("\t")[9] for line in text.splitlines() if not line.startswith("#")}

    def sheets(self, layout=wb.older_sheet, loci=LOCI, sample="Stain7"):
        return {"X-SNPs": layout("X-SNP", sample, ON_X, "Mixture"), "Identity SNPs": layout("Identity SNP", sample, loci, "Mixture"),
                "Sample History": [["Sample History"], ["#REF!", "x"]]}

    def refused(self, parts, *words):
        made = self.scratch / "made.h5"
        made.unlink(missing_ok=True)
        content = parts if isinstance(parts, bytes) else wb.archive(parts)
        message = self.build(content, status=3).stderr
        for word in ("report.xlsx", *words):
            self.assertIn(word, message)
        self.assertIn("; ", message)  # and a cure
        self.assertFalse(made.exists())

    def test_both_layouts_say_the_same(self):
        for layout in (wb.older_sheet, wb.newer_sheet):
            with self.subTest(layout=layout.__name__):
                done = self.build(wb.archive(wb.parts(self.sheets(layout))))
                self.assertEqual(self.calls(), CALLS)
                self.assertIn("sample 'Stain7', project 'Made up', contributor status 'Mixture'", done.stderr)

    def test_reads_decide_where_they_are_asked_for(self):
        self.build(wb.archive(wb.parts(self.sheets())), "--min-reads", 9, "--min-share", 0.1)
        self.assertEqual(self.calls(), {**CALLS, "rs3": "0/0"})
        self.build(wb.archive(wb.parts(self.sheets())), "--min-reads", 90, "--min-share", 0.5)
        self.assertEqual(self.calls(), {"rs1": "1/1", "rs2": "./.", "rs3": "./.", "rs4": "./.", "rs5": "./."})

    def test_a_locus_of_two_sheets(self):
        same = {**self.sheets(), "Ancestry SNPs": wb.older_sheet("Ancestry SNP", "Stain7", [LOCI[0]])}
        self.build(wb.archive(wb.parts(same)))
        self.assertEqual(self.calls(), CALLS)
        other = [("rs1", "A,A", [("A", True, 9), ("G", False, 0)])]
        differs = {**self.sheets(), "Ancestry SNPs": wb.older_sheet("Ancestry SNP", "Stain7", other)}
        self.assertIn("two sheets disagree on 1 site", self.build(wb.archive(wb.parts(differs))).stderr)
        self.assertEqual(self.calls(), {**CALLS, "rs1": "./."})

    def test_a_table_of_repeats_is_left_alone(self):
        strs = [["Locus", "Allele Name", "Typed Allele?", "Reads", "Repeat Sequence"], ["TH01", "9.3", "Yes", 100, "AATG"]]
        self.build(wb.archive(wb.parts({**self.sheets(), "Autosomal STRs": strs})))
        self.assertEqual(self.calls(), CALLS)

    def test_what_is_no_report(self):
        german = [["Lokus", "Allelname", "Typisiert?", "Anzahl"], ["rs1", "A", "Ja", 9]]
        self.refused(wb.parts({"Identität-SNPs": german}), "sheet 'Identität-SNPs'", "English")
        self.refused(wb.parts({"Tabelle1": german}), "sheet 'Tabelle1'", "Typed Allele?")
        half = [["Locus", "Allele Name", "Reads"], ["rs1", "A", 9]]
        self.refused(wb.parts({"Identity SNPs": half}), "row 1", "no column Typed Allele?")
        self.refused(wb.parts({"Leer": []}), "sheet 'Leer'")
        document = wb.parts(self.sheets())
        document["_rels/.rels"] = wb.relations([("rId1", "officeDocument", "word/document.xml")])
        self.refused(document, "no Excel workbook")

    def test_cells_that_are_wrong(self):
        def with_cell(row, column, value):
            sheets = self.sheets()
            sheets["Identity SNPs"][row - 1][column] = value
            return wb.parts(sheets)

        self.refused(with_cell(14, 3, "Ja"), "sheet 'Identity SNPs', cell D14", "neither Yes nor No")
        self.refused(with_cell(14, 2, "Q"), "cell C14", "not an allele")
        self.refused(with_cell(14, 4, "-3"), "cell E14", "number of reads")
        self.refused(with_cell(14, 1, "G,G"), "row 14", "contradicts its typed alleles")
        self.refused(with_cell(11, 1, "3 / 5"), "ends after 4 of the 5 loci")
        self.refused(with_cell(3, 1, "Stain8"), "of sample 'Stain8'", "'Stain7'")
        self.refused(with_cell(19, 0, "rs1"), "'rs1' is given a second time")
        formula = wb.parts(self.sheets())
        sheet = "xl/worksheets/sheet2.xml"
        formula[sheet] = formula[sheet].replace('<c r="C14" t="s">', '<c r="C14" t="s"><f>B14</f>')
        self.refused(formula, "cell C14", "formula")

    def test_parts_that_are_missing_or_damaged(self):
        for part, words in {"xl/workbook.xml": "xl/workbook.xml", "xl/worksheets/sheet1.xml": "sheet1.xml",
                            "xl/sharedStrings.xml": "sharedStrings.xml", "_rels/.rels": "_rels/.rels"}.items():
            parts = wb.parts(self.sheets())
            text = parts.pop(part)
            self.refused(parts, words, "missing")
            self.refused({**parts, part: text[:len(text) // 2]}, words, "line", "well-formed")
        self.refused({**wb.parts(self.sheets()), "xl/_rels/workbook.xml.rels": wb.relations([])}, "sheet 'X-SNPs'", "is missing")
        whole = wb.archive(wb.parts(self.sheets()))
        self.refused(whole[:-40], "damaged or cut short")
        middle = whole.index(b"xl/worksheets/sheet2.xml") + 60
        self.refused(whole[:middle] + b"\xff\xff\xff" + whole[middle + 3:], "damaged")

    def test_bombs(self):
        sheet = "xl/worksheets/sheet1.xml"
        entities = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(9))
        bomb = f'<!DOCTYPE x [<!ENTITY e0 "A">{entities}]><worksheet><sheetData><row><c><v>&e9;</v></c></row></sheetData></worksheet>'
        self.refused({**wb.parts(self.sheets()), sheet: bomb}, sheet, "document type")
        external = '<!DOCTYPE x SYSTEM "file:///etc/passwd"><worksheet/>'
        self.refused({**wb.parts(self.sheets()), sheet: external}, sheet, "document type")
        self.refused({**wb.parts(self.sheets()), sheet: "<worksheet>" + "<a>" * 100}, sheet, "too deep")
        self.refused({**wb.parts(self.sheets()), sheet: f'<worksheet a="{"x" * 3_000_000}"/>'}, sheet, "mebibyte")
        huge = f"<worksheet><sheetData>{BOMB_ROWS * 18_000}</sheetData></worksheet>"
        self.refused({**wb.parts(self.sheets()), sheet: huge}, sheet, "expands to more than 512 MiB")
        rows = '<worksheet><sheetData><row r="1048577"><c><v>1</v></c></row></sheetData></worksheet>'
        self.refused({**wb.parts(self.sheets()), sheet: rows}, "sheet 'X-SNPs'", "not numbered")
        wide = '<worksheet><sheetData><row r="1"><c r="XFE1"><v>1</v></c></row></sheetData></worksheet>'
        self.refused({**wb.parts(self.sheets()), sheet: wide}, "sheet 'X-SNPs'", "not to its right")

    def test_two_parts_of_one_name(self):
        report = self.scratch / "twice.zip"
        report.write_bytes(wb.archive(wb.parts(self.sheets())))
        with zipfile.ZipFile(report, "a") as archive:
            archive.writestr("xl/Workbook.xml", "<workbook/>")
        self.refused(report.read_bytes(), "twice")


if __name__ == "__main__":
    program.main()
