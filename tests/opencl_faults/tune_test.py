#!/usr/bin/env python3
"""`fastid tune` on the device that is here: the config that it writes is found and used, and a tune that is
interrupted, or meets a device that fails or lies, writes nothing and says why.
device.py says what they run in.
"""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import device

BUILD_FAILURE = -11
QUICK = ("tune", "--device", "opencl", "--quick", "-q")


class Tune(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # What the driver compiles it need not compile again for the next test; fastid's own cache is each test's.
        compiled = tempfile.TemporaryDirectory(prefix="fastid-tune-driver-")
        cls.addClassCleanup(compiled.cleanup)
        cls.compiled = compiled.name

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fastid-tune-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.configs = self.folder / "config" / "fastid" / "configs"

    def environment(self, faults=()):
        return device.environment(dict(faults), XDG_CONFIG_HOME=self.folder / "config", XDG_CACHE_HOME=self.folder / "cache",
                                  POCL_CACHE_DIR=self.compiled)

    def run_fastid(self, *arguments, faults=()):
        return subprocess.run([os.environ["FASTID"], *map(str, arguments)], env=self.environment(faults),
                              capture_output=True, text=True, check=False, timeout=600, cwd=self.folder)

    def files(self):
        return sorted(path.name for path in self.folder.rglob("*") if path.is_file() and "cache" not in path.parts)

    def test_the_config_is_written_found_and_used(self):
        done = self.run_fastid(*QUICK, "--report", "report.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        (header,) = self.configs.glob("*.h")
        self.assertEqual(self.files(), sorted([header.name, "registry.tsv", "report.html", "report.json"]))
        text = header.read_text()
        for piece in ('FASTID_CONFIG_ORIGIN "tuned"', "Driver ", "Report: report.json", "measured"):
            self.assertIn(piece, text)

        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(report["format"], "fastid-tune")
        self.assertEqual(report["traits"]["popcounts"]["source"], "measured")
        self.assertTrue(all(timing["seconds"] > 0 for timing in report["microbenchmarks"]))
        best = report["search"]["trials"][report["search"]["best"]]
        self.assertIsNone(best["refused"])
        kernels = [one for one in report["predictions"] if one["what"].startswith("kernel")]
        self.assertTrue(kernels and all(one["predicted_seconds"] > 0 < one["measured_seconds"] for one in kernels))
        page = (self.folder / "report.html").read_text()
        self.assertIn("Roofline", page)
        self.assertIn("#define FASTID_M_C", page)

        devices = self.run_fastid("devices").stdout
        self.assertIn(str(header), devices)
        self.assertIn("measured", devices)
        self.search_uses(header.stem)
        lines = [line for line in (self.configs / "registry.tsv").read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(len(lines), 1)

    def search_uses(self, name):
        made = self.run_fastid("db", "simulate", "-q", "-o", "people.h5", "--profiles", 300, "--sites", 100, "--cases", 1,
                               "--cases-dir", "cases")
        self.assertEqual(made.returncode, 0, made.stderr)
        query = "cases/identity-0001.snp"
        found = self.run_fastid("search", query, "people.h5", "--device", "opencl", "-v")
        expected = self.run_fastid("search", query, "people.h5", "--device", "cpu")
        self.assertEqual(found.stdout, expected.stdout)
        self.assertIn(f"config {name}", found.stderr)

    def test_the_header_alone_goes_where_it_is_wanted(self):
        done = self.run_fastid(*QUICK, "--output", "mine.h")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files(), ["mine.h"])
        self.run_fastid("db", "simulate", "-q", "-o", "people.h5", "--profiles", 40, "--sites", 33)
        self.run_fastid("db", "export", "people.h5", "-q", "-o", "one.snp", "--format", "snp", "--profile", "P000000001")
        searched = self.run_fastid("search", "one.snp", "people.h5", "--device", "opencl", "--config", "mine.h", "-q")
        self.assertEqual(searched.returncode, 0, searched.stderr)

    def expect_nothing(self, done, code, message):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, message)
        self.assertNotIn("terminate called", done.stderr)
        self.assertEqual(self.files(), [])
        self.assertEqual(done.stdout, "")

    def test_a_device_that_computes_wrong_is_told_by_a_microbenchmark(self):
        self.expect_nothing(self.run_fastid(*QUICK, "--report", "r.json", faults={"CL_FAULT_LIE": 4}), 4,
                            "opencl:.*wrong result of microbenchmark.*do not trust this device")

    def test_a_device_that_counts_wrong_is_told_by_the_proof(self):
        # Of the microbenchmarks all but one read single words; what a comparison finds is read in one piece.
        done = self.run_fastid(*QUICK, "-o", "x.h", faults={"CL_FAULT_LIE": 2000})
        self.expect_nothing(done, 4, "no config can be used.*(counts wrong|wrong result)|wrong result of microbenchmark stream")

    def test_a_compiler_that_fails(self):
        for first in (1, 2):  # the microbenchmarks' program, then every config's
            faults = {"CL_FAULT_CALL": "clBuildProgram", "CL_FAULT_FIRST": first, "CL_FAULT_CODE": BUILD_FAILURE}
            self.expect_nothing(self.run_fastid(*QUICK, "--report", "r.json", faults=faults), 4, "does not build|clGetProgramBuildInfo")

    def test_a_device_that_is_lost_in_the_middle(self):
        for call in (30, 400):
            faults = {"CL_FAULT_CALL": "clEnqueueNDRangeKernel", "CL_FAULT_FIRST": call, "CL_FAULT_CODE": -9999}
            self.expect_nothing(self.run_fastid(*QUICK, faults=faults), 4, "-9999")

    def test_interrupted(self):
        command = [os.environ["FASTID"], "tune", "--device", "opencl", "-q", "--report", "r.json"]
        with subprocess.Popen(command, env=self.environment(), cwd=self.folder, stderr=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as running:
            time.sleep(3)
            running.send_signal(signal.SIGINT)
            stdout, stderr = running.communicate(timeout=60)
        # Deep in a driver's compiler there is no safe point: the program then ends without a word of its own; PoCL's compiler
        # says where it has refused a config.
        self.expect_nothing(subprocess.CompletedProcess(command, running.returncode, stdout, stderr), 130,
                            "^([0-9]+ errors? generated[.]\n)*(fastid: error: interrupted\n)?$")

    def test_a_folder_that_cannot_be_written(self):
        (self.folder / "config").write_text("a file")
        done = self.run_fastid(*QUICK)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--output", done.stderr)
        self.assertEqual(self.files(), ["config"])


if __name__ == "__main__":
    device.main()
