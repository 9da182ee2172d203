"""`fastid dvi` on cases with known answers: dvir's examples, whose published values the definitions give; sums over every founder
allele; and an event of 40 families and 120 remains, with swapped samples, a wrong father and an unreported brother.

Ratios to 1e-4, posteriors to 1e-6; people, conclusions and sets equal.
"""

import csv
import math

import program

SMALL = ("trio", "trio-excluded", "generational-trio", "two-families", "fire", "symmetric-siblings")
ALL = "300"  # --lr: nothing is undisputed, and no pair is left out


def table(path):
    with open(path, encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def number(text):
    return math.nan if text == "NA" else float(text)


class Victims(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.data = program.real_data() / "dvi"

    def vcf(self, case, name):
        path = self.data / case / f"{name}.vcf"
        return path if path.exists() else path.with_suffix(".vcf.gz")

    def database(self, case):
        made = self.scratch / f"{case}.h5"
        self.run_fastid("db", "build", "-o", made, "--panel", self.data / case / "panel.tsv", self.vcf(case, "pm"))
        stated = self.data / case / "pm.tsv"
        sexes = [row for row in table(stated) if row["sex"] != "?"] if stated.exists() else []
        for sex in ("M", "F"):
            people = [row["id"] for row in sexes if row["sex"] == sex]
            if people:
                self.run_fastid("db", "tag", made, *people, "--set", f"sex={sex}")
        return made

    def dvi(self, case, database, *options):
        """The files that are written, by name."""
        names = ("main", "matrix", "people", "assignments", "families")
        files = {name: self.scratch / f"{case}-{name}.tsv" for name in names}
        beside = [argument for name in names[1:] for argument in (f"--{name}", files[name])]
        self.run_fastid("dvi", self.data / case / "families.ped", self.vcf(case, "am"), database, "--force", *options,
                        "-o", files["main"], *beside)
        return {name: table(path) for name, path in files.items()}

    def test_pairs_and_assignments_of_small_cases(self):
        for case in SMALL:
            database = self.database(case)
            pairs = table(self.data / case / "expected_pairs.tsv")
            for theta, error in sorted({(row["theta"], row["error_rate"]) for row in pairs}):
                with self.subTest(case=case, theta=theta, error=error):
                    found = self.dvi(case, database, "--theta", theta, "--error-rate", error, "--no-pool", "--lr", ALL,
                                     "--odds", "flat")
                    of = lambda row: (row["theta"], row["error_rate"]) == (theta, error)
                    self.expect_matrix(found, filter(of, pairs))
                    self.expect_assignments(case, found, list(filter(of, table(self.data / case / "expected_assignments.tsv"))))

    def expect_matrix(self, found, pairs):
        ratios = {(row["missing"], row["person"]): number(row["log10_lr"]) for row in found["matrix"]}
        for row in pairs:
            ratio = ratios[row["missing"], row["remains"]]
            if row["log10_lr"] == "-inf":
                self.assertEqual(ratio, -math.inf)
            elif not math.isnan(ratio):  # NaN: of another sex
                self.assertAlmostEqual(ratio, float(row["log10_lr"]), delta=1e-4, msg=str(row))

    def assignments(self, found):
        """(log10 weight, posterior, who is whom: a set of remains and missing), over all components together."""
        components = {}
        for row in found["assignments"]:
            pairs = frozenset((person, missing) for missing, person in
                              (pair.split("=") for pair in row["assignment"].split(",")) if person != "*")
            components.setdefault(row["component"], []).append((float(row["log10_weight"]), float(row["posterior"]), pairs))
        together = [(0.0, 1.0, frozenset())]
        for rows in components.values():
            together = [(a + b, p * q, one | other) for a, p, one in together for b, q, other in rows]
        return together

    def expect_assignments(self, case, found, expected):
        weights = {pairs: weight for weight, _, pairs in self.assignments(found)}
        for row in expected:
            if row["log10_lr_v_nobody"] == "-inf":
                continue
            pairs = frozenset((person, missing) for person, missing in
                              (pair.split("=") for pair in row["assignment"].split()) if missing != "*")
            self.assertIn(pairs, weights, f"{case}: {row}")
            self.assertAlmostEqual(weights[pairs], float(row["log10_lr_v_nobody"]), delta=2e-4, msg=f"{case}: {row}")

    def test_posteriors_of_small_cases(self):
        for case in SMALL:
            database = self.database(case)
            rows = table(self.data / case / "expected_posteriors.tsv")
            for theta, error, prior in sorted({(row["theta"], row["error_rate"], row["prior"]) for row in rows}):
                with self.subTest(case=case, theta=theta, error=error, prior=prior):
                    found = self.dvi(case, database, "--theta", theta, "--error-rate", error, "--no-pool", "--lr", ALL,
                                     "--odds", prior)
                    together = self.assignments(found)
                    for row in rows:
                        if (row["theta"], row["error_rate"], row["prior"]) == (theta, error, prior) and row["missing"] != "*":
                            self.expect_pair((row["remains"], row["missing"]), together, row)

    def expect_pair(self, pair, together, row):
        posterior = sum(share for _, share, pairs in together if pair in pairs)
        self.assertAlmostEqual(posterior, float(row["posterior"]), delta=1e-6, msg=str(row))
        best = {has: max((weight for weight, _, pairs in together if (pair in pairs) == has), default=-math.inf)
                for has in (True, False)}
        if math.isfinite(best[True]) and row["log10_glr"] != "inf":
            self.assertAlmostEqual(best[True] - best[False], float(row["log10_glr"]), delta=2e-4, msg=str(row))

    def test_event(self):
        database = self.database("event")
        found = self.dvi("event", database, "--power")
        folder = self.data / "event"
        people = {(row["person"], row["remains"], row["called_sites"]) for row in found["people"]}
        self.assertEqual(people, {(row["person"], row["remains"], row["called"])
                                  for row in table(folder / "expected_people.tsv")})
        self.expect_event_matrix(found["matrix"], table(folder / "expected_matrix.tsv"))
        self.expect_event_families(found["families"], folder)
        self.expect_event_missing(found["main"], table(folder / "expected_missing.tsv"))

    def expect_event_matrix(self, matrix, expected):
        ratios = {(row["missing"], row["person"]): row["log10_lr"] for row in matrix}
        for row in expected:
            self.assertAlmostEqual(float(ratios.pop((row["missing"], row["person"]))), float(row["log10_lr"]), delta=1e-3)
        self.assertEqual(set(ratios.values()), {"NA"})  # of another sex

    def expect_event_families(self, families, folder):
        by_member = {row["member"]: row for row in families}
        for row in table(folder / "expected_family.tsv"):
            ratio = by_member[row["member"]]["log10_pedigree_v_unrelated"]
            self.assertAlmostEqual(float(ratio), float(row["log10_pedigree_v_unrelated"]), delta=1e-3)
        for row in table(folder / "expected_power.tsv"):
            for column in ("true_mean", "true_sd", "stranger_mean", "stranger_sd"):
                self.assertAlmostEqual(float(by_member[row["missing"]][column]), float(row[column]), delta=1e-3)
            self.assertAlmostEqual(float(by_member[row["missing"]]["log10_not_excluded"]),
                                   float(row["log10_one_minus_exclusion"]), delta=1e-3)

    def expect_event_missing(self, main, expected):
        found = {row["missing"]: row for row in main}
        self.assertEqual(set(found), {row["missing"] for row in expected})
        for row in expected:
            of = found[row["missing"]]
            self.assertEqual((of["person"], of["conclusion"]), (row["person"], row["conclusion"]), str(row))
            if row["conclusion"] == "none":
                if row["remark"]:
                    self.assertIn(row["remark"], of["remark"])
                continue
            self.assertAlmostEqual(float(of["log10_lr"]), float(row["log10_lr"]), delta=1e-3, msg=str(row))
            self.assertAlmostEqual(float(of["log10_glr"]), float(row["log10_lr_joint"]), delta=1e-3, msg=str(row))
            if row["posterior"] != "NA":
                self.assertAlmostEqual(float(of["posterior"]), float(row["posterior"]), delta=1e-6, msg=str(row))


if __name__ == "__main__":
    program.main(needs_real_data=True)
