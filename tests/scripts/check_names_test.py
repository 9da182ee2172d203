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
        found, messages = check({"base/window.hpp": WINDOW, "bits/window.cpp": second})
        self.assertEqual(found, status, messages)
        if status == 1:
            self.assertEqual(
                messages, "src/bits/window.cpp:3: fastid::Window is also defined in src/base/window.hpp:3: rename one\n")

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

    def test_a_namespace_that_is_not_the_modules(self):
        engine, declared = WINDOW.replace("fastid", "fastid::engine"), WINDOW.replace("Window {\n  int sites;\n}", "Window")
        for tree in ({"engine/window.cpp": engine}, {"questions/engine/window.cpp": engine}, {"engine/window.cpp": declared},
                     {"engine/window.cpp": WINDOW.replace("fastid", "fastid::engine::HWY_NAMESPACE")},
                     {"main/window.cpp": WINDOW.replace("fastid", "fastid::cli")}):
            self.assertEqual(check(tree), (0, ""), tree)
        found, messages = check({"engine/window.cpp": WINDOW})
        self.assertEqual(messages, "src/engine/window.cpp:1: namespace fastid is not that of its module: fastid::engine\n")
        self.assertEqual(found, 1)
        found, messages = check({"engine/a.hpp": engine.replace("Window", "Gap"), "bits/window.cpp": engine})
        self.assertEqual(messages, "src/bits/window.cpp:1: namespace fastid::engine is not that of its module: fastid\n")


if __name__ == "__main__":
    unittest.main()
