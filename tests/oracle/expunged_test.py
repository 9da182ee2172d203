"""Whoever is removed or replaced is in no byte of the file: neither the id, nor the bits in any layout of the planes."""

import h5py
import numpy as np
import program

LANES = 32
GONE = ["P000000002", "P000000040", "P000000070"]  # of the first, second and last block


def profile_words(path, ids):
    """{id: [its words of each plane]}"""
    with h5py.File(path) as db:
        rows = {one.decode(): i for i, one in enumerate(db["profiles/id"][:])}
        planes = [plane[:] for plane in db["profiles"].values() if plane.ndim == 3]
        return {one: [plane[rows[one] // LANES, :, rows[one] % LANES] for plane in planes] for one in ids}


def is_in(data, words):
    """Whether half of a profile's words or more are somewhere, at any byte, one after the other or block by block."""
    half = len(words) // 2
    for part in (words[:half], words[half:]):
        for shift in range(4):
            text = np.frombuffer(data[shift : shift + (len(data) - shift) // 4 * 4], "<u4")
            for stride in (1, LANES):
                n = len(text) - stride * (half - 1)
                found = np.ones(n, bool)
                for k, word in enumerate(part):
                    found &= text[k * stride : k * stride + n] == word
                if found.any():
                    return True
    return False


class Expunged(program.Case):
    def setUp(self):
        self.database = self.scratch / "people.h5"
        self.run_fastid("db", "simulate", "-o", self.database, "--profiles", 70, "--sites", 512, "--seed", 5)
        self.old = profile_words(self.database, GONE)
        self.kept = profile_words(self.database, ["P000000001", "P000000069"])

    def expect_gone(self, ids, *more_files):
        """Nothing of GONE but the ids that stay."""
        for file in [self.database, *more_files]:
            data = file.read_bytes()
            for one in GONE:
                self.assertEqual(one.encode() in data, one in ids, f"{file}: {one}")
                for plane in self.old[one]:
                    self.assertFalse(is_in(data, plane), f"{file}: bits of {one}")
            for one, planes in self.kept.items():
                self.assertTrue(all(is_in(data, plane) for plane in planes), f"{file}: bits of {one}, who is kept")
        self.run_fastid("db", "verify", self.database)

    def others(self):
        """The same ids, of other people."""
        other = self.scratch / "other.h5"
        self.run_fastid("db", "simulate", "-o", other, "--profiles", 70, "--sites", 512, "--seed", 5, "--error-rate", 0.3)
        vcf = self.scratch / "other.vcf"
        self.run_fastid("db", "export", other, "-o", vcf, "--profiles", *GONE)
        return vcf

    def test_they_are_found_before(self):
        data = self.database.read_bytes()
        for one in GONE:
            self.assertIn(one.encode(), data)
            self.assertTrue(all(is_in(data, plane) for plane in self.old[one]))

    def test_removed_profiles_are_nowhere(self):
        done = self.run_fastid("db", "remove", self.database, *GONE, "--reason", "order 12")
        self.assertIn("the old file was overwritten", done.stderr)
        self.expect_gone([])

    def test_a_second_name_of_the_old_file_is_spoken_of(self):
        second = self.scratch / "second"
        second.hardlink_to(self.database)
        done = self.run_fastid("db", "remove", self.database, *GONE, "--reason", "order 12")
        self.assertIn("warning", done.stderr)
        self.assertIn("not overwritten", done.stderr)
        self.expect_gone([])

    def test_removed_profiles_stay_away(self):
        self.run_fastid("db", "remove", self.database, *GONE, "--reason", "order 12")
        self.run_fastid("db", "compact", self.database)
        joined = self.scratch / "joined.h5"
        self.run_fastid("db", "merge", "--force", "-o", joined, self.database)
        self.expect_gone([], joined)

    def test_replaced_profiles_are_nowhere(self):
        self.run_fastid("db", "replace", self.database, self.others(), "--reason", "typed again")
        self.expect_gone(GONE)

    def test_appended_profiles_that_replace_leave_nothing(self):
        self.run_fastid("db", "append", self.database, self.others(), "--duplicates", "replace")
        self.expect_gone(GONE)


if __name__ == "__main__":
    program.main()
