"""How often real people are homozygous for a panel's major allele, and that files which leave that out are refused.

957 people of HapMap 3 at 14,079 sites, judged by the frequencies of their own population and of another continent's: the
share of what those let expect, which docs/file-formats.md quotes.
"""

import genotypes as gt
import numpy as np
import program

SETS = ("CEU", "YRI", "CHB")


class HapMap(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = program.real_data() / "hapmap3"
        table = (line.split() for line in (folder / "relationships_w_pops_121708.txt").read_text().splitlines())
        population = {row[1]: row[6] for row in table}
        people = [line.split()[1] for line in (folder / "hapmap3.fam").read_text().splitlines()]
        cls.population = np.array([population.get(person, "") for person in people])
        cls.sites = [line.split() for line in (folder / "hapmap3.bim").read_text().splitlines()]
        rows = np.fromfile(folder / "hapmap3.bed", np.uint8)[3:].reshape(len(cls.sites), -1)
        codes = np.stack([rows >> shift & 3 for shift in (0, 2, 4, 6)], axis=2).reshape(len(rows), -1)[:, : len(people)]
        cls.copies = np.array([2, -1, 1, 0], np.int8)[codes]  # of allele 1; -1: no call

    def frequencies(self, name):
        """Of allele 1 in one population."""
        theirs = self.copies[:, self.population == name]
        return np.where(theirs < 0, 0, theirs).sum(axis=1) / (2 * (theirs >= 0).sum(axis=1))

    def shares(self, frequencies_of, people_of):
        """For each person: homozygous for the major allele, as a share of what the frequencies let expect."""
        freq = self.frequencies(frequencies_of)
        theirs = self.copies[:, self.population == people_of]
        major = np.where(freq[:, None] > 0.5, theirs == 2, theirs == 0)
        expected = np.maximum(freq, 1 - freq)[:, None] ** 2 * (theirs >= 0)
        return major.sum(axis=0) / expected.sum(axis=0)

    def test_half_of_what_is_expected_is_never_seen(self):
        near = np.concatenate([self.shares(name, name) for name in SETS])
        far = np.concatenate([self.shares(a, b) for a in SETS for b in (*SETS, "MKK") if a != b])
        print(f"own population {near.min():.3f} to {near.max():.3f}, another {far.min():.3f} to {far.max():.3f}")
        self.assertGreater(near.min(), 0.95)
        self.assertGreater(far.min(), 0.7)

    def write_vcf(self, path, person, keep):
        """Allele 2 is the reference; `keep(site, copies)` says which records the file has."""
        lines = ["##fileformat=VCFv4.2", '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">',
                 "\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT P".split())]
        for s, (chrom, name, _, pos, first, second) in enumerate(self.sites):
            copies = int(self.copies[s, person])
            if copies >= 0 and keep(s, copies):
                lines.append("\t".join([chrom, pos, name, second, first, ".", ".", ".", "GT", ("0/0", "0/1", "1/1")[copies]]))
        path.write_text("\n".join(lines) + "\n", encoding="ascii")

    def test_people_by_the_frequencies_of_another_continent(self):
        freq = self.frequencies("CEU")
        panel = gt.Panel([], [], [], [], [], {"CEU": []}, "NCBI36")
        for (chrom, name, _, pos, first, second), q in zip(self.sites, freq):
            major, minor = (first, second) if q > 0.5 else (second, first)
            for column, value in zip((panel.id, panel.chrom, panel.pos, panel.major, panel.minor),
                                     (name, gt.chromosome(chrom), int(pos), major, minor)):
                column.append(value)
            panel.freq["CEU"].append(float(min(q, 1 - q)))
        gt.write_panel(panel, self.scratch / "panel.tsv")
        person = int(np.flatnonzero(self.population == "YRI")[0])
        vcf, build = self.scratch / "p.vcf", ["db", "build", "-o", self.scratch / "p.h5", "--panel", self.scratch / "panel.tsv"]
        for every in (1, 20, 50):  # all sites; one in so many
            self.write_vcf(vcf, person, lambda s, _: s % every == 0)
            self.run_fastid(*build, vcf)
            self.write_vcf(vcf, person, lambda s, copies: s % every == 0 and copies > 0)
            self.assertIn("variants only", self.run_fastid(*build, vcf, status=3).stderr)
            self.run_fastid(*build, "--absent-as-reference", vcf)
        self.write_vcf(vcf, person, lambda s, copies: copies > 0 or s % 20 == 0)  # and some rows that say 0/0
        self.assertIn("variants only", self.run_fastid(*build, vcf, status=3).stderr)


if __name__ == "__main__":
    program.main(needs_real_data=True)
