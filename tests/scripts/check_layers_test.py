"""scripts/python/check_layers.py against small trees with one violation each."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

LAYERS = """\
# a comment
0  base    the bottom
1  left    a module
1  right   its sibling
2  top     what uses them
cage  foreign/   right
cage  single.h   base right
"""

SOUND = {
    "src/LAYERS": LAYERS,
    "src/base/base.hpp": "#include <vector>\n#include <single.h>\n",
    "src/left/left.hpp": '#include "base/base.hpp"\n',
    "src/left/left.cpp": '#include "left/left.hpp"\n// #include "top/top.hpp" is not an include\n',
    "src/right/right.cpp": '#include <foreign/thing.h>\n#include "foreign/other.h"\n#include "single.h"\n',
    "src/top/top.hpp": '#include "left/left.hpp"\n#  include "base/base.hpp"\n',
}


def check(tree):
    """Exit status and messages of the script over a tree {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        script = ROOT / "scripts/python/check_layers.py"
        done = subprocess.run([sys.executable, "-B", script, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stderr.replace(folder + "/", "")


class CheckLayers(unittest.TestCase):
    def expect_violation(self, name, text, *words):
        """A sound tree with one more file breaks exactly one rule, and the message says which."""
        status, messages = check({**SOUND, name: text})
        self.assertEqual(status, 1, messages)
        self.assertEqual(len(messages.splitlines()), 1, messages)
        for word in words:
            self.assertIn(word, messages)

    def test_a_sound_tree_passes_in_silence(self):
        self.assertEqual(check(SOUND), (0, ""))

    def test_this_project_passes(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "scripts/python/check_layers.py"], check=False)
        self.assertEqual(done.returncode, 0)

    def test_a_sibling_may_not_be_included(self):
        text = '#include <vector>\n#include "left/left.hpp"\n'
        self.expect_violation("src/right/bad.cpp", text, "src/right/bad.cpp:2:", "sibling", "left (level 1)")

    def test_a_higher_level_may_not_be_included(self):
        self.expect_violation("src/left/bad.cpp", '#include "top/top.hpp"\n', "src/left/bad.cpp:1:", "higher level")

    def test_angle_brackets_do_not_hide_a_module(self):
        self.expect_violation("src/base/bad.cpp", "  # include <top/top.hpp>\n", "higher level")

    def test_a_foreign_header_stays_in_its_cage(self):
        self.expect_violation("src/top/bad.cpp", "#include <foreign/thing.h>\n", "foreign/thing.h", "right only")

    def test_quotes_do_not_open_a_cage(self):
        self.expect_violation("src/top/bad.cpp", '#include "foreign/thing.h"\n', "right only")

    def test_a_cage_may_have_several_modules(self):
        self.expect_violation("src/left/bad.cpp", "#include <single.h>\n", "base, right only")

    def test_a_module_without_a_level_is_named(self):
        self.expect_violation("src/stray/stray.cpp", "", "no level for stray")

    def test_a_level_without_a_module_is_named(self):
        self.expect_violation("src/LAYERS", LAYERS + "0 gone it went\n", "no module gone")

    def test_a_header_for_the_module_alone_lies_in_a_subfolder(self):
        self.expect_violation("src/left/own.hpp", "", "src/left/own.hpp:", "move it to a subfolder")

    def test_a_header_of_a_subfolder_is_for_its_module_alone(self):
        tree = {**SOUND, "src/left/parts/own.hpp": "", "src/left/more.cpp": '#include "left/parts/own.hpp"\n'}
        self.assertEqual(check(tree), (0, ""))
        tree["src/top/bad.cpp"] = '#include "left/parts/own.hpp"\n'
        status, messages = check(tree)
        self.assertEqual(status, 1)
        self.assertIn("src/top/bad.cpp:1:", messages)
        self.assertIn("is for left only", messages)

    def test_paths_start_at_src(self):
        self.expect_violation("src/left/bad.cpp", '#include "left.hpp"\n', "path from there")
        self.expect_violation("src/left/worse.cpp", '#include "../top/top.hpp"\n', "path from there")
        self.expect_violation("src/left/worst.cpp", '#include "left/../top/top.hpp"\n', "path from there")

    def test_a_malformed_layers_file_is_an_error(self):
        for line in ("one base\n", "0\n", "cage foreign/\n", "2 base again\n", "cage other/ nobody\n"):
            status, messages = check({**SOUND, "src/LAYERS": LAYERS + line})
            self.assertEqual(status, 1, line)
            self.assertIn("src/LAYERS", messages)


if __name__ == "__main__":
    unittest.main()
