"""The pair-HMM for Java: what Java gets of it is what `fastid pairhmm` and GKL's own library say.

FASTID names the program and FASTID_JNI the folder of libgkl_pairhmm.so. Needs a JDK and Debian's libgkl-java and
libgkl-jni.
"""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = pathlib.Path(__file__).parent
FASTID, OURS = os.environ["FASTID"], os.environ["FASTID_JNI"]
GKL, JARS = "/usr/lib/jni", pathlib.Path("/usr/share/java")
CLASSPATH = [JARS / f"{name}.jar" for name in ("gkl", "gatk-native-bindings", "commons-logging", "commons-io", "log4j-api",
                                               "log4j-core", "htsjdk")]
SIGNALS = pathlib.Path(shutil.which("java") or "/").resolve().parent.parent / "lib" / "libjsig.so"
TOLERANCE = 1e-5


def quality(rng, n, low, high):
    return "".join(chr(33 + rng.randint(low, high)) for _ in range(n))


def group(rng, n_reads, n_haplotypes, rows, columns):
    haplotypes = ["".join(rng.choices("ACGTN", (24, 24, 24, 24, 1), k=columns - i)) for i in range(n_haplotypes)]
    reads = []
    for i in range(n_reads):
        n = max(1, rows - i)
        bases = "".join(haplotypes[0][k % len(haplotypes[0])] if rng.random() > 0.03 else rng.choice("ACGTN") for k in range(n))
        reads.append(" ".join([bases, quality(rng, n, 6, 45), *(quality(rng, n, 20, 60) for _ in "id"), quality(rng, n, 5, 20)]))
    return "\n".join([f"{n_reads} {n_haplotypes}", *reads, *haplotypes]) + "\n"


class ThroughJava(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp())
        cls.classpath = ":".join(map(str, [cls.scratch, *CLASSPATH]))
        subprocess.run(["javac", "-cp", cls.classpath, "-d", cls.scratch, HERE / "PairHmmOfFile.java"], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.scratch)

    def file_of(self, text):
        path = self.scratch / "groups.txt"
        path.write_text(text)
        return path

    def java(self, path, libraries, kind="IntelPairHmm", threads=1, precision="float", options=(), **environment):
        run = subprocess.run(["java", *options, f"-Djava.library.path={libraries}:{GKL}", "-cp", self.classpath,
                              "PairHmmOfFile", path, kind, str(threads), precision],
                             capture_output=True, text=True, env={**os.environ, **environment})
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        lines = run.stdout.splitlines()
        loaded = [line.split()[1] for line in lines if line.startswith("loaded ")]
        self.assertEqual([str(pathlib.Path(at).parent) for at in loaded], [str(pathlib.Path(libraries).resolve())])
        return [line for line in lines if not line.startswith("loaded ")]

    def fastid(self, path, device="reference"):
        return subprocess.run([FASTID, "pairhmm", path, "--device", device], check=True, capture_output=True,
                              text=True).stdout.splitlines()

    def agree(self, ours, theirs, what):
        self.assertEqual([line.count("\t") for line in ours], [line.count("\t") for line in theirs], what)
        numbers = [np.array("\t".join(lines).split("\t"), float) for lines in (ours, theirs)]
        np.testing.assert_allclose(*numbers, rtol=0, atol=TOLERANCE, err_msg=what)

    def made_up(self):
        rng = random.Random(5)
        shapes = ((1, 1, 1, 1), (1, 1, 30, 40), (20, 9, 90, 140), (3, 40, 101, 162), (70, 2, 140, 150), (5, 3, 240, 400))
        return self.file_of("".join(group(rng, *shape) for shape in shapes))

    def test_every_way_to_compute(self):
        path = self.made_up()
        expected = self.fastid(path)
        for kind in ("IntelPairHmm", "IntelPairHmmOMP"):
            for threads in (1, 3):
                self.agree(self.java(path, OURS, kind, threads), expected, f"{kind}, {threads} threads")
        self.agree(self.java(path, OURS, precision="double"), expected, "double")
        for device in ("cpu", "opencl", "reference"):
            # A driver for CPUs takes Java's signals, unless they are chained.
            ours = self.java(path, OURS, FASTID_DEVICE=device, LD_PRELOAD=str(SIGNALS))
            self.assertEqual(ours, self.fastid(path, device))

    def test_java_finds_no_fault(self):
        path = self.made_up()
        self.assertEqual(self.java(path, OURS, options=["-Xcheck:jni"]), self.fastid(path, "cpu"))

    def test_gkl_says_the_same(self):
        path = self.made_up()
        self.agree(self.java(path, OURS), self.java(path, GKL), "GKL")

    def test_public_cases(self):
        if "FASTID_REAL_DATA" not in os.environ:
            raise unittest.SkipTest("FASTID_REAL_DATA names no folder")
        cases = pathlib.Path(os.environ["FASTID_REAL_DATA"]) / "pairhmm" / "pairhmm-testdata.txt"
        rows = [line.split() for line in cases.read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(len(rows), 104)
        path = self.file_of("".join(f"1 1\n{' '.join(row[1:6])}\n{row[0]}\n" for row in rows))
        expected = [row[6] for row in rows]
        for precision in ("float", "double"):
            self.agree(self.java(path, OURS, precision=precision), expected, precision)

    def test_what_is_no_read_is_an_exception(self):
        good = "1 1\nACGT IIII IIII IIII ++++\nACGTACGT\n"
        path = self.file_of("1 1\nACGT IIII IIII III ++++\nACGTACGT\n" + good)
        refused, likelihood = self.java(path, OURS)
        self.assertTrue(refused.startswith("refused: "), refused)
        self.assertEqual(likelihood, self.fastid(self.file_of(good), "cpu")[0])

    def test_letters_that_are_no_base_are_n(self):
        text = "1 2\nACGT IIII IIII IIII ++++\nACGTACGT\nAC{}TACGT\n"
        ours = self.java(self.file_of(text.format("R")), OURS)
        self.assertEqual(ours, self.fastid(self.file_of(text.format("N")), "cpu"))


if __name__ == "__main__":
    missing = [str(path) for path in [*CLASSPATH, pathlib.Path(GKL) / "libgkl_pairhmm.so"] if not path.exists()]
    if missing or not shutil.which("javac"):
        print("skipped: missing are", *(missing or ["javac"]))
        sys.exit(77)
    unittest.main()
