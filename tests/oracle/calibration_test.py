"""scripts/calibrate's measurements, small: chance matches hold among real people of known populations, relatives are
suggested and named for what they are, strangers' ratios keep their bound, and mixtures of few simulated people are
resolved. docs/calibration has the whole of them.
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
import calibrate_kin as kin  # noqa: E402
import calibrate_linked as linked  # noqa: E402
import calibrate_mixtures as mixtures  # noqa: E402
import calibrate_people as people  # noqa: E402
import calibrate_stains as stains  # noqa: E402
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
        for by in people.BYS:
            found = people.found_at(self.fastid, studies, database, related, by, people.ALL, 0.01)
            for wanted, strangers in found.items():  # three standard errors of a Poisson count
                self.assertLess(len(strangers), wanted + 3 * wanted**0.5, by)
            self.assertEqual(len(found[1]), 0, by)

    def test_siblings_and_strangers_are_suggested_for_what_they_are(self):
        families.PEOPLE, families.PAIRS = 100, 30
        related, strangers = families.matches_of(self.fastid, families.RELATIONS["full siblings"], 1024, self.scratch)
        self.assertEqual(len(related), 30)
        self.assertGreaterEqual(sum(row["suggests"] == "first-degree" for row in related), 28)
        self.assertTrue(all(row["log10_lr_sibling"] < 0 for row in related))
        self.assertGreater(np.mean([row["suggests"] == "unrelated" for row in strangers]), 0.95)
        self.assertFalse(any(row["suggests"] in ("same", "first-degree") for row in strangers))

    def test_relations_are_named_right_and_none_of_strangers(self):
        kin.PEOPLE, kin.PAIRS = 300, 20
        truths, strangers = kin.named(self.fastid, 2048, self.scratch)
        for truth, said in truths.items():
            right, _, another, *_ = kin.verdicts(said, truth)
            self.assertEqual((said.total(), another), (20, 0), truth)
            self.assertGreaterEqual(right, {"half-siblings": 15, "first-cousins": 0}.get(truth, 20), truth)
        self.assertGreater(strangers.total(), 1000)
        self.assertEqual([strangers[name] for name in kin.NAMED], [0] * len(kin.NAMED))

    def test_strangers_ratios_keep_the_bound(self):
        kin.PEOPLE, kin.PAIRS, kin.MOST_ASKED = 300, 20, 60
        for theta in kin.THETAS:
            ratios = kin.strangers_ratios(self.fastid, 100, theta, self.scratch)
            self.assertEqual(len(ratios), 60 * 298)
            shares = np.array([(ratios >= np.log10(bound)).mean(axis=0) for bound in kin.BOUNDS])
            self.assertTrue((shares <= 1 / np.array(kin.BOUNDS)[:, None]).all(), shares)
            self.assertTrue((shares[:2] > 0).all(), shares)

    @unittest.skipUnless(os.environ.get(program.REAL_DATA), f"{program.REAL_DATA} names no folder of real genotype data")
    def test_degrees_along_the_map_are_near_the_truth_and_strangers_keep_the_bound(self):
        linked.PAIRS, linked.PAIRS_TOGETHER, linked.STRANGERS_TOGETHER = 1, 5, 10
        people = linked.held_back(self.fastid, program.real_data() / "relatives", "force", 5, self.scratch)
        found = linked.judged(self.fastid, people, self.scratch)
        self.assertEqual({degree: len(of) for degree, of in found.related.items()},
                         {degree: len(relations) for degree, relations in linked.DEGREES.items()})
        for degree, of in found.related.items():
            for relation, said in of:
                self.assertLess(said.beyond(degree), 3, relation)
                self.assertIn(said.relation, (None, relation))
        self.assertEqual(found.n_strangers, 10 * 9 + 9 * 8)
        self.assertLess(len(found.strangers), found.n_strangers / 20)

    @unittest.skipUnless(os.environ.get(program.REAL_DATA), f"{program.REAL_DATA} names no folder of real genotype data")
    def test_kinship_of_real_siblings_varies_more_than_of_simulated_ones(self):
        kin.PEOPLE, kin.PAIRS = 300, 60
        rows, _ = kin.real_pairs(self.fastid, program.real_data(), self.scratch)
        real = kin.first_degree(rows)
        made = kin.first_degree(kin.simulated_pairs(self.fastid, self.scratch))
        self.assertEqual({kind: len(values) for kind, values in real.items()}, {"parent-child": 21, "sibling": 26})
        self.assertEqual({kind: len(values) for kind, values in made.items()}, {"parent-child": 60, "sibling": 60})
        for relatives in (real, made):  # the log10 ratio of siblings against parent and child
            self.assertLess(relatives["parent-child"][:, 1].max(), -100)
            self.assertGreater(relatives["sibling"][:, 1].min(), 100)
        spread = [relatives["sibling"].std(axis=0, ddof=1) for relatives in (real, made)]
        self.assertTrue((spread[0] > 1.5 * spread[1]).all(), spread)

    def test_two_contributors_are_first_and_counted(self):
        mixtures.PROFILES, mixtures.DRAWS = 300, 4
        database, panel, bits, ids = mixtures.simulated(self.fastid, 512, self.scratch)
        cells = mixtures.resolved(self.fastid, database, panel, bits, ids, 2, (random.Random(7), np.random.default_rng(7)))
        _, saturated, first, of_contributors, others, probability = cells
        self.assertEqual((saturated, first), ("0 of 4", "100%"))
        self.assertGreater(float(probability), .5)
        self.assertGreater(float(of_contributors.split()[0]), 10)
        self.assertLess(float(others), 0)

    def test_contributors_of_stains_are_apart_and_relatives_are_not(self):
        stains.PANEL, stains.PROFILES, stains.PAIRS, stains.DRAWS, stains.TOGETHER = ("--sites", 600), 60, 8, 3, 2
        for flag, numbers in (("--drop-out", [0, .2]), ("--shares", [.85, .15])):
            with self.subTest(flag):
                row = stains.Row(flag, numbers, stains.ALONE)
                row.measure(self.fastid, self.scratch, seed=7)
                self.assertEqual([len(of) for of in row.ratios], [3, 3])
                self.assertEqual(row.apart, [3, 3])
                self.assertEqual(len(row.relatives), 6)
                self.assertFalse(any(mark == "apart" for mark, _ in row.relatives))
                self.assertEqual(len(row.strangers), 3 * (60 - 4))
                self.assertLess(max(row.strangers), 2)
                self.assertGreater(min(row.right), .05)


if __name__ == "__main__":
    program.main()
