"""README's session prints what README shows, line by line, and its columns are explained by names that it shows."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def session(text):
    """Yields (command, lines shown below it) of each block of code with commands after '$'."""
    for block in re.findall(r"(?:^    .*\n)+", text, re.MULTILINE):
        steps = re.split(r"^    \$ ", block.replace("\\\n", " "), flags=re.MULTILINE)
        for step in steps[1:]:
            command, *shown = step.splitlines()
            yield command, [line.removeprefix("    ") for line in shown]


class Readme(unittest.TestCase):
    def test_session(self):
        steps = list(session(README))
        self.assertGreaterEqual(len(steps), 6)
        with tempfile.TemporaryDirectory() as folder:
            work, program = Path(folder), Path(folder) / "bin"
            program.mkdir()
            (program / "fastid").symlink_to(os.environ["FASTID"])
            (work / "data").symlink_to(ROOT / "data")
            paths = {"PATH": f"{program}:{os.environ['PATH']}", "HOME": folder, "XDG_CONFIG_HOME": folder, "COLUMNS": "80"}
            for command, shown in steps:
                # A terminal gets a table: so does whoever asks for it.
                asks = command.split()[1] in ("search", "mixture", "kin")
                done = subprocess.run(command + (" --format table" if asks else ""), shell=True, cwd=work, text=True,
                                      capture_output=True, check=False, env={**os.environ, **paths})
                self.assertEqual(done.returncode, 0, f"{command}\n{done.stderr}")
                printed = iter(done.stdout.splitlines())
                for line in shown:
                    self.assertIn(line, printed, f"{command}: not printed, or not in this order")

    def test_columns_that_are_explained_are_shown(self):
        heads = " ".join(line for _, shown in session(README) for line in shown if line.startswith("#"))
        explained = {"LR", "v. sib", "suggests", "chance", "kinship", "margin", "degree", "cM"}
        for name in explained:
            self.assertIn(f"`{name}`", README)
            self.assertIn(name, heads)


if __name__ == "__main__":
    unittest.main()
