"""Each script says what it does when it is asked, and does nothing else."""

import subprocess
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


class Help(unittest.TestCase):
    def test_every_script_prints_what_it_begins_with(self):
        files = [path for path in sorted([*SCRIPTS.glob("*"), *SCRIPTS.glob("bench/*")]) if path.is_file()]
        asked = [path for path in files if path.name != "common.sh" and "common.sh" in path.read_text()]
        self.assertGreater(len(asked), 8)
        for script in asked:
            with self.subTest(script=script.relative_to(SCRIPTS)):
                done = subprocess.run([script, "--help"], capture_output=True, text=True, check=False, timeout=20)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                lines = script.read_text().splitlines()
                end = next(i for i, line in enumerate(lines) if not line.startswith("#"))
                comment = [line.removeprefix("#").removeprefix(" ") for line in lines[1:end]]
                self.assertEqual(done.stdout.splitlines(), comment)


if __name__ == "__main__":
    unittest.main()
