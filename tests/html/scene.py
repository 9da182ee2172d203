"""What the tests of pages and json look at: a small database, queries of every kind, names that mean harm."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "cli"))
import fixtures  # noqa: E402

HOSTILE = "<img src=x onerror=alert(1)>&\"'</title><script>document.title='taken'</script>"


class Scene:
    """A folder with people.h5 (12 people of 60 sites), stains.h5 and bare.h5 (a panel without frequencies)."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="fastid-html-")
        self.folder = Path(self._folder.name)
        for name, text in fixtures.texts().items():
            (self.folder / name).write_text(text)
        panel = [line.split("\t") for line in fixtures.texts()["panel.tsv"].splitlines()]
        bare = "\n".join("\t".join(line[:5]) for line in panel) + "\n"
        (self.folder / "bare.tsv").write_text(bare)
        hostile = (self.folder / "anna.snp").read_text().replace("#sample anna", f"#sample {HOSTILE}")
        (self.folder / "hostile.snp").write_text(hostile)
        self.fastid("db", "build", "-q", "-o", "people.h5", "--panel", "panel.tsv", "cohort.vcf")
        self.fastid("db", "build", "-q", "-o", "bare.h5", "--panel", "bare.tsv", "cohort.vcf")
        self.fastid("db", "build", "-q", "-o", "stains.h5", "--panel", "panel.tsv", "--kind", "mixtures", "stain.snp",
                    "stain2.snp")
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def fastid(self, *arguments):
        """What it prints."""
        command = [os.environ["FASTID"], *arguments]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr}")
        return done.stdout
