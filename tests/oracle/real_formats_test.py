"""2,504 real people (1000 Genomes phase 3, 7,417 sites) in each format for many people: one content.

One of the sites has no id in any of the files and comes through by its position.
"""

import eigenstrat
import genotypes as gt
import program


class Formats(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        prefix = program.real_data() / "1000g_phase3/phase3"
        cls.letters = gt.from_plink(prefix, cls.scratch / "phase3")
        cls.panel = gt.derive_panel(cls.letters)
        cls.bed, cls.vcf, cls.bcf = prefix.with_suffix(".bed"), cls.scratch / "p.vcf.gz", cls.scratch / "p.bcf"
        gt.run_tool("plink2", "--bfile", str(prefix), "--export", "vcf", "bgz", "id-paste=iid", "--out",
                    str(cls.scratch / "p"))
        gt.run_tool("bcftools", "view", "-Ob", "-o", str(cls.bcf), str(cls.vcf))

    def build(self, name, *arguments):
        database = self.scratch / f"{name}.h5"
        self.run_fastid("db", "build", "-o", database, *arguments)
        return database

    def panel_of(self, database):
        exported = self.scratch / "panel.tsv"
        self.run_fastid("db", "export", database, "-o", exported, "--what", "panel")
        return gt.read_panel(exported)

    def expect_panel(self, panel):
        for column in ("id", "chrom", "pos", "major", "minor", "freq"):
            self.assertEqual(getattr(panel, column), getattr(self.panel, column), column)

    def test_one_panel_three_formats_one_content(self):
        derived = self.build("derived", self.bed)
        panel = self.panel_of(derived)
        self.expect_panel(panel)
        self.expect_planes(derived, gt.planes_of(self.letters, panel, by_position=True))
        contents = {self.info(derived)["profiles_sha256"]}
        for path in (self.bed, self.vcf, self.bcf):
            database = self.build(path.name, "--panel", self.scratch / "panel.tsv", path)
            contents.add(self.info(database)["profiles_sha256"])
        self.assertEqual(len(contents), 1)

    def test_eigenstrat_both_ways(self):
        """Written by this test from the letters that plink2 prints."""
        derived = self.build("of-bed", self.bed)
        self.panel_of(derived)
        contents = {self.info(derived)["profiles_sha256"]}
        for packed in (False, True):
            path = eigenstrat.write(self.letters, self.scratch / f"packed-{packed}", packed)
            contents.add(self.info(self.build(path.stem, "--panel", self.scratch / "panel.tsv", path))["profiles_sha256"])
        self.assertEqual(len(contents), 1)

    def test_compressed_by_the_tools_themselves(self):
        derived = self.build("of-bed", self.bed)
        self.panel_of(derived)
        contents = {self.info(derived)["profiles_sha256"]}
        plain = self.scratch / "plain.vcf"
        plain.write_bytes(gt.run_tool("bcftools", "view", str(self.vcf)))
        for tool in ("gzip", "xz", "zstd"):
            path = self.scratch / f"{tool}.data"
            level = "-1" if tool == "xz" else "-3"
            path.write_bytes(gt.run_tool(tool, level, "-c", str(plain)))
            contents.add(self.info(self.build(tool, "--panel", self.scratch / "panel.tsv", path))["profiles_sha256"])
        self.assertEqual(len(contents), 1)

    def test_panel_derived_from_vcf(self):
        """plink2 writes allele 1 as the alternative allele, so that even ties fall the same way."""
        derived = self.build("from-vcf", self.vcf)
        self.expect_panel(self.panel_of(derived))
        self.expect_planes(derived, gt.planes_of(self.letters, self.panel, by_position=True))


if __name__ == "__main__":
    program.main(needs_real_data=True)
