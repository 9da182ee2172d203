"""scripts/calibrate turns down what it cannot do before it builds anything."""

import os
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Calibrate(unittest.TestCase):
    def refused(self, *arguments):
        environment = {name: value for name, value in os.environ.items() if name != "FASTID_REAL_DATA"}
        done = subprocess.run([ROOT / "scripts" / "calibrate", *arguments], capture_output=True, text=True,
                              env=environment, timeout=60, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_a_part_that_there_is_not(self):
        self.assertIn("'mixture' is none of: people, strangers, spread", self.refused("mixture"))
        self.assertIn("scripts/calibrate people", self.refused())

    def test_real_people_without_their_data(self):
        for part in ("people", "strangers", "spread", "relatives", "linkage", "mixtures", "stain"):
            message = self.refused(part)
            self.assertIn("FASTID_REAL_DATA", message)
            self.assertIn("scripts/calibrate families", message)


if __name__ == "__main__":
    unittest.main()
