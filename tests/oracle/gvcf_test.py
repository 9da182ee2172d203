"""gVCF files of three callers' styles: the same calls as a reading in Python by the rules of docs/file-formats.md."""

import gvcf
import genotypes as gt
import numpy as np
import program

PEOPLE = 6


class Styles(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rng = np.random.default_rng(20230817)
        cls.world = gvcf.make_world(cls.rng, PEOPLE)
        cls.genome = cls.scratch / "genome.fa"
        cls.genome.write_text(f">{gvcf.CHROM}\n{cls.world.genome}\n")
        cls.genome.with_suffix(".fa.fai").write_text(f"{gvcf.CHROM}\t{gvcf.LENGTH}\t3\t{gvcf.LENGTH}\t{gvcf.LENGTH + 1}\n")
        gt.write_panel(cls.world.panel, cls.scratch / "panel.tsv")

    def expect_style(self, name, write):
        paths = [self.scratch / f"{name}{person}.g.vcf" for person in range(PEOPLE)]
        for person, path in enumerate(paths):
            write(person, path)
        planes = gvcf.planes_of(paths, self.world)
        share = planes.called.mean()
        self.assertTrue(0.3 < share < 0.95, f"{name}: {share} of the sites are called, which shows little")
        agree = planes.bits == (self.carriers())
        self.assertGreater(agree[planes.called].mean(), 0.9, f"{name}: the files do not say what people have")
        binary = [path.with_suffix(".bcf") for path in paths]
        for path, copy in zip(paths, binary):
            gt.run_tool("bcftools", "view", "-Ob", "-o", str(copy), str(path))
        for files, encoding in ((paths, "minor"), (binary, "minor"), (paths, "alleles")):
            database = self.scratch / f"{name}.h5"
            self.run_fastid("db", "build", "-o", database, "--panel", self.scratch / "panel.tsv", "--reference",
                            self.genome, "--encoding", encoding, *files)
            self.expect_planes(database, planes, encoding)
        return paths, planes

    def carriers(self):
        """Who has the panel's minor allele."""
        panel, copies = self.world.panel, self.world.copies
        swapped = np.array([self.world.genome[pos - 1] == minor for pos, minor in zip(panel.pos, panel.minor)])
        return np.where(swapped, copies < 2, copies > 0)

    def test_gatk(self):
        paths, _ = self.expect_style("gatk", lambda person, path: gvcf.write_gatk(self.rng, self.world, person, path))
        text = "".join(path.read_text() for path in paths)
        self.assertRegex(text, r"<NON_REF>\t\.\t\.\tEND=(\d+)\t\S+\t0/0:0:0:0")

    def test_strelka(self):
        paths, _ = self.expect_style("strelka", lambda person, path: gvcf.write_strelka(self.rng, self.world, person, path))
        text = "".join(path.read_text() for path in paths)
        self.assertIn("GT:GQX:DP:DPF:MIN_DP\t0/0:.:0:", text)

    def test_bcftools(self):
        paths, _ = self.expect_style(
            "bcftools", lambda person, path: gvcf.write_bcftools(self.rng, self.world, person, path, self.genome))
        self.assertIn("END=", paths[0].read_text())

    def test_a_query_is_read_by_the_same_rules(self):
        """Each person's file finds that person in the database of all, without a mismatch."""
        paths = [self.scratch / f"again{person}.g.vcf" for person in range(PEOPLE)]
        for person, path in enumerate(paths):
            gvcf.write_gatk(self.rng, self.world, person, path)
        database = self.scratch / "again.h5"
        common = ["--reference", self.genome]
        self.run_fastid("db", "build", "-o", database, "--panel", self.scratch / "panel.tsv", *common, *paths)
        found = self.run_fastid("search", "-k", 1, "--format", "tsv", *common, *paths, database).stdout.splitlines()[1:]
        planes = gvcf.planes_of(paths, self.world)
        expected = [(f"P{i}", "1", f"P{i}", "0", str(int(row.sum()))) for i, row in enumerate(planes.called)]
        self.assertEqual([tuple(line.split("\t")[:5]) for line in found], expected)


if __name__ == "__main__":
    program.main()
