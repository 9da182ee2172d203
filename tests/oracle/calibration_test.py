"""scripts/calibrate's measurements, small: chance matches hold among real people of known populations, relatives are
suggested for what they are, and mixtures of few simulated people are resolved. docs/statistics.md has the whole of them.
"""

import os
import random
import sys
import unittest
from pathlib import Path

import numpy as np
import program

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/python"))

import calibrate_families as families  # noqa: E402
import calibrate_mixtures as mixtures  # noqa: E402
import calibrate_people as people  # noqa: E402
import calibrate_tools as tools  # noqa: E402


class Calibration(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fastid = tools.Fastid(os.environ["FASTID"])

    @unittest.skipUnless(os.environ.get(program.REAL_DATA), f"{program.REAL_DATA} names no folder of real genotype data")
    def test_real_strangers_are_no_more_than_chance_brings(self):
        studies = tools.prepare_studies(self.fastid, program.real_data(), self.scratch)
        self.assertEqual(len(studies.populations), 11)
        related = tools.relatives(self.fastid, studies, self.scratch)
        self.assertEqual(len(related), 18)
        database = tools.build_panel(self.fastid, studies, 200, self.scratch)
        found = people.found_at(self.fastid, studies, database, related, people.ALL, 0.01)
        for wanted, strangers in found.items():  # three standard errors of a Poisson count
            self.assertLess(len(strangers), wanted + 3 * wanted**0.5)
        self.assertGreater(len(found[100]), 3)

    def test_siblings_and_strangers_are_suggested_for_what_they_are(self):
        families.PEOPLE, families.PAIRS = 100, 30
        related, strangers = families.matches_of(self.fastid, families.RELATIONS["full siblings"], 1024, self.scratch)
        self.assertEqual(len(related), 30)
        self.assertGreaterEqual(sum(row["suggests"] == "first-degree" for row in related), 28)
        self.assertTrue(all(row["log10_lr_sibling"] < 0 for row in related))
        self.assertGreater(np.mean([row["suggests"] == "unrelated" for row in strangers]), 0.95)
        self.assertFalse(any(row["suggests"] in ("same", "first-degree") for row in strangers))

    def test_two_contributors_are_first_and_counted(self):
        mixtures.PROFILES, mixtures.DRAWS = 300, 4
        database, panel, bits, ids = mixtures.simulated(self.fastid, 512, self.scratch)
        cells = mixtures.resolved(self.fastid, database, panel, bits, ids, 2, (random.Random(7), np.random.default_rng(7)))
        _, saturated, first, of_contributors, others, in_interval = cells
        self.assertEqual((saturated, first, in_interval), ("0 of 4", "100%", "4 of 4"))
        self.assertGreater(float(of_contributors.split()[0]), 10)
        self.assertLess(float(others), 0)


if __name__ == "__main__":
    program.main()
