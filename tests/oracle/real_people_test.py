"""Real people, typed twice on different platforms: every number of searches both ways, recomputed.

The folder that FASTID_REAL_DATA names holds HapMap 3 (957 people, NCBI36, 0.15 % missing) and 1000 Genomes phase 1
(1,092 people, GRCh37) at the same 14,079 sites, in another order: they join by id. 564 people are in both.
"""

import csv

import evidence
import genotypes as gt
import program
from counting import IDENTITY

SETS = {"hapmap3": "hapmap3/hapmap3", "phase1": "1000g_phase1/phase1"}
SHARED_PEOPLE = 564


class BothWays(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prefixes = {name: program.real_data() / place for name, place in SETS.items()}
        cls.letters = {name: gt.from_plink(prefix, cls.scratch / name) for name, prefix in cls.prefixes.items()}

    def check(self, stored, asked):
        bed = {name: prefix.with_suffix(".bed") for name, prefix in self.prefixes.items()}
        panel = gt.derive_panel(self.letters[stored])
        profiles, queries = (gt.planes_of(self.letters[name], panel) for name in (stored, asked))
        self.model = evidence.Model(panel.freq, sampled=panel.sampled)
        database = self.scratch / f"{stored}.h5"
        self.run_fastid("db", "build", "-o", database, bed[stored])
        self.expect_planes(database, profiles)

        refused = self.run_fastid("search", bed[asked], database, status=3)
        self.assertIn("--ignore-build", refused.stderr)
        self.assertEqual(refused.stdout, "")

        lines, _ = self.expect_search(IDENTITY, [bed[asked]], database, queries, profiles, options=["--ignore-build"])
        first = {line[0]["query"]: line[0]["profile"] for line in lines}
        shared = set(queries.names) & set(profiles.names)
        self.assertEqual(len(shared), SHARED_PEOPLE)
        self.assertEqual({name: first[name] for name in shared}, {name: name for name in shared})

    def test_pairs_of_both(self):
        """Other builds, another order, other minor alleles: matched by id, each pair counted as by letters."""
        databases = {name: self.scratch / f"pairs-{name}.h5" for name in SETS}
        for name, database in databases.items():
            self.run_fastid("db", "build", "-q", "-o", database, self.prefixes[name].with_suffix(".bed"))
        refused = self.run_fastid("pairs", *databases.values(), status=3)
        self.assertIn("--ignore-build", refused.stderr)
        made = self.scratch / "pairs.tsv"
        said = self.run_fastid("pairs", *databases.values(), "--ignore-build", "--duplicates", "--no-evidence", "-o", made).stderr
        self.assertIn("compared at 14,079 sites that both have, of 14,079 and 14,079", said)
        panel = gt.derive_panel(self.letters["hapmap3"])
        first, second = (gt.planes_of(self.letters[name], panel) for name in SETS)
        places = [{name: i for i, name in enumerate(planes.names)} for planes in (first, second)]
        with open(made, encoding="ascii") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        shared = set(first.names) & set(second.names)
        self.assertLessEqual({(name, name) for name in shared}, {(row["#IID1"], row["IID2"]) for row in rows})
        for row in rows:
            i, j = places[0][row["#IID1"]], places[1][row["IID2"]]
            both = first.called[i] & second.called[j]
            one, other = (planes.bits[at].astype(int) + (planes.bits[at] & ~planes.major[at])
                          for planes, at in ((first, i), (second, j)))
            hets = (one[both] == 1) & (other[both] == 1)
            opposite = abs(one[both] - other[both]) == 2
            self.assertEqual((int(row["NSNP"]), int(row["HETHET"]), int(row["IBS0"])), (both.sum(), hets.sum(), opposite.sum()), row)

    def test_phase1_in_hapmap3(self):
        self.check("hapmap3", "phase1")

    def test_hapmap3_in_phase1(self):
        self.check("phase1", "hapmap3")


if __name__ == "__main__":
    program.main(needs_real_data=True)
