"""What scripts/demo says of its tables: a name in backticks heads a column of the table above it."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXPLANATION = re.compile(r'explain ((?:"(?:[^"\\]|\\.)*"(?: \\\n\s*)?)+)')
FASTID = os.environ["FASTID"]


def explained(text):
    """The names in backticks of each explanation that has some, those of commands and files left out."""
    names = [re.findall(r"\\`([^`$]+)\\`", found[1]) for found in EXPLANATION.finditer(text)]
    return [each for each in names if each]


def headers(folder):
    """The header lines of the demo's tables by identity and of a mixture."""
    database = Path(folder) / "people.h5"
    make = [FASTID, "db", "build", "-q", "-o", database, "--panel", ROOT / "data/panels/example-panel.tsv",
            ROOT / "data/example/cohort.vcf"]
    subprocess.run(make, check=True)
    for command, sample in (("search", "suspect"), ("mixture", "stain")):
        done = subprocess.run([FASTID, command, "-q", "--format", "table", ROOT / f"data/example/{sample}.snp", database],
                              check=True, capture_output=True, text=True, env={**os.environ, "COLUMNS": "200"})
        yield next(line.strip() for line in done.stdout.splitlines() if line.lstrip().startswith("#"))


class Demo(unittest.TestCase):
    def test_explains_columns_that_its_tables_have(self):
        identity, mixture, of_many = explained((ROOT / "scripts/demo").read_text())
        self.assertGreaterEqual(len(identity), 2)
        with tempfile.TemporaryDirectory() as folder:
            by_identity, of_mixture = headers(folder)
        for names, header in ((identity, by_identity), (mixture, of_mixture), (of_many, of_mixture)):
            columns = re.split(r"  +", header)
            for name in names:
                self.assertIn(name, columns)


if __name__ == "__main__":
    unittest.main()
