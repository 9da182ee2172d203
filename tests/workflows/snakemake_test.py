"""workflows/snakemake: a run shared among jobs gives what one fastid prints; a job that fails is run again alone."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77
SNAKEFILE = f"""
configfile: "config.yaml"
include: "{ROOT}/workflows/snakemake/fastid.smk"
rule all:
    input: expand("results/{{run}}", run=fastid_results)
"""
CONFIG = """
fastid:
  program: ./program
  runs:
    scene:
      queries: [identity-0001.snp, identity-0002.snp]
      database: people.h5
      shards: 3
      options: --top 4
      format: json
    close:
      command: pairs
      database: people.h5
      shards: 2
      options: --min-kinship 0.1
"""
# fastid, whose third shard fails the first time.
PROGRAM = """#!/bin/sh
echo "$*" >>calls
case "$*" in *"--shard 3/"*) if [ ! -e failed ]; then touch failed; exit 1; fi ;; esac
exec "$FASTID" "$@"
"""


class Snakemake(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="fastid-snakemake-")
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)
        self.fastid("db", "simulate", "-q", "-o", "people.h5", "--profiles", "600", "--sites", "120", "--seed", "4",
                    "--duplicates", "5", "--cases", "2", "--cases-dir", ".")
        for name, text in (("Snakefile", SNAKEFILE), ("config.yaml", CONFIG), ("program", PROGRAM)):
            (self.folder / name).write_text(text, encoding="ascii")
        (self.folder / "program").chmod(0o755)

    def fastid(self, *arguments):
        return subprocess.run([os.environ["FASTID"], *arguments], cwd=self.folder, check=True, capture_output=True).stdout

    def snakemake(self):
        return subprocess.run(["snakemake", "--cores", "2", "--quiet", "--nocolor", "--keep-going"], cwd=self.folder,
                              capture_output=True, text=True, check=False)

    def test_shared_runs(self):
        failed = self.snakemake()
        self.assertNotEqual(failed.returncode, 0)
        self.assertFalse((self.folder / "results/scene.json").exists())
        again = self.snakemake()
        self.assertEqual(again.returncode, 0, again.stderr)
        whole = self.fastid("search", "-q", "identity-0001.snp", "identity-0002.snp", "people.h5", "--top", "4",
                            "--format", "json")
        self.assertEqual((self.folder / "results/scene.json").read_bytes(), whole)
        pairs = self.fastid("pairs", "-q", "people.h5", "--min-kinship", "0.1", "--format", "tsv")
        self.assertGreater(len(pairs.splitlines()), 3)
        self.assertEqual((self.folder / "results/close.tsv").read_bytes(), pairs)
        calls = (self.folder / "calls").read_text(encoding="ascii").splitlines()
        shards = [call.split("--shard ")[1].split()[0] for call in calls if call.startswith("search") and "--shard" in call]
        self.assertEqual(sorted(shards), ["1/3", "2/3", "3/3", "3/3"])


if __name__ == "__main__":
    if shutil.which("snakemake") is None:
        print("skipped: there is no snakemake")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
