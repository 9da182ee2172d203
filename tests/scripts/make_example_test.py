"""The files in data/ are what scripts/make-example writes, and say of themselves what they are."""

import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NO_CALL = "--"


def table(path, comment):
    lines = (ROOT / path).read_text().splitlines()
    return [line.split("\t") for line in lines if not line.startswith(comment)]


class Example(unittest.TestCase):
    def test_is_what_the_script_writes(self):
        script = ROOT / "scripts" / "make-example"
        done = subprocess.run([sys.executable, "-B", script, "--check"], check=False)
        self.assertEqual(done.returncode, 0)

    def setUp(self):
        self.sites = table("data/panels/example-panel.tsv", "#")[1:]
        records = table("data/example/cohort.vcf", "##")
        self.people = {}
        for column in range(9, len(records[0])):
            letters = [[record[3:5]["01".index(c)] for c in record[column] if c in "01"] for record in records[1:]]
            self.people[records[0][column]] = ["".join(sorted(pair)) for pair in letters]

    def genotypes(self, name):
        return [line[3] for line in table(f"data/example/{name}.snp", "#")]

    def test_frequencies_are_those_of_the_minor_allele(self):
        for site, calls in zip(self.sites, zip(*self.people.values())):
            letters = "".join(calls)
            self.assertLessEqual(set(letters), {site[3], site[4]})
            self.assertLess(float(site[5]), 0.5)

    def test_the_suspect_is_p07_with_few_errors(self):
        differing = {}
        for name, person in self.people.items():
            pairs = [(a, b) for a, b in zip(self.genotypes("suspect"), person) if a != NO_CALL and b]
            differing[name] = sum(a != b for a, b in pairs) / len(pairs)
        best, second = sorted(differing.items(), key=lambda item: item[1])[:2]
        self.assertEqual(best[0], "P07")
        self.assertLess(best[1], 0.03)
        self.assertGreater(second[1], 0.2)

    def test_the_stain_shows_every_allele_of_its_two_contributors(self):
        stain = self.genotypes("stain")
        inside = []
        for name, person in self.people.items():
            if all(set(b) <= set(a) for a, b in zip(stain, person) if a != NO_CALL):
                inside.append(name)
        self.assertEqual(inside, ["P03", "P10"])

    def test_the_reads_are_of_the_genome_and_as_many_at_a_site_as_is_said(self):
        genome = "".join((ROOT / "data/example/reads/genome.fa").read_text().splitlines()[1:])
        reads = [(int(read[3]), read[9]) for read in table("data/example/reads/bone.sam", "@")]
        wrong = sum(a != b for first, bases in reads for a, b in zip(bases, genome[first - 1 :]))
        self.assertLess(wrong, 0.02 * sum(len(bases) for _, bases in reads))
        depths = []
        for site in table("data/example/reads/sites.tsv", "#")[1:]:
            place = int(site[2])
            self.assertEqual(genome[place - 1], site[3])
            depths.append(sum(first <= place < first + len(bases) for first, bases in reads))
        self.assertEqual(depths, [14] * 4 + [3] + [14] * 6 + [0])


if __name__ == "__main__":
    unittest.main()
