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

    def tables(self, copies, cases, way):
        """Each combination's table, counted by one-hot products; of four sites, those of FOUR."""
        for sites in itertools.combinations(self.FOUR if way == 4 else range(self.N_SITES), way):
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
            listed = self.scratch / "four.txt"
            listed.write_text("# sites\n" + "".join(f"rs{site}\n" for site in reversed(self.FOUR)), encoding="ascii")
            limit += ["--sites", listed]
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
