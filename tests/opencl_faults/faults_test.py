#!/usr/bin/env python3
"""A device that fails, at any call and any moment: either the search gives the same bytes as ever, or it ends with
exit 4 and a message that names the device, and leaves nothing behind. device.py says what they run in.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import device

PORTABLE_MATRIX = Path(__file__).resolve().parents[2] / "configs" / "portable_matrix.h"
# Out of resources, out of host memory, no memory for an object, device gone, and a code that no header knows: what a
# driver says of a device that was lost.
CODES = (-5, -6, -4, -2, -9999)
# What a search asks before it knows which device is meant; the message then speaks of OpenCL alone.
DISCOVERY = ("clGetPlatformIDs", "clGetDeviceIDs", "clGetDeviceInfo")
# Where a fault need not end the search: a cached program can be built anew, and what a device took need not be known.
MAY_GO_ON = ("clCreateProgramWithBinary", "clBuildProgram", "clGetEventProfilingInfo", "clEnqueueUnmapMemObject",
             "clFinish", "clFlush")
# Where it need not if it comes once: memory of lanes that could not be made ahead is asked for again.
ASKED_AGAIN = ("clCreateCommandQueue", "clCreateBuffer", "clEnqueueMapBuffer", "clEnqueueFillBuffer")
# With these codes, while a lane is opened, the search goes on with smaller tiles, or with the other lanes.
MEMORY_CODES = (-4, -5, -6)


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="fastid-faults-")
        cls.addClassCleanup(cls._folder.cleanup)
        cls.folder = Path(cls._folder.name)
        cls.database = cls.folder / "people.h5"
        subprocess.run([os.environ["FASTID"], "db", "simulate", "-o", cls.database, "--profiles", "3000", "--sites",
                        "400", "--cases", "2", "--cases-dir", cls.folder / "cases", "--no-call-rate", "0.02", "-q"],
                       check=True)
        cls.queries = sorted((cls.folder / "cases").glob("identity-*.snp"))
        cls.expected = cls.search({}, engine="cpu")[1]
        trace = cls.folder / "trace"
        code, output, errors = cls.search({"CL_FAULT_TRACE": trace})
        assert (code, output) == (0, cls.expected), errors
        cls.calls = cls.traced_calls()
        # The second run finds its programs in the cache, and makes other calls.
        cls.search({"CL_FAULT_TRACE": trace})
        for name, count in cls.traced_calls().items():
            cls.calls[name] = max(cls.calls.get(name, 0), count)

    @classmethod
    def traced_calls(cls):
        lines = (cls.folder / "trace").read_text().splitlines()
        return {name: int(count) for name, count in map(str.split, lines)}

    @classmethod
    def search(cls, faults, engine="opencl", options=()):
        """Exit code, the output file's bytes (None where there is none) and the messages."""
        out = cls.folder / "out" / "matches.tsv"
        out.parent.mkdir(exist_ok=True)
        out.unlink(missing_ok=True)
        command = [os.environ["FASTID"], "search", *cls.queries, cls.database, "--device", engine, "--format", "tsv",
                   "-o", out, *(options or ("-q", "--tile-blocks", "8"))]
        env = device.environment(faults, XDG_CACHE_HOME=cls.folder / "cache")
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=300)
        output = out.read_bytes() if out.exists() else None
        left = sorted(path.name for path in out.parent.iterdir() if path != out)
        assert not left, f"left behind: {left}"
        return done.returncode, output, done.stderr

    def expect_sound(self, faults, ran):
        """The same bytes, or exit 4 and a message; True where the search went on."""
        code, output, errors = ran
        self.assertNotIn("terminate called", errors, faults)
        if code == 0:
            self.assertEqual(output, self.expected, faults)
            return True
        self.assertEqual(code, 4, f"{faults}: {errors}")
        self.assertIsNone(output, faults)
        self.assertLessEqual(len(errors.splitlines()), 6, errors)
        names_device = "OpenCL" if faults.get("CL_FAULT_CALL") in DISCOVERY else "opencl:"
        self.assertRegex(errors, re.compile(f"^fastid: error: .*{names_device}", re.MULTILINE), faults)
        return False

    def test_any_call_may_fail_at_any_moment(self):
        self.assertIn("clEnqueueNDRangeKernel", self.calls)
        ended = 0
        for function, count in self.calls.items():
            for call in sorted({1, (count + 1) // 2, count}):
                for last in (call, 0):  # once, and from there on: the device is lost
                    code = CODES[(call + len(function) + last) % len(CODES)]
                    faults = {"CL_FAULT_CALL": function, "CL_FAULT_FIRST": call, "CL_FAULT_LAST": last,
                              "CL_FAULT_CODE": code, "CL_FAULT_TRACE": self.folder / "trace"}
                    with self.subTest(**faults):
                        went_on = self.expect_sound(faults, self.search(faults))
                        ended += not went_on
                        # Lanes take turns as they come, so that a run may make a call less than the one before.
                        if went_on and self.traced_calls().get(function, 0) >= call:
                            may = function in MAY_GO_ON or (function in ASKED_AGAIN and last == call)
                            self.assertTrue(may or code in MEMORY_CODES, "the fault was not noticed")
        self.assertGreater(ended, len(self.calls))

    def test_a_command_that_never_says_that_it_is_done(self):
        faults = {"CL_FAULT_RUNS": 1}
        self.assertTrue(self.expect_sound(faults, self.search(faults)))

    def test_a_small_memory_is_met_with_smaller_tiles(self):
        # A tile of 8 blocks of 400 sites takes 13,312 bytes a plane; room for all pairs of 2 queries, 96,016.
        for limit in (1, 100, 1000):
            faults = {"CL_FAULT_BYTES": limit}
            with self.subTest(limit=limit):
                ran = self.search(faults)
                self.assertFalse(self.expect_sound(faults, ran))
                self.assertRegex(ran[2], "CL_MEM_OBJECT_ALLOCATION_FAILURE")
        blocks = 94
        whole = blocks * 13 * 128  # bytes of all blocks in one tile, which is not to be had
        faults = {"CL_FAULT_BYTES": whole - 1}
        ran = self.search(faults, options=("--tile-blocks", str(blocks), "-v"))
        self.assertTrue(self.expect_sound(faults, ran), ran[2])
        self.assertIn("trying tiles of 47 blocks", ran[2])

    def test_a_tile_with_its_padding_is_no_more_than_the_device_allocates(self):
        # Room for 60 blocks of a plane, but not for what may be read behind them.
        ran = self.search({"CL_FAULT_MOST": 60 * 13 * 128}, options=("--tile-blocks", "94", "-v"))
        self.assertTrue(self.expect_sound({"CL_FAULT_MOST": "60 blocks"}, ran), ran[2])
        self.assertIn("up to 59 blocks", ran[2])

    def test_every_error_code_while_a_tile_is_compared(self):
        one_lane = ("-q", "--tile-blocks", "8", "--buffers", "1")  # which is open before its first tile
        self.search({"CL_FAULT_TRACE": self.folder / "trace"}, options=one_lane)
        call = self.traced_calls()["clEnqueueNDRangeKernel"]
        for code in CODES:
            faults = {"CL_FAULT_CALL": "clEnqueueNDRangeKernel", "CL_FAULT_FIRST": call, "CL_FAULT_CODE": code}
            with self.subTest(code=code):
                ran = self.search(faults, options=one_lane)
                self.assertFalse(self.expect_sound(faults, ran))
                self.assertIn(f"({code})", ran[2])

    def search_by_matrix(self, old, new):
        """A search whose config has the matrix kernel, on a device that reads `new` where its source says `old`."""
        # A program of an earlier run would be used as it was built then.
        faults = {"CL_FAULT_OLD": old, "CL_FAULT_NEW": new, "FASTID_NO_CACHE": 1}
        ran = self.search(faults, options=("--config", PORTABLE_MATRIX, "-v"))
        self.assertTrue(self.expect_sound({"old": old, "new": new}, ran), ran[2])
        return ran[2]

    def test_a_matrix_kernel_is_proved_before_it_is_used(self):
        self.assertNotIn("another kernel is used", self.search_by_matrix("sum += popcount(rows", "sum += popcount(rows"))
        wrong = self.search_by_matrix("sum += popcount(rows", "sum += 2 * popcount(rows")
        self.assertRegex(wrong, r"warning: .*gives other pairs of profiles .*; another kernel is used")

    def test_a_device_without_the_matrix_instruction_uses_the_popcount_kernel(self):
        refused = self.search_by_matrix("#define LINES (TILE", "#error no such instruction\n#define LINES (TILE")
        self.assertRegex(refused, "does not build.*another kernel is used")

    def test_a_matrix_kernel_that_a_driver_refuses_for_whatever_reason(self):
        """CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BINARY (of an assembler within the driver), and a code that no header knows."""
        for code in (-11, -42, -9999):
            faults = {"CL_FAULT_CALL": "clBuildProgram", "CL_FAULT_FIRST": 1, "CL_FAULT_LAST": 1, "CL_FAULT_CODE": code,
                      "FASTID_NO_CACHE": 1}
            with self.subTest(code=code):
                ran = self.search(faults, options=("--config", PORTABLE_MATRIX, "-v"))
                self.assertTrue(self.expect_sound(faults, ran), ran[2])
                self.assertRegex(ran[2], rf"\({code}\).*another kernel is used")

    def test_a_device_that_cannot_run_the_matrix_kernel_uses_the_popcount_kernel(self):
        for code in (-5, -54):
            faults = {"CL_FAULT_CALL": "clEnqueueNDRangeKernel", "CL_FAULT_FIRST": 1, "CL_FAULT_LAST": 1,
                      "CL_FAULT_CODE": code}
            with self.subTest(code=code):
                ran = self.search(faults, options=("--config", PORTABLE_MATRIX, "-v"))
                self.assertTrue(self.expect_sound(faults, ran), ran[2])
                self.assertRegex(ran[2], rf"\({code}\).*another kernel is used")

    def test_counts_that_a_device_gets_wrong_are_noticed(self):
        lies = (("pair[3] = count;", "pair[3] = count / 2;"),
                ("pair[4] = denominator;", "pair[4] = denominator + 1;"))
        for old, new in lies:
            faults = {"CL_FAULT_OLD": old, "CL_FAULT_NEW": new, "FASTID_NO_CACHE": 1}
            with self.subTest(new=new):
                ran = self.search(faults)
                self.assertFalse(self.expect_sound({"lie": new}, ran), "it went unseen")
                self.assertRegex(ran[2], "counted .* is right")

    def test_pairs_that_a_device_miscounts_are_noticed(self):
        """By kinship and by alleles that differ, whose counts follow from those of genotypes, and by bits."""
        faults = {"CL_FAULT_OLD": "pair[3] = count;", "CL_FAULT_NEW": "pair[3] = count + 1;", "FASTID_NO_CACHE": 1}
        for how in ("--unlinked --min-kinship=-1", "--max-mismatch-rate .5", "--max-mismatch-rate .5 --by bits"):
            with self.subTest(how=how):
                code, output, errors = self.pairs(faults, options=how.split())
                self.assertEqual((code, output), (4, ""), errors)
                self.assertRegex(errors, "counted .* is right")

    def pairs(self, faults, engine="opencl", options=()):
        """Of all pairs, along the map where no option says otherwise, of so many sites that the CPU tests likeliest paths:
        exit code, output, messages."""
        database = self.folder / "mapped.h5"
        if not database.exists():
            subprocess.run([os.environ["FASTID"], "db", "simulate", "-q", "-o", database, "--profiles", "70", "--sites", "3100",
                            "--full-siblings", "2"], check=True)
        env = device.environment(faults, XDG_CACHE_HOME=self.folder / "cache")
        done = subprocess.run([os.environ["FASTID"], "pairs", "-q", database, "--device", engine, *options],
                              env=env, capture_output=True, text=True, check=False, timeout=300)
        return done.returncode, done.stdout, done.stderr

    def test_chains_are_proved_before_they_are_computed(self):
        right = self.pairs({}, engine="cpu")
        self.assertGreater(right[1].count("\n"), 2)
        self.assertEqual(self.pairs({}), right)
        wrong = {"CL_FAULT_OLD": "none[q] + to_none", "CL_FAULT_NEW": "none[q] + to_none * 1.001f", "FASTID_NO_CACHE": 1}
        code, output, errors = self.pairs(wrong)
        self.assertEqual((code, output), (4, ""))
        self.assertRegex(errors, r"error: opencl:.*gives other chains of a small problem than the definition; do not trust")

    def test_matrices_of_sites_that_a_device_miscounts(self):
        """By the proof before its use, and among the pairs that are counted again."""
        database = self.folder / "sites.h5"
        subprocess.run([os.environ["FASTID"], "db", "simulate", "-q", "-o", database, "--profiles", "50", "--sites", "300"], check=True)
        for new, message in (("= sums[j] + 1;", "gives other counts of sites of a small problem"),
                             ("= sums[j] + (uint)(first_end - first_begin > 70);", "the device miscounts sites")):
            faults = {"CL_FAULT_OLD": "= sums[j];", "CL_FAULT_NEW": new, "FASTID_NO_CACHE": 1}
            with self.subTest(message=message):
                env = device.environment(faults, XDG_CACHE_HOME=self.folder / "cache")
                done = subprocess.run([os.environ["FASTID"], "ld", "-q", database, "--matrix", self.folder / "r2.npy", "--device", "opencl"],
                                      env=env, capture_output=True, text=True, check=False, timeout=300)
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn(message, done.stderr)
                self.assertFalse((self.folder / "r2.npy").exists())

    def test_any_run_of_the_kernel_of_chains_may_fail(self):
        for call in (1, 2, 3, 4, 6):
            faults = {"CL_FAULT_CALL": "clEnqueueNDRangeKernel", "CL_FAULT_FIRST": call, "CL_FAULT_CODE": -5}
            with self.subTest(call=call):
                code, output, errors = self.pairs(faults)
                self.assertEqual((code, output), (4, ""), errors)
                self.assertRegex(errors, r"error: opencl:.*\(-5\)")

    def test_no_driver_at_all(self):
        empty = self.folder / "no-drivers"
        empty.mkdir(exist_ok=True)
        ran = self.search({"OCL_ICD_VENDORS": empty})
        self.assertEqual(ran[0], 4)
        self.assertIn("no OpenCL device", ran[2])


if __name__ == "__main__":
    device.main()
