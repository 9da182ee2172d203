"""Linkage disequilibrium: of real genotypes beside plink 1.9, which counts independently; of haplotypes beside numpy."""

import csv
import os
import random
import subprocess
import unittest

import numpy as np
import program


def rows_of(path):
    with open(path, encoding="ascii") as file:
        return list(csv.DictReader(file, delimiter="\t"))


class Genotypes(program.Case):
    """plink prints six significant digits; its D' has no sign."""

    def plinks(self, prefix, column, *modifiers):
        made = self.scratch / f"{prefix.name}-{column}"
        window = ["--ld-window", "101", "--ld-window-kb", "10000000", "--ld-window-r2", "0"]
        command = ["plink1.9", "--silent", "--allow-no-sex", "--bfile", prefix, "--r2", *modifiers, *window, "--out", made]
        subprocess.run(list(map(str, command)), check=True)
        with open(made.with_suffix(".ld"), encoding="ascii") as file:
            heads = file.readline().split()
            places = [heads.index(name) for name in ("CHR_A", "BP_A", "BP_B", column)]
            return {tuple(line[i] for i in places[:3]): line[places[3]] for line in map(str.split, file)}

    def check(self, prefix, *chromosomes):
        some = self.scratch / f"{prefix.name}-some"
        subprocess.run(["plink1.9", "--silent", "--allow-no-sex", "--bfile", str(prefix), "--chr", ",".join(chromosomes),
                        "--make-founders", "--make-bed", "--out", str(some)], check=True)
        made = self.scratch / "pairs.ld"
        self.run_fastid("ld", "--window", "100", "--min-r2", "0", "-o", made, some.with_suffix(".bed"))
        r2, d_prime = self.plinks(some, "R2"), self.plinks(some, "DP", "dprime")
        rows = rows_of(made)
        self.assertGreater(len(rows), 50_000)
        self.assertEqual(len(rows), len(r2))
        for row in rows:
            pair = row["CHR_A"], row["BP_A"], row["BP_B"]
            self.assertAlmostEqual(float(row["R2"]), float(r2[pair]), delta=1e-6, msg=row)
            self.assertAlmostEqual(abs(float(row["DP"])), float(d_prime[pair]), delta=1e-6, msg=row)

    @unittest.skipUnless(os.environ.get(program.REAL_DATA), "needs real data")
    def test_hapmap3_with_missing_calls(self):
        self.check(program.real_data() / "hapmap3" / "hapmap3", "1", "21", "22")

    @unittest.skipUnless(os.environ.get(program.REAL_DATA), "needs real data")
    def test_phase3_in_strong_disequilibrium(self):
        self.check(program.real_data() / "1000g_phase3" / "phase3", "1", "19")


class Haplotypes(program.Case):
    def setUp(self):
        super().setUp()
        draws, n_people = random.Random(4), 90
        haplotypes, lines = [0] * (2 * n_people), []
        self.alleles = {}
        for s in range(60):
            frequency = 0.1 + 0.4 * draws.random()
            haplotypes = [old if draws.random() < 0.8 else int(draws.random() < frequency) for old in haplotypes]
            shown = [None if draws.random() < 0.04 else haplotypes[2 * i : 2 * i + 2] for i in range(n_people)]
            self.alleles[f"rs{s}"] = np.array([np.nan if x is None else x[k] for x in shown for k in (0, 1)])
            calls = "\t".join(".|." if x is None else f"{x[0]}|{x[1]}" for x in shown)
            lines.append(f"1\t{1000 * (s + 1)}\trs{s}\tA\tC\t.\t.\t.\tGT\t{calls}\n")
        names = "\t".join(f"S{i}" for i in range(n_people))
        head = '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
        self.vcf = self.scratch / "phased.vcf"
        columns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t"
        self.vcf.write_text(head + columns + names + "\n" + "".join(lines), encoding="ascii")

    def test_all_pairs(self):
        bcf = self.scratch / "phased.bcf"
        subprocess.run(["bcftools", "view", "-Ob", "-o", bcf, self.vcf], check=True)
        tables = []
        for path in (self.vcf, bcf):
            made = self.scratch / f"{path.suffix}.ld"
            self.run_fastid("ld", "--phased", "--all", "--min-r2", "0", "-o", made, path)
            tables.append(rows_of(made))
        self.assertEqual(*tables)
        self.assertEqual(len(tables[0]), 60 * 59 // 2)
        for row in tables[0]:
            a, b = self.alleles[row["SNP_A"]], self.alleles[row["SNP_B"]]
            both = ~np.isnan(a) & ~np.isnan(b)
            a, b = a[both], b[both]
            p, q = a.mean(), b.mean()
            d = (a * b).mean() - p * q
            most = min(p * (1 - q), (1 - p) * q) if d > 0 else min(p * q, (1 - p) * (1 - q))
            self.assertEqual(int(row["N"]), both.sum())
            self.assertAlmostEqual(float(row["R2"]), np.corrcoef(a, b)[0, 1] ** 2, delta=1e-8)
            self.assertAlmostEqual(abs(float(row["D"])), abs(d), delta=1e-8)
            self.assertAlmostEqual(abs(float(row["DP"])), abs(d) / most, delta=1e-8)

    def test_a_genotype_without_phase_is_refused(self):
        text = self.vcf.read_text(encoding="ascii").replace("0|1", "0/1", 1)
        self.vcf.write_text(text, encoding="ascii")
        done = self.run_fastid("ld", "--phased", self.vcf, status=3)
        self.assertIn("is not phased", done.stderr)


if __name__ == "__main__":
    program.main()
