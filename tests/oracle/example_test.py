"""The example of the first session: more co-ancestry never makes its evidence stronger, and its figures are the published ones."""

import json
from pathlib import Path

import program

DATA = Path(__file__).resolve().parents[2] / "data"
# By bits, theta: log10 match probability of the query, log10 LR of its match
PUBLISHED = {0: (-68.0, 62.2), 0.01: (-66.1, 60.5), 0.03: (-62.7, 57.3)}
BY = ("bits", "alleles")
RISING = (0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.3, 1)


class Example(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.database = cls.scratch / "people.h5"
        cls.run_fastid("db", "build", "-o", cls.database, "--panel", DATA / "panels" / "example-panel.tsv",
                       DATA / "example" / "cohort.vcf")

    def ask(self, command, theta, query, by):
        document = json.loads(self.run_fastid(command, "-k", 1, "--by", by, "--theta", theta, "--format", "json", DATA / "example" / query,
                                              self.database).stdout)
        return document["queries"][0]["evidence"]["populations"][0], document["queries"][0]["matches"][0]

    def test_figures_as_published(self):
        for theta, (probability, ratio) in PUBLISHED.items():
            query, match = self.ask("search", theta, "suspect.snp", "bits")
            self.assertAlmostEqual(query["log10_match_probability"], probability, delta=0.05)
            self.assertAlmostEqual(match["log10_lr"], ratio, delta=0.05)

    def test_co_ancestry_never_makes_evidence_stronger(self):
        for by in BY:
            found = [(self.ask("search", theta, "suspect.snp", by), self.ask("mixture", theta, "stain.snp", by))
                     for theta in RISING]
            for figures in ([query["log10_match_probability"] for (query, _), _ in found],
                            [match["log10_chance_matches"] for (_, match), _ in found],
                            [-match["log10_lr"] for (_, match), _ in found],
                            [query["log10_p_rmne_0"] for _, (query, _) in found],
                            [match["log10_p_rmne"] for _, (_, match) in found]):
                self.assertEqual(figures, sorted(figures), by)

    def test_alleles_weigh_more_than_bits(self):
        for theta in PUBLISHED:
            (bits, bits_match), (alleles, alleles_match) = (self.ask("search", theta, "suspect.snp", by) for by in BY)
            self.assertLess(alleles["log10_match_probability"], bits["log10_match_probability"])
            self.assertGreater(alleles_match["log10_lr"], bits_match["log10_lr"])


if __name__ == "__main__":
    program.main()
