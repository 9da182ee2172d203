"""Simulated sexes, X, Y and M against theory: from the planes in the file and the tables of truth alone.

People who share an allele of X by descent have it in common; other alleles are independent. So the product of how far
two people's copies lie from their means has the mean (alleles shared) q (1 - q), and of two brothers, at two sites d
Morgans apart, products go together as exp(-4 d) has it (two meioses, Haldane). A figure may lie five standard errors from
what is expected; the seeds are fixed.
"""

import csv

import h5py
import numpy as np
import program

PEOPLE = 20000
PAIRS = {"duplicates": 20, "twins": 20, "parent-child": 800, "full-siblings": 5400, "half-siblings": 2000,
         "first-cousins": 1200}
ERRORS = 5
CENTIMORGANS = 1.2  # a Mb
CLASSES = {"1": "A", "X": "X", "Y": "Y", "M": "M"}
# (kind, the first's sex, the second's): alleles of X that they share, on average
SHARED_X = {
    ("same", "m", "m"): 1, ("same", "f", "f"): 2, ("father", "m", "m"): 0, ("father", "m", "f"): 1,
    ("mother", "f", "m"): 1, ("mother", "f", "f"): 1,
    ("full-sibling", "m", "m"): 1 / 2, ("full-sibling", "m", "f"): 1 / 2, ("full-sibling", "f", "m"): 1 / 2,
    ("full-sibling", "f", "f"): 3 / 2,
    **{("maternal-half-sibling", a, b): 1 / 2 for a in "mf" for b in "mf"},
    **{("paternal-half-sibling", a, b): float(a == b == "f") for a in "mf" for b in "mf"},
    **{("cousin-mothers-sisters", a, b): 3 / 8 for a in "mf" for b in "mf"},
    **{("cousin-fathers-brothers", a, b): (a == b == "f") / 2 for a in "mf" for b in "mf"},
    **{("cousin-mother-sister-of-father", a, b): (b == "f") / 4 for a in "mf" for b in "mf"}}
# Whose Y (of two men) and whose M is one by descent
SAME_Y = {"same", "father", "full-sibling", "paternal-half-sibling", "cousin-fathers-brothers"}
SAME_M = {"same", "mother", "full-sibling", "maternal-half-sibling", "cousin-mothers-sisters"}
KINDS = {"duplicate": {"same": 1}, "twin": {"same": 1}, "parent-child": {"father": 1 / 2, "mother": 1 / 2},
         "full-siblings": {"full-sibling": 1},
         "half-siblings": {"maternal-half-sibling": 1 / 2, "paternal-half-sibling": 1 / 2},
         "first-cousins": {"cousin-mothers-sisters": 1 / 4, "cousin-fathers-brothers": 1 / 4,
                           "cousin-mother-sister-of-father": 1 / 2}}


def read_tsv(path):
    with open(path, newline="", encoding="ascii") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def write_panel(path, classes):
    """Sites of these classes: (name, chromosome, first position, step, number), frequencies from .35 to .5."""
    frequencies = np.random.default_rng(5).uniform(0.35, 0.5, 1000).round(4)
    frequencies[260:] = np.random.default_rng(6).uniform(0.02, 0.5, 740).round(4)  # of Y and M: rare alleles too
    lines, n = ["#build GRCh37", "id\tchrom\tpos\tmajor\tminor\tpop"], 0
    for name, chrom, first, step, count in [("a", "1", 10**6, 10**6, 60), ("x", "X", 3_000_000, 950_000, 160),
                                            ("b", "1", 10**8, 10**6, 40), ("y", "Y", 3_000_000, 300_000, 70),
                                            ("m", "M", 100, 500, 30)]:
        for i in range(count):
            n += 1
            if CLASSES[chrom] in classes:
                lines.append(f"{name}{i}\t{chrom}\t{first + i * step}\tA\tC\t{frequencies[n]}")
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def copies_of(database):
    """[people, sites]: minor copies as diploid (0, 1, 2), -1 where nothing is called; by the documented formula."""
    with h5py.File(database) as file:
        people, sites = int(file.attrs["n_profiles"]), int(file.attrs["n_sites"])
        row, site = np.arange(people)[:, None], np.arange(sites)[None, :]
        minor, major = (file[f"profiles/{plane}"][:][row // 32, site // 32, row % 32] >> (site % 32).astype(np.uint32) & 1
                        for plane in ("minor", "major"))
        chrom = [name.decode() for name in file["panel/chrom"][:]]
        pos, freq = file["panel/pos"][:].astype(float), file["panel/freq/pop"][:]
    seen = minor.astype(np.int8) * 2 - (minor & major).astype(np.int8)
    return np.where((minor | major) == 1, seen, -1), np.array([CLASSES[name] for name in chrom]), pos, freq


class Sexes(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.database = cls.scratch / "sexes.h5"
        write_panel(cls.scratch / "panel.tsv", "AXYM")
        cls.simulate(cls.database, cls.scratch / "panel.tsv", *(word for name, n in PAIRS.items()
                                                                for word in (f"--{name}", n)))
        cls.copies, cls.classes, cls.pos, cls.q = copies_of(cls.database)
        cls.men = np.array([line["sex"] == "male" for line in read_tsv(f"{cls.database}.sexes.tsv")])
        cls.pairs = read_tsv(f"{cls.database}.relatives.tsv")

    @classmethod
    def simulate(cls, database, panel, *options):
        cls.run_fastid("db", "simulate", "-o", database, "--unlinked-meioses", "--profiles", PEOPLE, "--panel", panel, "--seed", 17, *options)

    def at(self, site_class, rows=slice(None)):
        return self.copies[rows][:, self.classes == site_class]

    def x_alleles(self, rows):
        """Minor alleles less their mean: a man has one, which is stored as two."""
        x, q = self.at("X", rows).astype(float), self.q[self.classes == "X"]
        n = np.where(self.men[rows], 1, 2)[:, None]
        return np.where(n == 1, x / 2, x) - n * q

    def rows_of(self, kind=None, first=None, second=None):
        """Rows of the first and of the second of pairs."""
        lines = [line for line in self.pairs if kind in (None, line["kind"])]
        rows = np.array([[int(line["relative_row"]), int(line["row"])] for line in lines], dtype=int).reshape(-1, 2)
        for place, sex in enumerate((first, second)):
            if sex:
                rows = rows[self.men[rows[:, place]] == (sex == "m")]
        return rows[:, 0], rows[:, 1]

    def expect_near(self, value, expected, error, what):
        self.assertLess(abs(value - expected), ERRORS * error + 1e-9, f"{what}: {value}, not {expected} +- {error}")

    def test_half_are_men_and_everybody_is_listed(self):
        listed = read_tsv(f"{self.database}.sexes.tsv")
        self.assertEqual([line["id"] for line in listed], [f"P{row + 1:09d}" for row in range(PEOPLE)])
        self.assertEqual({line["sex"] for line in listed}, {"male", "female"})
        self.expect_near(self.men.mean(), 1 / 2, 0.5 / PEOPLE**0.5, "share of men")

    def test_sexes_have_their_copies(self):
        self.assertTrue((self.at("Y", ~self.men) == -1).all(), "women have no Y")
        for site_class, rows in (("X", self.men), ("Y", self.men), ("M", slice(None))):
            self.assertTrue(np.isin(self.at(site_class, rows), (0, 2)).all(), f"one allele of {site_class}")
        x, q = self.at("X", ~self.men), self.q[self.classes == "X"]
        self.assertTrue((x >= 0).all())
        n = len(x)
        z = ((x == 1).sum(0) - n * 2 * q * (1 - q)) / np.sqrt(n * 2 * q * (1 - q) * (1 - 2 * q * (1 - q)))
        self.assertLess(abs(z).max(), ERRORS + 1, "women's heterozygotes; relatives make it a little wider")

    def test_fastid_calls_these_sexes(self):
        listed = csv.DictReader(self.run_fastid("db", "list", "--sex", self.database).stdout.splitlines(), delimiter="\t")
        self.assertEqual([line["sex"] == "male" for line in listed], self.men.tolist())

    def test_autosomal_sites_are_those_of_the_panel_without_others(self):
        write_panel(self.scratch / "plain.tsv", "A")
        plain = self.scratch / "plain.h5"
        self.simulate(plain, self.scratch / "plain.tsv", *(word for name, n in PAIRS.items() for word in (f"--{name}", n)))
        self.assertTrue((copies_of(plain)[0] == self.at("A")).all())
        truth = read_tsv(f"{plain}.relatives.tsv")
        self.assertEqual(truth, [{name: cell for name, cell in line.items() if name != "kind"} for line in self.pairs])
        sites = int((self.classes == "A").sum())
        self.assertEqual({sum(int(line[f"ibd{k}"]) for k in range(3)) for line in truth}, {sites})
        self.assertFalse((self.scratch / "plain.h5.sexes.tsv").exists())

    def test_kinds_are_as_frequent_as_they_should_be(self):
        for relation, kinds in KINDS.items():
            lines = [line["kind"] for line in self.pairs if line["relation"] == relation]
            self.assertLessEqual(set(lines), set(kinds))
            for kind, share in kinds.items():
                error = (share * (1 - share) / len(lines)) ** 0.5
                self.expect_near(lines.count(kind) / len(lines), share, error, kind)

    def test_relatives_share_x_by_descent(self):
        variance = (self.q * (1 - self.q))[self.classes == "X"]
        for (kind, *sexes), shared in SHARED_X.items():
            first, second = self.rows_of(kind, *sexes)
            self.assertGreater(len(first), 5 if kind == "same" else 40, (kind, sexes))
            found = ((self.x_alleles(first) * self.x_alleles(second)) / variance).mean(1)
            self.expect_near(found.mean(), shared, found.std() / len(found)**0.5, (kind, *sexes))
        self.assertEqual(len({*map(tuple, zip(*self.rows_of("same", "m", "f")))}), 0, "one person has one sex")

    def test_children_have_whole_copies_of_x(self):
        for parent, sexes in (("father", ("m", "f")), ("mother", ("f", "m")), ("mother", ("f", "f"))):
            first, second = self.rows_of(parent, *sexes)
            a, b = self.at("X", first), self.at("X", second)
            self.assertFalse((abs(a - b) == 2).any(), f"an allele of the {parent} is in each {sexes}")
        first, second = self.rows_of("full-sibling", "f", "f")
        self.assertFalse((abs(self.at("X", first) - self.at("X", second)) == 2).any(), "sisters have their father's X")

    def test_x_recombines_in_mothers(self):
        """Two brothers, and two maternal half brothers: two meioses."""
        pairs = [self.rows_of(kind, "m", "m") for kind in ("full-sibling", "maternal-half-sibling")]
        first, second = (np.concatenate(rows) for rows in zip(*pairs))
        products = self.x_alleles(first) * self.x_alleles(second) / (self.q * (1 - self.q))[self.classes == "X"]
        step = np.diff(self.pos[self.classes == "X"])
        self.assertEqual(len(set(step)), 1)
        lags = np.arange(1, 60)
        # [pair, lag]: of two sites so far apart
        together = np.array([(products[:, lag:] * products[:, :-lag]).mean(1) for lag in lags]).T
        rates = np.linspace(0.4, 3, 521)
        curves = 1 / 4 + np.exp(-4 * rates[:, None] / 100 * lags * step[0] / 1e6) / 4

        def fit(some):
            return rates[((curves - some.mean(0)) ** 2).sum(1).argmin()]

        groups = np.arange(len(together)) % 40
        without = np.array([fit(together[groups != group]) for group in range(40)])
        error = (39 / 40 * ((without - without.mean()) ** 2).sum()) ** 0.5
        self.assertLess(error, 0.12, "so many pairs say what the rate is")
        self.expect_near(fit(together), CENTIMORGANS, error, "cM a Mb")

    def test_fathers_y_goes_to_sons_and_mothers_m_to_all(self):
        for site_class, kinds in (("Y", SAME_Y), ("M", SAME_M)):
            for kind in {kind for kind, *_ in SHARED_X} - {"same"}:
                first, second = self.rows_of(kind, *(("m", "m") if site_class == "Y" else ()))
                if len(first) == 0:
                    self.assertEqual((site_class, kind), ("Y", "mother"))
                    continue
                same = (self.at(site_class, first) == self.at(site_class, second)).all(1)
                if kind in kinds:
                    self.assertTrue(same.all(), (site_class, kind))
                else:
                    self.assertLess(same.mean(), 0.3, (site_class, kind))

    def test_haplotypes_are_shared_and_nested(self):
        read_once = np.ones(PEOPLE, dtype=bool)  # duplicates have errors
        read_once[[int(line["row"]) for line in self.pairs if line["relation"] == "duplicate"]] = False
        for site_class, rows in (("Y", self.men & read_once), ("M", read_once)):
            people = self.at(site_class, rows) // 2
            kinds, counts = np.unique(people, axis=0, return_counts=True)
            self.assertGreater(len(kinds), 8)
            self.assertLess(counts.max(), len(people) / 3)
            self.assertGreater(np.median(counts), 10, "people of one haplotype")
            for a in range(people.shape[1]):
                for b in range(a):
                    self.assertLess(len(np.unique(2 * kinds[:, a] + kinds[:, b])), 4, "each site mutates once")

    def test_strangers_share_nothing_of_x(self):
        related = {int(line[column]) for line in self.pairs for column in ("row", "relative_row")}
        alone = np.array([row for row in range(PEOPLE) if row not in related])[:1000]
        variance = (self.q * (1 - self.q))[self.classes == "X"]
        found = (self.x_alleles(alone[::2]) * self.x_alleles(alone[1::2]) / variance).mean(1)
        self.expect_near(found.mean(), 0, found.std() / len(found)**0.5, "strangers")


if __name__ == "__main__":
    program.main()
