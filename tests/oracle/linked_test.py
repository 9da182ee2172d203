"""fastid kin along the genetic map, recomputed with numpy: each relation's ratio, and that of a family's missing member, by all
inheritance vectors of its pedigree, without any symmetry, and what the ratios come to. People are made up, and inherit
stretches of chromosomes."""

import csv
import itertools
import json
import unittest

import formulas as fm
import numpy as np
import program

SEED, SITES, THETA, W, MARGIN = 20261127, 150, 0.01, 0.005, 1
DIGITS = 1.01e-4  # tsv has four decimals
POINTS = {"1": [(1_000_000, 0.0), (50_000_000, 70.5), (90_000_000, 71.0), (240_000_000, 260.0)],
          "2": [(20_000_000, 5.0), (200_000_000, 190.0)]}  # of chromosome 3 there is no map: 1.2 cM a Mb


# Pedigrees: (father, mother) of each person, None of a founder's; the pair comes last.
def line(n):
    """A founder and a descendant n generations on."""
    people = [None]
    for i in range(n):
        people += [None, (len(people) - 1 if i else 0, len(people))]
    return people, 0, len(people) - 1


def below(people, parent, n):
    for _ in range(n):
        people += [None, (parent, len(people))]
        parent = len(people) - 1
    return parent


def of_siblings(half, first, second):
    people = [None, None, None, (0, 1), (0, 2 if half else 1)]
    return people, below(people, 3, first), below(people, 4, second)


FOUNDERS = [None] * 4
PEDIGREES = {
    "same": ([None], 0, 0), "parent_child": line(1), "sibling": of_siblings(False, 0, 0),
    "three_quarter_sibling": ([None, None, None, (0, 1), (0, 1), (3, 2), (4, 2)], 5, 6),
    "half_sibling": of_siblings(True, 0, 0), "grandparent": line(2), "avuncular": of_siblings(False, 0, 1),
    "double_first_cousin": ([*FOUNDERS, (0, 1), (0, 1), (2, 3), (2, 3), (4, 6), (5, 7)], 8, 9),
    "first_cousin": of_siblings(False, 1, 1), "great_grandparent": line(3), "half_avuncular": of_siblings(True, 0, 1),
    "grand_avuncular": of_siblings(False, 0, 2), "first_cousin_once_removed": of_siblings(False, 1, 2),
    "half_first_cousin": of_siblings(True, 1, 1), "great_great_grandparent": line(4),
    "great_grand_avuncular": of_siblings(False, 0, 3), "second_cousin": of_siblings(False, 2, 2),
    "half_first_cousin_once_removed": of_siblings(True, 1, 2), "great_great_grand_avuncular": of_siblings(False, 0, 4)}
DEGREES = ["0", "1", "1", "1.5", *["2"] * 4, *["3"] * 4, *["4"] * 4, *["5"] * 3]
# Parent and child, and siblings, are degrees of their own.
CLASSES = [0, 1, 2, 3, *[4] * 4, *[5] * 4, *[6] * 4, *[7] * 3]
NEAR = 12  # relations to the third degree, which a search weighs
CLASS_NAMES = ["0", "1", "1", "1.5", "2", "3", "4", "5", "unrelated"]


def shared_of(pedigree):
    """The number of alleles of the pair that are one, for each inheritance vector."""
    people, first, second = pedigree
    children = [i for i, parents in enumerate(people) if parents]
    vectors = np.arange(1 << 2 * len(children))
    alleles, bit = {}, 0
    for i, parents in enumerate(people):
        if not parents:
            alleles[i] = [np.full(len(vectors), 2 * i), np.full(len(vectors), 2 * i + 1)]
            continue
        alleles[i] = []
        for parent in parents:
            alleles[i].append(np.where(vectors >> bit & 1, alleles[parent][1], alleles[parent][0]))
            bit += 1
    one, other = alleles[first], alleles[second]
    return sum((a == b).astype(int) for a, b in itertools.product(one, other)), bit


def readings(w):
    right, wrong = 1 - w, w
    return np.array([[right**2, 2 * right * wrong, wrong**2], [right * wrong, right**2 + wrong**2, right * wrong],
                     [wrong**2, 2 * right * wrong, right**2]])


class Map:
    def __init__(self, panel, points):
        self.order = sorted(range(SITES), key=lambda s: (int(panel[s][0]), panel[s][1]))
        self.cm = np.array([np.interp(pos, *np.array(points[chrom]).T) if chrom in points else 1.2e-6 * pos
                            for chrom, pos in panel])
        self.chrom = [chrom for chrom, _ in panel]

    def thinned(self, q, cm):
        if cm == 0:
            return self.order
        best = {}
        for s in self.order:
            key = (self.chrom[s], int(self.cm[s] // cm))
            if key not in best or min(q[s], 1 - q[s]) > min(q[best[key]], 1 - q[best[key]]):
                best[key] = s
        return [s for s in self.order if best[(self.chrom[s], int(self.cm[s] // cm))] == s]

    def ratios(self, sites, q, x, y, relations=len(PEDIGREES)):
        """log10 of each of the first relations against unrelated."""
        read = readings(W)
        seen = [np.einsum("ghs,gx,hy->xys", fm.joint_genotypes(q, THETA, descent), read, read)
                for descent in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
        found = []
        for pedigree in list(PEDIGREES.values())[:relations]:
            shared, bits = shared_of(pedigree)
            vectors = np.arange(len(shared))
            state, total, before = np.full(len(shared), 1 / len(shared)), 0.0, None
            for s in sites:
                linked = before is not None and self.chrom[s] == self.chrom[before]
                r = (1 - np.exp(-2 * (self.cm[s] - self.cm[before]) / 100)) / 2 if linked else 0.5
                for bit in range(bits):
                    state = (1 - r) * state + r * state[vectors ^ (1 << bit)]
                before = s
                if x[s] >= 0 and y[s] >= 0:
                    state = state * np.array([table[x[s], y[s], s] / seen[0][x[s], y[s], s] for table in seen])[shared]
                total += np.log10(state.sum())
                state = state / state.sum()
            found.append(total)
        return np.array(found)


FAMILY = {"father": None, "mother": None, "son": ("father", "mother"), "daughter": ("father", "mother"),
          "half": ("father", "0"), "nephew": ("daughter", "0")}


def patterns_of(people, shown, apart):
    """For each inheritance vector which alleles of those shown are one, the last of whom may be `apart`; and the bits."""
    meioses = [(person, copy) for person, parents in people.items() for copy in (0, 1) if parents and parents[copy] != "0"]
    found = []
    for vector in itertools.product((0, 1), repeat=len(meioses)):
        passed, alleles = dict(zip(meioses, vector)), {}
        for person, parents in people.items():
            alleles[person] = [alleles[parents[copy]][passed[person, copy]] if (person, copy) in passed else (person, copy)
                               for copy in (0, 1)]
        own = [alleles[person] for person in shown[:-1]] + [[0, 1] if apart else alleles[shown[-1]]]
        names = {}
        found.append(tuple(tuple(names.setdefault(allele, len(names)) for allele in of) for of in own))
    return found, len(meioses)


def chance_of(pattern, seen, q):
    """P(what is seen | which alleles are one) at each site."""
    read, n = readings(W), 1 + max(max(of) for of in pattern)
    by_number, total = fm.Alleles(q, THETA), np.zeros(SITES)
    for drawn in itertools.product((0, 1), repeat=n):
        one = by_number.probability(sum(drawn), n - sum(drawn))
        for (a, b), x in zip(pattern, seen):
            one = one * np.where(x < 0, 1.0, read[drawn[a] + drawn[b]][x])
        total = total + one
    return total


def family_ratio(genetic_map, shown, q, seen):
    """log10 of P(all that is seen | the last of those shown is the missing member) / P(the same | somebody unrelated)."""
    needed, ahead = set(), list(shown)
    while ahead:  # ancestors too; others change nothing
        name = ahead.pop()
        needed.add(name)
        ahead += [parent for parent in FAMILY[name] or () if parent != "0"]
    people = {name: parents for name, parents in FAMILY.items() if name in needed}
    logs = []
    for apart in (False, True):
        patterns, bits = patterns_of(people, shown, apart)
        table = {pattern: chance_of(pattern, [seen[name] for name in shown], q) for pattern in set(patterns)}
        state, total, before = np.full(len(patterns), 1 / len(patterns)), 0.0, None
        vectors = np.arange(len(patterns))
        for s in genetic_map.order:
            linked = before is not None and genetic_map.chrom[s] == genetic_map.chrom[before]
            r = (1 - np.exp(-2 * (genetic_map.cm[s] - genetic_map.cm[before]) / 100)) / 2 if linked else 0.5
            for bit in range(bits):
                state = (1 - r) * state + r * state[vectors ^ (1 << bit)]
            before = s
            state = state * np.array([table[pattern][s] for pattern in patterns])
            total += np.log10(state.sum())
            state = state / state.sum()
        logs.append(total)
    return logs[0] - logs[1]


def log10_mean(values):
    return max(values) + np.log10(np.mean(10.0 ** (np.array(values) - max(values))))


def findings(ratios):
    """(any, margin, class of the likeliest degree, range, relation or None)."""
    by_class = [log10_mean([r for r, of in zip(ratios, CLASSES) if of == c]) for c in range(8)] + [0.0]
    first = log10_mean(ratios[1:4])
    total = log10_mean([first, *by_class[4:8]])
    best = int(np.argmax(by_class))
    margin = by_class[best] - max(v for c, v in enumerate(by_class) if c != best)
    near = [c for c in range(9) if by_class[best] - by_class[c] < MARGIN or c == best]
    names = [CLASS_NAMES[near[0]], CLASS_NAMES[near[-1]]]
    order = np.sort(np.append(ratios, 0))
    relation = int(np.argmax(ratios)) if ratios.max() > 0 and order[-1] - order[-2] >= MARGIN else None
    return total, margin, best, names[0] if names[0] == names[1] else "-".join(names), relation


def pass_on(rng, person, chrom, cm):
    """One copy of each site, by crossovers without interference."""
    copy, which = np.empty(SITES, int), 0
    for place, s in enumerate(cm.order):
        before = cm.order[place - 1]
        linked = place > 0 and chrom[s] == chrom[before]
        r = (1 - np.exp(-2 * (cm.cm[s] - cm.cm[before]) / 100)) / 2 if linked else 0.5
        which ^= rng.random() < r
        copy[s] = person[which, s]
    return copy


class Linked(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rng = np.random.default_rng(SEED)
        cls.panel = [(str(1 + 3 * s // SITES), int(pos)) for s, pos in enumerate(
            np.concatenate([rng.permutation(rng.choice(np.arange(10_000, 200_000_000), SITES // 3, False)) for _ in range(3)]))]
        cls.freq = {name: rng.uniform(0.05, 0.5, SITES).round(4) for name in ("a", "b")}
        lines = ["#build GRCh37", "id\tchrom\tpos\tmajor\tminor\ta\tb"]
        lines += [f"s{s}\t{chrom}\t{pos}\tA\tC\t{cls.freq['a'][s]}\t{cls.freq['b'][s]}" for s, (chrom, pos) in enumerate(cls.panel)]
        (cls.scratch / "panel.tsv").write_text("\n".join(lines) + "\n", "utf-8")
        points = [f"{chrom}\t{pos}\t{cm}" for chrom, of in POINTS.items() for pos, cm in of]
        (cls.scratch / "map.tsv").write_text("\n".join(["chrom\tpos\tcM", *points]) + "\n", "utf-8")
        cls.map = Map(cls.panel, POINTS)
        founder = lambda: (rng.random((2, SITES)) < cls.freq["a"]).astype(int)
        child = lambda father, mother: np.stack([pass_on(rng, one, cls.map.chrom, cls.map) for one in (father, mother)])
        father, mother = founder(), founder()
        son, daughter = child(father, mother), child(father, mother)
        people = {"father": father, "son": son, "daughter": daughter, "half": child(father, founder()),
                  "niece": child(son, founder()), "nephew": child(daughter, founder()), "stranger": founder()}
        cls.people = {name: np.where(rng.random(SITES) < 0.05, -1, of.sum(0)) for name, of in people.items()}
        cls.write_vcf("people", people)
        cls.run_fastid("db", "build", "-q", "-o", cls.scratch / "people.h5", "--panel", cls.scratch / "panel.tsv",
                       cls.scratch / "people.vcf")

    @classmethod
    def write_vcf(cls, name, people):
        head = "\t".join(["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", *people])
        vcf = ["##fileformat=VCFv4.2", '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">', head]
        for s, (chrom, pos) in enumerate(cls.panel):
            vcf.append("\t".join([chrom, str(pos), f"s{s}", "A", "C", ".", ".", ".", "GT",
                                  *(("0/0", "0/1", "1/1", "./.")[cls.people[person][s]] for person in people)]))
        path = cls.scratch / f"{name}.vcf"
        path.write_text("\n".join(vcf) + "\n", "utf-8")
        return path

    def rows(self, *options):
        text = self.run_fastid("kin", "-q", "-k", "all", "--min-kinship", -10, "--min-lr", -999, *options, "--format", "tsv",
                               self.scratch / "people.vcf", self.scratch / "people.h5").stdout
        head, *lines = (line.split("\t") for line in text.splitlines())
        return [dict(zip(head, line)) for line in lines]

    def expect(self, row, thin, genetic_map):
        self.expect_pair(row, (row["query"], row["profile"]), thin, genetic_map, "chance_matches", len(self.people))

    def expect_pair(self, row, names, thin, genetic_map, chance_column, n_pairs):
        x, y = (self.people[name] for name in names)
        by_population = [genetic_map.ratios(genetic_map.thinned(q, thin), q, x, y) for q in self.freq.values()]
        lowest = np.min(by_population, axis=0)
        for name, ratio in zip(PEDIGREES, lowest):
            self.assertAlmostEqual(float(row[f"log10_lr_{name}"]), ratio, delta=DIGITS, msg=name)
        lowest_any = min(by_population, key=lambda of: findings(of)[0])
        total, margin, best, degrees, relation = findings(lowest_any)
        self.assertAlmostEqual(float(row["log10_lr"]), total, delta=DIGITS)
        self.assertAlmostEqual(float(row["margin"]), margin, delta=2 * DIGITS)
        self.assertEqual(row["degree_range"], degrees)
        chance = min(1.0, 10 ** -total) * n_pairs
        self.assertAlmostEqual(float(row[chance_column]) / chance, 1, delta=6e-4)
        speaks = lowest_any[0] if best == 0 else total
        named = margin >= MARGIN and (best == 8 or speaks > np.log10(n_pairs / 0.01))
        self.assertEqual(row["degree"], CLASS_NAMES[best] if named and best < 8 else "NA")
        word = "unrelated" if best == 8 else list(PEDIGREES)[relation].replace("_", "-") if relation is not None else "undecided"
        self.assertEqual(row["relation"], word if named else "undecided")

    def test_every_pair_by_a_map(self):
        rows = self.rows("--map", self.scratch / "map.tsv", "--thin", 0)
        self.assertEqual(len(rows), len(self.people) ** 2)
        for row in rows:
            if row["query"] in ("son", "niece"):
                with self.subTest(first=row["query"], second=row["profile"]):
                    self.expect(row, 0, self.map)

    def test_thinned_and_without_a_map(self):
        for options, thin, points in ((("--map", "none", "--thin", 4), 4, {}),
                                      (("--map", self.scratch / "map.tsv"), 0.1, POINTS)):
            rows = {(row["query"], row["profile"]): row for row in self.rows(*options)}
            self.expect(rows["son", "daughter"], thin, Map(self.panel, points))
            self.expect(rows["stranger", "niece"], thin, Map(self.panel, points))

    def test_all_pairs(self):
        """With the figures that kin has of them; --min-lr says which are listed."""
        def listed(least):
            text = self.run_fastid("pairs", "-q", "--map", self.scratch / "map.tsv", "--thin", 0, "--min-lr", least, "--format", "tsv",
                                   self.scratch / "people.h5").stdout
            head, *lines = (line.split("\t") for line in text.splitlines())
            return {tuple(line[:2]): dict(zip(head, line)) for line in lines}

        rows = listed(-999)
        self.assertEqual(set(rows), set(itertools.combinations(self.people, 2)))
        self.assertEqual(set(listed(3)), {pair for pair, row in rows.items() if float(row["log10_lr"]) >= 3})
        for pair in ("son", "daughter"), ("niece", "stranger"):
            self.expect_pair(rows[pair], pair, 0, self.map, "chance_pairs", len(rows))

    def test_a_search_for_a_person(self):
        """Nobody here is too far from another for KING's kinship, and all rows have sites enough."""
        text = self.run_fastid("search", "-q", "-k", "all", "--map", self.scratch / "map.tsv", "--format", "tsv",
                               self.scratch / "people.vcf", self.scratch / "people.h5").stdout
        head, *lines = (line.split("\t") for line in text.splitlines())
        rows = [row for row in (dict(zip(head, line)) for line in lines) if row["query"] == "son"]
        for row in rows:
            with self.subTest(first=row["query"], second=row["profile"]):
                self.expect_identity(row)
        self.assertGreaterEqual({row["suggests"] for row in rows}, {"same", "first-degree", "inconclusive"})

    def expect_identity(self, row):
        x, y = self.people[row["query"]], self.people[row["profile"]]
        ratios = [self.map.ratios(self.map.thinned(q, 0.1), q, x, y, NEAR) for q in self.freq.values()]
        self.assertAlmostEqual(float(row["log10_lr_sibling"]), min(of[0] - of[2] for of in ratios), delta=DIGITS)
        of = min(ratios, key=lambda of: of[0])
        total, _, best, degrees, _ = findings(np.append(of, [-999.0] * (len(PEDIGREES) - NEAR)))
        word = {"0": "same", "1": "first-degree", "1.5": "first-degree", "1-1.5": "first-degree", "2": "second-degree"}.get(
            degrees, "unrelated" if best == 8 and degrees[0] in "345u" else "inconclusive")
        chance = float(row["chance_matches"]) >= 0.01 and word != "unrelated"
        by_any = word.endswith("degree") and self.near_any(of) <= np.log10(len(self.people) / 0.01)
        self.assertEqual(row["suggests"], "inconclusive" if chance or by_any else word)

    @staticmethod
    def near_any(of):
        """The mean over the first to the third degree."""
        return log10_mean([log10_mean(of[1:4]), log10_mean(of[4:8]), log10_mean(of[8:12])])

    def test_what_is_shared(self):
        file = self.scratch / "stretches.tsv"
        rows = {(row["query"], row["profile"]): row
                for row in self.rows("--map", self.scratch / "map.tsv", "--thin", 0, "--segments", file)}
        length = sum(np.ptp([self.map.cm[s] for s in range(SITES) if self.map.chrom[s] == chrom]) for chrom in "123")
        same, parent, stranger = rows["son", "son"], rows["father", "son"], rows["stranger", "father"]
        self.assertAlmostEqual(float(same["shared_cm_2"]), length, delta=0.05)
        self.assertEqual(same["segments"], "3")
        self.assertAlmostEqual(float(parent["shared_cm"]), length, delta=0.05 * length)
        self.assertLess(float(stranger["shared_cm"]), 0.3 * length)
        self.expect_stretches(file, rows)

    def expect_stretches(self, file, rows):
        stretches = {}
        with open(file, encoding="ascii") as lines:
            for one in csv.DictReader(lines, delimiter="\t"):
                stretches.setdefault((one["id1"], one["id2"]), []).append(one)
        for row in rows.values():
            of = [one for one in stretches.get((row["query"], row["profile"]), []) if one["state"] == "1"]
            self.assertEqual(len(of), int(row["segments"]))
            longest = max((float(one["end_cM"]) - float(one["start_cM"]) for one in of), default=0)
            self.assertAlmostEqual(longest, float(row["longest_cm"]), delta=0.006)
            self.assertTrue(all(0.5 <= float(one["mean_posterior"]) <= 1 for one in of))

    def expect_family(self, missing, typed, bits):
        """All rows; gives back the arguments."""
        file = self.scratch / "family.txt"
        file.write_text("".join(f"{name} {' '.join(parents or ('0', '0'))}\n" for name, parents in FAMILY.items()), "ascii")
        arguments = ("kin", "-k", "all", "--family", file, "--missing", missing, self.write_vcf("typed", typed),
                     self.scratch / "people.h5")
        along = ("--map", self.scratch / "map.tsv", "--thin", 0)
        document = json.loads(self.run_fastid(*arguments, "-q", *along, "--format", "json").stdout)
        of = document["family"]["missing"][0]
        self.assertEqual((of["inheritance_bits"], of["along_map"]), (bits, True))
        found = {row["profile"]: row["log10_lr"] for row in document["queries"][0]["matches"]}
        self.assertGreaterEqual(len(found), 4)
        for name in (missing, "stranger", "half"):
            if name not in typed:
                ratios = [family_ratio(self.map, [*typed, missing], q, self.people | {missing: self.people[name]})
                          for q in self.freq.values()]
                self.assertAlmostEqual(found[name], min(ratios), delta=1e-6, msg=name)
        return arguments, along

    def test_missing_member(self):
        self.expect_family("father", ["son", "half"], 1)
        arguments, along = self.expect_family("daughter", ["son", "nephew"], 3)
        few = self.run_fastid(*arguments, "--max-bits", 2, *along)
        self.assertIn("daughter: the family has 3 bits of inheritance, more than 2, so that its sites are taken as unlinked; "
                      "few enough are left without one of son, nephew", few.stderr)
        ratios = [{row["profile"]: row["log10_lr"] for row in csv.DictReader(text.splitlines(), delimiter="\t")}
                  for text in (few.stdout, self.run_fastid(*arguments, "-q", "--unlinked", "--min-kinship", -10).stdout)]
        self.assertEqual(*ratios)


if __name__ == "__main__":
    program.main()
