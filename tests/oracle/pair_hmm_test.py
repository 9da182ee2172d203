"""`fastid pairhmm` against a forward algorithm in numpy, and against the public test cases of GATK's pair-HMM."""

import os
import unittest

import numpy as np
import pair_hmm
import program

DEVICES = ("reference", "cpu", "opencl")
TOLERANCE = 1e-5


def text_of(qualities):
    return "".join(chr(33 + q) for q in qualities)


class PairHmm(program.Case):
    def compute(self, path, device):
        return np.array(self.run_fastid("pairhmm", path, "--device", device).stdout.split(), float)

    def test_made_up_pairs(self):
        rng = np.random.default_rng(20261125)
        lines, expected = [], []
        for rows, columns in ((1, 1), (1, 30), (25, 4), (16, 40), (60, 90), (101, 130)):
            haplotypes = rng.choice(list("ACGTN"), (8, columns), p=[0.24] * 4 + [0.04])
            bases = np.array([[hap[i % columns] for i in range(rows)] for hap in haplotypes])
            wrong = rng.random(bases.shape) < 0.08
            bases[wrong] = rng.choice(list("ACGTN"), wrong.sum())
            qualities = np.stack([rng.integers(0, 46, bases.shape), rng.integers(5, 94, bases.shape),
                                  rng.integers(5, 94, bases.shape), rng.integers(1, 40, bases.shape)], axis=2)
            expected.extend(pair_hmm.log10_likelihoods(bases, qualities, haplotypes))
            for hap, read, quality in zip(haplotypes, bases, qualities):
                lines.append("\t".join(["".join(hap), "".join(read), *map(text_of, quality.T)]))
        path = self.scratch / "pairs.txt"
        path.write_text("\n".join(lines) + "\n")
        for device in DEVICES:
            np.testing.assert_allclose(self.compute(path, device), expected, rtol=0, atol=TOLERANCE, err_msg=device)

    def test_groups(self):
        rng = np.random.default_rng(20261126)
        lines, expected = [], []
        for n_reads, n_haplotypes, rows, columns in ((1, 1, 5, 9), (7, 1, 30, 40), (1, 5, 20, 60), (9, 4, 75, 110)):
            haplotypes = rng.choice(list("ACGT"), (n_haplotypes, columns))
            bases = np.where(rng.random((n_reads, rows)) < 0.1, "N", haplotypes[0, :rows])
            qualities = rng.integers(5, 60, (n_reads, rows, 4))
            read, haplotype = np.indices((n_reads, n_haplotypes)).reshape(2, -1)
            expected.extend(pair_hmm.log10_likelihoods(bases[read], qualities[read], haplotypes[haplotype]))
            lines.append(f"{n_reads} {n_haplotypes}")
            lines.extend(" ".join(["".join(b), *map(text_of, q.T)]) for b, q in zip(bases, qualities))
            lines.extend(map("".join, haplotypes))
        path = self.scratch / "groups.txt"
        path.write_text("\n".join(lines) + "\n")
        for device in DEVICES:
            np.testing.assert_allclose(self.compute(path, device), expected, rtol=0, atol=TOLERANCE, err_msg=device)

    def test_public_cases(self):
        if program.REAL_DATA not in os.environ:
            raise unittest.SkipTest(f"{program.REAL_DATA} names no folder")
        path = program.real_data() / "pairhmm" / "pairhmm-testdata.txt"
        expected = [float(line.split()[6]) for line in path.read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(len(expected), 104)
        for device in DEVICES:
            np.testing.assert_allclose(self.compute(path, device), expected, rtol=0, atol=TOLERANCE, err_msg=device)


if __name__ == "__main__":
    program.main()
