"""Running `fastid` (its path comes in the environment variable FASTID) and holding its output against the oracle's."""

import difflib
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import counting
import evidence
import h5py
import numpy as np

REAL_DATA = "FASTID_REAL_DATA"
SKIPPED = 77
EVERY_CASE = "FASTID_TEST_ALL" in os.environ  # each of a cross of many, as scripts/test --all has it
DROP_OUT = 0.005  # where no test says another: the oracle is quicker with one that is given


class Case(unittest.TestCase):
    """A test with a scratch folder of its class and the program at hand.

    Classes that search set `model`, the evidence.Model of their database's panel, and `by`.
    """

    model = None
    by = "bits"  # what the oracle of `counting` and `evidence` compares; None: what fastid chooses

    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="fastid-oracle-")
        cls.addClassCleanup(cls._folder.cleanup)
        cls.scratch = Path(cls._folder.name)

    @staticmethod
    def run_fastid(*arguments, status=0):
        """Gives back the finished process; fails the test where it ends with another status."""
        command = [os.environ["FASTID"], *map(str, arguments)]
        if command[1:3] in (["db", "build"], ["db", "simulate"], ["db", "convert"], ["db", "export"]):
            command.append("--force")  # tests of a class share its folder
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != status:
            raise AssertionError(f"{' '.join(command)}\nended with {done.returncode}, not {status}:\n{done.stderr}")
        return done

    def info(self, database):
        return json.loads(self.run_fastid("db", "info", database, "--format", "json").stdout)

    def expect_same_text(self, actual, expected, what):
        """Byte for byte; shows the first lines that differ."""
        if actual == expected:
            return
        changes = difflib.unified_diff(expected.splitlines()[:20000], actual.splitlines()[:20000], "oracle", "fastid",
                                       n=0, lineterm="")
        self.fail(f"{what}: not what the oracle says\n" + "\n".join(list(changes)[:20]))

    def expect_planes(self, database, planes, encoding="alleles"):
        """What lies in the HDF5 file, read by the documented formula, is what the oracle makes of the letters."""
        n_profiles, n_sites = planes.bits.shape
        row, site = np.arange(n_profiles)[:, None], np.arange(n_sites)[None, :]
        with h5py.File(database, "r") as file:
            self.assertEqual([name.decode() for name in file["profiles/id"][:]], planes.names)
            self.assertEqual(file.attrs["encoding"].decode(), encoding)
            self.assertEqual(file.attrs["format_version"], {"minor": 1, "alleles": 2}[encoding])
            minor = {"bits": planes.bits, "called": planes.called}
            alleles = {"minor": planes.bits, "major": planes.major}
            for name, plane in (minor if encoding == "minor" else alleles).items():
                if name == "called" and planes.called.all():
                    self.assertNotIn("called", file["profiles"])
                    continue
                words = file[f"profiles/{name}"][:]
                stored = words[row // 32, site // 32, row % 32] >> (site % 32).astype(np.uint32) & 1
                wrong = np.argwhere(stored.astype(bool) != plane)
                self.assertEqual(len(wrong), 0, f"{database} {name}: profile, site {wrong[:5].tolist()}")

    def expect_search(self, comparison, files, database, queries, profiles, *, options=(), counts=None,
                      by=counting.BITS, **rule):
        """Searches, and compares the whole tsv with the oracle's. Gives back the oracle's lines."""
        if counts is None:
            counts = counting.count_pairs(comparison, queries, profiles, by)
        ranked = counting.rank(comparison, counts, **rule)
        lines = counting.table(comparison, queries, profiles, counts, ranked, by)
        command = self.search_command(comparison, files, database, ["--sort", "rate", *options], **rule)
        done = self.run_fastid(*command, "--format", "tsv")
        what = " ".join(map(str, command))
        bare, figures = self.without_figures(done.stdout)
        self.expect_same_text(bare, counting.tsv(comparison, lines, by), what)
        pairs = [(i, row) for i, query in enumerate(ranked) for row in query.rows]
        self.expect_figures(figures, self.model.figures(comparison, queries, profiles, counts, pairs), what)
        return lines, ranked

    @staticmethod
    def without_figures(tsv):
        """A tsv with NA for every figure of evidence, and the figures' texts as dictionaries, a line each."""
        header, *lines = tsv.splitlines()
        names = header.split("\t")
        bare, figures = [header], []
        for line in lines:
            cells = line.split("\t")
            figures.append({name: cells[at] for at, name in enumerate(names) if name in evidence.FIGURES})
            bare.append("\t".join("NA" if name in evidence.FIGURES else cell for name, cell in zip(names, cells)))
        return "\n".join(bare) + "\n", figures

    def expect_figures(self, figures, expected, what):
        """Each figure is the oracle's, rounded."""
        self.assertEqual(len(figures), len(expected))
        wrong = []
        for place, (texts, numbers) in enumerate(zip(figures, expected)):
            for name, text in texts.items():
                problem = evidence.problem_with(name, text, numbers[name])
                if problem:
                    wrong.append(f"line {place + 1}, {name}: {problem}")
        self.assertEqual(wrong[:10], [], f"{what}: not what the oracle says")

    @classmethod
    def search_command(cls, comparison, files, database, options=(), top=10, max_count=None, min_compared=1):
        command = ["search" if comparison == counting.IDENTITY else "mixture", "--unlinked"]  # as the oracle has relatives
        command += ["--reverse"] if comparison == counting.REVERSE else []
        command += ["--drop-out", DROP_OUT] if comparison != counting.IDENTITY and "--drop-out" not in options else []
        command += ["--by", cls.by] if cls.by else []
        command += ["--top", top, "--min-compared", min_compared]
        if max_count is not None:
            command += ["--max-mismatches" if comparison == counting.IDENTITY else "--max-not-seen", max_count]
        return [*command, *options, *files, database]


def real_data():
    return Path(os.environ[REAL_DATA])


def write_snp(path, name, panel, texts, build=None):
    """A `.snp`: letters for each site of the panel; a site whose letters are "" is left out."""
    lines = [f"#sample {name}"] + ([f"# build {build}"] if build else [])
    lines += [
        f"{panel.id[s]}\t{panel.chrom[s]}\t{panel.pos[s]}\t{letters}" for s, letters in enumerate(texts) if letters
    ]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def main(needs_real_data=False):
    if needs_real_data and not os.environ.get(REAL_DATA):
        print(f"skipped: {REAL_DATA} names no folder of real genotype data")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
