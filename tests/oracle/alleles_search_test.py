"""Searches by the alleles that were seen: each number that fastid prints, recomputed."""

import json
import shutil

import counting
import genotype_evidence
import genotypes as gt
import made_up
import numpy as np
import program
from counting import ALLELES, IDENTITY, MIXTURE, REVERSE

SEED = 20220310
PEOPLE, SITES = 45, 150


class Searches(program.Case):
    by = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rng = np.random.default_rng(SEED)
        cls.panel = made_up.make_panel(rng, SITES, "GRCh37")
        cls.panel.freq["elsewhere"] = [round(1 - 0.9 * q, 6) if s % 7 == 0 else q / 2 + 0.1
                                       for s, q in enumerate(cls.panel.freq["cohort"])]
        gt.write_panel(cls.panel, cls.scratch / "panel.tsv")
        cls.truth = made_up.make_truth(rng, cls.panel, PEOPLE)
        names = [f"P{i:02}" for i in range(PEOPLE)]
        made_up.write_vcf(rng, cls.scratch / "people.vcf", cls.panel, names, cls.truth)
        again = made_up.with_errors(rng, cls.truth[:12], 0.02)
        made_up.write_vcf(rng, cls.scratch / "again.vcf", cls.panel, [f"Q{n}" for n in names[:12]], again, prefix="")
        cls.people, cls.again = (gt.planes_of(gt.from_vcf(cls.scratch / name), cls.panel, by_position=True)
                                 for name in ("people.vcf", "again.vcf"))
        texts, cls.stains = [], []
        for i in range(6):
            chosen = rng.choice(PEOPLE, 2 + i % 3, replace=False)
            texts.append(made_up.mixture_text(rng, cls.panel, cls.truth[chosen], 0.1 * (i % 2)))
            cls.stains.append(cls.scratch / f"stain-{i}.snp")
            program.write_snp(cls.stains[-1], f"S{i}", cls.panel, texts[-1], "37")
        cls.mixtures = gt.planes_of_texts([f"S{i}" for i in range(6)], texts, cls.panel)
        cls.database = cls.build("people", cls.scratch / "people.vcf")
        cls.model = genotype_evidence.Model(cls.panel.freq)

    @classmethod
    def build(cls, name, *arguments, encoding="alleles"):
        database = cls.scratch / f"{name}.h5"
        cls.run_fastid("db", "build", "-o", database, "--panel", cls.scratch / "panel.tsv", "--encoding", encoding, *arguments)
        return database

    def expect(self, comparison, files, database, queries, profiles, **rest):
        return self.expect_search(comparison, files, database, queries, profiles, by=ALLELES, **rest)

    def test_identity(self):
        for theta in (0.01, 0.03):
            self.model = genotype_evidence.Model(self.panel.freq, theta=theta)
            for rule in ({"top": "all"}, {"top": 3}, {"top": "all", "max_count": 90}, {"min_compared": 80}):
                lines, _ = self.expect(IDENTITY, [self.scratch / "again.vcf"], self.database, self.again, self.people,
                                       options=["--device", "cpu", "--theta", theta], **rule)
                if "min_compared" not in rule:
                    self.assertEqual([line[0]["row"] for line in lines], list(range(12)))

    def test_mixtures(self):
        for theta in (0.01, 0.03):
            self.model = genotype_evidence.Model(self.panel.freq, theta=theta)
            self.expect(MIXTURE, self.stains, self.database, self.mixtures, self.people, top=12,
                        options=["--device", "cpu", "--theta", theta])

    def test_reverse(self):
        stains = self.build("stains", "--kind", "mixtures", *self.stains)
        self.expect_planes(stains, self.mixtures, "alleles")
        self.expect(REVERSE, [self.scratch / "again.vcf"], stains, self.again, self.mixtures, options=["--device", "cpu"])

    def blocks(self):
        """Runs of 1 to 6 sites of a chromosome as a file of blocks, and of each site its run."""
        order = sorted(range(SITES), key=lambda s: (self.panel.chrom[s], int(self.panel.pos[s])))
        lines, run_of, rng = ["#build GRCh37", "block\tchrom\tfirst\tlast\tsites"], np.zeros(SITES, int), np.random.default_rng(3)
        while order:
            n = 1 + int(rng.integers(6))
            run = [s for s in order[:n] if self.panel.chrom[s] == self.panel.chrom[order[0]]]
            order = order[len(run):]
            run_of[run] = len(lines)
            lines.append("\t".join(map(str, (len(lines) - 1, self.panel.chrom[run[0]], self.panel.pos[run[0]],
                                            self.panel.pos[run[-1]], len(run)))))
        path = self.scratch / "blocks.tsv"
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        return path, run_of

    def test_blocks_weigh_as_one_site(self):
        path, run_of = self.blocks()
        self.model = genotype_evidence.BlockModel(run_of, self.panel.freq)
        self.expect(IDENTITY, [self.scratch / "again.vcf"], self.database, self.again, self.people, top="all",
                    options=["--device", "cpu", "--blocks", path])
        self.expect(MIXTURE, self.stains, self.database, self.mixtures, self.people, top=12,
                    options=["--device", "cpu", "--blocks", path, "--contributors", self.model.contributors])

    def test_every_engine_prints_the_same_bytes(self):
        for comparison, files in ((IDENTITY, [self.scratch / "again.vcf"]), (MIXTURE, self.stains)):
            outputs = {self.run_fastid(*self.search_command(comparison, files, self.database, options)).stdout
                       for options in (["--device", "reference"], ["--device", "cpu", "--threads", "3", "--tile-blocks", "1"],
                                       ["--device", "cpu"])}
            self.assertEqual(len(outputs), 1)

    def document(self, comparison, files, *options):
        return json.loads(self.run_fastid(*self.search_command(comparison, files, self.database, [
            "--device", "cpu", "--sort", "rate", "--format", "json", *options], top=4)).stdout)

    def test_loci(self):
        """Both alleles of both, at each site where genotypes differ or a mixture lacks an allele."""
        letters = np.array([[a + a, a + b, b + b] for a, b in zip(self.panel.major, self.panel.minor)])
        for comparison, files, queries in ((IDENTITY, [self.scratch / "again.vcf"], self.again),
                                           (MIXTURE, self.stains, self.mixtures)):
            document = self.document(comparison, files)
            self.assertEqual(document["provenance"]["parameters"]["by"], "alleles")
            listed = 0
            for i, query in enumerate(document["queries"]):
                for match in query["matches"]:
                    if match["differing_loci"] is None:
                        continue
                    listed += 1
                    row = match["row"]
                    asked, stored = counting.kinds_of(queries)[i], counting.kinds_of(self.people)[row]
                    both = queries.called[i] & self.people.called[row]
                    lacking = (self.people.bits[row] & ~queries.bits[i]) | (self.people.major[row] & ~queries.major[i])
                    differ = np.flatnonzero(both & (asked != stored if comparison == IDENTITY else lacking))
                    loci = match["differing_loci"]
                    self.assertEqual([locus["id"] for locus in loci], [self.panel.id[s] for s in differ])
                    self.assertEqual([locus["profile_alleles"] for locus in loci],
                                     [letters[s, stored[s]] for s in differ])
                    shown = [letters[s, asked[s]] for s in differ]
                    if comparison == MIXTURE:
                        shown = ["".join(dict.fromkeys(one)) for one in shown]
                    self.assertEqual([locus["query_alleles"] for locus in loci], shown)
                    if comparison == IDENTITY:
                        at = self.model.names.index(match["log10_lr_population"])
                        ratios = self.model.populations[at].relations[0]
                        np.testing.assert_allclose([locus["log10_lr"] for locus in loci],
                                                   [ratios[asked[s], stored[s], s] for s in differ], atol=1e-8)
            self.assertGreater(listed, 5)

    def test_histograms_count_alleles(self):
        counts = counting.count_alleles(IDENTITY, self.again, self.people)
        for i, query in enumerate(self.document(IDENTITY, [self.scratch / "again.vcf"])["queries"]):
            histogram = query["histogram"]
            found = {k: n for k, n in zip(histogram["counts"], histogram["profiles"]) if n}
            listed = np.bincount(counts.count[i][counts.compared[i] > 0])
            self.assertEqual(found, {k: n for k, n in enumerate(listed.tolist()) if n})
            self.assertAlmostEqual(sum(histogram["expected_unrelated"]), PEOPLE, delta=1e-3)

    def test_shortlists_are_by_weight(self):
        """The order of the shortlist, by integers that are computed here, then by log10 LR as it is printed."""
        for comparison, files, queries in ((IDENTITY, [self.scratch / "again.vcf"], self.again),
                                           (MIXTURE, self.stains, self.mixtures)):
            counts = counting.count_alleles(comparison, queries, self.people)
            kinds = counting.kinds_of(queries)
            by_counts = ["--max-not-seen", "9999"] if comparison == MIXTURE else []
            found = self.listed(comparison, files, by_counts, top=5)
            weights = [self.model.weights(comparison, kinds[i], queries.called[i]) for i in range(len(queries.names))]
            for i, rows in enumerate(counting.rank_by_weight(comparison, counts, weights, top=20)):
                figures = self.model.figures(comparison, queries, self.people, counts, [(i, row) for row in rows])
                order = np.argsort([-round(one["log10_lr"], 4) for one in figures], kind="stable")
                self.assertEqual(found[queries.names[i]], [self.people.names[rows[place]] for place in order[:5]])

    def listed(self, comparison, files, options=(), top=5):
        """{query: the profiles that are listed}"""
        done = self.run_fastid(*self.search_command(comparison, files, self.database, ["--device", "cpu", *options], top=top))
        found = {}
        for line in done.stdout.splitlines()[1:]:
            name, _, profile, *_ = line.split("\t")
            found.setdefault(name, []).append(profile)
        return found

    def test_shortlists_of_mixtures_hold_whom_the_exact_ratios_set_first(self):
        everybody = self.listed(MIXTURE, self.stains, top="all")
        for name, profiles in self.listed(MIXTURE, self.stains, top=5).items():
            self.assertEqual(profiles, everybody[name][:5])

    def test_by_bits_is_as_a_database_of_bits(self):
        bits = self.build("bits", self.scratch / "people.vcf", encoding="minor")
        for comparison, files in ((IDENTITY, [self.scratch / "again.vcf"]), (MIXTURE, self.stains)):
            for options in ([], ["--max-chance-matches", "1"], ["--format", "json"]):
                outputs = []
                for database in (bits, self.database):
                    done = self.run_fastid(*self.search_command(
                        comparison, files, database, ["--by", "bits", "--sort", "rate", *options], top="all")).stdout
                    if "json" in options:
                        document = json.loads(done)
                        document["provenance"].pop("database")
                        done = json.dumps(document)
                    outputs.append(done)
                self.assertEqual(*outputs)

    def test_what_says_no_alleles(self):
        """A database, and a query that was exported from one, of minor alleles alone."""
        bits, query = self.build("plain", self.scratch / "people.vcf", encoding="minor"), self.scratch / "plain.vcf"
        self.run_fastid("db", "export", bits, "-o", query)
        again = self.scratch / "again.vcf"
        for files, database, cure in (([again], bits, "--encoding alleles"), ([again, query], self.database, "genotypes")):
            refused = self.run_fastid("search", "--by", "alleles", *files, database, status=3)
            self.assertIn("says only where a minor allele was seen", refused.stderr)
            self.assertIn(cure, refused.stderr)
        done = self.run_fastid("search", "--format", "json", again, query, self.database)
        self.assertIn("plain.vcf: says only where a minor allele was seen, so that all is compared by bits", done.stderr)
        self.assertEqual(json.loads(done.stdout)["provenance"]["parameters"]["by"], "bits")


if __name__ == "__main__":
    for tool in ("bcftools", "plink2"):
        if shutil.which(tool) is None:
            raise SystemExit(f"{tool} is not installed: scripts/setup test installs it")
    program.main()
