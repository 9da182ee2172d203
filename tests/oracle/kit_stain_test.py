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


def letters_of(path, panel):
    lines = (line.rstrip("\n").split("\t") for line in path.read_text().splitlines() if not line.startswith("#"))
    found = {name: letters for name, _, _, letters in lines}
    return [found.get(name, "") for name in panel.id]


if __name__ == "__main__":
    program.main(needs_real_data=True)
