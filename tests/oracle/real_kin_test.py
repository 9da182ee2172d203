"""Real people's kinship beside plink2's, which counts independently: every pair of some people with all of two studies.

The folder that FASTID_REAL_DATA names holds HapMap 3 (957 people, 14,079 sites, 0.15 % missing) and 1000 Genomes phase 3
(2,504 people, 7,417 sites, none missing). HapMap 3 is compared as it is and with 5 % of all calls taken away.
"""

import csv
import subprocess

import numpy as np
import program

LEAST = -10  # the least that --min-kinship takes: all pairs are listed
EVERY = {"hapmap3": 9, "phase3": 25}  # people who are asked about
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


class Kinship(program.Case):
    def plinks_pairs(self, prefix, scratch):
        plink2("--bfile", prefix, "--make-king-table", "counts", "cols=id,nsnp,hethet,ibs0,kinship", "--out", scratch)
        pairs = {}
        with open(scratch.with_suffix(".kin0"), encoding="ascii") as file:
            for line in csv.DictReader(file, delimiter="\t"):
                counts = int(line["NSNP"]), int(line["HETHET"]), int(line["IBS0"])
                pairs[frozenset((line["#IID1"], line["IID2"]))] = (*counts, float(line["KINSHIP"]))
        return pairs

    def check(self, prefix, every, most_short=0):
        work = self.scratch / f"{prefix.name}-king"
        database, tsv = work.with_suffix(".h5"), work.with_suffix(".tsv")
        self.run_fastid("db", "build", "-o", database, prefix.with_suffix(".bed"))
        people = [line.split() for line in prefix.with_suffix(".fam").read_text(encoding="ascii").splitlines()]
        asked = people[::every]
        work.with_suffix(".keep").write_text("".join(f"{one[0]} {one[1]}\n" for one in asked), encoding="ascii")
        plink2("--bfile", prefix, "--keep", work.with_suffix(".keep"), "--make-bed", "--out", work)
        self.run_fastid("kin", "-k", "all", "--min-kinship", LEAST, "-o", tsv, work.with_suffix(".bed"), database)
        pairs, n, short = self.plinks_pairs(prefix, work), 0, 0
        with open(tsv, encoding="ascii") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                if row["query"] == row["profile"]:
                    continue
                n += 1
                sites, both_het, ibs0, kinship = pairs[frozenset((row["query"], row["profile"]))]
                self.assertEqual((int(row["hethet"]), int(row["ibs0"])), (both_het, ibs0), row)
                self.assertAlmostEqual(float(row["kinship"]), kinship, delta=6e-7 + 5e-6 * abs(kinship), msg=row)
                short += sites - int(row["compared"])
        self.assertEqual(n, len(asked) * (len(people) - 1))
        self.assertLessEqual(short, most_short)

    def test_hapmap3(self):
        self.check(program.real_data() / "hapmap3" / "hapmap3", EVERY["hapmap3"], n_short(EVERY["hapmap3"]))

    def test_hapmap3_with_more_calls_missing(self):
        prefix = self.scratch / "fewer"
        without_calls(program.real_data() / "hapmap3" / "hapmap3", prefix, 0.05, 4)
        self.check(prefix, EVERY["hapmap3"], n_short(EVERY["hapmap3"]))

    def test_phase3(self):
        self.check(program.real_data() / "1000g_phase3" / "phase3", EVERY["phase3"])


def n_short(every):
    return 957 // every * 957 // 12_000 * SHORT


if __name__ == "__main__":
    program.main(needs_real_data=True)
