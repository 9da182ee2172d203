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


class Kinship(program.Case):
    def plinks_pairs(self, prefix, *more):
        made = self.scratch / f"{prefix.name}-king"
        columns = "cols=id,nsnp,hethet,ibs0,kinship"
        plink2("--bfile", prefix, "--make-king-table", "counts", columns, *more, "--out", made)
        pairs = {}
        with open(made.with_suffix(".kin0"), encoding="ascii") as file:
            for line in csv.DictReader(file, delimiter="\t"):
                counts = int(line["NSNP"]), int(line["HETHET"]), int(line["IBS0"])
                pairs[frozenset((line["#IID1"], line["IID2"]))] = (*counts, float(line["KINSHIP"]))
        return pairs

    def build(self, prefix):
        self.database = self.scratch / f"{prefix.name}.h5"
        self.run_fastid("db", "build", "-o", self.database, prefix.with_suffix(".bed"))

    def rows(self, *arguments):
        made = self.scratch / "rows.tsv"
        self.run_fastid(*arguments, "-o", made)
        with open(made, encoding="ascii") as file:
            return list(csv.DictReader(file, delimiter="\t"))

    def check(self, row, names, of_plink):
        """Returns by how many plink2 counts more sites."""
        nsnp, hethet, ibs0, kinship = names
        sites, both_het, opposite, right = of_plink
        self.assertEqual((int(row[hethet]), int(row[ibs0])), (both_het, opposite), row)
        self.assertAlmostEqual(float(row[kinship]), right, delta=6e-7 + 5e-6 * abs(right), msg=row)
        return sites - int(row[nsnp])

    def check_all_pairs(self, prefix):
        self.build(prefix)
        pairs, found, short = self.plinks_pairs(prefix), set(), 0
        for row in self.rows("pairs", "--no-evidence", "--min-kinship", LEAST, self.database):
            pair = frozenset((row["#IID1"], row["IID2"]))
            found.add(pair)
            short += self.check(row, ("NSNP", "HETHET", "IBS0", "KINSHIP"), pairs[pair])
        self.assertEqual(found, pairs.keys())
        self.assertEqual(len(found), 957 * 956 // 2)
        self.assertLessEqual(short, len(found) // 12_000 * SHORT)

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
        pairs, found = self.plinks_pairs(prefix, "--king-table-filter", 0.0884), set()
        for row in self.rows("pairs", "--no-evidence", self.database):
            pair = frozenset((row["#IID1"], row["IID2"]))
            found.add(pair)
            if pair in pairs:
                self.assertEqual(self.check(row, ("NSNP", "HETHET", "IBS0", "KINSHIP"), pairs[pair]), 0)
            else:
                self.assertEqual(row["KINSHIP"], "0.088400")
        self.assertEqual(pairs.keys() - found, set())
        self.assertGreater(len(pairs), 60_000)

    def test_linked_sites_are_warned_of_and_pruned_ones_are_not(self):
        """Phase 3's 7,417 sites of 58 genes: unrelated people look like siblings by thousands, and pruning mends it."""
        prefix, kept = program.real_data() / "1000g_phase3" / "phase3", self.scratch / "keep.txt"
        self.build(prefix)
        siblings = {}
        for name in ("linked", "pruned"):
            made = self.scratch / "rows.tsv"
            said = self.run_fastid("pairs", self.database, "-o", made).stderr
            self.assertEqual("are linked, and evidence is overstated" in said, name == "linked", said)
            info = self.run_fastid("db", "info", self.database).stdout
            self.assertEqual("kin decided" in info, name == "pruned", info)
            with open(made, encoding="ascii") as file:
                siblings[name] = sum(row["relation"] == "sibling" for row in csv.DictReader(file, delimiter="\t"))
            self.run_fastid("ld", self.database, "--prune", 0.1, "--window-bp", 5_000_000, "-o", kept, "-q")
            self.run_fastid("db", "build", "-o", self.database, prefix.with_suffix(".bed"), "--sites", kept)
        self.assertGreater(siblings["linked"], 1000)
        self.assertLess(20 * siblings["pruned"], siblings["linked"])

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
            above = {True: [0, 0], False: [0, 0]}  # relatives of the degree, strangers: above the bound, all
            with open(made, encoding="ascii") as file:
                for row in csv.DictReader(file, delimiter="\t"):
                    of = truth.get(frozenset((row["#IID1"], row["IID2"])))
                    if of in (degree, None):
                        above[of is not None][0] += float(row["KINSHIP"]) >= bound
                        above[of is not None][1] += 1
            self.assertGreater(above[True][0], 0.8 * above[True][1])
            self.assertLess(above[False][0], 1e-4 * above[False][1])
            self.assertGreater(above[False][1], 800_000)

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
            for pair, (*_, kinship) in pairs.items():
                self.assertFalse(kinship > least + 1e-6 and pair <= names, pair)
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
        pairs, n = self.plinks_pairs(prefix), 0
        query = work.with_suffix(".bed")
        for row in self.rows("kin", "--unlinked", "-k", "all", "--min-kinship", LEAST, query, self.database):
            if row["query"] != row["profile"]:
                n += 1
                pair = frozenset((row["query"], row["profile"]))
                self.check(row, ("compared", "hethet", "ibs0", "kinship"), pairs[pair])
        self.assertEqual(n, len(asked) * (len(people) - 1))


if __name__ == "__main__":
    program.main(needs_real_data=True)
