"""Texts of genotyping companies in 23andMe's columns, as plink 1.9's --23file reads them: the same calls at each site.

The panel is drawn: at each site plink's letters and another, either of them minor, a third of them on the other strand.
"""

import random
import shutil

import genotypes as gt
import program

# Those that plink takes; of the others it says that a chromosome or a line is none.
FILES = ("23andme_real_excerpt.txt", "DNALand.txt", "livingdna.csv", "selfdecode.txt")


class VendorTexts(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not shutil.which("plink1.9"):
            cls.skipTest(cls, "plink1.9 is not installed")

    def letters_of(self, path):
        """[(id, chrom, pos, "AG")]: what plink reads; "--" for no call."""
        out = self.scratch / path.stem
        gt.run_tool("plink1.9", "--23file", str(path), "family", "person", "--snps-only", "--recode", "tab", "--out", str(out))
        sites = [line.split() for line in out.with_suffix(".map").read_text().splitlines()]
        genotypes = out.with_suffix(".ped").read_text().rstrip("\n").split("\t")[6:]
        self.assertEqual(len(sites), len(genotypes))
        letters = [genotype.replace(" ", "").replace("0", "-") for genotype in genotypes]
        return [(name, gt.chromosome(chrom), int(pos), pair) for (chrom, name, _, pos), pair in zip(sites, letters)]

    def draw_panel(self, rows, seed):
        draw, panel = random.Random(seed), gt.Panel([], [], [], [], [])
        for name, chrom, pos, pair in rows:
            seen = sorted(set(pair) & set(gt.LETTERS))
            alleles = (seen + draw.sample([x for x in gt.LETTERS if x not in seen], 2))[:2]
            draw.shuffle(alleles)
            if draw.random() < 0.3 and gt.COMPLEMENT[alleles[0]] != alleles[1]:
                alleles = [gt.COMPLEMENT[x] for x in alleles]
            for column, value in zip((panel.id, panel.chrom, panel.pos, panel.major, panel.minor), (name, chrom, pos, *alleles)):
                column.append(value)
        return panel

    def test_as_plink_reads_them(self):
        compared = called = 0
        for name in FILES:
            path = program.real_data() / "formats" / name
            rows = self.letters_of(path)
            for seed in range(5):
                panel = self.draw_panel(rows, seed)
                gt.write_panel(panel, self.scratch / "panel.tsv")
                planes = gt.planes_of_texts([path.stem], [[row[3] for row in rows]], panel)
                database = self.scratch / "person.h5"
                self.run_fastid("db", "build", "-o", database, "--panel", self.scratch / "panel.tsv", path)
                self.expect_planes(database, planes)
                compared += planes.called.size
                called += int(planes.called.sum())
        self.assertGreater(compared, 4000)
        self.assertGreater(called, 0.9 * compared)


if __name__ == "__main__":
    program.main(needs_real_data=True)
