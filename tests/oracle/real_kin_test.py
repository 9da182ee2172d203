"""Real people's kinship beside plink2's, which counts independently: every pair of some people with all of two studies.

The folder that FASTID_REAL_DATA names holds HapMap 3 (957 people, 14,079 sites, 0.15 % missing) and 1000 Genomes phase 3
(2,504 people, 7,417 sites, none missing). HapMap 3 is compared as it is and with 5 % of all calls taken away.
"""

import csv
import subprocess

import numpy as np
import program

LEAST = -10  # the least that --min-kinship takes: all pairs are listed
EVERY = 97  # people who are asked about one by one
SHORT = 2  # NSNP of plink2 (alpha 3) is one more than the sites called in both for one pair in 12,000 of HapMap 3


def plink2(*arguments):
    subprocess.run(["plink2", "--silent", *map(str, arguments)], check=True)


def without_calls(prefix, made, share, seed):
    """The same people and sites with a share of the genotypes missing; PLINK's code 1 is a missing one."""
    raw = np.fromfile(prefix.with_suffix(".bed"), np.uint8)
    body = raw[3:]
    codes = body[:, None] >> np.array([0, 2, 4, 6], np.uint8) & 3
    codes[np.random.default_rng(seed).random(codes.shape) < share] = 1
    packed = (codes << np.array([0, 2, 4, 6], np.uint8)).sum(axis=1).astype(np.uint8)
    made.with_suffix(".bed").write_bytes(raw[:3].tobytes() + packed.tobytes())
    for suffix in (".bim", ".fam"):
        made.with_suffix(suffix).write_bytes(prefix.with_suffix(suffix).read_bytes())


def hapmap3():
    return program.real_data() / "hapmap3" / "hapmap3"


def table(path):
    """The columns of a tab-separated file by name, each a list of texts."""
    with open(path, encoding="ascii") as file:
        head, *rows = (line.split("\t") for line in file.read().splitlines())
    return dict(zip(head, zip(*rows) if rows else [()] * len(head)))


class Pairs:
    """Of pairs of people: their counts (sites, both heterozygous, opposite homozygotes: n x 3) and kinship, by their names."""

    def __init__(self, path, names):
        columns = table(path)
        first, second, *counts, kinship = (columns[name] for name in names)
        order = sorted({*first, *second})
        place = {name: i for i, name in enumerate(order)}
        places = np.sort(np.array([[place[name] for name in side] for side in (first, second)]).T)
        by_pair = np.lexsort(places.T)
        self.pairs = [(order[i], order[j]) for i, j in places[by_pair]]
        self.counts = np.array(counts, dtype=int).T[by_pair]
        self.kinship = np.array(kinship, dtype=float)[by_pair]

    def take(self, chosen):
        some = Pairs.__new__(Pairs)
        some.pairs, some.counts, some.kinship = [self.pairs[i] for i in chosen], self.counts[chosen], self.kinship[chosen]
        return some

    def of(self, pairs):
        """The same of some pairs, in their order."""
        place = {pair: i for i, pair in enumerate(self.pairs)}
        return self.take([place[pair] for pair in pairs])


OURS = ("#IID1", "IID2", "NSNP", "HETHET", "IBS0", "KINSHIP")


class Kinship(program.Case):
    def plinks_pairs(self, prefix, *more):
        made = self.scratch / f"{prefix.name}-king"
        columns = "cols=id,nsnp,hethet,ibs0,kinship"
        plink2("--bfile", prefix, "--make-king-table", "counts", columns, *more, "--out", made)
        return Pairs(made.with_suffix(".kin0"), OURS)

    def build(self, prefix):
        self.database = self.scratch / f"{prefix.name}.h5"
        self.run_fastid("db", "build", "-o", self.database, prefix.with_suffix(".bed"))

    def our_pairs(self, *arguments, names=OURS):
        made = self.scratch / "rows.tsv"
        self.run_fastid(*arguments, "-o", made)
        return Pairs(made, names)

    def check(self, ours, plinks):
        """All figures of the same pairs. Returns by how many plink2 counts more sites."""
        self.assertEqual(ours.pairs, plinks.pairs)
        wrong = (ours.counts[:, 1:] != plinks.counts[:, 1:]).any(axis=1)
        wrong |= abs(ours.kinship - plinks.kinship) > 6e-7 + 5e-6 * abs(plinks.kinship)
        self.assertEqual([ours.pairs[i] for i in np.flatnonzero(wrong)[:5]], [])
        more = plinks.counts[:, 0] - ours.counts[:, 0]
        self.assertGreaterEqual(more.min(), 0)
        return more.sum()

    def check_all_pairs(self, prefix):
        self.build(prefix)
        ours = self.our_pairs("pairs", "--no-evidence", "--min-kinship", LEAST, self.database)
        self.assertEqual(len(ours.pairs), 957 * 956 // 2)
        self.assertLessEqual(self.check(ours, self.plinks_pairs(prefix)), len(ours.pairs) // 12_000 * SHORT)

    def test_all_pairs_of_hapmap3(self):
        self.check_all_pairs(hapmap3())

    def test_all_pairs_with_more_calls_missing(self):
        prefix = self.scratch / "fewer"
        without_calls(hapmap3(), prefix, 0.05, 4)
        self.check_all_pairs(prefix)

    def test_close_pairs_of_phase3(self):
        """plink2 compares rounded numbers: a kinship of just .0884 may be below its bound."""
        prefix = program.real_data() / "1000g_phase3" / "phase3"
        self.build(prefix)
        plinks = self.plinks_pairs(prefix, "--king-table-filter", 0.0884)
        ours = self.our_pairs("pairs", "--no-evidence", self.database)
        known = set(plinks.pairs)
        self.assertEqual({k for pair, k in zip(ours.pairs, ours.kinship) if pair not in known} - {0.0884}, set())
        self.assertEqual(self.check(ours.of(plinks.pairs), plinks), 0)
        self.assertGreater(len(plinks.pairs), 60_000)

    def test_linked_sites_are_warned_of_and_pruned_ones_are_not(self):
        """Phase 3's 7,417 sites of 58 genes, each counted by itself: unrelated people look like siblings by thousands, and
        pruning mends it. So do stretches along the map."""
        prefix, kept = program.real_data() / "1000g_phase3" / "phase3", self.scratch / "keep.txt"
        self.build(prefix)
        siblings = {}
        for name in ("linked", "pruned"):
            made = self.scratch / "rows.tsv"
            said = self.run_fastid("pairs", "--unlinked", self.database, "-o", made).stderr
            self.assertEqual("are linked, and evidence is overstated" in said, name == "linked", said)
            info = self.run_fastid("db", "info", self.database).stdout
            self.assertEqual("kin decided" in info, name == "pruned", info)
            siblings[name] = siblings_of(made)
            if name == "linked":
                self.run_fastid("pairs", self.database, "-q", "-o", made)
                siblings["by stretches"] = siblings_of(made)
            self.run_fastid("ld", self.database, "--prune", 0.1, "--window-bp", 5_000_000, "-o", kept, "-q")
            self.run_fastid("db", "build", "-o", self.database, prefix.with_suffix(".bed"), "--sites", kept)
        self.assertGreater(siblings["linked"], 1000)
        for mended in ("pruned", "by stretches"):
            self.assertLess(20 * siblings[mended], siblings["linked"], mended)

    def test_the_most_distant_degree_is_one_that_kinship_tells(self):
        """Simulated relatives who inherited along a map: four in five lie above the bound, of strangers one in ten thousand."""
        folder, made = program.real_data() / "relatives", self.scratch / "rows.tsv"
        for name, degree, word, bound in (("force", "2", "second", 0.0884), ("kintelligence", "3", "third", 0.0442)):
            self.database = self.scratch / f"{name}.h5"
            self.run_fastid("db", "build", "-q", "-o", self.database, "--panel", folder / f"{name}.panel.tsv",
                            folder / f"{name}.vcf.gz")
            said = self.run_fastid("pairs", "--no-evidence", self.database, "--unrelated", self.scratch / "kept", "-o",
                                   self.scratch / "near").stderr
            self.run_fastid("pairs", "--no-evidence", "--min-kinship", LEAST, self.database, "-o", made)
            self.assertIn(f"the {word} degree is the most distant that this panel can tell", said)
            with open(folder / f"{name}.truth.tsv", encoding="ascii") as file:
                truth = {frozenset((row["id1"], row["id2"])): row["degree"] for row in csv.DictReader(file, delimiter="\t")}
            pairs = table(made)
            of = np.array([truth.get(pair, "") for pair in map(frozenset, zip(pairs["#IID1"], pairs["IID2"]))])
            above = np.array(pairs["KINSHIP"], dtype=float) >= bound
            self.assertGreater(above[of == degree].mean(), 0.8)
            self.assertLess(above[of == ""].mean(), 1e-4)
            self.assertGreater((of == "").sum(), 800_000)

    def test_nobody_who_is_kept_is_near_another(self):
        """No two have the kinship that was asked for, and plink2's own set (which looks less far) is no larger."""
        prefix, kept = hapmap3(), self.scratch / "kept"
        self.build(prefix)
        pairs = self.plinks_pairs(prefix)
        for options, least in (((), 0.0884), (("--degree", 3), 0.0442), (("--degree", 1), 0.177)):
            said = self.run_fastid("pairs", "--no-evidence", *options, "--unrelated", kept, self.database,
                                   "-o", self.scratch / "rows.tsv").stderr
            self.assertIn(f"no two have a kinship of {least} or more", said)
            self.assertIn("the third degree is the most distant that this panel can tell", said)
            names = set(kept.read_text(encoding="ascii").split())
            near = [pairs.pairs[i] for i in np.flatnonzero(pairs.kinship > least + 1e-6)]
            self.assertEqual([pair for pair in near if names.issuperset(pair)], [])
            plink2("--bfile", prefix, "--king-cutoff", least, "--out", self.scratch / "plink")
            plinks = (self.scratch / "plink.king.cutoff.in.id").read_text(encoding="ascii").splitlines()
            self.assertGreaterEqual(len(names), len(plinks) - 1)

    def test_people_who_are_asked_about(self):
        prefix = hapmap3()
        self.build(prefix)
        people = [line.split() for line in prefix.with_suffix(".fam").read_text(encoding="ascii").splitlines()]
        asked, work = people[::EVERY], self.scratch / "asked"
        work.with_suffix(".keep").write_text("".join(f"{one[0]} {one[1]}\n" for one in asked), encoding="ascii")
        plink2("--bfile", prefix, "--keep", work.with_suffix(".keep"), "--make-bed", "--out", work)
        query = work.with_suffix(".bed")
        ours = self.our_pairs("kin", "--unlinked", "-k", "all", "--min-kinship", LEAST, query, self.database,
                              names=("query", "profile", "compared", "hethet", "ibs0", "kinship"))
        self.assertEqual(len(ours.pairs), len(asked) * len(people))
        ours = ours.take([i for i, (one, other) in enumerate(ours.pairs) if one != other])
        self.assertEqual(len(ours.pairs), len(asked) * (len(people) - 1))
        self.check(ours, self.plinks_pairs(prefix).of(ours.pairs))


def siblings_of(table):
    with open(table, encoding="ascii") as file:
        return sum(row["relation"] == "sibling" for row in csv.DictReader(file, delimiter="\t"))


if __name__ == "__main__":
    program.main(needs_real_data=True)
