"""Reports of a kit straight from .xlsx: the same bits as openpyxl's reading of every sheet, in both layouts.

Also tables of evidence: the same bits as the reports that they were made of, which are read by reads as the tables are.
"""

import genotypes as gt
import h5py
import numpy as np
import openpyxl
import program

REPORTS = {"na24385": "NA24385", "ref01": "Ref01", "s01a": "Sample01a"}
OLDER = ("ref01", "s01a")
# Palindromic loci that reports before UAS 2.5 have on the reverse strand: the tables of MixDeR, which are forward, show it
# at those where the two people of the stain differ or are homozygous.
REVERSED = {"rs1357617", "rs2046361", "rs1979255", "rs10488710", "rs2076848", "rs1335873", "rs354439", "rs1454361", "rs722290",
            "rs1821380", "rs445251", "rs1871534"}
LEAST_READS, LEAST_SHARE = 20, 0.03


def alleles_of(path):
    """{locus: [(letter, typed, reads)]} of all sheets."""
    loci = {}
    for sheet in openpyxl.load_workbook(path, read_only=True):
        header, of_sheet = None, {}
        for row in sheet.iter_rows(values_only=True):
            if "Typed Allele?" in row:
                header = row
                typed, reads, name = (row.index(column) for column in ("Typed Allele?", "Reads", "Allele Name"))
                locus = max(i for i in range(name) if row[i] == "Locus")
            elif header and row[locus]:
                of_sheet.setdefault(row[locus], []).append((row[name], row[typed] == "Yes", int(row[reads])))
        loci |= of_sheet
    return loci


def by_reads(alleles):
    total = sum(reads for _, _, reads in alleles)
    least = max(1, LEAST_SHARE * total)
    return [letter for letter, _, reads in alleles if total >= LEAST_READS and reads >= least]


def letters_of(loci, panel, older, seen):
    letters = []
    for site in panel.id:
        found = "".join(seen(loci.get(site, [])))
        if older and site in REVERSED:
            found = "".join(gt.COMPLEMENT[letter] for letter in found)
        letters.append(found * 2 if len(found) == 1 else found)
    return letters


class KitReport(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kits = program.real_data() / "kits"
        cls.panel = gt.read_panel(cls.kits / "kintelligence.tsv")
        cls.loci = {name: alleles_of(cls.kits / f"{name}.xlsx") for name in REPORTS}

    def build(self, name, *files, options=()):
        database = self.scratch / f"{name}.h5"
        done = self.run_fastid("db", "build", "-o", database, "--kind", "mixtures", "--panel", "kintelligence", *options, *files)
        with h5py.File(database) as file:
            return [id.decode() for id in file["profiles/id"][()]], file["profiles/minor"][()], file["profiles/major"][()], done

    def planes(self, seen):
        letters = [letters_of(self.loci[name], self.panel, name in OLDER, seen) for name in REPORTS]
        return gt.planes_of_texts(list(REPORTS.values()), letters, self.panel)

    def test_every_sheet_is_as_openpyxl_has_it(self):
        self.assertEqual({len(loci) for loci in self.loci.values()}, {10230})
        self.build("reports", *(self.kits / f"{name}.xlsx" for name in REPORTS))
        typed = lambda alleles: [letter for letter, is_typed, _ in alleles if is_typed]
        self.expect_planes(self.scratch / "reports.h5", self.planes(typed))

    def test_by_reads_as_openpyxl_has_them(self):
        rule = ("--min-reads", LEAST_READS, "--min-share", LEAST_SHARE)
        self.build("reads", *(self.kits / f"{name}.xlsx" for name in REPORTS), options=rule)
        self.expect_planes(self.scratch / "reads.h5", self.planes(by_reads))

    def test_what_a_report_says_of_its_sample_is_said(self):
        done = self.build("said", self.kits / "s01a.xlsx")[3]
        self.assertIn("sample 'Sample01a', project 'Validation', contributor status 'Mixture'", done.stderr)
        self.assertIn("10,230 sites in 6 sheets", done.stderr)

    def test_tables_of_references_are_as_the_reports(self):
        """Ref2 is ref01. The table lacks two sites, and has an insertion where the report has letters."""
        _, minor, major, _ = self.build("report", self.kits / "ref01.xlsx")
        ids, table_minor, table_major, _ = self.build("table", self.kits / "EFM_references.csv")
        self.assertEqual(ids, ["Ref1", "Ref2"])
        differ = self.sites_that_differ(minor, major, 0, table_minor, table_major, 1)
        self.assertEqual(differ, {"N29insA"})

    def test_tables_of_evidence_are_as_the_reports_by_reads(self):
        rule = ("--min-reads", LEAST_READS, "--min-share", LEAST_SHARE)
        _, minor, major, _ = self.build("stain", self.kits / "s01a.xlsx", options=rule)
        _, table_minor, table_major, _ = self.build("evidence", self.kits / "Sample01a_evidence.tsv", options=rule)
        differ = self.sites_that_differ(minor, major, 0, table_minor, table_major, 0)
        self.assertLessEqual(differ, EVIDENCE_DIFFERS)

    def sites_that_differ(self, minor, major, lane, other_minor, other_major, other_lane):
        bits = lambda plane, at: np.unpackbits(plane[0, :, at].astype("<u4").view(np.uint8), bitorder="little")[:len(self.panel.id)]
        differ = (bits(minor, lane) != bits(other_minor, other_lane)) | (bits(major, lane) != bits(other_major, other_lane))
        return {self.panel.id[site] for site in np.flatnonzero(differ)}


EVIDENCE_DIFFERS = {"N29insA"}

if __name__ == "__main__":
    program.main(needs_real_data=True)
