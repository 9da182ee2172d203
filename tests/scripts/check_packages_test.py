"""scripts/python/check_packages.py against this project's recipe, whole and with a line less."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ("cmake/Dependencies.cmake", "packaging/conda/meta.yaml")


def check(left_out):
    """Exit status and messages of the script over the project's files without the lines `left_out`."""
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            path = Path(folder) / name
            path.parent.mkdir(parents=True)
            lines = (ROOT / name).read_text().splitlines(keepends=True)
            path.write_text("".join(line for line in lines if line.strip() not in left_out))
        script = ROOT / "scripts/python/check_packages.py"
        done = subprocess.run([sys.executable, "-B", script, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stderr


class CheckPackages(unittest.TestCase):
    def test_this_project_passes(self):
        self.assertEqual(check([]), (0, ""))

    def test_a_dependency_that_the_recipe_lacks_is_named(self):
        for line, dependency in (("- libzip", "libzip"), ("- zstd", "libzstd"), ("- cli11", "CLI11")):
            status, messages = check([line])
            self.assertEqual(status, 1, line)
            self.assertEqual(len(messages.splitlines()), 1, messages)
            self.assertIn(f"lacks {line[2:]}, which cmake/Dependencies.cmake requires as {dependency}", messages)


if __name__ == "__main__":
    unittest.main()
