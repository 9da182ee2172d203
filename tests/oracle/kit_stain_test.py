"""A kit's stain of two people at 1:5: the minor contributor is found, and the other one's son is not taken for one.

Of the two people of s01a one is ref01; na24385 is the son of the other. Strangers are simulated.
"""

import json

import formulas as fm
import genotypes as gt
import numpy as np
import program
import stain

STRANGERS = 1000
CONTRIBUTOR, SON = "ref01", "na24385"
DROP_OUTS = {"bits": ("auto", 0.005, 0.05, 0.2), "alleles": ("auto", 0.05, 0.2)}  # .005 is far from the truth

DROP_OUTS_OF_A_POPULATION = (("bits", 0.005), ("alleles", "auto"))


class KitStain(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kits = kits = program.real_data() / "kits"
        cls.stain, cls.database = kits / "s01a.snp", cls.scratch / "kit.h5"
        cls.panel = gt.read_panel(kits / "kintelligence.tsv")
        cls.run_fastid("db", "simulate", "-o", cls.database, "--panel", kits / "kintelligence.tsv", "--profiles", STRANGERS)
        cls.run_fastid("db", "append", cls.database, kits / f"{CONTRIBUTOR}.snp", kits / f"{SON}.snp")
        names = ("s01a", CONTRIBUTOR, SON)
        cls.planes = gt.planes_of_texts(names, [letters_of(kits / f"{name}.snp", cls.panel) for name in names], cls.panel)

    def matches(self, population, by, drop_out, top=5, asked=()):
        document = json.loads(self.run_fastid("mixture", "--by", by, "-k", top, "--population", population, "--drop-out", drop_out,
                                              "--format", "json", *(asked or (self.stain, self.database))).stdout)
        return document["queries"][0]["matches"]

    def drop_outs(self):
        return [(by, drop_out) for by, drop_outs in DROP_OUTS.items() for drop_out in drop_outs]

    def test_the_contributor_is_first_under_every_population_and_drop_out(self):
        for population in ("all", *self.panel.freq):
            for by, drop_out in self.drop_outs() if population == "all" else DROP_OUTS_OF_A_POPULATION:
                with self.subTest(population=population, by=by, drop_out=drop_out):
                    first, *_ = rows = self.matches(population, by, drop_out)
                    if population != "all" and first["profile"] == SON:  # under the frequencies of others than his people
                        self.assertEqual((first["mark"], first["suggests"]), ("relative?", "first-degree"))
                        first = rows[1]
                    self.assertEqual(first["profile"], CONTRIBUTOR)
                    self.assertGreater(first["log10_lr"], 0)

    def test_the_son_of_the_other_is_no_contributor(self):
        for by, drop_out in self.drop_outs():
            rows = {row["profile"]: row for row in self.matches("all", by, drop_out)}
            self.assertEqual(rows[SON]["mark"], "relative?", (by, drop_out))
            self.assertLess(rows[SON]["log10_lr"], rows[CONTRIBUTOR]["log10_lr"] - 100)
        for by in DROP_OUTS:
            self.assertNotEqual(self.matches("all", by, "auto")[0]["mark"], "relative?")

    def test_strangers_lie_below_0(self):
        for by, drop_out in self.drop_outs():
            rows = self.matches("all", by, drop_out, top=100)
            strangers = [row["log10_lr"] for row in rows if row["profile"] not in (CONTRIBUTOR, SON)]
            self.assertEqual(len(strangers), 98)
            self.assertLess(max(strangers), 0)

    def test_reports_straight_from_the_kit_answer_the_same(self):
        database = self.scratch / "reports.h5"
        self.run_fastid("db", "simulate", "-o", database, "--panel", "kintelligence", "--profiles", STRANGERS)
        self.run_fastid("db", "append", database, self.kits / f"{CONTRIBUTOR}.xlsx", self.kits / f"{SON}.xlsx")
        matches = self.matches("all", "alleles", "auto", asked=(self.kits / "s01a.xlsx", database))
        self.assertEqual(matches[0]["profile"], "Ref01")
        self.assertEqual(matches[0]["mark"], "apart")
        son = next(row for row in matches if row["profile"] == "NA24385")
        self.assertEqual(son["mark"], "relative?")
        self.assertTrue(all(row["log10_lr"] < 0 for row in matches if row["profile"] not in ("Ref01", "NA24385")))

    def test_reads_of_the_report(self):
        """The major contributor is in a table of references; the ratios were measured with the model of reads' reference."""
        database, vcf = self.scratch / "reads.h5", self.scratch / "each.vcf"
        self.run_fastid("db", "simulate", "-o", database, "--panel", self.kits / "kintelligence.tsv", "--profiles", 200)
        self.run_fastid("db", "append", database, self.kits / f"{CONTRIBUTOR}.xlsx", self.kits / f"{SON}.xlsx",
                        self.kits / "EFM_references.csv")
        for threshold, wanted in ((1, {"Ref1": 4262, "Ref01": 1499, "NA24385": -5007}), (10, {"Ref01": 1811})):
            asked = self.run_fastid("mixture", "-k", "all", "--population", "1000G", "--analytical-threshold", threshold,
                                    "--deconvolve", vcf, "--force", "--format", "json", "--no-histograms", self.kits / "s01a.xlsx",
                                    database)
            query = json.loads(asked.stdout)["queries"][0]
            rows = {row["profile"]: row for row in query["matches"]}
            for name, ratio in wanted.items():
                self.assertLess(abs(rows[name]["log10_lr"] / ratio - 1), .02, (threshold, name, rows[name]["log10_lr"]))
            self.assertEqual((rows["Ref1"]["mark"], rows["Ref01"]["mark"]), ("apart", "apart"))
            self.assertEqual((rows[SON.upper()]["suggests"], rows[SON.upper()]["relative"], rows[SON.upper()]["mark"]),
                             ("first-degree", "parent-child", "relative?"))
            self.assertLess(max(row["log10_lr"] for name, row in rows.items() if name.startswith("P0")), 0)
            best = max(query["evidence"]["mixture"]["supports"], key=lambda support: support["share"])
            self.assertLess(abs(best["share"] - .86), .005)
            typed = deconvolved(vcf)
            references = deconvolved_truth(self, database)
            shares = {}
            for place, name in ((1, "Ref1"), (2, "Ref01")):
                of = [(gp, called, references[site][name]) for site, samples in typed.items()
                      for gp, called in [samples[place - 1]] if references[site][name] is not None and gp]
                right = np.mean([int(np.argmax(gp)) == truth for gp, _, truth in of])
                called = [called == truth for _, called, truth in of if called is not None]
                shares[place] = right, np.mean(called), len(called)
            self.assertGreater(shares[1][0], .985)
            self.assertGreater(shares[1][1], .99)
            if threshold == 10:
                self.assertGreater(shares[2][1], .99)
                self.assertGreater(shares[2][2], 1000)

    def test_ratios_are_the_oracles(self):
        rows = {row["profile"]: row for row in self.matches("EUR", "bits", 0.05)}
        q, (m, *people) = fm.reckoned(self.panel.freq["EUR"]), self.planes.bits
        numbers = stain.Numbers(q, 0.05, 0.005, True, m, self.planes.called[0])
        tables = {n: stain.tables(q, 0.01, 0.005, n, 0.05, 0.005, True) for n in numbers.log_weights}
        for name, person, called in zip((CONTRIBUTOR, SON), people, self.planes.called[1:], strict=True):
            both = np.flatnonzero(called & self.planes.called[0])
            wanted = numbers.mean({n: table[:, m[both].astype(int), person[both].astype(int), both].sum(axis=1)
                                   for n, table in tables.items()})[stain.CONTRIBUTOR]
            self.assertLessEqual(abs(rows[name]["log10_lr"] - wanted), 1e-9 * abs(wanted) + 1e-6)


def deconvolved(path):
    """Of each site and contributor: probabilities of genotypes, and the one that is called; None where there is none."""
    sites = {}
    for line in path.read_text().splitlines():
        if line[0] != "#":
            cells = line.split("\t")
            sites[cells[2]] = [(None if gp == "." else list(map(float, gp.split(","))), None if "." in gt else gt.count("1"))
                               for gt, _, gp, _ in (cell.split(":") for cell in cells[9:])]
    return sites


def deconvolved_truth(case, database):
    """Of each site: {reference: minor copies, None where it is not called}."""
    out = case.scratch / "references.vcf"
    case.run_fastid("db", "export", "--force", "-o", out, database, "--profile", "Ref1", "--profile", CONTRIBUTOR.capitalize())
    sites, names = {}, []
    for line in out.read_text().splitlines():
        cells = line.split("\t")
        if cells[0] == "#CHROM":
            names = cells[9:]
        elif line[0] != "#":
            sites[cells[2]] = {name: None if "." in gt else gt.count("1") for name, gt in zip(names, cells[9:])}
    return sites


def letters_of(path, panel):
    lines = (line.rstrip("\n").split("\t") for line in path.read_text().splitlines() if not line.startswith("#"))
    found = {name: letters for name, _, _, letters in lines}
    return [found.get(name, "") for name in panel.id]


if __name__ == "__main__":
    program.main(needs_real_data=True)
