"""Made-up people through every shape of record that a file may have: each number fastid prints, recomputed."""

import json
import shutil

import counting
import evidence
import formulas as fm
import genotypes as gt
import made_up
import numpy as np
import program
from counting import IDENTITY, MIXTURE, REVERSE

SEED = 20190520
PEOPLE, SITES = 33, 200
ENGINES = [
    ["--device", device, "--threads", threads, *tiles]
    for device in ("reference", "cpu", "opencl")
    for threads, tiles in (("1", ["--tile-blocks", "1"]), ("2", []), ("7", ["--tile-blocks", "3"]))
]


class Cohort(program.Case):
    """A panel, a database of 33 people made of a VCF, the same people typed again, and mixtures of them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rng = np.random.default_rng(SEED)
        cls.panel = made_up.make_panel(rng, SITES, "GRCh37")
        cls.panel.freq["elsewhere"] = [round(1 - 0.9 * q, 6) if s % 7 == 0 else q / 2 + 0.1
                                       for s, q in enumerate(cls.panel.freq["cohort"])]
        gt.write_panel(cls.panel, cls.scratch / "panel.tsv")
        cls.model = evidence.Model(cls.panel.freq)
        cls.truth = made_up.make_truth(rng, cls.panel, PEOPLE)
        names = [f"P{i:02}" for i in range(PEOPLE)]
        made_up.write_vcf(rng, cls.scratch / "people.vcf", cls.panel, names, cls.truth)
        again = made_up.with_errors(rng, cls.truth, 0.02)
        made_up.write_vcf(rng, cls.scratch / "again.vcf", cls.panel, [f"Q{n}" for n in names], again, prefix="")
        cls._make_mixtures(rng)
        cls._make_texts(rng, again)

        cls.database = cls.scratch / "people.h5"
        cls.run_fastid("db", "build", "-o", cls.database, "--panel", cls.scratch / "panel.tsv",
                       cls.scratch / "people.vcf")
        cls.people, cls.again = (cls._planes(cls.scratch / name) for name in ("people.vcf", "again.vcf"))

    @classmethod
    def _planes(cls, path):
        return gt.planes_of(gt.from_vcf(path), cls.panel, by_position=True)

    @classmethod
    def _make_mixtures(cls, rng):
        """Twelve stains of 2 to 5 people, half of them with sites that were not called."""
        cls.mixture_files, texts, cls.contributors = [], [], []
        for i in range(12):
            chosen = rng.choice(PEOPLE, 2 + i % 4, replace=False)
            texts.append(made_up.mixture_text(rng, cls.panel, cls.truth[chosen], 0.1 * (i % 2)))
            cls.mixture_files.append(cls.scratch / f"stain-{i:02}.snp")
            program.write_snp(cls.mixture_files[-1], f"S{i:02}", cls.panel, texts[-1], "37")
            cls.contributors.append(set(chosen.tolist()))
        cls.mixtures = gt.planes_of_texts([f"S{i:02}" for i in range(12)], texts, cls.panel)

    @classmethod
    def _make_texts(cls, rng, again):
        cls.text_files = [cls.scratch / f"typed-{i}.txt" for i in range(4)]
        texts = [made_up.person_text(rng, cls.panel, again[5 * i]) for i in range(4)]
        for i, path in enumerate(cls.text_files):
            program.write_snp(path, f"T{i}", cls.panel, texts[i], "37")
        cls.typed = gt.planes_of_texts([f"T{i}" for i in range(4)], texts, cls.panel)

    def mixture_database(self, files):
        database = self.scratch / "stains.h5"
        self.run_fastid("db", "build", "-o", database, "--kind", "mixtures", "--panel", self.scratch / "panel.tsv",
                        *files)
        return database

    def test_the_made_up_people_are_hard_enough(self):
        """Else what follows would show little: calls are missing, and most sites do come through."""
        for planes in (self.people, self.again):
            self.assertGreater(planes.called.mean(), 0.6)
            self.assertLess(planes.called.mean(), 0.8)
            self.assertGreater(planes.bits.mean(), 0.25)
        agree = self.people.called & (self.people.bits == (self.truth > 0))
        self.assertGreater(agree.sum() / self.people.called.sum(), 0.97)

    def test_the_database_holds_the_oracles_bits(self):
        self.expect_planes(self.database, self.people)
        self.run_fastid("db", "verify", self.database)

    def test_plain_gzip_bgzip_and_bcf_hold_the_same(self):
        vcf = self.scratch / "people.vcf"
        checksums = {self.info(self.database)["profiles_sha256"]}
        for kind, name in (("z", "p.vcf.gz"), ("b", "p.bcf"), ("u", "u.bcf")):
            copy, database = self.scratch / name, self.scratch / f"{name}.h5"
            gt.run_tool("bcftools", "view", f"-O{kind}", "-o", str(copy), str(vcf))
            self.run_fastid("db", "build", "-o", database, "--panel", self.scratch / "panel.tsv", copy)
            self.expect_planes(database, self.people)
            checksums.add(self.info(database)["profiles_sha256"])
        self.assertEqual(len(checksums), 1)

    def test_search(self):
        files = [self.scratch / "again.vcf", *self.text_files]
        queries = gt.together([self.again, self.typed])
        counts = counting.count_pairs(IDENTITY, queries, self.people)
        middle, limit = (int(np.sort(x, axis=None)[x.size // 2]) for x in (counts.compared, counts.count))  # real ones
        for rule in ({}, {"top": "all"}, {"top": 1}, {"top": "all", "max_count": limit}, {"min_compared": middle}):
            with self.subTest(**rule):
                self.expect_search(IDENTITY, files, self.database, queries, self.people, **rule)
        lines, _ = self.expect_search(IDENTITY, files, self.database, queries, self.people, top=1)
        self.assertEqual([line[0]["row"] for line in lines], [*range(PEOPLE), 0, 5, 10, 15])

    def test_mixture(self):
        for rule in ({}, {"top": "all"}, {"top": "all", "max_count": 5}):
            with self.subTest(**rule):
                lines, _ = self.expect_search(MIXTURE, self.mixture_files, self.database, self.mixtures, self.people,
                                              **rule)
                self.assertTrue(any(lines))

    def test_reverse_mixture(self):
        database = self.mixture_database(self.mixture_files)
        self.expect_planes(database, self.mixtures)
        files = [self.scratch / "again.vcf", *self.text_files]
        queries = gt.together([self.again, self.typed])
        for rule in ({}, {"top": "all"}, {"top": "all", "max_count": 5}):
            with self.subTest(**rule):
                self.expect_search(REVERSE, files, database, queries, self.mixtures, **rule)

    def test_without_missing_calls(self):
        """In the encoding that leaves out the second plane then: another path through engines and database."""
        vcf = self.scratch / "whole.vcf"
        complete = made_up.make_truth(np.random.default_rng(SEED + 1), self.panel, PEOPLE)
        made_up.write_plain_vcf(vcf, self.panel, [f"W{i:02}" for i in range(PEOPLE)], complete)
        people = self._planes(vcf)
        for encoding in ("minor", "alleles"):
            database, panel = self.scratch / f"whole-{encoding}.h5", self.scratch / "panel.tsv"
            self.run_fastid("db", "build", "-o", database, "--encoding", encoding, "--panel", panel, vcf)
            self.expect_planes(database, people, encoding)
            self.assertEqual(self.info(database)["all_called"], True if encoding == "minor" else None)
            for path, queries in ((vcf, people), (self.scratch / "again.vcf", self.again)):
                self.expect_search(IDENTITY, [path], database, queries, people, top="all")
            self.expect_search(MIXTURE, self.mixture_files, database, self.mixtures, people, top="all")

    def test_json_says_the_same(self):
        files = [self.scratch / "again.vcf"]
        counts = counting.count_pairs(IDENTITY, self.again, self.people)
        ranked = counting.rank(IDENTITY, counts, top=7)
        lines = counting.table(IDENTITY, self.again, self.people, counts, ranked)
        document = json.loads(self.run_fastid("search", "--by", "bits", "-k", 7, "--sort", "rate", "--format", "json", *files,
                                              self.database).stdout)
        self.assertEqual(document["comparison"], IDENTITY)
        for query, expected in zip(document["queries"], lines, strict=True):
            columns = [{name: row[name] for name in line} for row, line in zip(query["matches"], expected, strict=True)]
            self.assertEqual([{name: None if name in evidence.FIGURES else cell for name, cell in row.items()}
                              for row in columns], expected)
        self._expect_json_figures(document, ranked, counts)
        self.assertEqual([query["ties_cut"] for query in document["queries"]], [one.ties_cut for one in ranked])
        self.assertEqual([query["called_sites"] for query in document["queries"]],
                         self.again.called.sum(axis=1).tolist())
        self.assertEqual([query["minor_alleles"] for query in document["queries"]],
                         self.again.bits.sum(axis=1).tolist())

    def _expect_json_figures(self, document, ranked, counts):
        """Unrounded, and by site: the differing sites are those at which the bits differ."""
        pairs = [(i, row) for i, query in enumerate(ranked) for row in query.rows]
        figures = self.model.figures(IDENTITY, self.again, self.people, counts, pairs)
        rows = [row for query in document["queries"] for row in query["matches"]]
        marked = set()
        for (i, row), match, expected in zip(pairs, rows, figures, strict=True):
            for name in ("log10_lr", "log10_lr_sibling"):
                self.assert_as_exact(match[name], expected[name])
            self.assert_as_exact(match["log10_chance_matches"], expected["chance_matches"])
            if match["chance_matches"] is None:
                self.assertLess(expected["chance_matches"], -307)
            else:
                self.assertAlmostEqual(np.log10(match["chance_matches"]), expected["chance_matches"], delta=1e-7)
            for name in ("suggests", "log10_lr_population", "chance_population"):
                self.assertEqual(match[name], expected[name])
            self.assertEqual(match["mark"] or "NA", expected["mark"])
            marked.add(match["mark"])
            both = self.again.called[i] & self.people.called[row]
            differing = np.flatnonzero(both & (self.again.bits[i] != self.people.bits[row]))
            if match["differing_loci"] is None:
                self.assertGreater(len(differing), 10)
                self.assertLess(expected["log10_lr"], 0)
                continue
            self.assertEqual([locus["id"] for locus in match["differing_loci"]],
                             [self.panel.id[s] for s in differing])
            self.assertEqual([locus["query_has_minor"] for locus in match["differing_loci"]],
                             self.again.bits[i, differing].tolist())

    def assert_as_exact(self, printed, expected):
        """To the nine digits that json has: the last may be off by one half."""
        self.assertLessEqual(abs(printed - expected), 5.01e-9 * abs(expected) + 1e-9)

    def test_rows_are_listed_by_evidence(self):
        """The best of a shortlist by weight: by log10 LR as it is printed, then in the shortlist's order."""
        counts = counting.count_pairs(IDENTITY, self.again, self.people)
        weights = [self.model.weights(*query) for query in zip(self.again.bits, self.again.called)]
        for top in (1, 3, 12, "all"):
            shortlist = counting.rank_by_weight(IDENTITY, counts, weights, top if top == "all" else max(20, 2 * top))
            done = self.run_fastid("search", "--by", "bits", "--top", top, self.scratch / "again.vcf", self.database)
            found = {}
            for line in done.stdout.splitlines()[1:]:
                query, _, profile, *_ = line.split("\t")
                found.setdefault(query, []).append(profile)
            for i, rows in enumerate(shortlist):
                figures = self.model.figures(IDENTITY, self.again, self.people, counts, [(i, row) for row in rows])
                order = np.argsort([-round(one["log10_lr"], 4) for one in figures], kind="stable")
                expected = [self.people.names[rows[place]] for place in order[:None if top == "all" else top]]
                self.assertEqual(found[self.again.names[i]], expected)

    def test_mixture_json_has_each_number_of_contributors(self):
        counts = counting.count_pairs(MIXTURE, self.mixtures, self.people)
        document = json.loads(self.run_fastid(*self.search_command(MIXTURE, self.mixture_files, self.database,
                                                                   ["--sort", "rate"], top=5), "--format", "json").stdout)
        ranked = counting.rank(MIXTURE, counts, top=5)
        pairs = [(i, row) for i, query in enumerate(ranked) for row in query.rows]
        rows = [row for query in document["queries"] for row in query["matches"]]
        figures = self.model.figures(MIXTURE, self.mixtures, self.people, counts, pairs)
        for match, expected in zip(rows, figures, strict=True):
            self.assert_as_exact(match["log10_lr"], expected["log10_lr"])
            self.assert_as_exact(match["log10_chance_matches"], expected["chance_matches"])
            self.assertEqual(match["log10_lr_population"], expected["log10_lr_population"])
            self.assertEqual(match["support"]["drop_out"], program.DROP_OUT)
        for i, query in enumerate(document["queries"]):
            of = query["evidence"]
            population = self.model.populations[self.model.names.index(of["population"])]
            numbers = population.numbers((self.mixtures.bits[i], self.mixtures.called[i]), None)
            found = {one["contributors"]: one["probability"] for one in of["mixture"]["numbers"] if one["probability"]}
            self.assertEqual(found.keys(), numbers.log_weights.keys())
            whole = np.logaddexp.reduce(list(numbers.log_weights.values()))
            for n, weight in numbers.log_weights.items():
                self.assertAlmostEqual(found[n], np.exp(weight - whole), delta=1e-6)

    def test_histograms_count_every_pair(self):
        counts = counting.count_pairs(IDENTITY, self.again, self.people)
        document = json.loads(self.run_fastid("search", "--by", "bits", "--format", "json", self.scratch / "again.vcf",
                                              self.database).stdout)
        for i, query in enumerate(document["queries"]):
            histogram = dict(zip(query["histogram"]["counts"], query["histogram"]["profiles"]))
            listed = np.bincount(counts.count[i][counts.compared[i] > 0])
            self.assertEqual({k: n for k, n in histogram.items() if n}, {k: n for k, n in enumerate(listed.tolist()) if n})
            self.assertEqual(query["histogram"]["profiles_counted"], PEOPLE)

    def test_a_limit_on_chance_matches(self):
        """Exactly the profiles whose own expected number is small enough, for limits on either side of many."""
        counts = counting.count_pairs(IDENTITY, self.again, self.people)
        ranked = counting.rank(IDENTITY, counts, top="all")
        pairs = [(i, row) for i, query in enumerate(ranked) for row in query.rows]
        figures = self.model.figures(IDENTITY, self.again, self.people, counts, pairs)
        for most in (1e-12, 0.01, 1, 20):
            for top in ("all", 3):
                with self.subTest(most=most, top=top):
                    done = self.run_fastid("search", "--by", "bits", "--top", top, "--sort", "rate", "--max-chance-matches", most,
                                           self.scratch / "again.vcf", self.database)
                    expected = {}
                    for (i, row), figure in zip(pairs, figures):
                        if figure["chance_matches"] <= np.log10(most):
                            expected.setdefault(self.again.names[i], []).append(self.people.names[row])
                    found = {}
                    for line in done.stdout.splitlines()[1:]:
                        query, _, profile, *_ = line.split("\t")
                        found.setdefault(query, []).append(profile)
                    self.assertEqual(found, {name: rows[: None if top == "all" else top]
                                             for name, rows in expected.items()})

    def test_contributors_that_are_given(self):
        model, self.model = self.model, evidence.Model(self.panel.freq, contributors=4)
        try:
            self.expect_search(MIXTURE, self.mixture_files, self.database, self.mixtures, self.people,
                               options=["--contributors", "4"])
        finally:
            self.model = model

    def test_one_population(self):
        model, self.model = self.model, evidence.Model({"elsewhere": self.panel.freq["elsewhere"]})
        try:
            self.expect_search(IDENTITY, [self.scratch / "again.vcf"], self.database, self.again, self.people,
                               options=["--population", "elsewhere"])
        finally:
            self.model = model

    def test_every_engine_prints_the_same_bytes(self):
        stains = self.mixture_database(self.mixture_files)
        for comparison, files, database in (
            (IDENTITY, [self.scratch / "again.vcf"], self.database),
            (MIXTURE, self.mixture_files, self.database),
            (REVERSE, [self.scratch / "again.vcf"], stains),
        ):
            for form in ("tsv", "json"):
                outputs = {
                    self.run_fastid(*self.search_command(comparison, files, database, options), "--format", form).stdout
                    for options in ENGINES
                }
                self.assertEqual(len(outputs), 1, f"{comparison}, {form}")


class DerivedPanel(program.Case):
    """The panel that `db build` takes from its first input: minor alleles, ties, frequencies."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rng = np.random.default_rng(SEED + 2)
        panel = made_up.make_panel(rng, SITES, "GRCh37")
        for s in range(0, SITES, 3):  # where the reference is the rarer allele
            panel.freq["cohort"][s] = 1 - panel.freq["cohort"][s]
        truth = made_up.make_truth(rng, panel, PEOPLE)
        truth[:, 10:20] = np.tile([1] * PEOPLE, (10, 1)).T  # all heterozygous: a tie
        cls.vcf = cls.scratch / "cohort.vcf"
        made_up.write_vcf(rng, cls.vcf, panel, [f"P{i:02}" for i in range(PEOPLE)], truth, kinds=(
            "plain", "third allele", "deletion", "plain", "reference only"), build="GRCh38")
        cls._drop_half_calls()

    @classmethod
    def _drop_half_calls(cls):
        """Whether the one allele of a half call counts is nobody's rule."""
        text = cls.vcf.read_text()
        for separator in "/|":
            for allele in "0123":
                text = text.replace(f"\t.{separator}{allele}:", "\t./.:").replace(f"\t{allele}{separator}.:", "\t./.:")
        cls.vcf.write_text(text)

    def expect_panel(self, database, expected):
        exported = self.scratch / "exported.tsv"
        self.run_fastid("db", "export", database, "-o", exported, "--what", "panel")
        panel = gt.read_panel(exported)
        for column in ("id", "chrom", "pos", "major", "minor", "freq"):
            self.assertEqual(getattr(panel, column), getattr(expected, column), column)

    def test_vcf(self):
        letters = gt.from_vcf(self.vcf)
        panel = gt.derive_panel(letters)
        self.assertGreaterEqual(len(panel.id), 2 * SITES // 5)
        self.assertTrue(0.5 in panel.freq["cohort"], "no tie among the sites")
        database = self.scratch / "vcf.h5"
        self.run_fastid("db", "build", "-o", database, self.vcf)
        self.expect_panel(database, panel)
        self.expect_planes(database, gt.planes_of(letters, panel))
        self.assertEqual(self.info(database)["genome_build"], "GRCh38")

    def test_plink_with_allele_1_on_either_side(self):
        snps, prefix = self.scratch / "snps.vcf", self.scratch / "cohort"
        gt.run_tool("bcftools", "view", "-m2", "-M2", "-v", "snps", "-o", str(snps), str(self.vcf))
        gt.run_tool("plink2", "--vcf", str(snps), "--make-bed", "--out", str(prefix), "--allow-extra-chr",
                    "--vcf-half-call", "missing", "--output-chr", "26", "--split-par", "1", "2")
        bim = prefix.with_suffix(".bim")
        lines = [line.split() for line in bim.read_text().splitlines()]
        for line in lines[::2]:  # other letters, the same bed: another data set, just as good
            line[4], line[5] = line[5], line[4]
        bim.write_text("".join("\t".join(line) + "\n" for line in lines))
        letters = gt.from_plink(prefix, self.scratch / "traw")
        panel = gt.derive_panel(letters)
        self.assertTrue(0.5 in panel.freq["cohort"], "no tie among the sites")
        database = self.scratch / "bed.h5"
        self.run_fastid("db", "build", "-o", database, prefix.with_suffix(".bed"))
        self.expect_panel(database, panel)
        self.expect_planes(database, gt.planes_of(letters, panel))
        self.model = evidence.Model(panel.freq, sampled=panel.sampled)
        self.expect_search(IDENTITY, [prefix.with_suffix(".bed")], database, gt.planes_of(letters, panel),
                           gt.planes_of(letters, panel), top="all")


class Ties(program.Case):
    """500 people who are all the same."""

    def test_rows_in_order_and_490_ties_cut(self):
        rng = np.random.default_rng(SEED + 3)
        panel = made_up.make_panel(rng, 40, "GRCh37")
        truth = np.repeat(made_up.make_truth(rng, panel, 1), 500, axis=0)
        gt.write_panel(panel, self.scratch / "panel.tsv")
        self.model = evidence.Model(panel.freq)
        query, twins = self.scratch / "query.snp", self.scratch / "twins.vcf"
        letters = [panel.major[s] * (2 - n) + panel.minor[s] * n for s, n in enumerate(truth[0])]
        program.write_snp(query, "Q", panel, letters, "37")
        made_up.write_plain_vcf(twins, panel, [f"twin{i}" for i in range(500)], truth)
        database = self.scratch / "twins.h5"
        self.run_fastid("db", "build", "-o", database, "--panel", self.scratch / "panel.tsv", twins)
        asked = gt.planes_of_texts(["Q"], [letters], panel)
        stored = gt.planes_of(gt.from_vcf(twins), panel)
        for comparison in (IDENTITY, MIXTURE):
            lines, ranked = self.expect_search(comparison, [query], database, asked, stored)
            self.assertEqual([line["row"] for line in lines[0]], list(range(10)))
            self.assertEqual(ranked[0].ties_cut, 490)
            for options in ENGINES:
                command = self.search_command(comparison, [query], database, options)
                done = self.run_fastid(*command, "--format", "json")
                self.assertIn("490 more profiles tie", done.stderr)
                found = json.loads(done.stdout)["queries"][0]
                self.assertEqual(found["ties_cut"], 490)
                self.assertEqual([line["row"] for line in found["matches"]], list(range(10)))


if __name__ == "__main__":
    for tool in ("bcftools", "plink2"):
        if shutil.which(tool) is None:
            raise SystemExit(f"{tool} is not installed: scripts/setup test installs it")
    program.main()
