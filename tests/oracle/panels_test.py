"""The panels that come with fastid, held to other people's tables of the same sites and to each other.

A site of a panel has the chromosome, position (GRCh37) and alleles that phase 1 and phase 3 of the 1000 Genomes Project give
its id, and two panels agree about a site that both have, in both builds. Alleles agree where one strand or the other has them.
"""

import csv
import itertools
import unittest
from pathlib import Path

import genotypes as gt
import program

PANELS = Path(__file__).resolve().parents[2] / "data" / "panels"
UNKNOWN = "0"


def sites_of(path):
    """{id: (chromosome, position in GRCh37, in GRCh38, alleles)}"""
    lines = (line for line in path.read_text().splitlines() if not line.startswith("#"))
    return {row["id"]: (row["chrom"], row["pos_GRCh37"], row["pos_GRCh38"], {row["major"], row["minor"]})
            for row in csv.DictReader(lines, delimiter="\t")}


def sites_of_bim(path):
    rows = (line.split() for line in path.read_text().splitlines())
    names = {"23": "X", "24": "Y", "26": "MT"}
    return {id: (names.get(chrom, chrom), pos, UNKNOWN, {a, b}) for chrom, id, _, pos, a, b in rows}


def strands_of(alleles):
    return alleles, {gt.COMPLEMENT[letter] for letter in alleles}


def same_alleles(some, others):
    return others in strands_of(some)


def differences(some, others):
    """(how many sites both have, {id: what differs})"""
    shared, found = some.keys() & others.keys(), {}
    for id in shared:
        (chrom, *positions, alleles), (other_chrom, *other_positions, other_alleles) = some[id], others[id]
        agrees = {"chromosome": chrom == other_chrom, "alleles": same_alleles(alleles, other_alleles),
                  "position": all(a == b or UNKNOWN in (a, b) for a, b in zip(positions, other_positions, strict=True))}
        if not all(agrees.values()):
            found[id] = [what for what, same in agrees.items() if not same]
    return len(shared), found


class Panels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.panels = {path.stem: sites_of(path) for path in PANELS.glob("*.tsv") if path.stem != "example-panel"}

    def test_sites_are_those_of_the_thousand_genomes(self):
        shared = 0
        for phase in ("1", "3"):
            truth = sites_of_bim(program.real_data() / f"1000g_phase{phase}" / f"phase{phase}.bim")
            for name, panel in self.panels.items():
                n, found = differences(panel, truth)
                self.assertEqual(found, {}, (name, phase))
                shared += n
        self.assertGreater(shared, 1000)

    def test_panels_agree_with_each_other(self):
        self.assertEqual(len(self.panels), 10)
        for (name, panel), (other_name, other) in itertools.combinations(self.panels.items(), 2):
            n, found = differences(panel, other)
            self.assertEqual(found, {}, (name, other_name))
        self.assertEqual(differences(self.panels["kintelligence"], self.panels["force"])[0], 975)

    def test_alleles_that_a_kit_reports_are_the_panels(self):
        panel = self.panels["kintelligence"]
        for report in ("na24385", "ref01"):
            rows = (line.split("\t") for line in (program.real_data() / "kits" / f"{report}.snp").read_text().splitlines())
            seen = {row[0]: set(row[3]) for row in rows if row[0] in panel}
            self.assertGreater(len(seen), 9500)
            strange = {id for id, letters in seen.items()
                       if not any(letters <= strand for strand in strands_of(panel[id][3]))}
            self.assertEqual(strange, set(), report)


if __name__ == "__main__":
    program.main(needs_real_data=True)
