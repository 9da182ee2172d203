"""fastid-mpi: 1, 2 and 4 ranks print the bytes of one process; a rank that fails or is killed ends the job with no table.

FASTID and FASTID_MPI name the programs.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SKIPPED = 77
# Facts of a run, which differ from run to run.
OF_A_RUN = re.compile(r"<dt>(Command line|Device|Work|Started|Seconds)</dt><dd>.*?</dd>\n", re.DOTALL)


class Mpi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="fastid-mpi-")
        cls.addClassCleanup(cls._folder.cleanup)
        cls.scratch = Path(cls._folder.name)
        cls.fastid("db", "simulate", "-q", "-o", "people.h5", "--profiles", 2000, "--sites", 96, "--seed", 5,
                   "--full-siblings", 30, "--duplicates", 30, "--twins", 30, "--cases", 2, "--cases-dir", "cases")
        cls.people = [f"cases/identity-000{i}.snp" for i in (1, 2)]

    @classmethod
    def started(cls, command):
        return subprocess.Popen(list(map(str, command)), cwd=cls.scratch, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    @classmethod
    def fastid(cls, *arguments):
        process = cls.started([os.environ["FASTID"], *arguments])
        out, err = process.communicate()
        if process.returncode != 0:
            raise AssertionError(f"{arguments} ended with {process.returncode}:\n{err}")
        return out

    @classmethod
    def ranks(cls, n, *arguments, program=None):
        return cls.started(["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", n,
                            program or os.environ["FASTID_MPI"], *arguments])

    def shared(self, n, *arguments, status=0):
        process = self.ranks(n, *arguments)
        out, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, status, err)
        return out, err

    def expect_same(self, *command, ranks=(1, 2, 4)):
        whole = self.fastid(*command, "-q")
        self.assertGreater(len(whole), 100)
        for n in ranks:
            self.assertEqual(OF_A_RUN.sub("", self.shared(n, *command, "-q")[0]), OF_A_RUN.sub("", whole), f"{n} ranks")

    def test_search(self):
        self.expect_same("search", *self.people, "people.h5", "--by", "bits", "--sort", "rate", "--format", "json")
        self.expect_same("search", *self.people, "people.h5", "--format", "html", "--date", "today", ranks=(2,))

    def test_what_is_left_out_afterwards(self):
        self.expect_same("search", *self.people, "people.h5", "--max-chance-matches", "1", "--top", 2, ranks=(3,))

    def test_mixture(self):
        self.expect_same("mixture", "cases/mixture-0001.snp", "people.h5", "--known", self.people[0], ranks=(2, 4))

    def test_mixtures_against_mixtures(self):
        self.fastid("db", "export", "-q", "people.h5", "--what", "panel", "-o", "panel.tsv")
        self.fastid("db", "simulate", "-q", "-o", "others.h5", "--profiles", 60, "--sites", 96, "--seed", 5, "--cases", 34,
                    "--cases-dir", "stains")
        stains = [f"stains/identity-{i:04}.snp" for i in range(1, 35)]  # of one person, which are soon explained
        self.fastid("db", "build", "-q", "-o", "stains.h5", "--kind", "mixtures", "--panel", "panel.tsv", *stains)
        self.expect_same("mixture", stains[0], stains[33], "stains.h5", "--format", "json", ranks=(2,))

    def test_kin(self):
        self.expect_same("kin", *self.people, "people.h5", "--min-kinship", "-0.1", "--format", "json", ranks=(2, 4))
        self.expect_same("kin", *self.people, "people.h5", "--min-lr", "-50", "--format", "json", ranks=(2, 4))

    def test_likelihoods(self):
        """A sample by likelihoods beside one by calls."""
        sites = self.fastid("db", "export", "people.h5", "--what", "panel", "-q", "-o", "-").splitlines()
        head = next(line for line in sites if line.startswith("id\t")).split("\t")
        sites = [dict(zip(head, line.split("\t"))) for line in sites if not line.startswith(("#", "id\t"))]
        lines = ["##fileformat=VCFv4.2", '##FORMAT=<ID=GT,Number=1,Type=String,Description="g">',
                 '##FORMAT=<ID=PL,Number=G,Type=Integer,Description="p">',
                 "\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT low".split())]
        lines[1:1] = [f"##contig=<ID={chrom}>" for chrom in dict.fromkeys(site["chrom"] for site in sites)]
        for i, site in enumerate(sites):
            phred = ("0,3,40", "40,3,0", "20,0,20", "0,0,0")[i * 7 % 4]
            lines.append("\t".join([site["chrom"], site["pos"], site["id"], site["major"], site["minor"], ".", ".", ".", "GT:PL",
                                    f"./.:{phred}"]))
        (self.scratch / "low.vcf").write_text("\n".join(lines) + "\n", encoding="ascii")
        self.expect_same("search", "low.vcf", self.people[0], "people.h5", "--format", "json", ranks=(3,))
        self.expect_same("kin", "low.vcf", self.people[0], "people.h5", "--unlinked", "--format", "json", ranks=(2,))

    def test_haplotypes_are_counted_over_all_ranks(self):
        """What stands beside the evidence at X, Y and M, how many share a haplotype among it."""
        classes = ["1"] * 64 + ["X"] * 20 + ["Y"] * 12 + ["MT"] * 9
        lines = ["#build GRCh37", "id\tchrom\tpos\tmajor\tminor\tpop"]
        lines += [f"s{i}\t{chrom}\t{5_000_000 + 1_000 * i if chrom != 'MT' else 100 + i}\tA\tG\t0.3"
                  for i, chrom in enumerate(classes)]
        (self.scratch / "classes.tsv").write_text("\n".join(lines) + "\n", encoding="ascii")
        self.fastid("db", "simulate", "-q", "-o", "classes.h5", "--panel", "classes.tsv", "--profiles", 500, "--seed", 8,
                    "--cases", 2, "--cases-dir", "of-classes")
        people = [f"of-classes/identity-000{i}.snp" for i in (1, 2)]
        self.assertIn("p_y", self.fastid("search", "-q", *people, "classes.h5").splitlines()[0])
        self.expect_same("search", *people, "classes.h5", "--format", "json")
        self.expect_same("kin", *people, "classes.h5", "--min-kinship", "-10", "--format", "json", ranks=(2,))
        self.expect_same("mixture", "of-classes/mixture-0001.snp", "classes.h5", "--format", "json", ranks=(2,))

    def test_pairs(self):
        self.expect_same("pairs", "people.h5", "--min-kinship", "0.25")
        self.fastid("db", "simulate", "-q", "-o", "related.h5", "--profiles", 90, "--sites", 3203, "--full-siblings", 2)
        self.expect_same("pairs", "related.h5", ranks=(3,))

    def test_ld(self):
        self.expect_same("ld", "people.h5", "--all", "--min-r2", "0.001", ranks=(3,))

    def test_dvi(self):
        self.fastid("db", "simulate", "-q", "-o", "event.h5", "--disaster", 9, "--strangers", 3, "--sites", 500)
        self.expect_same("dvi", "event.h5.families.ped", "--am", "event.h5.typed.h5", "event.h5", "--power", "--format", "json",
                         ranks=(1, 3))

    def phenotype(self):
        """A file that says of every second person that it is a case."""
        names = [line.split("\t")[1] for line in self.fastid("db", "list", "people.h5").splitlines()[1:]]
        (self.scratch / "cases.txt").write_text("".join(f"{name} {i % 2}\n" for i, name in enumerate(names)))
        return "cases.txt"

    def test_epistasis(self):
        self.expect_same("epistasis", "people.h5", "--phenotype", self.phenotype(), "--format", "json", ranks=(3,))

    def test_each_rank_is_named(self):
        _, err = self.shared(2, "search", *self.people, "people.h5", "--threads", 1)
        for rank in (0, 1):
            self.assertRegex(err, rf"rank {rank} of 2 on \S+, 1 thread: native CPU engine")

    def test_each_rank_says_the_device_that_it_took(self):
        for question in (("ld", "people.h5", "--min-r2", "0.1"), ("epistasis", "people.h5", "--phenotype", self.phenotype())):
            _, err = self.shared(2, *question, "--threads", 1, "-o", "/dev/null")
            for rank in (0, 1):
                self.assertRegex(err, rf"rank {rank} of 2 on \S+, 1 thread: (cpu|opencl:\S+)\n")

    def test_ranks_tell_each_other_their_thresholds(self):
        _, err = self.shared(3, "search", *self.people, "people.h5", "-v")
        told = re.search(r"other ranks were told (\d+) times what all have found", err)
        self.assertIsNotNone(told, err)
        self.assertGreaterEqual(int(told[1]), 2)

    def test_the_program_says_its_library(self):
        out, _ = self.shared(2, "--version")
        self.assertEqual(len(re.findall("MPI       Open MPI", out)), 1)
        self.assertIn("MPI       none", self.fastid("--version"))

    def test_wrong_arguments_are_said_once(self):
        for arguments, problem in ((["search", "people.h5", "--top", "x"], "--top: x is neither"),
                                   (["search", "people.h5"], "name at least one query"),
                                   (["db", "info", "people.h5"], "no work for several processes"),
                                   (["search", self.people[0], "people.h5", "--shard", "1/2", "-o", "x"],
                                    "--shard is for runs without MPI")):
            out, err = self.shared(3, *arguments, status=2)
            self.assertEqual(len(re.findall("fastid: error", err)), 1, err)
            self.assertIn(problem, err)
            self.assertEqual(out, "")

    def test_rejected_input(self):
        out, err = self.shared(2, "search", "missing.snp", "people.h5", "-o", "none.tsv", status=3)
        self.assertEqual(len(re.findall("fastid: error", err)), 1, err)
        self.assertIn("missing.snp", err)
        self.assertEqual((out, list(self.scratch.glob("*none*"))), ("", []))

    def test_similarity(self):
        """Every value, a checksum of them, and one stage of a campaign."""
        made = ("--synthetic", "random", "--vectors", 60, "--units", 96, "--missing", 0.1)
        self.expect_same("similarity", *made, "--way", 3, "--threshold", 0.4, ranks=(2, 4))
        self.expect_same("similarity", "people.h5", "--best", 2, "--stages", 4, "--stage", 2, ranks=(4,))
        numbers = ("--synthetic", "random", "--of", "numbers", "--vectors", 60, "--units", 50)
        for question in ((*made, "--metric", "ccc"), (*numbers, "--way", 3), (*numbers, "--type", "double")):
            question = ("similarity", *question, "--checksum", "-q")
            self.assertEqual(self.shared(4, *question)[0], self.fastid(*question), question)

    def test_similarity_split_by_elements(self):
        """One checksum for any number of ranks: of genotypes that of whole vectors, of long vectors of numbers its own."""
        made = ("--synthetic", "random", "--vectors", 60, "--units", 300)
        numbers = ("--synthetic", "random", "--of", "numbers", "--vectors", 12, "--units", 70000)
        for question in ((*made, "--missing", 0.1, "--metric", "ccc"), (*made, "--metric", "ccc", "--way", 3),
                         (*numbers, "--way", 3), (*numbers, "--type", "double"), ("people.h5", "--best", 2)):
            question = ("similarity", *question, "--checksum", "-q")
            whole, elements = self.fastid(*question), self.fastid(*question, "--split", "elements")
            self.assertEqual("numbers" not in question, whole == elements, question)
            for ranks in (1, 2, 4):
                self.assertEqual(self.shared(ranks, *question, "--split", "elements")[0], elements, (ranks, question))
        self.expect_same("similarity", "people.h5", "--threshold", 0.6, "--split", "elements", ranks=(3,))

    def test_similarity_block_by_block(self):
        """Each rank reads what its pairs meet, and has room for a part of it."""
        question = ("similarity", "--synthetic", "random", "--of", "numbers", "--vectors", 150, "--units", 2000)
        for more in (("--checksum",), ("--best", 2), ("--threshold", 0.68)):
            right = self.fastid(*question, *more, "-q")
            for ranks in (1, 2, 4):
                out, _ = self.shared(ranks, *question, *more, "-q", "--memory", "1100K")
                self.assertEqual(out, right, (ranks, more))

    def test_a_full_disk(self):
        _, err = self.shared(2, "search", self.people[0], "people.h5", "-q", "-o", "/dev/full", status=1)
        self.assertIn("No space left", err)

    def test_no_match(self):
        self.shared(2, "search", "cases/absent-0001.snp", "people.h5", "--max-mismatches", 0, "--fail-if-no-match",
                    status=5)

    def test_a_rank_that_fails(self):
        """Rank 1 has another database in its place."""
        self.fastid("db", "simulate", "-q", "-o", "other.h5", "--profiles", 2000, "--sites", 96, "--seed", 6)
        for name, database in (("gone", "nothing.h5"), ("other", "other.h5")):
            program = self.scratch / name
            program.write_text(f"#!/bin/sh\nif [ $OMPI_COMM_WORLD_RANK = 1 ]; then ln -s {database} mine-1.h5; fi\n"
                               "[ -e mine-0.h5 ] || ln -s people.h5 mine-0.h5\n"
                               f"exec {os.environ['FASTID_MPI']} search {self.people[0]} mine-$OMPI_COMM_WORLD_RANK.h5 "
                               "-o none.tsv\n", encoding="ascii")
            program.chmod(0o755)
            process = self.ranks(2, program=program)
            _, err = process.communicate(timeout=100)
            (self.scratch / "mine-1.h5").unlink()
            self.assertEqual(process.returncode, 3, err)
            self.assertRegex(err, "rank 1" if name == "gone" else "differs in the database")
            self.assertEqual(list(self.scratch.glob("*none*")), [])

    def test_a_rank_that_is_killed(self):
        """In the midst of its shards: all pairs are close, so that weighing them takes seconds."""
        program = self.scratch / "noted"
        program.write_text(f"#!/bin/sh\necho $$ >pid-$OMPI_COMM_WORLD_RANK\nexec {os.environ['FASTID_MPI']} \"$@\"\n",
                           encoding="ascii")
        program.chmod(0o755)
        self.fastid("db", "simulate", "-q", "-o", "many.h5", "--profiles", 4000, "--sites", 512, "--seed", 5)
        process = self.ranks(2, "pairs", "many.h5", "--unlinked", "--min-kinship", -10, "--threads", 1, "-o", "none.tsv",
                             program=program)
        os.kill(self.busy(self.scratch / "pid-1"), signal.SIGKILL)
        _, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 128 + signal.SIGKILL, err)
        self.assertEqual(list(self.scratch.glob("*none*")), [])

    @staticmethod
    def busy(file):
        """The process whose id a file holds, once it has computed for a while."""
        while True:
            time.sleep(0.02)
            if not (file.exists() and file.read_text(encoding="ascii").endswith("\n")):
                continue
            pid = int(file.read_text(encoding="ascii"))
            of_user = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[11]
            if int(of_user) > 0.4 * os.sysconf("SC_CLK_TCK"):
                return pid


if __name__ == "__main__":
    if shutil.which("mpirun") is None:
        print("skipped: there is no mpirun")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
