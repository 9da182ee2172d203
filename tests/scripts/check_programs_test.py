"""scripts/python/check_programs.py: which programs it sees in shells, cases and Python, and what it says of them."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECK = ROOT / "scripts/python/check_programs.py"
sys.path.insert(0, str(CHECK.parent))
import check_programs as checked  # noqa: E402


class Commands(unittest.TestCase):
    def test_stand_where_a_command_can(self):
        shell = 'a x | b; if c; then d; fi && e || ! f\nx=$(g y)\nV=1 h\nfor i in j; do k; done\n"$(l)" `m`\n'
        self.assertLessEqual({"a", "b", "c", "d", "e", "f", "g", "h", "k", "l", "m"}, checked.commands_of_shell(shell))
        self.assertNotIn("j", checked.commands_of_shell(shell))

    def test_are_no_arguments_comments_texts_or_own_functions(self):
        shell = "own() { a; }\nown # comment; b\na 'c; d' \"e; f\"\na <<END\ng\nEND\nx=(h i)\na key=(j)\n"
        self.assertEqual(checked.commands_of_shell(shell), {"a"})

    def test_of_a_case_are_those_of_its_steps(self):
        case = "# why\nprepare: a | b\nrun: c\n    d; e\nexit: 0\nstdout:\n| f; g\nstderr:\n"
        self.assertEqual(checked.commands_of_case(case), {"a", "b", "c", "d", "e"})


class Check(unittest.TestCase):
    def run_check(self, case):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "tests/cli/cases").mkdir(parents=True)
            (root / "tests/cli/cases/a.case").write_text(case)
            (root / "scripts").mkdir()
            for script in ("setup", "common.sh"):
                (root / "scripts" / script).write_bytes((ROOT / "scripts" / script).read_bytes())
                (root / "scripts" / script).chmod(0o755)
            done = subprocess.run([sys.executable, CHECK, root], text=True, capture_output=True, check=False)
            return done.returncode, done.stderr

    def test_passes_what_is_installed(self):
        self.assertEqual(self.run_check("run: openssl rand 1 | xxd\n"), (0, ""))

    def test_finds_what_is_not_known(self):
        code, said = self.run_check("run: nonesuch 1\n")
        self.assertEqual(code, 1)
        self.assertIn("calls 'nonesuch'", said)

    def test_finds_what_is_not_installed(self):
        installed = checked.PACKAGES["xxd"]
        setup = (ROOT / "scripts/setup").read_text()
        self.assertIn(installed, setup.split())
        checked.PACKAGES["fictional"] = "fictional-package"
        try:
            found = list(checked.problems(ROOT))
        finally:
            del checked.PACKAGES["fictional"]
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
