"""What the tests of devices that fail share: the surroundings of a run, and whether there is a device at all.

cl_faults.cpp, preloaded, makes calls fail. FASTID is the program, FASTID_CL_FAULTS the library.
"""

import os
import subprocess
import sys
import unittest

SKIPPED = 77


def environment(faults, **folders):
    """The caller's, with these folders and, where there are faults, what makes them."""
    env = {**os.environ, **{name: str(value) for name, value in {**folders, **faults}.items()}}
    if faults:
        env["LD_PRELOAD"] = os.environ["FASTID_CL_FAULTS"]
    return env


def main():
    devices = subprocess.run([os.environ["FASTID"], "devices"], capture_output=True, text=True, check=True)
    if "opencl:" not in devices.stdout:
        print("skipped: no OpenCL driver is installed here")
        sys.exit(SKIPPED)
    unittest.main()
