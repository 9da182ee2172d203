"""`fastid db simulate --disaster` against its own tables of truth, from the alleles in the files alone: descent by the rules of
Mendel, the share of sites that fragments have, whose samples are wrong; and what `fastid dvi` makes of it.
"""

import csv
from pathlib import Path

import h5py
import numpy as np
import program

FAMILIES, SITES = 60, 2000
PLANTED = ["--strangers", 25, "--unlisted-siblings", 2, "--wrong-fathers", 2, "--exchanged-fathers", 1]
DEVIATIONS = 5
NAMED = {"undisputed", "joint", "symmetric"}


def table(path):
    with open(path, newline="", encoding="ascii") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def genotypes(path):
    """{profile: minor copies at each site, -1 where it is not called}."""
    with h5py.File(path) as file:
        names = [name.decode() for name in file["profiles/id"][:]]
        n_sites = int(file.attrs["n_sites"])
        row, site = np.arange(len(names))[:, None], np.arange(n_sites)[None, :]
        minor, major = (file[f"profiles/{plane}"][:][row // 32, site // 32, row % 32] >> (site % 32).astype(np.uint32) & 1
                        for plane in ("minor", "major"))
    copies = np.where(minor & major, 1, 2 * minor.astype(int))
    return dict(zip(names, np.where(minor | major, copies, -1)))


class Disaster(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.database = cls.simulate("event.h5")
        cls.remains = table(f"{cls.database}.remains.tsv")
        cls.samples = table(f"{cls.database}.samples.tsv")
        with open(f"{cls.database}.families.ped", encoding="ascii") as lines:
            cls.people = {person: (family, father, mother, int(sex), state == "2")
                          for family, person, father, mother, sex, state in map(str.split, lines)}
        cls.bodies, cls.typed = genotypes(cls.database), genotypes(f"{cls.database}.typed.h5")

    @classmethod
    def simulate(cls, name, *options, seed=9):
        database = cls.scratch / name
        cls.run_fastid("db", "simulate", "-q", "-o", database, "--disaster", FAMILIES, *PLANTED, "--sites", SITES, "--seed", seed,
                       *options)
        return database

    def files_of(self, database):
        return [Path(f"{database}.{name}").read_bytes() for name in ("families.ped", "remains.tsv", "samples.tsv")] + [
            sorted((name, row.tobytes()) for name, row in genotypes(f"{database}{end}").items()) for end in ("", ".typed.h5")]

    def test_the_seed_decides_and_threads_do_not(self):
        first = self.files_of(self.database)
        self.assertEqual(first, self.files_of(self.simulate("one.h5", "--threads", 1)))
        self.assertEqual(first, self.files_of(self.simulate("three.h5", "--threads", 3)))
        self.assertNotEqual(first, self.files_of(self.simulate("other.h5", seed=8)))

    def test_tables_and_databases_name_the_same(self):
        self.assertEqual([row["remains"] for row in self.remains], list(self.bodies))
        self.assertEqual([int(row["row"]) for row in self.remains], list(range(len(self.remains))))
        self.assertEqual([row["sample"] for row in self.samples], list(self.typed))
        self.assertEqual(len({family for family, *_ in self.people.values()}), FAMILIES)
        kinds = [row["kind"] for row in self.remains]
        self.assertEqual(len({row["person"] for row in self.remains if row["kind"] == "stranger"}), 25)
        self.assertEqual(len({row["person"] for row in self.remains if row["kind"] == "unlisted-sibling"}), 2)
        self.assertGreater(kinds.count("missing"), 40)
        self.assertEqual([sum(row["kind"] == kind for row in self.samples) for kind in ("wrong", "exchanged")], [2, 2])
        for row in self.remains:
            self.assertEqual(row["kind"] == "missing", self.people.get(row["person"], (0, 0, 0, 0, False))[4])

    def test_samples_of_one_person_are_the_same_where_both_are_called(self):
        of_person = {}
        for row in self.remains:
            of_person.setdefault(row["person"], []).append(self.bodies[row["remains"]])
        self.assertGreater(sum(len(all_of) > 1 for all_of in of_person.values()), 10)
        for all_of in of_person.values():
            for other in all_of[1:]:
                both = (all_of[0] >= 0) & (other >= 0)
                self.assertTrue((all_of[0][both] == other[both]).all())

    def test_fragments_have_the_share_of_sites_that_is_stated(self):
        shares = [float(row["share"]) for row in self.remains]
        self.assertLess(min(shares), 0.2)
        for row, share in zip(self.remains, shares):
            called = (self.bodies[row["remains"]] >= 0).mean()
            self.assertLess(abs(called - share), DEVIATIONS * np.sqrt(share * (1 - share) / SITES) + 1e-4)

    def test_children_have_an_allele_of_each_parent_but_of_wrong_ones(self):
        whose = {row["sample"]: row["kind"] for row in self.samples}
        checked = {"own": 0, "wrong": 0, "exchanged": 0}
        for child, (_, father, mother, *_) in self.people.items():
            samples = [self.bodies[row["remains"]] for row in self.remains if row["person"] == child]
            samples += [self.typed[child]] if child in self.typed else []
            for parent in (father, mother):
                for sample in samples if parent in self.typed else []:
                    opposite = (np.abs(sample - self.typed[parent]) == 2) & (sample >= 0)
                    kind = whose[parent]
                    checked[kind] += 1
                    self.assertEqual(opposite.any(), kind != "own", (child, parent, kind))
        self.assertGreater(checked["own"], 40)

    def test_unlisted_siblings_are_siblings(self):
        """A child of both typed parents, who shares no more of the missing child than full siblings do."""
        for row in self.remains:
            if row["kind"] == "unlisted-sibling":
                body = self.bodies[row["remains"]]
                for parent in ("father", "mother"):
                    self.assertFalse(((np.abs(body - self.typed[f"{row['family']}-{parent}"]) == 2) & (body >= 0)).any())

    def test_what_dvi_finds_is_true(self):
        whose = {row["remains"]: row["person"] for row in self.remains}
        found = self.scratch / "found.tsv"
        self.run_fastid("dvi", f"{self.database}.families.ped", "--am", f"{self.database}.typed.h5", self.database, "-o", found,
                        "--force")
        named = 0
        rows = table(found)
        for row in rows:
            if row["conclusion"] not in NAMED:
                continue
            people = {whose[name] for alternative in row["person"].split("/") for name in alternative.split("+")}
            alike = {row["missing"]} if row["conclusion"] != "symmetric" else {
                other["missing"] for other in rows if (other["family"], other["person"]) == (row["family"], row["person"])}
            self.assertLessEqual(people, alike, row)
            named += 1
        self.assertGreater(named, 30)

    def candidates(self, family, missing):
        """{profile: row} of `fastid kin --family`."""
        names, samples = self.scratch / "names.txt", self.scratch / "family.vcf"
        names.write_text("".join(f"{name}\n" for name in self.typed if name.startswith(f"{family}-")), encoding="ascii")
        self.run_fastid("db", "export", "-q", f"{self.database}.typed.h5", "-o", samples, "--ids", names)
        done = self.run_fastid("kin", samples, self.database, "-q", "-k", "all", "--family", f"{self.database}.families.ped",
                               "--missing", missing)
        return {row["profile"]: row for row in csv.DictReader(done.stdout.splitlines(), delimiter="\t")}

    def test_kin_says_where_a_candidate_fits_better(self):
        """Of a missing father and child each is a relative too: named as the other, with the ratio of a search for the other."""
        names = {row["remains"]: row["person"] for row in self.remains if float(row["share"]) > 0.5}
        marked = 0
        for family in sorted({people[0] for people in self.people.values()}):
            father, child = f"{family}-father", f"{family}-child"
            if not {father, child} <= set(names.values()) & {name for name in self.people if self.people[name][4]}:
                continue
            as_child, as_father = self.candidates(family, child), self.candidates(family, father)
            for profile in as_child.keys() & as_father.keys() & names.keys():
                other, row = as_father[profile], as_child[profile]
                if names[profile] == father:
                    self.assertEqual((row["other_role"], row["log10_lr_other_role"], row["mark"]),
                                     (father, other["log10_lr"], "relative?"))
                    self.assertEqual((other["mark"]), "apart")
                    marked += 1
                elif names[profile] == child:
                    self.assertEqual(row["mark"], "apart")
        self.assertGreater(marked, 0)

    def test_wrong_counts_are_refused(self):
        for options, words in ((["--wrong-fathers", 70], "different ones"), (["--profiles", 5], "--profiles"),
                               (["--twins", 2], "without"), (["--encoding", "minor"], "both alleles")):
            done = self.run_fastid("db", "simulate", "-o", self.scratch / "no.h5", "--disaster", 60, *options, status=2)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    program.main()
