"""Simulated relatives and populations against theory: from the bits in the file and the tables of truth alone.

Two people who share k alleles by descent at a site differ in their bits with probability 0 (k = 2), 2 p^2 q (k = 1) or
2 c (1 - c) (k = 0), with q the minor allele's frequency, p = 1 - q, c = 1 - p^2. A figure may lie five standard deviations
from what is expected; the seeds are fixed.
"""

import csv
import json

import h5py
import numpy as np
import program

# relation: P(0, 1, 2 alleles identical by descent)
DESCENT = {
    "duplicate": (0, 0, 1),
    "twin": (0, 0, 1),
    "parent-child": (0, 1, 0),
    "full-siblings": (0.25, 0.5, 0.25),
    "half-siblings": (0.5, 0.5, 0),
    "first-cousins": (0.75, 0.25, 0),
    "three-quarter-sibling": (3 / 8, 1 / 2, 1 / 8),
    "double-first-cousin": (9 / 16, 6 / 16, 1 / 16),
    **{name: (1 - share, share, 0) for share, names in {
        1 / 2: ("grandparent", "avuncular"),
        1 / 4: ("great-grandparent", "half-avuncular", "grand-avuncular"),
        1 / 8: ("first-cousin-once-removed", "half-first-cousin", "great-great-grandparent", "great-grand-avuncular"),
        1 / 16: ("second-cousin", "half-first-cousin-once-removed", "great-great-grand-avuncular")}.items() for name in names},
}
NEAR = {"duplicate": 40, "twin": 30, "parent-child": 60, "full-siblings": 60, "half-siblings": 60, "first-cousins": 60}
FAR = {name: 20 for name in DESCENT if name not in NEAR}
PAIRS = NEAR | FAR
OPTIONS = {"duplicate": "--duplicates", "twin": "--twins"}
PEOPLE, SITES = 3000, 900
DEVIATIONS = 5


def read_tsv(path):
    with open(path, newline="", encoding="ascii") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def bits_of(database):
    """[people, sites], by the documented formula; and minor-allele frequencies by population."""
    with h5py.File(database) as file:
        words = file["profiles/minor"][:]
        people, sites = int(file.attrs["n_profiles"]), int(file.attrs["n_sites"])
        freq = {name: column[:] for name, column in file["panel/freq"].items()}
    row, site = np.arange(people)[:, None], np.arange(sites)[None, :]
    return words[row // 32, site // 32, row % 32] >> (site % 32).astype(np.uint32) & 1 == 1, freq


def differ_by_descent(q):
    """P(bits differ) at sites with 0, 1, 2 alleles identical by descent: [3, sites]."""
    p, c = 1 - q, 1 - (1 - q) ** 2
    return np.array([2 * c * (1 - c), 2 * p * p * q, np.zeros_like(q)])


class Relatives(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.database = cls.scratch / "kin.h5"
        pairs = [word for name, n in NEAR.items() for word in (OPTIONS.get(name, f"--{name}"), n)]
        cls.run_fastid("db", "simulate", "-o", cls.database, "--unlinked-meioses", "--profiles", PEOPLE, "--sites", SITES, "--seed", 11,
                       "--duplicate-error-rate", 0.01, *pairs, "--relatives", ",".join(f"{name}={n}" for name, n in FAR.items()))
        cls.truth = read_tsv(f"{cls.database}.relatives.tsv")
        cls.bits, freq = bits_of(cls.database)
        cls.q = freq["simulated"]

    def of(self, relation):
        return [line for line in self.truth if line["relation"] == relation]

    def expect_near(self, value, expected, deviation, what):
        self.assertLess(abs(value - expected), DEVIATIONS * deviation + 1e-9, f"{what}: {value}, not {expected}")

    def test_the_table_lists_every_pair_once(self):
        self.assertEqual({name: len(self.of(name)) for name in DESCENT}, PAIRS)
        rows = [int(line[column]) for line in self.truth for column in ("row", "relative_row")]
        self.assertEqual(len(set(rows)), len(rows))
        self.assertEqual([int(line["row"]) for line in self.truth], sorted(int(line["row"]) for line in self.truth))
        for line in self.truth:
            for name, row in (("profile", "row"), ("relative", "relative_row")):
                self.assertEqual(line[name], f"P{int(line[row]) + 1:09d}")

    def test_alleles_are_shared_as_often_as_the_relation_says(self):
        for relation, shares in DESCENT.items():
            lines = self.of(relation)
            n = len(lines) * SITES
            for k, share in enumerate(shares):
                found = sum(int(line[f"ibd{k}"]) for line in lines)
                self.expect_near(found, share * n, (n * share * (1 - share)) ** 0.5, f"{relation}, ibd{k}")
            for line in lines:
                self.assertEqual(sum(int(line[f"ibd{k}"]) for k in range(3)), SITES)

    def test_relatives_differ_as_often_as_their_descent_says(self):
        """Over all pairs of a relation; the sites that share k alleles are any of the panel's."""
        by_descent = differ_by_descent(self.q)
        for relation, shares in DESCENT.items():
            if relation == "duplicate":
                continue
            pairs = [(int(line["row"]), int(line["relative_row"])) for line in self.of(relation)]
            found = sum(int((self.bits[a] != self.bits[b]).sum()) for a, b in pairs)
            chance = np.array(shares) @ by_descent
            deviation = (len(pairs) * (chance * (1 - chance)).sum()) ** 0.5
            self.expect_near(found, len(pairs) * chance.sum(), deviation, relation)

    def test_duplicates_differ_by_their_errors(self):
        """A bit changes with P(reads minor) of its genotype, or one less that."""
        w, q = 0.01, self.q
        p = 1 - q
        flips = p * p * (1 - (1 - w) ** 2) + 2 * p * q * w * (1 - w) + q * q * w * w
        pairs = [(int(line["row"]), int(line["relative_row"])) for line in self.of("duplicate")]
        found = sum(int((self.bits[a] != self.bits[b]).sum()) for a, b in pairs)
        self.assertGreater(found, 0)
        self.expect_near(found, len(pairs) * flips.sum(), (len(pairs) * (flips * (1 - flips)).sum()) ** 0.5, "duplicates")

    def test_relatives_are_people_like_others(self):
        """Those planted carry minor alleles as often as the panel's frequencies say."""
        rows = [int(line["row"]) for line in self.truth]
        carriers = self.bits[rows].sum(axis=0)
        c = 1 - (1 - self.q) ** 2
        z = (carriers - len(rows) * c) / np.sqrt(len(rows) * c * (1 - c))
        self.assertLess(abs(z).max(), DEVIATIONS)
        self.assertLess(abs(z.mean()), DEVIATIONS / SITES**0.5)

    def test_strangers_stay_strangers(self):
        related = {int(line[column]) for line in self.truth for column in ("row", "relative_row")}
        alone = [row for row in range(PEOPLE) if row not in related][:400]
        chance = differ_by_descent(self.q)[0]
        found = [int((self.bits[a] != self.bits[b]).sum()) for a, b in zip(alone[::2], alone[1::2])]
        self.expect_near(np.mean(found), chance.sum(), ((chance * (1 - chance)).sum() / len(found)) ** 0.5, "strangers")

    def test_a_search_finds_duplicates_and_twins(self):
        lines = self.of("duplicate") + self.of("twin")
        wanted = [word for line in lines for word in ("--profile", line["profile"])]
        self.run_fastid("db", "export", self.database, "-o", self.scratch / "q.vcf", "--format", "vcf", *wanted)
        document = json.loads(self.run_fastid("search", "-k", 2, "--format", "json", self.scratch / "q.vcf",
                                              self.database).stdout)
        found = {query["name"]: {match["profile"] for match in query["matches"]} for query in document["queries"]}
        self.assertEqual(found, {line["profile"]: {line["profile"], line["relative"]} for line in lines})


class Populations(program.Case):
    N, FST = 4, 0.1

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.database = cls.scratch / "drift.h5"
        cls.run_fastid("db", "simulate", "-o", cls.database, "--unlinked-meioses", "--profiles", PEOPLE, "--sites", SITES, "--seed", 5,
                       "--populations", cls.N, "--fst", cls.FST, "--full-siblings", 200)
        cls.bits, cls.freq = bits_of(cls.database)
        lines = read_tsv(f"{cls.database}.populations.tsv")
        cls.population = np.array([line["population"] for line in lines])
        cls.lines = lines

    def test_the_table_names_every_profile_and_populations_are_even(self):
        self.assertEqual([int(line["row"]) for line in self.lines], list(range(PEOPLE)))
        self.assertEqual([line["profile"] for line in self.lines], [f"P{row + 1:09d}" for row in range(PEOPLE)])
        names, counts = np.unique(self.population, return_counts=True)
        self.assertEqual(names.tolist(), [f"pop{i + 1}" for i in range(self.N)])
        deviation = (PEOPLE * (1 / self.N) * (1 - 1 / self.N)) ** 0.5
        self.assertLess(abs(counts - PEOPLE / self.N).max(), DEVIATIONS * deviation)

    def test_people_have_their_populations_frequencies(self):
        for name in sorted(set(self.population)):
            people = self.bits[self.population == name]
            c = 1 - (1 - self.freq[name]) ** 2
            inside = (c > 0.02) & (c < 0.98)  # where a normal distribution says something
            self.assertGreater(inside.sum(), SITES * 0.8)
            z = (people.sum(axis=0) - len(people) * c)[inside] / np.sqrt(len(people) * c * (1 - c))[inside]
            self.assertLess(abs(z).max(), DEVIATIONS + 1)  # siblings make it a little wider
            self.assertLess(abs(z.mean()), DEVIATIONS / inside.sum() ** 0.5)

    def test_frequencies_have_drifted_by_fst(self):
        """Var(q_k) = fst q (1 - q): of the panel's columns, whose sum over sites has a small error."""
        q = self.freq["simulated"]
        for i in range(self.N):
            ratio = ((self.freq[f"pop{i + 1}"] - q) ** 2).sum() / (q * (1 - q)).sum()
            self.assertLess(abs(ratio / self.FST - 1), 0.2, f"pop{i + 1}: {ratio}")
        drift = np.array([self.freq[f"pop{i + 1}"] - q for i in range(self.N)])
        correlation = np.corrcoef(drift)[np.triu_indices(self.N, 1)]
        self.assertLess(abs(correlation).max(), DEVIATIONS / SITES**0.5)

    def test_people_of_one_population_are_nearer(self):
        """By theory: the mean over pairs of sums of c_a (1 - c_b) + c_b (1 - c_a)."""
        carriers = {name: 1 - (1 - self.freq[name]) ** 2 for name in set(self.population)}
        same, other = [], []
        for a in range(0, 600, 2):
            chance = [carriers[self.population[row]] for row in (a, a + 1)]
            expected = (chance[0] * (1 - chance[1]) + chance[1] * (1 - chance[0])).sum()
            found = (self.bits[a] != self.bits[a + 1]).sum()
            (same if self.population[a] == self.population[a + 1] else other).append((found, expected))
        for pairs in (same, other):
            found, expected = np.mean(pairs, axis=0)
            self.assertLess(abs(found - expected), DEVIATIONS * (SITES / 4 / len(pairs)) ** 0.5)
        self.assertLess(np.mean([found for found, _ in same]), np.mean([found for found, _ in other]) - 10)

    def test_siblings_are_of_one_population(self):
        truth = read_tsv(f"{self.database}.relatives.tsv")
        self.assertEqual(len(truth), 200)
        for line in truth:
            self.assertEqual(self.population[int(line["row"])], self.population[int(line["relative_row"])])

    def test_siblings_differ_as_theory_says_in_their_population(self):
        truth = read_tsv(f"{self.database}.relatives.tsv")
        found = expected = variance = 0
        for line in truth:
            a, b = int(line["row"]), int(line["relative_row"])
            chance = np.array(DESCENT["full-siblings"]) @ differ_by_descent(self.freq[self.population[a]])
            found += int((self.bits[a] != self.bits[b]).sum())
            expected += chance.sum()
            variance += (chance * (1 - chance)).sum()
        self.assertLess(abs(found - expected), DEVIATIONS * variance**0.5)


if __name__ == "__main__":
    program.main()
