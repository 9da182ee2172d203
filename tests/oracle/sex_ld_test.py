"""`fastid ld` on X, Y and M beside plink 1.9 after --set-hh-missing and --set-mixed-mt-missing; `similarity` and `epistasis`, which
leave these sites out.
"""

import csv
import os
import random
import subprocess
import unittest

import numpy as np
import program

CHROMOSOMES = {"1": 12, "23": 60, "24": 40, "25": 8, "26": 10}  # sites of each


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def pair_of(row):
    return frozenset((row["SNP_A"], row["SNP_B"]))


def plink(*arguments):
    subprocess.run(["plink1.9", "--silent", *map(str, arguments)], check=True, stderr=subprocess.DEVNULL)


class MadeUp(program.Case):
    """A fileset of 120 people, with what an array gets wrong: heterozygous men, women's Y, heterozygous M."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        draws, n_people = random.Random(11), 120
        men = [i < n_people // 2 + 5 for i in range(n_people)]
        columns = []
        for chrom, n_sites in CHROMOSOMES.items():
            before = [[0, 0] for _ in range(n_people)]
            for s in range(n_sites):
                frequency, calls = draws.uniform(0.1, 0.9), []
                for i, man in enumerate(men):
                    pair = [old if draws.random() < 0.6 else int(draws.random() < frequency) for old in before[i]]
                    before[i] = pair
                    one_copy = chrom in ("24", "26") or (chrom == "23" and man)
                    shown = pair if not one_copy else [pair[0], pair[0] ^ (draws.random() < 0.02)]
                    absent = draws.random() < 0.03 or (chrom == "24" and not man and draws.random() < 0.97)
                    calls.append("0 0" if absent else " ".join("AC"[x] for x in sorted(shown)))
                columns.append((chrom, f"s{chrom}_{s}", 3_000_000 + 70_000 * s if chrom != "25" else 100_000 + s, calls))
        cls.bed = cls.scratch / "people.bed"
        base = cls.scratch / "people"
        base.with_suffix(".map").write_text("".join(f"{c} {name} 0 {pos}\n" for c, name, pos, _ in columns), "ascii")
        base.with_suffix(".ped").write_text("".join(
            f"P{i} P{i} 0 0 {1 if man else 2} -9 " + " ".join(calls[i] for *_, calls in columns) + "\n"
            for i, man in enumerate(men)), "ascii")
        plink("--file", base, "--make-bed", "--out", base)
        cls.right = cls.scratch / "right"
        plink("--bfile", base, "--set-hh-missing", "--set-mixed-mt-missing", "--make-bed", "--out", cls.right)

    def plinks(self, *arguments):
        plink("--bfile", self.right, "--r2", *arguments, "--ld-window-r2", "0", "--out", self.right)
        with open(self.right.with_suffix(".ld"), encoding="ascii") as file:
            head = file.readline().split()
            return {pair_of(row): row for row in (dict(zip(head, line.split())) for line in file)}

    def fastids(self, *arguments, file=None):
        made = self.scratch / "pairs.ld"
        self.run_fastid("ld", "--min-r2", "0", "-q", "-o", made, *arguments, file or self.bed)
        return {pair_of(row): row for row in rows_of(made)}

    def test_r2_of_all_pairs_of_all_chromosomes(self):
        right, found = self.plinks("inter-chr"), self.fastids("--all")
        self.assertEqual(right.keys(), found.keys())
        self.assertGreater(len(found), 8000)
        for pair, row in right.items():
            self.assertAlmostEqual(float(found[pair]["R2"]), float(row["R2"]), delta=2e-6, msg=pair)

    def test_d_prime_within_chromosomes(self):
        """One after the other: plink 1.9 takes the last sites of X for autosomal ones where others are beside them."""
        found, n_pairs = self.fastids("--window", "99"), 0
        for chrom in CHROMOSOMES:
            right = self.plinks("dprime", "--chr", chrom, "--ld-window", "100", "--ld-window-kb", "1000000")
            n_pairs += len(right)
            for pair, row in right.items():
                self.assertAlmostEqual(abs(float(found[pair]["DP"])), float(row["DP"]), delta=2e-4, msg=pair)
        self.assertEqual(n_pairs, len(found))

    def test_a_database_of_them_and_one_whose_alleles_are_exchanged(self):
        """What is the panel's minor allele makes no difference to r2, and turns the sign of D."""
        with open(self.bed.with_suffix(".bim"), encoding="ascii") as file:
            sites = [line.split() for line in file]
        derived = self.scratch / "derived.h5"
        self.run_fastid("db", "build", "-q", "-o", derived, self.bed)
        of_file = self.fastids("--all")
        self.assertEqual(self.fastids("--all", file=derived), of_file)
        tables = []
        for every in (len(sites), 2):
            panel, database = self.scratch / f"{every}.tsv", self.scratch / f"{every}.h5"
            lines = ["\t".join((name, chrom, pos, *((a1, a2) if n % every == 1 else (a2, a1))))
                     for n, (chrom, name, _, pos, a1, a2) in enumerate(sites)]
            panel.write_text("#build GRCh37\nid\tchrom\tpos\tmajor\tminor\n" + "\n".join(lines) + "\n", "ascii")
            self.run_fastid("db", "build", "-q", "-o", database, "--panel", panel, self.bed, "--ignore-build")
            tables.append(self.fastids("--all", file=database))
        turned = {site[1] for n, site in enumerate(sites) if n % 2 == 1 and n != 1}
        for pair, row in tables[1].items():
            for name in ("R2", "N"):
                self.assertEqual({row[name]}, {tables[0][pair][name], of_file[pair][name]}, pair)
            sign = -1 if len(pair & turned) == 1 else 1
            for name in ("D", "DP"):
                if row[name] != "NA":
                    self.assertAlmostEqual(sign * float(row[name]), float(tables[0][pair][name]), delta=1e-8, msg=pair)

    def test_matrix_prune_blocks_and_shards_have_the_same_r2(self):
        found, npy = self.fastids("--all"), self.scratch / "r2.npy"
        self.run_fastid("ld", self.bed, "--matrix", npy, "-q")
        matrix = np.load(npy)
        with open(self.bed.with_suffix(".bim"), encoding="ascii") as file:
            names = [line.split()[1] for line in file]
        names.sort(key=lambda name: ["1", "23", "24", "25", "26"].index(name[1:].split("_")[0]))  # stable
        for pair, row in found.items():
            first, second = map(names.index, pair)
            self.assertAlmostEqual(matrix[first, second], float(row["R2"]), delta=1e-6)
        kept = self.run_fastid("ld", self.bed, "--prune", "0.1", "--window", "200", "-q").stdout.splitlines()[1:]
        near = {pair for pair, row in found.items() if row["CHR_A"] == row["CHR_B"] and float(row["R2"]) > 0.1}
        self.assertGreater(len(near), 50)
        self.assertFalse(any(pair <= set(kept) for pair in near))
        self.assertTrue(all(any(name in pair and pair & set(kept) for pair in near) for name in set(names) - set(kept)))
        parts = [self.scratch / f"{i}.part" for i in (1, 2, 3)]
        for i, part in enumerate(parts, 1):
            self.run_fastid("ld", self.bed, "--all", "-q", "--shard", f"{i}/3", "-o", part)
        self.assertEqual(self.run_fastid("merge", *parts, "-q").stdout, self.run_fastid("ld", self.bed, "--all", "-q").stdout)


@unittest.skipUnless(os.environ.get(program.REAL_DATA), "needs the folder sexchr")
class People(program.Case):
    """The folder sexchr of FASTID_REAL_DATA: r2 that plink 1.9 gave, and what the autosomal panel gives."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = program.real_data() / "sexchr"
        for name, panel in (("people", "panel"), ("people_haploid", "panel"), ("autosomal", "panel_autosomal")):
            cls.run_fastid("db", "build", "-q", "-o", cls.scratch / f"{name}.h5", "--panel", cls.folder / f"{panel}.tsv",
                           cls.folder / f"{name.replace('autosomal', 'people')}.vcf")

    def test_r2_is_plinks(self):
        expected = {pair_of(row): row for row in rows_of(self.folder / "expected_ld.tsv")}
        self.assertGreater(len(expected), 500)
        for name in ("people", "people_haploid"):
            for file in (self.scratch / f"{name}.h5", self.folder / f"{name}.vcf"):
                made = self.scratch / "pairs.ld"
                self.run_fastid("ld", "--all", "--min-r2", "0", "-q", "-o", made, file)
                found = {pair_of(row): row for row in rows_of(made)}
                for pair, row in expected.items():
                    self.assertAlmostEqual(float(found[pair]["R2"]), float(row["R2"]), delta=5e-7, msg=(name, pair))

    def test_phased_haplotypes_count_one_copy_once(self):
        """Of men's X and Y and of M one haplotype, of women's Y none."""
        text = (self.folder / "people_haploid.vcf").read_text("ascii")
        lines = [line if line.startswith("#") else line.replace("/", "|") for line in text.splitlines()]
        haploid, diploid = self.scratch / "haploid.vcf", self.scratch / "diploid.vcf"
        haploid.write_text("\n".join(lines) + "\n", "ascii")
        twice = ["\t".join(f"{x}|{x}" if i >= 9 and "|" not in x and x != "." else x
                           for i, x in enumerate(line.split("\t"))) if not line.startswith("#") else line for line in lines]
        diploid.write_text("\n".join(twice) + "\n", "ascii")
        tables = [list(csv.DictReader(self.run_fastid("ld", "--phased", "--window", "3", "--min-r2", "0", "-q", file)
                                      .stdout.splitlines(), delimiter="\t")) for file in (haploid, diploid)]
        for row in (*tables[0], *tables[1]):
            row["D"], row["DP"] = row["D"].strip("-"), row["DP"].strip("-")  # equally frequent alleles may be exchanged
        self.assertEqual(*tables)
        rows = tables[0]
        most = {chrom: max(int(row["N"]) for row in rows if row["SNP_A"][0] == chrom) for chrom in "axym"}
        self.assertEqual(most, {"a": 170, "x": 43 + 2 * 42, "y": 43, "m": 85})

    def test_similarity_and_epistasis_are_those_of_the_autosomal_panel(self):
        cases = self.scratch / "cases.txt"
        with open(self.folder / "people.psam", encoding="ascii") as file:
            names = [line.split()[0] for line in file if not line.startswith("#")]
        cases.write_text("".join(f"{name}\t{1 + i % 2}\n" for i, name in enumerate(names)), "ascii")
        message = "120 X, 60 Y and 20 M sites are left out, and the 609 autosomal sites are compared"
        for command in (["similarity", "--metric", "ccc"], ["similarity", "--of", "sites", "--best", "2"],
                        ["epistasis", "--way", "2", "--phenotype", cases]):
            done = self.run_fastid(*command, self.scratch / "people.h5")
            plain = self.run_fastid(*command, self.scratch / "autosomal.h5")
            self.assertEqual(done.stdout, plain.stdout)
            self.assertEqual(done.stderr.count(message), 1)
            self.assertNotIn("autosomal site", plain.stderr)
            parts = [self.scratch / f"{i}.part" for i in (1, 2)]
            for i, part in enumerate(parts, 1):
                self.run_fastid(*command, self.scratch / "people.h5", "-q", "--shard", f"{i}/2", "-o", part)
            self.assertEqual(self.run_fastid("merge", *parts, "-q").stdout, done.stdout)

    def test_autosomal_pairs_are_those_of_the_autosomal_panel(self):
        tables = [self.run_fastid("ld", "--window-bp", "100000000", "--min-r2", "0.01", "-q", self.scratch / f"{name}.h5")
                  .stdout.splitlines() for name in ("people", "autosomal")]
        self.assertGreater(len(tables[1]), 100)
        site = {line.split("\t")[2] for line in tables[1]} | {line.split("\t")[5] for line in tables[1]}
        shared = [line for line in tables[0] if line.split("\t")[2] in site and line.split("\t")[5] in site]
        self.assertEqual(shared, tables[1])


if __name__ == "__main__":
    program.main()
