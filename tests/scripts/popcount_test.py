"""Only kernels for processors without SSSE3 may count bits by libgcc's function: a call and a table for each word.

The program is compiled for any x86-64, which need not have an instruction that counts bits. Code that counts many is
compiled once for each instruction set (Highway), and everything else uses bits_set() of bits/popcount.hpp.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

BEGIN = re.compile(r"^[0-9a-f]+ <(.*)>:$")
CALL = re.compile(r"(?:call|jmp) .*<__popcountdi2")
BASELINE = "N_SCALAR"  # Highway's name, a namespace of each kernel


class Popcount(unittest.TestCase):
    def test_callers(self):
        code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", os.environ["FASTID"]], capture_output=True,
                              text=True, check=True).stdout
        function, functions, callers = "", 0, set()
        for line in code.splitlines():
            if begin := BEGIN.match(line):
                function, functions = begin[1], functions + 1
            elif CALL.search(line) and BASELINE not in function and not function.endswith("@plt"):
                callers.add(function)
        self.assertGreater(functions, 1000, "no symbols: is the program stripped?")
        self.assertEqual(callers, set())


if __name__ == "__main__":
    if shutil.which("objdump") is None or os.uname().machine != "x86_64":
        sys.exit(77)
    unittest.main()
