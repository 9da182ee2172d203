"""Queries by genotype likelihoods, recomputed by sums over all genotypes and all readings: figures, order, whom a search
finds of reads of a tenth of a site, and that a call given as a likelihood weighs as the call. Nothing is shared with src/."""

import csv
import io
import itertools
import os
import unittest

import h5py
import numpy as np
import program

RELATIONS = {"same": (0, 0, 1), "parent-child": (0, 1, 0), "sibling": (.25, .5, .25), "half-sibling": (.5, .5, 0),
             "cousin": (.75, .25, 0)}
THETA, MISREAD, BASE_ERROR = .01, .005, .005


def drawn(alleles, q, theta):
    """P(these alleles, 1 for minor ones, in this order), by the sampling formula; q of each site."""
    probability, minor = np.ones_like(q), 0
    for n, allele in enumerate(alleles):
        next_minor = q if n == 0 else (minor * theta + (1 - theta) * q) / (1 + (n - 1) * theta)
        probability = probability * (next_minor if allele else 1 - next_minor)
        minor += allele
    return probability


def pairs_of(q, theta, ibd):
    """[site, g, h]: P(genotypes of two people of whom so many alleles are identical by descent)."""
    out = np.zeros((len(q), 3, 3))
    for alleles in itertools.product((0, 1), repeat=4 - ibd):
        first = alleles[:2]
        second = (alleles[2:], (alleles[1], alleles[-1]), first)[ibd]
        out[:, sum(first), sum(second)] += drawn(alleles, q, theta)
    return out


def readings(w):
    """[g, x]: P(x copies are read | g)."""
    out = np.zeros((3, 3))
    for g in range(3):
        for wrong in itertools.product((0, 1), repeat=2):
            x = sum(copy ^ flip for copy, flip in zip((g > 0, g > 1), wrong))
            out[g, x] += np.prod([w if flip else 1 - w for flip in wrong])
    return out


def ratios_of_two(first, second, q):
    """log10 of each relation's ratio to unrelated people, of the reads of two samples."""
    both = np.flatnonzero((np.ptp(first, axis=1) > 0) & (np.ptp(second, axis=1) > 0))
    read = readings(MISREAD)
    seen = [np.einsum("sx,gx,sgh,hy,sy->s", first[both], read, pairs_of(np.clip(q[both], 1e-9, 1), THETA, ibd), read,
                      second[both]) for ibd in range(3)]
    return {name: np.log10(sum(share * part for share, part in zip(k, seen)) / seen[0]).sum()
            for name, k in RELATIONS.items()}, len(both)


class Weights:
    """What each site's likelihoods say of each stored genotype, log10 of the ratios to unrelated people."""

    def __init__(self, likelihoods, q, theta=THETA, w=MISREAD):
        self.q = np.clip(q, 1e-9, 1)
        self.says = np.ptp(likelihoods, axis=1) > 1e-12 * likelihoods.max(axis=1)
        read = readings(w)
        seen = [np.einsum("sr,gr,sgh,hy->sy", likelihoods, read, pairs_of(q, theta, ibd), read) for ibd in range(3)]
        self.own = seen[2] / seen[2].sum(axis=1, keepdims=True)
        self.of = {}
        for name, k in RELATIONS.items():
            ratio = np.log10(sum(share * part for share, part in zip(k, seen)) / seen[0])
            self.of[name] = np.where(self.says[:, None], ratio, 0)

    def ratio(self, relation, copies):
        """Of people [person, site]: 0, 1, 2 copies, -1 where nothing is called."""
        says = np.flatnonzero(self.says)
        copies, weights = copies[:, says], self.of[relation][says]
        return sum(((copies == y) * weights[:, y]).sum(axis=1) for y in range(3))

    def expected(self, copies):
        """Mean and standard deviation of the ratio of the same person over the sites that a person has called."""
        mean = (self.own * self.of["same"]).sum(axis=1)
        variance = (self.own * (self.of["same"] - mean[:, None])**2).sum(axis=1)
        called = (copies >= 0) & self.says
        return (called * mean).sum(axis=1), np.sqrt((called * variance).sum(axis=1))


def reads_of(rng, copies, depth, foreign=None, share=0.0):
    """[site]: how many reads show the major and the minor allele."""
    n = rng.poisson(depth, len(copies))
    minor = np.zeros(len(copies), int)
    for read in range(n.max() if len(n) else 0):
        of = copies if foreign is None else np.where(rng.random(len(copies)) < share, foreign, copies)
        allele = rng.random(len(copies)) < of / 2
        minor += ((allele ^ (rng.random(len(copies)) < BASE_ERROR)) & (read < n)).astype(int)
    return n - minor, minor


def phred_of(major, minor):
    """As a caller writes them: whole numbers, the best 0."""
    shown = np.array([0, .5, 1]) * (1 - BASE_ERROR) + np.array([1, .5, 0]) * BASE_ERROR
    log10 = major[:, None] * np.log10(1 - shown) + minor[:, None] * np.log10(shown)
    return np.rint(-10 * (log10 - log10.max(axis=1, keepdims=True))).astype(int)


def rows_of(done):
    return list(csv.DictReader(io.StringIO(done.stdout), delimiter="\t"))


class Likelihoods(program.Case):
    """A simulated database, read by the documented formula, and samples that are drawn here."""

    PROFILES, SITES = 10_000, 10_000

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.database = cls.scratch / "people.h5"
        cls.run_fastid("db", "simulate", "-q", "-o", cls.database, "--profiles", cls.PROFILES, "--sites", cls.SITES,
                       "--seed", 63, "--full-siblings", 5, "--no-call-rate", .01, "--error-rate", .002)
        with h5py.File(cls.database, "r") as file:
            cls.ids = [name.decode() for name in file["profiles/id"][:]]
            cls.freq = next(iter(file["panel/freq"].values()))[:]
            cls.sites = [[value.decode() if isinstance(value, bytes) else value for value in file[f"panel/{name}"][:]]
                         for name in ("chrom", "pos", "id", "major", "minor")]
            planes = [file[f"profiles/{name}"][:] for name in ("minor", "major")]
        bits = []
        for words in planes:  # [block, word, lane]
            turned = np.ascontiguousarray(words.transpose(0, 2, 1).reshape(-1, words.shape[1]))
            bits.append(np.unpackbits(turned.view(np.uint8), axis=1, bitorder="little")[:cls.PROFILES, :cls.SITES])
        minor, major = bits
        cls.copies = np.where(minor & major, 1, np.where(minor, 2, np.where(major, 0, -1))).astype(np.int8)

    def letters(self, values):
        return [chr(value) if not isinstance(value, str) else value for value in values]

    def write_vcf(self, name, samples, fields="GT:PL"):
        """samples: a list of (name, a text for each site)."""
        chrom, pos, ids, major, minor = self.sites
        major, minor = self.letters(major), self.letters(minor)
        lines = ["##fileformat=VCFv4.2", *(f"##contig=<ID={c}>" for c in dict.fromkeys(chrom)),
                 '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
                 '##FORMAT=<ID=PL,Number=G,Type=Integer,Description="Likelihoods">',
                 "\t".join(["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT",
                            *(sample for sample, _ in samples)])]
        for s, site in enumerate(ids):
            lines.append("\t".join([str(chrom[s]), str(pos[s]), site, major[s], minor[s], ".", ".", ".", fields,
                                    *(texts[s] for _, texts in samples)]))
        path = self.scratch / name
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        return path

    @staticmethod
    def uncalled(phred):
        return ["./.:" + ",".join(map(str, at)) for at in phred]

    def genotypes_of(self, rng, row):
        """A person's own, where the profile lacks one somebody's."""
        drawn_anew = rng.binomial(2, self.freq)
        return np.where(self.copies[row] < 0, drawn_anew, self.copies[row])

    def search(self, *arguments):
        return rows_of(self.run_fastid("search", *arguments, "--format", "tsv", "-q"))

    def test_figures_are_sums_over_genotypes(self):
        rng = np.random.default_rng(1)
        rows = rng.choice(self.PROFILES, 5, replace=False)
        samples = []
        for row, depth in zip(rows, (.02, .1, .5, 1, 2)):
            phred = phred_of(*reads_of(rng, self.genotypes_of(rng, row), depth))
            samples.append((f"x{depth}", phred))
        path = self.write_vcf("depths.vcf", [(name, self.uncalled(phred)) for name, phred in samples])
        found = self.search(path, self.database, "-k", 10, "--unlinked")
        for (name, phred), row in zip(samples, rows):
            weights = Weights(10.0**(-phred / 10), self.freq)
            same = weights.ratio("same", self.copies)
            best = np.argsort(-np.round(same, 4), kind="stable")[:10]
            sibling = dict(zip(best, weights.ratio("sibling", self.copies[best])))
            of = [line for line in found if line["query"] == name]
            self.assertEqual([int(line["row"]) for line in of], best.tolist(), name)
            self.assertEqual(int(of[0]["row"]), row)
            mean, sd = weights.expected(self.copies[best])
            for line, place, expected, deviation in zip(of, best, mean, sd):
                self.assertEqual(line["mismatches"], "NA")
                self.assertEqual(line["mismatch_rate"], "NA")
                self.assertEqual(int(line["compared"]), int((weights.says & (self.copies[place] >= 0)).sum()))
                self.assertAlmostEqual(float(line["log10_lr"]), same[place], delta=1e-4)
                self.assertAlmostEqual(float(line["log10_lr_sibling"]), same[place] - sibling[place], delta=1e-4)
                self.assertAlmostEqual(float(line["expected_lr"]), expected, delta=1e-4)
                self.assertAlmostEqual(float(line["expected_sd"]), deviation, delta=1e-4)
            self.assertEqual(of[0]["suggests"], "same", name)

    def test_a_tenth_of_a_read_finds_everybody(self):
        rng = np.random.default_rng(2)
        rows = rng.choice(self.PROFILES, 20, replace=False)
        samples = [(f"s{row}", self.uncalled(phred_of(*reads_of(rng, self.genotypes_of(rng, row), .1)))) for row in rows]
        path = self.write_vcf("tenth.vcf", samples)
        found = self.search(path, self.database, "-k", 2)
        for row in rows:
            first, second = (line for line in found if line["query"] == f"s{row}")
            self.assertEqual(int(first["row"]), row)
            self.assertGreater(float(first["log10_lr"]), 80)
            self.assertLess(float(second["log10_lr"]), 20)
            self.assertNotEqual(second["suggests"], "same")

    def test_a_sibling_is_not_called_the_same_person(self):
        rng = np.random.default_rng(3)
        siblings = self.siblings()
        self.assertEqual(len(siblings), 5)
        exclude = self.scratch / "self.txt"
        for line in siblings:
            row = int(line["row"])
            exclude.write_text(line["profile"] + "\n", encoding="ascii")
            phred = phred_of(*reads_of(rng, self.genotypes_of(rng, row), .1))
            path = self.write_vcf("sibling.vcf", [("s", self.uncalled(phred))])
            first = self.search(path, self.database, "-k", 1, "--exclude", exclude)[0]
            self.assertEqual(int(first["row"]), int(line["relative_row"]))
            self.assertLess(float(first["log10_lr_sibling"]), 0)
            self.assertIn(first["suggests"], ("first-degree", "inconclusive"))

    def test_foreign_reads_show(self):
        rng = np.random.default_rng(4)
        rows = rng.choice(self.PROFILES, 10, replace=False)
        samples = []
        for row in rows:
            own, other = self.genotypes_of(rng, row), rng.binomial(2, self.freq)
            samples.append((f"s{row}", self.uncalled(phred_of(*reads_of(rng, own, .5, other, .1)))))
        done = self.run_fastid("search", self.write_vcf("foreign.vcf", samples), self.database, "-k", 1, "--format", "jsonl")
        for line in done.stdout.splitlines():
            self.assertIn('"below_expected":true', line)
        self.assertIn("is lower than the person's own would be", done.stderr)

    def test_a_call_weighs_as_the_call(self):
        rng = np.random.default_rng(5)
        called, stated = [], []
        for row in (17, 4711):
            own = np.where(rng.random(self.SITES) < .05, -1, self.copies[row])
            gt = np.array(["./.", "0/0", "0/1", "1/1"])[own + 1]
            pl = np.array(["0,0,0", "0,9999,9999", "9999,0,9999", "9999,9999,0"])[own + 1]
            called.append((f"s{row}", [f"{g}:." for g in gt]))
            stated.append((f"s{row}", [f"{g}:{p}" for g, p in zip(gt, pl)]))
        calls = self.search(self.write_vcf("calls.vcf", called), self.database)
        weighed = self.search(self.write_vcf("stated.vcf", stated), self.database, "--likelihoods", "PL")
        auto = self.search(self.write_vcf("stated.vcf", stated), self.database)
        self.assertEqual([{**line} for line in auto], [{**line} for line in calls], "called at all sites: by calls")
        for by_calls, by_pl in zip(calls, weighed, strict=False):
            if float(by_calls["log10_lr"]) < 0:
                continue
            for name in ("query", "rank", "profile", "compared", "log10_lr", "log10_lr_sibling", "suggests", "row"):
                self.assertEqual(by_pl[name], by_calls[name], name)
        strangers = {(line["query"], line["profile"]): line for line in weighed}
        for line in calls:
            other = strangers.get((line["query"], line["profile"]))
            if other:
                self.assertEqual(line["log10_lr"], other["log10_lr"])

    def test_threads_and_shards_change_nothing(self):
        rng = np.random.default_rng(6)
        phred = phred_of(*reads_of(rng, self.genotypes_of(rng, 99), .2))
        gt = np.array(["./.", "0/0", "0/1", "1/1"])[self.copies[5].astype(int) + 1]
        path = self.write_vcf("mixed.vcf", [("low", self.uncalled(phred)), ("called", [f"{g}:." for g in gt])])
        whole = self.run_fastid("search", path, self.database, "--format", "json", "--threads", 1).stdout
        self.assertEqual(self.run_fastid("search", path, self.database, "--format", "json", "--threads", 3).stdout, whole)
        parts = []
        for shard in (1, 2, 3):
            parts.append(self.scratch / f"{shard}.part")
            self.run_fastid("search", path, self.database, "--shard", f"{shard}/3", "-o", parts[-1], "-q")
        self.assertEqual(self.run_fastid("merge", *parts, "--format", "json").stdout, whole)
        by_bits = self.search(path, self.database, "--by", "bits", "-k", 1)
        self.assertEqual([int(line["row"]) for line in by_bits], [99, 5])


    def siblings(self):
        with open(f"{self.database}.relatives.tsv", encoding="ascii") as table:
            return [line for line in csv.DictReader(table, delimiter="\t") if line["relation"] == "full-siblings"]

    def kin(self, *arguments):
        return rows_of(self.run_fastid("kin", *arguments, "--format", "tsv", "-q"))

    def test_relatives_site_by_site(self):
        rng = np.random.default_rng(7)
        pair = self.siblings()[0]
        row = int(pair["row"])
        phred = phred_of(*reads_of(rng, self.genotypes_of(rng, row), .3))
        path = self.write_vcf("kin.vcf", [("s", self.uncalled(phred))])
        weights = Weights(10.0**(-phred / 10), self.freq)
        found = self.kin(path, self.database, "--unlinked", "-k", 5)
        self.assertEqual([int(line["row"]) for line in found[:2]], [row, int(pair["relative_row"])])
        for line in found:
            copies = self.copies[int(line["row"])][None]
            for name in ("parent-child", "sibling", "half-sibling", "cousin"):
                self.assertAlmostEqual(float(line[f"log10_lr_{name.replace('-', '_')}"]), weights.ratio(name, copies)[0],
                                       delta=1e-4)
            self.assertEqual(int(line["compared"]), int((weights.says & (copies[0] >= 0)).sum()))
            self.assertEqual([line[name] for name in ("kinship", "ibs0", "hethet")], ["NA"] * 3)

    def test_siblings_along_the_map_by_a_fifth_of_a_read(self):
        rng = np.random.default_rng(8)
        samples, pairs = [], self.siblings()
        for pair in pairs:
            own = self.genotypes_of(rng, int(pair["row"]))
            samples.append((pair["profile"], self.uncalled(phred_of(*reads_of(rng, own, .2)))))
        path = self.write_vcf("siblings.vcf", samples)
        found = self.kin(path, self.database, "-k", 3)
        for pair in pairs:
            first, second = [line for line in found if line["query"] == pair["profile"]][:2]
            self.assertEqual((first["profile"], second["profile"]), (pair["profile"], pair["relative"]))
            self.assertGreater(float(second["log10_lr"]), 10)
            self.assertIn(second["degree"], ("1", "1.5"))

    def test_a_call_has_the_same_relatives(self):
        """Figures along the map, and what is shared, to the last digit."""
        pair = self.siblings()[1]
        own = self.copies[int(pair["row"])].astype(int)
        gt = np.array(["./.", "0/0", "0/1", "1/1"])[own + 1]
        pl = np.array(["0,0,0", "0,9999,9999", "9999,0,9999", "9999,9999,0"])[own + 1]
        calls = self.write_vcf("kin-calls.vcf", [("s", [f"{g}:." for g in gt])])
        stated = self.write_vcf("kin-stated.vcf", [("s", [f"{g}:{p}" for g, p in zip(gt, pl)])])
        for options in ((), ("--unlinked",)):
            by_calls = self.kin(calls, self.database, "-k", 2, *options)
            weighed = self.kin(stated, self.database, "-k", 2, "--likelihoods", "PL", *options)
            for one, other in zip(by_calls, weighed, strict=True):
                for name in one:
                    if name not in ("kinship", "ibs0", "hethet"):
                        self.assertEqual(other[name], one[name], name)
                self.assertEqual(other["kinship"], "NA")

    def pairs(self, *arguments):
        """By the names of the two."""
        done = self.run_fastid("pairs", "--panel", self.database, *arguments, "--min-lr", -1e6, "--format", "tsv", "-q")
        return {(line["#IID1"], line["IID2"]): line for line in rows_of(done)}

    def test_pairs_of_samples_site_by_site(self):
        rng = np.random.default_rng(10)
        pair = self.siblings()[3]
        phred = {name: phred_of(*reads_of(rng, self.genotypes_of(rng, row), depth)) for name, row, depth in
                 (("one", int(pair["row"]), .6), ("sibling", int(pair["relative_row"]), 1), ("stranger", 7, 1))}
        path = self.write_vcf("pairs.vcf", [(name, self.uncalled(of)) for name, of in phred.items()])
        found = self.pairs(path, "--unlinked")
        self.assertEqual(list(found), [("one", "sibling"), ("one", "stranger"), ("sibling", "stranger")])
        for (one, other), line in found.items():
            expected, compared = ratios_of_two(*(10.0**(-phred[name] / 10) for name in (one, other)), self.freq)
            self.assertEqual(int(line["NSNP"]), compared)
            for name in RELATIONS:
                self.assertAlmostEqual(float(line[f"log10_lr_{name.replace('-', '_')}"]), expected[name], delta=1e-4)
            self.assertEqual([line[name] for name in ("HETHET", "IBS0", "KINSHIP", "mismatch_rate")], ["NA"] * 4)
        along_map = self.pairs(path)
        self.assertGreater(float(along_map["one", "sibling"]["log10_lr"]), 10)
        self.assertRegex(along_map["one", "sibling"]["degree_range"], "^1")
        self.assertLess(float(along_map["one", "stranger"]["log10_lr"]), 1)

    def test_pairs_of_calls_are_those_of_the_database(self):
        """Calls, and calls given as likelihoods, beside the same people's pairs in the database."""
        pair = self.siblings()[4]
        rows = sorted([int(pair["row"]), int(pair["relative_row"]), 11])
        gt, pl = np.array(["./.", "0/0", "0/1", "1/1"]), np.array(["0,0,0", "0,9999,9999", "9999,0,9999", "9999,9999,0"])
        own = [self.copies[row].astype(int) + 1 for row in rows]
        names = [self.ids[row] for row in rows]
        calls = self.write_vcf("pair-calls.vcf", [(n, [f"{g}:." for g in gt[o]]) for n, o in zip(names, own)])
        stated = self.write_vcf("pair-stated.vcf", [(n, [f"{g}:{p}" for g, p in zip(gt[o], pl[o])]) for n, o in zip(names, own)])
        within = self.scratch / "within.txt"
        within.write_text("\n".join(names) + "\n", encoding="ascii")
        for options in ((), ("--unlinked",)):
            limit = ("--min-kinship", -10) if options else ("--min-lr", -1e6)
            stored = rows_of(self.run_fastid("pairs", self.database, "--within", within, *limit, *options, "--format", "tsv", "-q"))
            by_calls, weighed = self.pairs(calls, *options), self.pairs(stated, "--likelihoods", "PL", *options)
            self.assertEqual(len(stored), 3)
            for line in stored:
                key = (line["#IID1"], line["IID2"])
                for name, value in line.items():
                    if name not in ("row1", "row2"):
                        self.assertEqual(by_calls[key][name], value, name)
                    if name not in ("row1", "row2", "HETHET", "IBS0", "KINSHIP", "mismatch_rate"):
                        self.assertEqual(weighed[key][name], value, name)

    def test_shards_find_the_same_relatives(self):
        rng = np.random.default_rng(9)
        pair = self.siblings()[2]
        low = self.uncalled(phred_of(*reads_of(rng, self.genotypes_of(rng, int(pair["row"])), .2)))
        gt = np.array(["./.", "0/0", "0/1", "1/1"])[self.copies[int(pair["relative_row"])].astype(int) + 1]
        path = self.write_vcf("kin-mixed.vcf", [("low", low), ("called", [f"{g}:." for g in gt])])
        for options in ((), ("--unlinked",)):
            whole = self.run_fastid("kin", path, self.database, "--format", "json", *options).stdout
            parts = []
            for shard in (1, 2):
                parts.append(self.scratch / f"kin{shard}.part")
                self.run_fastid("kin", path, self.database, "--shard", f"{shard}/2", "-o", parts[-1], "-q", *options)
            self.assertEqual(self.run_fastid("merge", *parts, "--format", "json").stdout, whole)


@unittest.skipUnless(os.environ.get(program.REAL_DATA), "no folder of data with known answers")
class KnownAnswers(program.Case):
    """Made data with answers that are published with it (lowcov/ of the folder of real data)."""

    def setUp(self):
        self.folder = program.real_data() / "lowcov"
        if not self.folder.exists():
            self.skipTest("no lowcov/ in the folder of real data")

    def lines(self, name):
        with open(self.folder / name, encoding="ascii") as table:
            return list(csv.DictReader(table, delimiter="\t"))

    def build(self, folder):
        database = self.scratch / f"{folder}.h5"
        source = next((self.folder / folder).glob("database.vcf*"))
        self.run_fastid("db", "build", "-q", "-o", database, "--panel", self.folder / folder / "panel.tsv", source)
        return database

    def expect(self, found, expected, delta):
        by_query = {}
        for line in expected:
            by_query.setdefault(line["query"], []).append(line)
        for query, lines in by_query.items():
            of = [line for line in found if line["query"] == query]
            self.assertEqual([line["profile"] for line in of], [line["profile"] for line in lines], query)
            for line, right in zip(of, lines):
                self.assertEqual(line["compared"], right["compared"], (query, line["profile"]))
                for name in ("log10_lr", "log10_lr_sibling"):
                    self.assertAlmostEqual(float(line[name]), float(right[name]), delta=delta)

    def test_profiles(self):
        database = self.build("profiles")
        for table, theta in (("expected.tsv", .01), ("expected_theta0.tsv", 0)):
            expected = self.lines(f"profiles/{table}")
            for file in ("query_pl.vcf.gz", "query_gl.vcf.gz"):
                found = rows_of(self.run_fastid("search", self.folder / "profiles" / file, database, "-k", "all",
                                                "--unlinked", "--theta", theta, "--format", "tsv", "-q"))
                names = {line["query"] for line in found}
                self.expect(found, [line for line in expected if line["query"] in names], 1.01e-4)

    def test_relatives(self):
        database = self.build("profiles")
        names = {"log10_lr_parent_child": "log10_lr_parent_child", "log10_lr_sibling": "log10_lr_sibling_v_unrelated",
                 "log10_lr_half_sibling": "log10_lr_half_sibling", "log10_lr_cousin": "log10_lr_cousin"}
        found = rows_of(self.run_fastid("kin", self.folder / "profiles" / "query_pl.vcf.gz", database, "--unlinked", "-k", "all",
                                        "--format", "tsv", "-q"))
        by_pair = {(line["query"], line["profile"]): line for line in found if line["kinship"] == "NA"}
        expected = [line for line in self.lines("profiles/expected.tsv") if (line["query"], line["profile"]) in by_pair]
        self.assertGreater(len(expected), 100)
        for line in expected:
            for name, right in names.items():
                self.assertAlmostEqual(float(by_pair[line["query"], line["profile"]][name]), float(line[right]), delta=1.01e-4)

    def test_edges(self):
        found = rows_of(self.run_fastid("search", self.folder / "edges" / "query.vcf", self.build("edges"),
                                        "--unlinked", "--format", "tsv", "-q"))
        self.expect(found, self.lines("edges/expected.tsv"), 1.01e-4)

    def test_reads(self):
        database = self.build("reads")
        expected = self.lines("reads/expected.tsv")
        for depth in ("0.1x", "0.5x", "1x"):
            name = f"reads_{depth}"
            found = rows_of(self.run_fastid("search", self.folder / "reads" / f"{name}.sam", database, "--reference",
                                            self.folder / "reads" / "genome.fa", "--format", "tsv", "-q"))
            right = [line for line in expected if line["query"] == name]
            self.assertEqual(found[0]["profile"], "self")
            for line in right[:1]:
                self.assertAlmostEqual(float(found[0]["log10_lr"]) / float(line["log10_lr"]), 1, delta=.02)


if __name__ == "__main__":
    program.main()
