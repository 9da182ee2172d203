"""scripts/python/bench_peers.py stops where two programs do not find the same."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/python"))
try:
    import bench_peers
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(0)

TOP = bench_peers.TOP


class CheckAnswer(unittest.TestCase):
    """Twelve profiles at distances 0, 1, .. 8, 9, 9, 9 of one query: the last two places of the ten are a tie of three."""

    def setUp(self):
        self.query = np.zeros((1, 16), np.uint8)
        self.rows = np.zeros((12, 16), np.uint8)
        for row, distance in enumerate([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9]):
            for bit in range(distance):
                self.rows[row, (row + bit) % 16] = 1
        self.near = np.arange(TOP)[None, :]
        self.ours = (self.near, np.arange(TOP)[None, :])

    def check(self, distances, rows):
        bench_peers.check_answer("peer", self.rows, self.query, self.ours, (np.array([distances]), np.array([rows])))

    def test_the_same_passes_and_so_does_another_of_a_tie(self):
        self.check(range(10), range(10))
        self.check(range(10), [*range(9), 11])

    def test_other_distances_fail(self):
        with self.assertRaisesRegex(SystemExit, "distances differ"):
            self.check([*range(9), 10], range(10))

    def test_another_profile_fails(self):
        with self.assertRaisesRegex(SystemExit, "other profiles"):
            self.check(range(10), [0, 1, 2, 3, 4, 5, 6, 7, 11, 9])

    def test_a_distance_that_is_not_the_profiles_own_fails(self):
        with self.assertRaisesRegex(SystemExit, "wrong distances"):
            self.check(range(10), [*range(9), 0])


class ParseAnswer(unittest.TestCase):
    def test_columns_are_found_by_name(self):
        lines = ["row\tquery\tmismatches"] + [f"{q * 100 + i}\tq{q}\t{i}" for q in range(2) for i in range(TOP)]
        distances, rows = bench_peers.parse_answer("\n".join(lines) + "\n", 2)
        self.assertEqual(distances.tolist(), [list(range(TOP))] * 2)
        self.assertEqual(rows[1].tolist(), list(range(100, 100 + TOP)))


if __name__ == "__main__":
    unittest.main()
