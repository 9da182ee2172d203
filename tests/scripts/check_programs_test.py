"""scripts/python/check_programs.py against this project, and against small ones that call what nobody installs."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def check(root):
    script = ROOT / "scripts/python/check_programs.py"
    done = subprocess.run([sys.executable, "-B", script, root], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def problems(files, packages="git"):
    """The messages for a project of these files {path: text} whose scripts/setup installs `packages`."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"scripts/setup": f"#!/usr/bin/env bash\nTEST=({packages})\n", **files}.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check(folder)[1].splitlines()


class CheckPrograms(unittest.TestCase):
    def test_this_project_passes(self):
        self.assertEqual(check(ROOT), (0, ""))

    def test_a_program_of_a_case_that_nobody_installs_is_named(self):
        case = {"tests/cli/cases/a.case": "run: head -2 a | cat; xxd -l 8 a.bed\n    openssl genpkey -out k\n"}
        found = problems(case)
        self.assertEqual(len(found), 2, found)
        self.assertIn("a.case:1: it calls xxd; add xxd to scripts/setup", found[0])
        self.assertIn("a.case:2: it calls openssl; add openssl to scripts/setup", found[1])
        self.assertEqual(problems(case, "openssl xxd"), [])

    def test_a_package_in_a_comment_is_not_installed(self):
        case = {"tests/cli/cases/a.case": "run: xxd a\n"}
        self.assertEqual(len(problems(case, "git) # xxd (")), 1)

    def test_programs_of_scripts_and_of_python_are_named_by_their_packages(self):
        found = problems({"scripts/a": "#!/usr/bin/env bash\nif true; then strace -f ls; fi\n",
                          "tests/b.py": 'subprocess.run(["bgzip", "-k", path])\nshutil.which("rsvg-convert")\n'})
        self.assertEqual([line.split(": ", 1)[1] for line in found],
                         ["it calls strace; add strace to scripts/setup", "it calls bgzip; add tabix to scripts/setup",
                          "it calls rsvg-convert; add librsvg2-bin to scripts/setup"])

    def test_a_program_that_a_test_asks_for_has_a_known_package(self):
        found = problems({"tests/b.py": f'shutil.which("{"unheard"}-of")\n'})
        self.assertEqual(len(found), 1, found)
        self.assertIn("unheard-of: name its package in PACKAGE_OF", found[0])

    def test_what_is_expected_or_said_is_no_call(self):
        self.assertEqual(problems({"tests/cli/cases/a.case": "# xxd shows it\nrun: fastid file a\n| openssl is here\n"}), [])


if __name__ == "__main__":
    unittest.main()
