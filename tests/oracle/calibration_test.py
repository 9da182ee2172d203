"""scripts/calibrate's measurements, small: expected false matches hold among real people of known populations, and
mixtures of few simulated people are resolved. docs/statistics.md has the whole of them.
"""

import importlib.util
import os
import random
import unittest
from pathlib import Path

import program

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "calibrate.py"


def load_script():
    spec = importlib.util.spec_from_file_location("calibrate", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Calibration(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.script = load_script()
        cls.fastid = cls.script.Fastid(os.environ["FASTID"])

    def test_false_matches_of_real_people_are_no_more_than_expected(self):
        if not os.environ.get(program.REAL_DATA):
            self.skipTest(f"{program.REAL_DATA} names no folder of real genotype data")
        script = self.script
        studies = script.prepare_studies(self.fastid, program.real_data(), self.scratch)
        self.assertEqual(len(studies.populations), 11)
        pairs = script.relatives(self.fastid, studies, self.scratch / "whole.h5")
        self.assertEqual(len(pairs), 18)
        database = script.build_panel(self.fastid, studies, 200, self.scratch)
        by_query = script.histograms(self.fastid, studies, database, 200)
        self.assertEqual(len(by_query), 528)
        related = script.mismatches_of(self.fastid, studies, database, pairs, self.scratch)
        self.assertEqual(sum(map(len, related.values())), len(pairs))
        for wanted in (10, 100, 1000):
            expected, found, between_relatives = script.judge(by_query, [script.COHORT, *studies.populations], wanted,
                                                              related)
            self.assertGreater(expected, wanted / 2)
            self.assertLessEqual(expected, wanted)
            # three standard errors of a Poisson count above what is expected
            self.assertLess(found - between_relatives, expected + 3 * expected**0.5)
            self.assertGreater(found, expected / 10)

    def test_two_contributors_are_first_and_counted(self):
        script = self.script
        database, vcf = self.scratch / "mixed.h5", self.scratch / "mixtures.vcf"
        self.run_fastid("db", "simulate", "-o", database, "--profiles", 2000, "--sites", 512, "--seed", 7)
        panel = script.panel_lines(self.fastid, database, self.scratch)
        bits, ids = script.stored_bits(self.fastid, database, self.scratch)
        people, mixtures = script.mix(bits, 2, 5, random.Random(7))
        names = [f"mix{i}" for i in range(5)]
        script.write_vcf(vcf, panel, names, mixtures)
        judged = script.judge_mixtures(self.fastid, database, vcf, names, ids, people)
        self.assertEqual(judged.saturated, 0)
        self.assertEqual(judged.complete, 5)
        self.assertEqual(judged.in_interval, 5)
        self.assertGreater(judged.lowest_ratio, 10)
        self.assertLess(judged.highest_of_others, 0)


if __name__ == "__main__":
    program.main()
