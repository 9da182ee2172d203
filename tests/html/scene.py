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


def likelihoods_of_p07(cohort):
    """Genotype likelihoods (PL) of P07 in place of calls; a site without a call has none."""
    stated = {"0/0": "0,6,60", "0/1": "30,0,30", "1/1": "60,6,0"}
    lines = []
    for line in cohort.splitlines():
        cells = line.split("\t")
        if line.startswith("#CHROM"):
            lines.append('##FORMAT=<ID=PL,Number=G,Type=Integer,Description="Likelihoods">')
            lines.append("\t".join([*cells[:9], "bone"]))
        else:
            lines.append(line if line.startswith("#") else "\t".join([*cells[:8], "GT:PL", "./.:" + stated.get(cells[15], ".")]))
    return "\n".join(lines) + "\n"


def reads_of_two(cohort):
    """A table of the reads of a stain that P03 and P10 left, 4:1, from 20 reads of a site to 100."""
    lines = ["Sample.Name\tMarker\tAllele.1\tAllele.2\tHeight.1\tHeight.2"]
    for n, cells in enumerate(line.split("\t") for line in cohort.splitlines() if not line.startswith("#")):
        major, minor = (cells[8 + person].count("1") for person in (3, 10))
        depth = 20 + 37 * n % 80
        of_alt = round(depth * (.8 * major + .2 * minor) / 2)
        lines.append(f"stain\t{cells[2]}\t{cells[3]}\t{cells[4]}\t{depth - of_alt}\t{of_alt}")
    return "\n".join(lines) + "\n"


class Scene:
    """A folder with people.h5 (12 people of 60 sites), stains.h5, two.h5 (a panel with two populations) and bare.h5 (one
    without frequencies). reads.tsv has the reads of a stain of two. twice.h5 has suspect.snp in it twice, and cohort.h5 someone whose name means harm too; expected.txt says who
    of cohort.h5 is one person. bone.vcf has P07's likelihoods."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="fastid-html-")
        self.folder = Path(self._folder.name)
        for name, text in fixtures.texts().items():
            (self.folder / name).write_text(text)
        panel = [line.split("\t") for line in fixtures.texts()["panel.tsv"].splitlines()]
        bare = "\n".join("\t".join(line[:5]) for line in panel) + "\n"
        (self.folder / "bare.tsv").write_text(bare)
        other = [line + [f"{float(line[5]) + 0.03:.3f}" if n > 1 else "other"] for n, line in enumerate(panel) if n > 0]
        (self.folder / "two.tsv").write_text("\n".join(["\t".join(panel[0])] + ["\t".join(line) for line in other]) + "\n")
        (self.folder / "again.snp").write_text((self.folder / "suspect.snp").read_text().replace("suspect", "again"))
        hostile = (self.folder / "anna.snp").read_text().replace("#sample anna", f"#sample {HOSTILE}")
        (self.folder / "hostile.snp").write_text(hostile)
        (self.folder / "bone.vcf").write_text(likelihoods_of_p07(fixtures.texts()["cohort.vcf"]))
        (self.folder / "reads.tsv").write_text(reads_of_two(fixtures.texts()["cohort.vcf"]))
        (self.folder / "family.txt").write_text("anna missing 0\nsuspect missing 0\n")
        (self.folder / "families.ped").write_text("F1 fa 0 0 1 1\nF1 mo 0 0 2 1\nF1 suspect fa mo 1 1\nF1 lost fa mo 0 2\n"
                                                  "F1 gone fa mo 0 2\n")
        self.fastid("db", "build", "-q", "-o", "people.h5", "--panel", "panel.tsv", "cohort.vcf")
        self.fastid("db", "build", "-q", "-o", "bare.h5", "--panel", "bare.tsv", "cohort.vcf")
        self.fastid("db", "build", "-q", "-o", "two.h5", "--panel", "two.tsv", "cohort.vcf")
        self.fastid("db", "build", "-q", "-o", "twice.h5", "--panel", "panel.tsv", "suspect.snp", "again.snp", "cohort.vcf")
        self.fastid("db", "build", "-q", "-o", "cohort.h5", "--panel", "panel.tsv", "suspect.snp", "again.snp", "hostile.snp",
                    "cohort.vcf")
        (self.folder / "expected.txt").write_text(f"suspect\tone\nagain\tone\nP01\ttwo\n{HOSTILE}\ttwo\nP07\tthree\nP02\tthree\n")
        self.fastid("db", "build", "-q", "-o", "stains.h5", "--panel", "panel.tsv", "--kind", "mixtures", "stain.snp",
                    "stain2.snp")
        names = [line.split("\t")[1] for line in self.fastid("db", "list", "cohort.h5").splitlines()[1:]]
        (self.folder / "phenotypes.txt").write_text("".join(f"{name}\t{1 + i % 2}\n" for i, name in enumerate(names)))
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
