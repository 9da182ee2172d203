#!/usr/bin/env python3
"""Real people on an OpenCL device with 1, 2 and 3 buffers: the CPU engine's bytes.

HapMap 3 has sites not called, in the database and in those of its people who are asked for, so both planes are at work;
the tables of the CPU engine are recomputed by the other tests of this folder. FASTID_TEST_OPENCL names the device (a selector of --device opencl:SELECTOR), which
takes every config header; by default the first device takes three that differ in all that configs say.
"""

import os
import sys
from pathlib import Path

import program

FEW = ("generic", "pocl", "titan_v")
CONFIGS = Path(__file__).resolve().parents[2] / "configs"


class EveryConfig(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        data = program.real_data()
        cls.database, cls.people = cls.scratch / "hapmap3.h5", cls.scratch / "people.vcf"
        cls.run_fastid("db", "build", "-o", cls.database, data / "hapmap3/hapmap3.bed", "-q")
        names = [line.split()[1] for line in (data / "hapmap3/hapmap3.fam").read_text().splitlines()[::60]]
        wanted = [option for name in names for option in ("--profile", name)]
        cls.run_fastid("db", "export", cls.database, "-o", cls.people, "--format", "vcf", "-q", *wanted)
        cls.device = ":".join(filter(None, ["opencl", os.environ.get("FASTID_TEST_OPENCL", "")]))

    def table(self, command, *options):
        return self.run_fastid(command, self.people, self.database, "--format", "json", "-q", *options).stdout

    def test_same_bytes(self):
        configs = sorted(CONFIGS.glob("*.h"))
        if "FASTID_TEST_OPENCL" not in os.environ:
            configs = [config for config in configs if config.stem in FEW]
        self.assertGreaterEqual(len(configs), 3)
        for command in ("search", "mixture"):
            expected = self.table(command, "--device", "cpu")
            for turn, config in enumerate(configs):
                for buffers in (1, 2, 3) if config.stem == "generic" else (1 + turn % 3,):
                    with self.subTest(command=command, config=config.name, buffers=buffers):
                        found = self.table(command, "--device", self.device, "--config", config, "--buffers", buffers,
                                           "--tile-blocks", 2 * buffers)
                        self.assertEqual(found, expected)


if __name__ == "__main__":
    devices = program.Case.run_fastid("devices").stdout
    if "opencl:" not in devices:
        print("skipped: no OpenCL driver is installed here")
        sys.exit(program.SKIPPED)
    program.main(needs_real_data=True)
