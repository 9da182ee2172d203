"""scripts/python/check_names.py against small trees."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WINDOW = "namespace fastid {\n\nclass Window {\n  int sites;\n};\n\n}  // namespace fastid\n"


def check(tree):
    """Exit status and messages of the script over a tree {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = Path(folder) / "src" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        script = ROOT / "scripts/python/check_names.py"
        done = subprocess.run([sys.executable, "-B", script, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stderr


class CheckNames(unittest.TestCase):
    def expect(self, status, second):
        found, messages = check({"left/window.hpp": WINDOW, "right/window.cpp": second})
        self.assertEqual(found, status, messages)
        if status == 1:
            self.assertEqual(
                messages, "src/right/window.cpp:3: fastid::Window is also defined in src/left/window.hpp:3: rename one\n")

    def test_two_types_of_one_name(self):
        for kind in ("class", "struct", "enum class", "union"):
            self.expect(1, WINDOW.replace("class", kind))
        self.expect(1, WINDOW.replace("Window {", "Window final : public Any {"))
        self.expect(1, WINDOW.replace("Window {", "Window final\n    : public Any {"))

    def test_another_name_or_namespace(self):
        self.expect(0, WINDOW.replace("Window", "Gap"))
        self.expect(0, WINDOW.replace("fastid", "fastid::reads"))
        self.expect(0, WINDOW.replace("class", "namespace {\n\nclass").replace("};", "};\n\n}  // namespace"))

    def test_what_is_no_definition(self):
        self.expect(0, WINDOW.replace("class Window {\n  int sites;\n};", "class Window;"))
        self.expect(0, WINDOW.replace("class Window {\n  int sites;\n};", "struct Window::Impl {\n};"))
        self.expect(0, WINDOW.replace("class Window {", "struct Window of(int sites) {"))


if __name__ == "__main__":
    unittest.main()
