"""Linkage disequilibrium: of real genotypes beside plink 1.9, which counts independently; of haplotypes beside numpy."""

import csv
import os
import random
import subprocess
import unittest

import h5py
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


class Matrix(program.Case):
    """All pairs beside numpy: more sites than a strip of rows has, in no order of the genome, with missing calls."""

    def setUp(self):
        super().setUp()
        draws = np.random.default_rng(7)
        n_sites, n_people = 300, 101
        frequency = draws.uniform(0.05, 0.95, n_sites)
        self.copies = draws.binomial(2, frequency[:, None], (n_sites, n_people)).astype(float)
        self.copies[1::2] = np.where(draws.random((n_sites // 2, n_people)) < 0.7, self.copies[::2], self.copies[1::2])
        self.copies[draws.random(self.copies.shape) < 0.05] = np.nan
        self.copies[17] = 1  # does not vary
        self.positions = draws.permutation(n_sites) + 1
        genotype = {0.0: "0/0", 1.0: "0/1", 2.0: "1/1"}
        lines = ['##fileformat=VCFv4.2\n##contig=<ID=4>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n']
        columns = "#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split() + [f"S{i}" for i in range(n_people)]
        lines.append("\t".join(columns) + "\n")
        for s, position in enumerate(self.positions):
            calls = "\t".join(genotype.get(x, "./.") for x in self.copies[s])
            lines.append(f"4\t{position}\trs{position}\tA\tC\t.\t.\t.\tGT\t{calls}\n")
        self.vcf = self.scratch / "sites.vcf"
        self.vcf.write_text("".join(lines), encoding="ascii")
        self.order = np.argsort(self.positions)

    def right(self, order):
        copies = np.ma.masked_invalid(self.copies[order])
        with np.errstate(invalid="ignore", divide="ignore"):
            rows = [[self.r2(a, b) for b in copies] for a in copies]
        return np.array(rows)

    @staticmethod
    def r2(a, b):
        both = ~(a.mask | b.mask)
        a, b = a.data[both], b.data[both]
        a, b = a - a.mean(), b - b.mean()
        return (a @ b) ** 2 / ((a @ a) * (b @ b))

    def test_both_files_have_the_matrix_of_numpy(self):
        npy, hdf5 = self.scratch / "r2.npy", self.scratch / "r2.h5"
        self.run_fastid("ld", self.vcf, "--matrix", npy)
        self.run_fastid("ld", self.vcf, "--matrix", hdf5, "--threads", "1")
        matrix, right = np.load(npy), self.right(self.order)
        self.assertEqual((matrix.dtype, matrix.shape), (np.float32, right.shape))
        np.testing.assert_allclose(matrix, right, rtol=0, atol=1e-6, equal_nan=True)
        self.assertEqual(np.isnan(matrix).sum(), 2 * 300 - 1)
        with h5py.File(hdf5, "r") as file:
            np.testing.assert_array_equal(file["r2"][:], matrix)
            self.assertEqual(list(file["sites/id"].asstr()), [f"rs{p}" for p in range(1, 301)])
            np.testing.assert_array_equal(file["sites/pos"][:], np.arange(1, 301))
            self.assertEqual(set(file["sites/chrom"].asstr()), {"4"})
            self.assertEqual((file.attrs["format"], file.attrs["n_units"], file.attrs["of"]),
                             (b"fastid-r2", 101, b"genotypes"))

    def test_blocks_and_pruned_panels(self):
        """By the whole matrix: blocks end where no linked pair goes across, and no two sites that are kept are linked."""
        right, where = np.nan_to_num(self.right(self.order)), np.sort(self.positions)
        near = where[:, None] - where[None, :]
        for window, least in ((300, 0.1), (20, 0.05), (3, 0.2)):
            linked = (right >= least) & (abs(near) <= window) & (near != 0)
            joined = [linked[: i + 1, i + 1:].any() for i in range(299)]
            made = self.scratch / "blocks.tsv"
            self.run_fastid("ld", self.vcf, "--blocks", least, "--window-bp", window, "-o", made)
            heads, *lines = [line.split("\t") for line in made.read_text("ascii").splitlines() if line[0] != "#"]
            self.assertEqual(heads, ["block", "chrom", "first", "last", "sites"])
            block_of = np.zeros(300, int)
            for number, chrom, first, last, n_sites in lines:
                self.assertEqual((chrom, int(n_sites)), ("4", int(last) - int(first) + 1))
                block_of[int(first) - 1 : int(last)] = number
            self.assertEqual([bool(a and a == b) for a, b in zip(block_of, block_of[1:])], joined)
            for by in ("maf", "power"):
                kept = self.run_fastid("ld", self.vcf, "--prune", least, "--window-bp", window, "--by", by, "-q").stdout
                places = [int(name[2:]) - 1 for name in kept.splitlines()[1:]]
                self.assertFalse((linked & (right > least + 1e-9))[np.ix_(places, places)].any())
                reason = linked[:, places].any(axis=1)
                self.assertTrue(all(reason[i] or i in places or i == np.flatnonzero(self.order == 17)[0] for i in range(300)))

    def test_a_region_of_it(self):
        npy = self.scratch / "part.npy"
        self.run_fastid("ld", self.vcf, "--region", "4:101-150", "--matrix", npy)
        np.testing.assert_allclose(np.load(npy), self.right(self.order[100:150]), rtol=0, atol=1e-6, equal_nan=True)


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
