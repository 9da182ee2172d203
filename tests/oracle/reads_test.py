"""`fastid call` against genotypes that Python makes of the same reads, against the truth as reads get more, and with
bcftools beside it. A fourth of all sites has a known variant near it, a fifth is on the panel's other strand."""

import sys
from pathlib import Path

import genotypes as gt
import numpy as np
import program

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import alignments as al  # noqa: E402
import reads as rd  # noqa: E402

MIN_GQ = 20


def calls_of(vcf):
    """Of each site: REF, ALT, and the fields of the first sample."""
    sites = {}
    for line in vcf.splitlines():
        if not line.startswith("#"):
            cells = line.split("\t")
            sites[int(cells[1])] = (cells[3], cells[4], dict(zip(cells[8].split(":"), cells[9].split(":"))))
    return sites


class Reads(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rng = np.random.default_rng(20261124)
        cls.world = rd.World(cls.rng, 60)
        cls.world.write(cls.scratch)
        cls.copies, cls.chromosomes = cls.world.person(cls.rng)
        cls.contigs = [("chr1", cls.world.length)]

    def write(self, name, reads):
        path = self.scratch / name
        if name.endswith(".bam"):
            path.write_bytes(al.bam(self.contigs, reads, "anna"))
        else:
            path.write_text(al.sam(self.contigs, reads, "anna"))
        return path

    def call(self, path, *options, format="vcf"):
        return self.run_fastid("call", path, "--panel", self.scratch / "panel.tsv", "--reference",
                               self.scratch / "genome.fa", "--format", format, *options)

    def expect_calls(self, reads, vcf, damage=0, single=False, known=False, prior=False):
        calls = calls_of(vcf)
        observed = [rd.observations(self.world, site, reads, damage, single) for site in self.world.sites]
        for site, seen, both in zip(self.world.sites, observed, rd.likelihoods(self.world, observed, known), strict=True):
            phred, quality, best, depths = rd.genotype(both, site.frequency if prior else None)
            ref, alt, fields = calls[site.pos]
            swapped = ref == self.world.letters(site)[1]
            self.assertEqual(ref, self.world.genome[site.pos - 1])
            self.assertEqual({ref, alt}, set(self.world.letters(site)))
            turn = (lambda values: list(values)[::-1]) if swapped else list
            self.assertEqual(int(fields["DP"]), len(seen), site)
            self.assertEqual(fields["AD"], ",".join(map(str, turn(depths))), site)
            np.testing.assert_allclose([float(x) for x in fields["PL"].split(",")], turn(phred), atol=0.51)
            self.assertAlmostEqual(float(fields["GQ"]), quality, delta=0.51)
            if abs(quality - MIN_GQ) > 0.01:
                called = ["0/0", "0/1", "1/1"][2 - best if swapped else best]
                self.assertEqual(fields["GT"], called if round(quality) >= MIN_GQ else "./.", site)

    def test_calls_are_those_of_the_rules(self):
        reads = rd.make_reads(self.rng, self.world, self.chromosomes, 9)
        bam, sam = self.write("nine.bam", reads), self.write("nine.sam", reads)
        plain = self.call(bam).stdout
        self.expect_calls(reads, plain)
        for other in (self.call(sam), self.call(bam, "--device", "reference"), self.call(bam, "--device", "opencl")):
            self.expect_same_text(other.stdout, plain, "the same reads")
        self.expect_calls(reads, self.call(bam, "--damage", "0.3").stdout, damage=0.3)
        old = self.call(bam, "--damage", "0.3", "--single-stranded").stdout
        self.expect_calls(reads, old, damage=0.3, single=True)
        self.expect_calls(reads, self.call(bam, "--known", self.scratch / "known.vcf").stdout, known=True)
        self.expect_calls(reads, self.call(bam, "--prior", "made").stdout, prior=True)

    def test_more_reads_call_more_sites_and_truly(self):
        called = []
        for depth in (1, 4, 12, 30):
            reads = rd.make_reads(self.rng, self.world, self.chromosomes, depth)
            path = self.write(f"depth{depth}.sam", reads)
            calls = calls_of(self.call(path).stdout)
            minor = []
            for site in self.world.sites:
                ref, _, fields = calls[site.pos]
                alternative = None if "." in fields["GT"] else fields["GT"].count("1")
                swapped = ref == self.world.letters(site)[1]
                minor.append(None if alternative is None else 2 - alternative if swapped else alternative)
            right = sum(m == truth for m, truth in zip(minor, self.copies))
            n = sum(m is not None for m in minor)
            called.append(n)
            self.assertGreaterEqual(right, n - 1, f"{depth}x: {right} of {n}")
        self.assertEqual(called, sorted(called))
        self.assertLess(called[0], 15)
        self.assertGreater(called[-1], 55)
        self.expect_bcftools(path, calls)

    def expect_bcftools(self, path, calls):
        """Where both call a genotype, bcftools says the same at 30x."""
        piles = gt.run_tool("bcftools", "mpileup", "-q", "20", "-f", str(self.scratch / "genome.fa"), str(path))
        (self.scratch / "piles.vcf").write_bytes(piles)
        theirs = calls_of(gt.run_tool("bcftools", "call", "-m", "-A", str(self.scratch / "piles.vcf")).decode())
        both = same = 0
        for pos, (_, alt, fields) in calls.items():
            other = theirs.get(pos)
            if other is None or fields["GT"] == "./.":
                continue
            if other[2]["GT"] != "0/0" and other[1].split(",")[0] != alt:
                continue  # it saw an error as an allele of its own
            both += 1
            same += other[2]["GT"] == fields["GT"]
        self.assertGreater(both, 50)
        self.assertGreaterEqual(same, both - 1)

    def test_another_persons_reads_are_seen(self):
        _, others = self.world.person(self.rng)
        clean = rd.make_reads(self.rng, self.world, self.chromosomes, 25)
        foreign = [read for read in rd.make_reads(self.rng, self.world, others, 5)]
        for read in foreign:
            read.name = "o" + read.name
        mixed = sorted(clean + foreign, key=lambda read: read.pos)
        said = self.call(self.write("mixed.bam", mixed), format="snp").stderr
        share = float(said.split(" % of the reads are most probably another person's")[0].split()[-1])
        self.assertTrue(8 < share < 27, said)  # 5 of 30
        self.assertNotIn("another person's", self.call(self.write("clean.bam", clean), format="snp").stderr)

    def test_reads_find_their_person(self):
        people = self.scratch / "people.vcf"
        rows = ["##fileformat=VCFv4.2", "\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT anna".split() + [f"p{i}" for i in range(40)])]
        strangers = [self.world.person(self.rng)[0] for _ in range(40)]
        for i, site in enumerate(self.world.sites):
            codes = ["0/0", "0/1", "1/1"]
            rows.append("\t".join(["1", str(site.pos), f"s{i}", site.major, site.minor, ".", ".", ".", "GT", codes[self.copies[i]],
                                   *(codes[one[i]] for one in strangers)]))
        people.write_text("\n".join(rows) + "\n")
        database = self.scratch / "people.h5"
        self.run_fastid("db", "build", "-o", database, "--panel", self.scratch / "panel.tsv", "--encoding", "alleles", people)
        reads = rd.make_reads(self.rng, self.world, self.chromosomes, 12)
        path = self.write("query.bam", reads)
        for question in ("search", "mixture"):
            found = self.run_fastid(question, path, database, "--reference", self.scratch / "genome.fa", "--top", "2").stdout
            lines = [line.split("\t") for line in found.splitlines()]
            self.assertEqual(lines[1][:3], ["anna", "1", "anna"], found)


if __name__ == "__main__":
    program.main()
