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
    """`table`: [cell][class], of whole numbers."""
    return sum(LOG_FACTORIAL[a + b + 1] - LOG_FACTORIAL[a] - LOG_FACTORIAL[b] for a, b in table)


def entropy(counts):
    shares = counts[counts > 0] / counts.sum()
    return -(shares * np.log(shares)).sum()


def mutual_information(table):
    return entropy(table.sum(axis=1)) + entropy(table.sum(axis=0)) - entropy(table.ravel())


class BruteForce(program.Case):
    """60 sites and 1,000 people, with and without missing calls."""

    N_SITES, N_PEOPLE = 60, 1000

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

    def tables(self, copies, cases, way):
        """Each combination's table, counted by one-hot products."""
        for sites in itertools.combinations(range(self.N_SITES), way):
            some = copies[list(sites)]
            there = (some >= 0).all(axis=0)
            cell = np.zeros(there.sum(), dtype=int)
            for site in some:
                cell = 3 * cell + site[there]
            yield sites, np.bincount(2 * cell + cases[there], minlength=2 * 3**way).reshape(-1, 2)

    def check(self, copies, cases, way, devices):
        scored = [(sites, table, k2(table.tolist()), mutual_information(table))
                  for sites, table in self.tables(copies, cases, way)]
        for score, place, sign in (("k2", 2, 1), ("mi", 3, -1)):
            right = sorted(scored, key=lambda one: (round(sign * one[place], 9), one[0]))[:40]
            texts = set()
            for device in devices:
                done = self.run_fastid("epistasis", self.vcf, "--phenotype", self.cases, "--way", way, "--score", score,
                                       "--top", 40, "--format", "json", "--device", device)
                texts.add(done.stdout)
            self.assertEqual(len(texts), 1, f"{devices} differ")
            found = json.loads(texts.pop())
            self.assertEqual(found["combinations"], len(scored))
            for line, (sites, table, *_) in zip(found["results"], right, strict=True):
                self.assertEqual([site["id"] for site in line["sites"]], [f"rs{s}" for s in sites])
                self.assertEqual([site["pos"] for site in line["sites"]], [s + 1 for s in sites])
                self.assertEqual([[cell["controls"], cell["cases"]] for cell in line["table"]], table.tolist())
                score_of = k2(table.tolist()) if score == "k2" else mutual_information(table)
                self.assertAlmostEqual(line[score], score_of, places=8)

    def test_everybody_called(self):
        copies, cases = self.make(0)
        self.check(copies, cases, 3, ["cpu", "reference"])
        self.check(copies, cases, 2, ["cpu", "reference"])

    def test_missing_calls(self):
        copies, cases = self.make(0.05)
        self.check(copies, cases, 3, ["cpu", "reference"])
        self.check(copies, cases, 2, ["cpu"])


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

    def test_threshold(self):
        self.check("threshold", 0.1, 7)

    def test_xor(self):
        self.check("xor", 0.06, 8)

    def test_majority(self):
        self.check("majority", 0.1, 9)


if __name__ == "__main__":
    program.main()
