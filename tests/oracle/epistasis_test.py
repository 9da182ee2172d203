"""Combinations of sites that go with a trait, beside numpy: every table and score by the formulas, and planted triples."""

import itertools
import json
import math
import unittest
from pathlib import Path

import numpy as np
import program

LOG_FACTORIAL = [math.lgamma(n + 1) for n in range(5000)]


def k2(table):
    """K2 less that of the classes alone in the same people. `table`: [cell][class], of whole numbers."""
    def of(a, b):
        return LOG_FACTORIAL[a + b + 1] - LOG_FACTORIAL[a] - LOG_FACTORIAL[b]
    return sum(of(a, b) for a, b in table) - of(sum(a for a, _ in table), sum(b for _, b in table))


def entropy(counts):
    shares = counts[counts > 0] / counts.sum()
    return -(shares * np.log(shares)).sum()


def mutual_information(table):
    return entropy(table.sum(axis=1)) + entropy(table.sum(axis=0)) - entropy(table.ravel())


class Stream:
    """xoshiro256** with a seed, a purpose and an index, as fastid begins each stream of random numbers."""

    MASK, GOLDEN = 2**64 - 1, 0x9E3779B97F4A7C15

    def __init__(self, seed, purpose, index):
        key = self.mix(self.mix(self.mix(seed) + purpose) + index)
        self.state = []
        for _ in range(4):
            key += self.GOLDEN
            self.state.append(self.mix(key))

    def mix(self, x):
        x = x + self.GOLDEN & self.MASK
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & self.MASK
        x = (x ^ x >> 27) * 0x94D049BB133111EB & self.MASK
        return x ^ x >> 31

    def rotated(self, x, by):
        return (x << by | x >> 64 - by) & self.MASK

    def below(self, n):
        while True:
            s = self.state
            x, t = self.rotated(s[1] * 5 & self.MASK, 7) * 9 & self.MASK, s[1] << 17 & self.MASK
            s[2] ^= s[0]
            s[3] ^= s[1]
            s[1] ^= s[2]
            s[0] ^= s[3]
            s[2] ^= t
            s[3] = self.rotated(s[3], 45)
            if x >= 2**64 % n:
                return x % n


class BruteForce(program.Case):
    """60 sites and 1,000 people, with and without missing calls."""

    N_SITES, N_PEOPLE = 60, 1000
    FOUR = (2, 3, 4, 9, 20, 31, 32, 33, 40, 45, 50, 51, 59)

    def make(self, missing):
        draws = np.random.default_rng(11)
        frequency = draws.uniform(0.1, 0.5, self.N_SITES)
        copies = draws.binomial(2, frequency[:, None], (self.N_SITES, self.N_PEOPLE))
        risk = 0.35 + 0.3 * ((copies[4] + copies[31] + copies[50]) % 2)
        cases = (draws.random(self.N_PEOPLE) < risk).astype(int)
        copies[draws.random(copies.shape) < missing] = -1
        genotype = {-1: "./.", 0: "0/0", 1: "0/1", 2: "1/1"}
        lines = ['##fileformat=VCFv4.2\n##contig=<ID=4>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n']
        columns = "#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split() + [f"S{i}" for i in range(self.N_PEOPLE)]
        lines.append("\t".join(columns) + "\n")
        for s, site in enumerate(copies):
            calls = "\t".join(genotype[x] for x in site)
            lines.append(f"4\t{s + 1}\trs{s}\tA\tC\t.\t.\t.\tGT\t{calls}\n")
        self.vcf, self.cases = self.scratch / "sites.vcf", self.scratch / "cases.txt"
        self.vcf.write_text("".join(lines), encoding="ascii")
        self.cases.write_text("".join(f"S{i} {c + 1}\n" for i, c in enumerate(cases)), encoding="ascii")
        # fastid's minor allele is the rarer one; cells are numbered by it.
        called = copies >= 0
        rare = np.where(called, copies, 0).sum(axis=1) > called.sum(axis=1)
        copies[rare] = np.where(copies[rare] >= 0, 2 - copies[rare], -1)
        return copies, cases

    def list_sites(self, sites):
        """Writes a list of these. Gives back its options."""
        listed = self.scratch / f"{len(sites)}.txt"
        listed.write_text("# sites\n" + "".join(f"rs{site}\n" for site in reversed(sites)), encoding="ascii")
        return ["--sites", listed]

    def tables(self, copies, cases, way, among=None):
        """Each combination's table, counted by one-hot products; of four sites those of FOUR, or `among` some."""
        for sites in itertools.combinations(among or (self.FOUR if way == 4 else range(self.N_SITES)), way):
            some = copies[list(sites)]
            there = (some >= 0).all(axis=0)
            cell = np.zeros(there.sum(), dtype=int)
            for site in some:
                cell = 3 * cell + site[there]
            yield sites, np.bincount(2 * cell + cases[there], minlength=2 * 3**way).reshape(-1, 2)

    def check(self, copies, cases, way, devices, min_people):
        """`min_people`: None for the default."""
        all_tables = list(self.tables(copies, cases, way))
        least = min_people or math.ceil(0.9 * self.N_PEOPLE)
        scored = [(sites, table, k2(table.tolist()), mutual_information(table))
                  for sites, table in all_tables if table.sum() >= least]
        limit = ["--min-people", min_people] if min_people else []
        if way == 4:
            limit += self.list_sites(self.FOUR)
        for score, place, sign in (("k2", 2, 1), ("mi", 3, -1)):
            right = sorted(scored, key=lambda one: (round(sign * one[place], 9), one[0]))[:40]
            texts = set()
            for device in devices:
                done = self.run_fastid("epistasis", self.vcf, "--phenotype", self.cases, "--way", way, "--score", score,
                                       "--top", 40, "--format", "json", "--device", device, *limit)
                texts.add(done.stdout)
            self.assertEqual(len(texts), 1, f"{devices} differ")
            found = json.loads(texts.pop())
            self.assertEqual(found["combinations"], len(all_tables))
            self.assertEqual(found["min_people"], least)
            for line, (sites, table, *_) in zip(found["results"], right, strict=True):
                self.assertEqual([site["id"] for site in line["sites"]], [f"rs{s}" for s in sites])
                self.assertEqual([site["pos"] for site in line["sites"]], [s + 1 for s in sites])
                self.assertEqual([[cell["controls"], cell["cases"]] for cell in line["table"]], table.tolist())
                self.assertEqual(line["people"], table.sum())
                score_of = k2(table.tolist()) if score == "k2" else mutual_information(table)
                self.assertAlmostEqual(line[score], score_of, places=8)

    def test_everybody_called(self):
        copies, cases = self.make(0)
        self.check(copies, cases, 3, ["cpu", "reference"], None)
        self.check(copies, cases, 2, ["cpu", "reference"], None)
        self.check(copies, cases, 4, ["cpu", "reference"], None)

    def test_missing_calls(self):
        copies, cases = self.make(0.05)
        self.check(copies, cases, 3, ["cpu", "reference"], 850)
        self.check(copies, cases, 2, ["cpu"], None)
        self.check(copies, cases, 4, ["cpu", "reference"], 820)


    def test_permutations(self):
        """The cases of each permutation are drawn again here: controls, then cases, are the people."""
        copies, cases = self.make(0.02)
        people, n, purpose, few = np.argsort(cases, kind="stable"), 9, 34, self.FOUR[:9]
        for way, score, seed in ((4, "k2", 7), (3, "mi", 1)):
            def costs(of):
                return [k2(table.tolist()) if score == "k2" else -mutual_information(table)
                        for _, table in self.tables(copies, of, way, few) if table.sum() >= 900]
            best = []
            for index in range(n):
                stream, order, drawn = Stream(seed, purpose, index), people.copy(), np.zeros_like(cases)
                for i in range(cases.sum()):
                    other = i + stream.below(len(order) - i)
                    order[i], order[other] = order[other], order[i]
                    drawn[order[i]] = 1
                best.append(min(costs(drawn)))
            right = [(1 + sum(one <= cost + 1e-9 for one in best)) / (n + 1) for cost in sorted(costs(cases))]
            command = ["epistasis", self.vcf, "--phenotype", self.cases, "--way", way, "--score", score, "--top", 60,
                       *self.list_sites(few), "--permutations", n, "--seed", seed]
            found = json.loads(self.run_fastid(*command, "--format", "json").stdout)
            self.assertEqual(found["permutations"], {"number": n, "seed": seed})
            self.assertEqual([line["p_permutations"] for line in found["results"]], right[:60])
            self.assertGreater(len(set(right)), 2)
            parts = [self.scratch / f"{i}.part" for i in (1, 2, 3)]
            for i, part in enumerate(parts):
                self.run_fastid(*command, "--shard", f"{i + 1}/3", "-o", part, "--force")
            whole = self.run_fastid(*command, "--format", "tsv").stdout
            self.assertEqual(self.run_fastid("merge", *parts, "--format", "tsv").stdout, whole)


class Planted(program.Case):
    """A triple that `db simulate` plants is found first among 300 sites, and its cases follow its penetrances."""

    def check(self, model, heritability, seed):
        database = self.scratch / f"{model}.h5"
        self.run_fastid("db", "simulate", "-o", database, "--profiles", 2500, "--sites", 300, "--encoding", "alleles",
                        "--epistasis", model, "--heritability", heritability, "--seed", seed, "--no-call-rate", 0.01)
        truth = Path(f"{database}.phenotypes.tsv").read_text(encoding="ascii").splitlines()
        sites = next(line for line in truth if line.startswith("# sites")).split()[2:]
        penetrance = [float(line.split()[-1]) for line in truth if line.startswith("# penetrance")]
        for score in ("k2", "mi"):
            found = json.loads(self.run_fastid("epistasis", database, "--phenotype", f"{database}.phenotypes.tsv", "--score",
                                               score, "--top", 1, "--format", "json").stdout)
            best = found["results"][0]
            self.assertEqual([site["id"] for site in best["sites"]], sites)
        controls, cases = (np.array([cell[of] for cell in best["table"]], dtype=float) for of in ("controls", "cases"))
        people, expected = controls + cases, np.array(penetrance)
        spread = (people * expected * (1 - expected)).sum()
        self.assertLess(abs((cases - people * expected).sum()), 5 * math.sqrt(spread))
        mean = cases.sum() / people.sum()
        explained = (people * (expected - mean) ** 2).sum() / people.sum() / (mean * (1 - mean))
        self.assertAlmostEqual(explained, heritability, delta=heritability / 3)

    def test_missing_calls_of_another_site_do_not_matter(self):
        """A fifth, or nearly all, of another site's calls are missing: the planted triple is first all the same."""
        draws = np.random.default_rng(5)
        copies = draws.binomial(2, 0.4, (12, 600))
        cases = (draws.random(600) < 0.15 + 0.7 * ((copies[0] + copies[1] + copies[2]) % 2)).astype(int)
        phenotypes = self.scratch / "planted.txt"
        phenotypes.write_text("".join(f"S{i} {c + 1}\n" for i, c in enumerate(cases)), encoding="ascii")
        for missing in (0.2, 0.97):
            copies[3, draws.random(600) < missing] = -1
            lines = ["##fileformat=VCFv4.2", '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
                     "\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split() + [f"S{i}" for i in range(600)])]
            genotype = {-1: "./.", 0: "0/0", 1: "0/1", 2: "1/1"}
            lines += ["\t".join([f"1\t{s + 1}\trs{s}\tA\tC\t.\t.\t.\tGT"] + [genotype[x] for x in site])
                      for s, site in enumerate(copies)]
            vcf = self.scratch / f"planted{missing}.vcf"
            vcf.write_text("\n".join(lines) + "\n", encoding="ascii")
            for way, score, least in ((3, "k2", None), (3, "k2", 5), (3, "mi", None), (2, "mi", None)):
                limit = ["--min-people", least] if least else []
                done = self.run_fastid("epistasis", vcf, "--phenotype", phenotypes, "--way", way, "--score", score,
                                       "--format", "json", *limit)
                found = json.loads(done.stdout)
                if way == 3:
                    self.assertEqual([site["id"] for site in found["results"][0]["sites"]], ["rs0", "rs1", "rs2"])
                if least is None:
                    self.assertTrue(all(line["people"] >= 540 for line in found["results"]))
                    self.assertIn("rs3 (", done.stderr)

    def test_threshold(self):
        self.check("threshold", 0.1, 7)

    def test_xor(self):
        self.check("xor", 0.06, 8)

    def test_majority(self):
        self.check("majority", 0.1, 9)


if __name__ == "__main__":
    program.main()
