"""A stain's shares by its reads, and the ratios that follow, recomputed by sums over all genotypes of all contributors.

Nothing is shared with src/: beta-binomial probabilities are scipy's, populations are the sampling formula, what is below
a threshold is added up count by count, and fits are scipy's. Two classes hold fastid against made data with answers that
are published with it (mixtures/ of the folder of real data).
"""

import csv
import itertools
import json
import math
import os
import random
import sys
import unittest
from pathlib import Path

import formulas as fm
import numpy as np
import program
from scipy import optimize, special, stats
from stain_test import ORDERS, RELATIONS, drawn, made_stain, read_as, relatives, supports_text, text_of
from stats_test import answers

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import alignments as al  # noqa: E402
import reads as rd  # noqa: E402

OUTLIER = .002
LEAST = .01


def read_probability(minor, total, minor_share, concentration, error, threshold):
    """P(so many reads of the minor allele | the share of minor copies); counts below the threshold stand as 0."""
    mean = error + (1 - 2 * error) * minor_share
    counts = {minor}
    if minor == 0:
        counts |= set(range(min(threshold, total + 1)))
    if minor == total:
        counts |= set(range(max(total - threshold + 1, 0), total + 1))
    inside = sum(stats.betabinom.pmf(count, total, mean * concentration, (1 - mean) * concentration) for count in counts)
    return (1 - OUTLIER) * inside + OUTLIER * len(counts) / (total + 1)


def one_by_one(odds, minor_share, concentration):
    """P(reads | the share of minor copies): each read of either allele, for all ways in which reads can be of them."""
    def mean(alpha, beta, copies):
        """E[t^copies (1 - t)^(n - copies)], t ~ Beta(alpha, beta)"""
        if alpha == 0 or beta == 0:
            return float(copies == (0 if alpha == 0 else len(odds)))
        return math.exp(special.betaln(alpha + copies, beta + len(odds) - copies) - special.betaln(alpha, beta))

    total = 0.0
    for of_minor in itertools.product((False, True), repeat=len(odds)):
        way = math.prod(1 / (1 + 1 / o) if minor else 1 / (1 + o) for o, minor in zip(odds, of_minor))
        usual = mean(minor_share * concentration, (1 - minor_share) * concentration, sum(of_minor))
        total += way * ((1 - OUTLIER) * usual + OUTLIER * mean(1, 1, sum(of_minor)))
    return total


def site_ratios(q, theta, w, reads, threshold, person, known, support, concentration, error, kin=None):
    """log10 of each relation's ratio, and P(0, 1, 2 minor copies of the contributor in question)."""
    own, unknown, known_shares = support
    shares = [own, *unknown, *known_shares]
    of = {}
    for genotypes in itertools.product(range(3), repeat=len(shares)):
        share = sum(s * g for s, g in zip(shares, genotypes)) / 2
        if isinstance(reads, SingleReads):
            of[genotypes] = one_by_one(reads.odds, min(share, 1.), concentration)
        else:
            of[genotypes] = read_probability(reads[0], sum(reads), share, concentration, error, threshold)
    choices = [range(3)] * len(unknown) + [range(3) if letter == "-" else (int(letter),) for letter in known]

    def others(h):
        """[(P but for what is drawn, genotypes, minor alleles drawn, major ones)] of the other contributors."""
        if kin:
            return [(p, (o,), minors, majors) for p, o, minors, majors in relatives(h, kin)]
        return [(math.prod(ORDERS[o] for o in set_), set_, sum(set_), 2 * len(set_) - sum(set_))
                for set_ in itertools.product(*choices)]

    def joint(relation):
        sums = 0.0
        for g in range(3):
            seen = ORDERS[g] * read_as(person, g, w, False)
            ways = relatives(g, relation) if relation else [(ORDERS[h], h, h, 2 - h) for h in range(3)]
            for probability, h, minors, majors in ways:
                for other, set_, more_minor, more_major in others(h):
                    drawn_alleles = drawn(q, theta, g + minors + more_minor, 2 - g + majors + more_major)
                    sums += seen * probability * other * drawn_alleles * of[(h, *set_)]
        return sums

    none = joint(None)
    posterior = np.zeros(3)
    for h in range(3):
        for other, set_, more_minor, more_major in others(h):
            posterior[h] += ORDERS[h] * other * drawn(q, theta, h + more_minor, 2 - h + more_major) * of[(h, *set_)]
    return [math.log10(joint(relation) / none) for relation in RELATIONS], posterior / posterior.sum()


def made_reads(rng, freq, shares, depth=40, concentration=60, error=.002):
    """Reads (minor, major) of a stain of unrelated people, and their genotypes."""
    generator = np.random.default_rng(rng.randrange(2**32))
    _, people = made_stain(rng, freq, [0] * len(shares), False)
    minor_share = np.array(shares) @ np.array(people) / 2
    mean = error + (1 - 2 * error) * minor_share
    total = generator.poisson(depth * generator.gamma(4, .25, len(freq)))
    minor = generator.binomial(total, generator.beta(concentration * mean, concentration * (1 - mean)))
    return [(int(a), int(n - a)) for a, n in zip(minor, total)], people


class SingleReads:
    """Of each read of a site how much more probable it is under the minor allele than under the major one."""

    def __init__(self, odds):
        self.odds = [float(np.float32(o)) for o in odds]


def reads_text(reads):
    return ",".join("|" + "|".join(map(repr, of.odds)) if isinstance(of, SingleReads) else f"{of[0]}/{of[1]}" for of in reads)


def share_fields(supports):
    """supports: [(weight, share, unknown, known)]"""
    return supports_text(supports)


class Ratios(unittest.TestCase):
    def cases(self, rng, n):
        for _ in range(n):
            contributors = rng.choice([1, 2, 2, 3])
            cuts = sorted(rng.random() for _ in range(contributors - 1))
            shares = [b - a for a, b in zip([0, *cuts], [*cuts, 1])]
            known = [rng.choice("012-") for _ in range(rng.choice([0, 0, 1]) if contributors > 1 else 0)]
            support = (shares[0], shares[1:contributors - len(known)], shares[contributors - len(known):])
            threshold = rng.choice([1, 1, 4])
            total = rng.choice([1, 2, 30, 200])
            minor = rng.choice([0, total, rng.randint(0, total)])
            reads = [0 if count < threshold else count for count in (minor, total - minor)]
            if sum(reads) == 0:
                reads[1] = threshold
            kin = rng.choice([None, "parent-child", "sibling"]) if contributors == 2 and not known else None
            if threshold == 1 and rng.random() < .4:
                reads = SingleReads([10**rng.uniform(-4.5, 4.5) for _ in range(rng.choice([1, 2, 5]))])
            yield (rng.uniform(.01, .5), rng.choice([0.0, .01, .1]), rng.choice([.0001, .005]), reads, threshold, rng.choice("012"),
                   known, support, rng.uniform(3, 500), rng.uniform(1e-5, .05), kin)

    def test_one_site(self):
        given = list(self.cases(random.Random(1), 250))
        cases = []
        for q, theta, w, reads, threshold, person, known, support, concentration, error, kin in given:
            cases.append(["read-ratios", [q], -1, theta, w, *share_fields([(1.0, *support)]), concentration, error,
                          kin or "unrelated", threshold, reads_text([reads]), ",".join(known), person])
        for case, found, of in zip(cases, answers(cases), given, strict=True):
            np.testing.assert_allclose(found, site_ratios(*of)[0], rtol=1e-8, atol=1e-8, err_msg=str(case))

    def test_genotypes_of_a_contributor(self):
        given = [of for of in self.cases(random.Random(2), 120) if not of[-1]]
        cases = []
        for q, theta, w, reads, threshold, _, known, support, concentration, error, _ in given:
            cases.append(["read-genotypes", [q], -1, theta, w, *share_fields([(1.0, *support)]), concentration, error,
                          "unrelated", threshold, reads_text([reads]), ",".join(known)])
        for case, found, of in zip(cases, answers(cases), given, strict=True):
            np.testing.assert_allclose(found, site_ratios(*of)[1], rtol=1e-8, atol=1e-10, err_msg=str(case))


def stain_likelihood(freq, reads, threshold, known, shares, concentration, error, kin=None):
    """ln P(reads | contributors with these shares, known ones first), theta 0."""
    unknown = len(shares) - len(known)
    sets = list(itertools.product(range(3), repeat=len(shares)))
    minor_share = np.array([sum(s * g for s, g in zip(shares, set_)) / 2 for set_ in sets])
    mean = error + (1 - 2 * error) * minor_share
    total = 0.0
    for s, (q, (minor, major)) in enumerate(zip(freq, reads)):
        if minor + major == 0:
            continue
        counts = {minor}
        if minor == 0:
            counts |= set(range(min(threshold, major + 1)))
        if major == 0:
            counts |= set(range(max(minor - threshold + 1, 0), minor + 1))
        inside = sum(stats.betabinom.pmf(count, minor + major, mean * concentration, (1 - mean) * concentration)
                     for count in counts)
        of = (1 - OUTLIER) * inside + OUTLIER * len(counts) / (minor + major + 1)
        weights = [ORDERS[g] * q**g * (1 - q)**(2 - g) for g in range(3)]
        letters = [row[s] for row in known] + ["-"] * unknown
        prior = np.zeros(len(sets))
        for i, set_ in enumerate(sets):
            if kin:
                prior[i] = weights[set_[0]] * sum(p * drawn(q, 0, minors, majors) for p, o, minors, majors in
                                                  relatives(set_[0], kin) if o == set_[1])
            else:
                prior[i] = math.prod(1.0 * (letter == str(g)) if letter != "-" else weights[g] for g, letter in zip(set_, letters))
        total += math.log(prior @ of)
    return total


class Support:
    def __init__(self, numbers, known):
        self.n, self.share, self.log_weight, self.concentration, self.error, self.kin, others = (next(numbers) for _ in range(7))
        self.n = int(self.n)
        self.kin = (None, "parent-child", "sibling")[int(self.kin)]
        self.unknown = [next(numbers) for _ in range(int(others))]
        self.known = [next(numbers) for _ in range(known)]

    @property
    def shares(self):
        return [*self.known, *sorted([self.share, *self.unknown], reverse=True)]


def parsed(numbers, known, people):
    numbers = iter(numbers)
    supports = [Support(numbers, known) for _ in range(int(next(numbers)))]
    rows = [[next(numbers) for _ in RELATIONS] for _ in range(people)]
    assert next(numbers, None) is None
    return supports, rows


class Supports(unittest.TestCase):
    def check(self, rng, shares, known_people=0, most=2, threshold=1, sites=60, given=""):
        freq = [rng.uniform(.1, .5) for _ in range(sites)]
        reads, people = made_reads(rng, freq, shares)
        reads = [tuple(0 if count < threshold else count for count in pair) for pair in reads]
        known = [text_of(people[i], False, rng, .1) for i in range(known_people)]
        freq = list(fm.reckoned(freq, None))
        least = len(shares) if given else 1
        case = ["read-supports", freq, -1, .01, .005, least, most, 0, given, threshold, reads_text(reads), ",".join(known),
                text_of(people[0], False)]
        supports, rows = parsed(answers([case])[0], known_people, 1)
        depths = sorted(sum(pair) for pair in reads if sum(pair))
        least_share = max(LEAST, 2 * (threshold - 1) / depths[len(depths) // 2])
        logs, seen = [], {}
        for support in supports:
            key = support.n, support.kin
            if key not in seen:
                seen[key] = self.likelihood(freq, reads, threshold, known, support, least_share, bool(given))
            unknown = support.n - known_people
            logs.append(seen[key] - (support.n - 1) / 2 * math.log(len(depths)) - math.log(unknown))
        weights = np.array([support.log_weight for support in supports])
        np.testing.assert_allclose(weights, np.array(logs) - np.logaddexp.reduce(logs) + np.logaddexp.reduce(weights), atol=1e-7)
        self.assertGreater(np.logaddexp.reduce(weights), math.log1p(-1e-4))
        of_supports = []
        for support in supports:
            sums = np.zeros(len(RELATIONS))
            for s, q in enumerate(freq):
                if sum(reads[s]):
                    sums += site_ratios(q, .01, .005, reads[s], threshold, case[-1][s], [row[s] for row in known],
                                        (support.share, support.unknown, support.known), support.concentration, support.error,
                                        support.kin)[0]
            of_supports.append(sums)
        expected = np.log10(sum(math.exp(s.log_weight) * 10**of for s, of in zip(supports, of_supports)))
        np.testing.assert_allclose(rows[0], expected, rtol=1e-7, atol=1e-7)
        return supports

    def likelihood(self, freq, reads, threshold, known, support, least_share, given):
        """That of the support; no better one is near."""
        of = lambda shares, k, e: stain_likelihood(freq, reads, threshold, known, shares, k, e, support.kin)
        here = of(support.shares, support.concentration, support.error)
        n = support.n

        def value(z):
            parts = np.exp(np.append(z[:n - 1], 0))
            return -of(least_share + (1 - n * least_share) * parts / parts.sum(), *np.exp(z[-2:]))

        parts = np.maximum((np.array(support.shares) - least_share) / (1 - n * least_share), 1e-9)
        start = [*np.clip(np.log(parts[:-1] / parts[-1]), -6, 6), math.log(support.concentration), math.log(support.error)]
        bounds = [(-6, 6)] * (n - 1) + [(math.log(2), math.log(3000)), (math.log(1e-6), math.log(.05))]
        if given:
            bounds = [(z, z) for z in start[:-2]] + bounds[-2:]
        better = optimize.minimize(value, start, method="L-BFGS-B", bounds=bounds, options={"maxiter": 12})
        self.assertLessEqual(-better.fun, here + 1e-4, (support.shares, support.kin))
        return here

    def test_one_person(self):
        supports = self.check(random.Random(3), [1.], sites=40)
        self.assertEqual(max(supports, key=lambda s: s.log_weight).n, 1)

    def test_two_people(self):
        supports = self.check(random.Random(4), [.8, .2])
        best = max(supports, key=lambda s: s.log_weight)
        self.assertEqual(best.n, 2)
        self.assertLess(abs(best.shares[0] - .8), .1)

    def test_a_threshold(self):
        self.check(random.Random(5), [.7, .3], threshold=4, sites=40)

    def test_a_known_contributor(self):
        supports = self.check(random.Random(6), [.75, .25], known_people=1, sites=40)
        self.assertEqual(min(support.n for support in supports), 2)

    def test_given_shares(self):
        supports = self.check(random.Random(7), [.75, .25], sites=40, given="0.7,0.3")
        self.assertEqual([(s.n, s.share) for s in supports], [(2, .7), (2, .3)])


@unittest.skipUnless(os.environ.get(program.REAL_DATA), f"{program.REAL_DATA} names no folder")
class PublishedSites(unittest.TestCase):
    def test_model_of_reads(self):
        with open(program.real_data() / "mixtures/sites.tsv", encoding="ascii") as file:
            lines = [line for line in csv.DictReader(file, delimiter="\t") if line["model"] == "B"]
        self.assertGreater(len(lines), 200)
        cases = []
        for line in lines:
            shares = dict(enumerate(map(float, line["drop_outs_or_shares"].split(","))))
            own = shares.pop(int(line["j"]))
            known = dict(pair.split(":") for pair in line["known"].split(",") if pair)
            known_shares = [shares.pop(int(place)) for place in known]
            minor, total = map(int, line["shown"].split("/"))
            cases.append([[float(line["q"])], -1, float(line["theta"]), float(line["w"]),
                          *share_fields([(1.0, own, list(shares.values()), known_shares)]), float(line["k"]), float(line["e"]),
                          "unrelated", int(line["floor"]), reads_text([(minor, total - minor)]), ",".join(known.values()), line["x"]])
        for case, line, found in zip(cases, lines, answers([["read-ratios", *case] for case in cases]), strict=True):
            wanted = [float(line[name.replace("-", "_")]) for name in RELATIONS]
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-8, err_msg=str(case))
        for case, line, found in zip(cases, lines, answers([["read-genotypes", *case[:-1]] for case in cases]), strict=True):
            if line["p0"]:
                np.testing.assert_allclose(found, [float(line[f"p{g}"]) for g in range(3)], rtol=0, atol=1e-8, err_msg=str(case))


@unittest.skipUnless(os.environ.get(program.REAL_DATA), f"{program.REAL_DATA} names no folder")
class PublishedStains(program.Case):
    STAINS = {"stain1": (.85, .15), "stain2": (.7, .3), "floor10": (.8, .2), "one": (1.,)}
    THRESHOLD = {"floor10": 10}
    MARKS = {"apart": "apart", "relative?": "relative?", "stranger": None}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = program.real_data() / "mixtures/reads"
        with open(cls.folder.parent / "expected.tsv", encoding="ascii") as file:
            lines = [line for line in csv.DictReader(file, delimiter="\t") if line["case"].startswith("reads/")]
        cls.expected = {}
        for line in lines:
            cls.expected.setdefault((line["case"].split("/")[1], line["quantity"]), []).append(line)
        panel = [line.split("\t") for line in (cls.folder / "panel.tsv").read_text().splitlines() if line[0] != "#"][1:]
        cls.freq, at = [float(line[5]) for line in panel], {line[0]: place for place, line in enumerate(panel)}
        cls.markers = list(at)
        cls.names, rows = [], {}
        for line in (cls.folder / "people.vcf").read_text().splitlines():
            cells = line.split("\t")
            if cells[0] == "#CHROM":
                cls.names = cells[9:]
            elif line[0] != "#":
                rows[at[cells[2]]] = [cell.count("1") for cell in cells[9:]]
        cls.people = ["".join(str(rows[s][i]) for s in range(len(at))) for i in range(len(cls.names))]
        cls.reads = {}
        for stain in cls.STAINS:
            cls.reads[stain] = [(0, 0)] * len(at)
            with open(cls.folder / f"{stain}.tsv", encoding="ascii") as file:
                for line in csv.DictReader(file, delimiter="\t"):
                    cls.reads[stain][at[line["Marker"]]] = int(line["Height.1"]), int(line["Height.2"])

    def expect(self, stain, quantity, found):
        lines = self.expected[stain, quantity]
        for line in lines:
            self.assertAlmostEqual(found[line["key"]], float(line["value"]), delta=float(line["tolerance"]), msg=str(line))

    def test_given_shares(self):
        for stain, shares in self.STAINS.items():
            for place, own in enumerate(shares):
                support = (1.0, own, [share for i, share in enumerate(shares) if i != place], [])
                case = [self.freq, -1, .01, .005, *share_fields([support]), 60., .002, "unrelated", self.THRESHOLD.get(stain, 1),
                        reads_text(self.reads[stain]), ""]
                found = np.reshape(answers([["read-ratios", *case, ",".join(self.people)]])[0], (len(self.names), -1))
                self.expect(stain, f"log10_lr at shares {','.join(map(str, shares))}, k 60, e .002, slot {place}",
                            {f"{name} {relation}": ratio for name, row in zip(self.names, found) for relation, ratio in zip(RELATIONS, row)})
                called = [marker for marker, pair in zip(self.markers, self.reads[stain]) if sum(pair)]
                of_sites = np.reshape(answers([["read-genotypes", *case]])[0], (-1, 3))
                self.expect(stain, f"P(g | site) at the same, theta .01, slot {place}",
                            {f"{marker} g {g}": row[g] for marker, row in zip(called, of_sites, strict=True) for g in range(3)})

    def test_two_stains(self):
        found = {}
        for one, other in itertools.product((0, 1), repeat=2):
            stains = [(repr(self.STAINS[name][place]), repr(self.STAINS[name][1 - place]), reads_text(self.reads[name]))
                      for name, place in (("stain1", one), ("stain2", other))]
            ratios = answers([["read-shared", self.freq, -1, .01, .005, *stains[0], *stains[1], 60., .002]])[0]
            found |= {f"slot {one} is slot {other} {relation}": ratio for relation, ratio in zip(RELATIONS, ratios)}
        self.expect("stain1 v stain2", "log10 LR of a common contributor at the same shares", found)

    def test_supports_of_stains(self):
        for stain, shares in self.STAINS.items():
            found = answers([["read-supports", self.freq, -1, .01, .005, 1, 4, 1, "", self.THRESHOLD.get(stain, 1),
                              reads_text(self.reads[stain]), "", ",".join(self.people)]])[0]
            supports, rows = parsed(found, 0, len(self.people))
            self.expect(stain, "P(n)", {f"n {n}": sum(math.exp(s.log_weight) for s in supports if s.n == n) for n in range(1, 5)})
            best = max((s for s in supports if s.n == len(shares)), key=lambda s: s.log_weight)
            self.expect(stain, "shares", {f"slot {i}": share for i, share in enumerate(best.shares)})
            ratios = {f"{name} {relation}": ratio for name, row in zip(self.names, rows) for relation, ratio in zip(RELATIONS, row)}
            if stain != "floor10":  # published with a third contributor of 1 %, less than its threshold lets be seen
                self.expect(stain, "log10_lr, supports from the stain", ratios)
            for name in ("major", "minor") if stain == "floor10" else ():
                wanted = {line["key"]: float(line["value"]) for line in self.expected[stain, "log10_lr, supports from the stain"]}
                self.assertAlmostEqual(ratios[f"{name} contributor"], wanted[f"{name} contributor"], delta=.5)

    def test_marks(self):
        database = self.scratch / "reads.h5"
        self.run_fastid("db", "simulate", "-o", database, "--panel", self.folder / "panel.tsv", "--profiles", 1000 - len(self.names))
        self.run_fastid("db", "append", database, self.folder / "people.vcf")
        for stain, shares in self.STAINS.items():
            asked = self.run_fastid("mixture", "-k", "all", "--format", "json", "--no-histograms",
                                    "--analytical-threshold", self.THRESHOLD.get(stain, 1), self.folder / f"{stain}.tsv", database)
            query = json.loads(asked.stdout)["queries"][0]
            mixture = query["evidence"]["mixture"]
            self.assertEqual(mixture["model"], "continuous")
            best = max(mixture["numbers"], key=lambda of: of["probability"])
            self.assertEqual(best["contributors"], len(shares))
            rows = {row["profile"]: row for row in query["matches"]}
            marks = {line["key"]: self.MARKS[line["value"]] for line in self.expected[stain, "stands, database of 1,000"]}
            self.assertEqual({name: rows[name]["mark"] for name in marks}, marks, stain)
            strangers = [row for name, row in rows.items() if name.startswith("P0")]
            self.assertEqual({row["mark"] for row in strangers}, {None}, stain)
            self.assertLess(max(row["log10_lr"] for row in strangers), 1.5, stain)


class ShallowStain(program.Case):
    """A stain of two people, 4:1, by aligned reads: one fragment in a site's middle. Its reads are weighed one by one."""

    SITES, DEPTH, STRANGERS = 700, 3, 60

    def test_both_are_found(self):
        rng = np.random.default_rng(11)
        world = rd.World(rng, self.SITES)
        world.write(self.scratch)
        (major, of_major), (minor, of_minor) = world.person(rng), world.person(rng)
        reads = rd.make_reads(rng, world, of_major * 4 + of_minor, self.DEPTH)
        (self.scratch / "stain.sam").write_text(al.sam([("chr1", world.length)], reads, "stain"))
        people = []
        for name, copies in (("major", major), ("minor", minor)):
            letters = [site.major * (2 - g) + site.minor * g for site, g in zip(world.sites, map(int, copies))]
            lines = [f"s{i}\t1\t{site.pos}\t{letters[i]}" for i, site in enumerate(world.sites)]
            people.append(self.scratch / f"{name}.snp")
            people[-1].write_text("\n".join(lines) + "\n")
        database = self.scratch / "shallow.h5"
        self.run_fastid("db", "simulate", "-o", database, "--panel", self.scratch / "panel.tsv", "--profiles", self.STRANGERS)
        self.run_fastid("db", "append", database, *people)
        asked = ("mixture", "-k", "all", "--format", "json", "--no-histograms", "--reference", self.scratch / "genome.fa",
                 self.scratch / "stain.sam", database)
        query, unlinked = (json.loads(self.run_fastid(*asked, *options).stdout)["queries"][0]
                           for options in ((), ("--unlinked",)))
        self.assertEqual(query["evidence"]["mixture"]["model"], "continuous")
        best = max(query["evidence"]["mixture"]["numbers"], key=lambda of: of["probability"])
        self.assertEqual(best["contributors"], 2)
        rows = query["matches"]
        self.assertEqual([row["profile"] for row in rows[:2]], ["major", "minor"])
        # All sites lie on a fraction of a cM: one sibling of four has all of the contributor's alleles.
        self.assertEqual((rows[0]["mark"], rows[0]["relative"]), ("relative?", "sibling"))
        self.assertAlmostEqual(rows[0]["log10_lr"] - rows[0]["log10_lr_relative"], math.log10(4), delta=.02)
        self.assertEqual((unlinked["matches"][0]["profile"], unlinked["matches"][0]["mark"]), ("major", "apart"))
        self.assertGreater(rows[1]["log10_lr"], 3)
        self.assertLess(rows[2]["log10_lr"], 1)
        of_reads = query["evidence"]["mixture"]["sites_read_by_read"]
        self.assertGreater(of_reads, self.SITES // 2)
        self.assertGreaterEqual(rows[0]["compared"], of_reads)
        all_by_read = of_reads == query["called_sites"]
        self.assertEqual([support["error"] is None for support in query["evidence"]["mixture"]["supports"]],
                         [all_by_read] * len(query["evidence"]["mixture"]["supports"]))
        self.assertTrue(all_by_read)


class Gamma(unittest.TestCase):
    def test_share_below(self):
        rng = random.Random(9)
        given = [(10**rng.uniform(-3, 3), 10**rng.uniform(-3, 3)) for _ in range(300)]
        found = answers([["gamma-below", a, x] for a, x in given])
        np.testing.assert_allclose([value for value, in found], [stats.gamma.cdf(x, a) for a, x in given], rtol=1e-10, atol=1e-13)


@unittest.skipUnless(os.environ.get(program.REAL_DATA), f"{program.REAL_DATA} names no folder")
class EuroForMix(unittest.TestCase):
    """The published likelihoods of its example of a SNP mixture, in two replicates."""

    THETA, THRESHOLD, DROP_IN = .02, 60, .05

    def test_published_likelihoods(self):
        with open(program.real_data() / "mixtures/euroformix/snp.tsv", encoding="ascii") as file:
            rows = list(csv.DictReader((line for line in file if line[0] != "#"), delimiter="\t"))
        freq = [float(row["q"]) for row in rows]
        heights = ",".join("|".join(f"{row[f'minor{r}']}/{row[f'major{r}']}" for r in (1, 2)) for row in rows)
        first = "".join(row["P1"] if int(row["P1"]) >= 0 else "-" for row in rows)

        def joints(own, known, height, variation, more=()):
            """more: people who are seen, and left nothing"""
            case = ["peak-joints", freq, -1, self.THETA, 0.0, own, "", ",".join([repr(known), *["0.0"] * len(more)]), height, variation,
                    self.THRESHOLD, self.DROP_IN, heights, ",".join([first, *more])]
            return np.reshape(answers([case])[0], (len(rows), 2, 3))

        def likelihood(of, alike):
            total = 0.0
            for row, q, joint in zip(rows, freq, of[:, alike]):
                one, other = int(row["P1"]), int(row["P3"])
                if one < 0:
                    total += math.log(joint.sum())
                    continue
                seen = ORDERS[one] * ORDERS[other] * drawn(q, self.THETA, one + other, 4 - one - other)
                total += math.log(joint[other] / seen)
            return total

        both = joints(.2157311084704976, .7842688915295024, 797.871022169984, .5909035793896241)
        self.assertAlmostEqual(likelihood(both, 1), -3980.054, delta=.001)
        unknown = joints(.3338943830442871, .6661056169557129, 815.8852728406293, .5131070050277381)
        self.assertAlmostEqual(likelihood(unknown, 0), -3807.177, delta=.001)
        third = "".join(row["P3"] if int(row["P3"]) >= 0 else "-" for row in rows)
        genotypes = joints(.3338943830442871, .6661056169557129, 815.8852728406293, .5131070050277381, [third])[:, 1]
        published = (.703, .907, .76, .904, .672, .839, .887, .632, .721, .76, .76, .848, .907, .988, .61, .939, .555, .793, .686, .82)
        for of, most in zip(genotypes, published):
            self.assertAlmostEqual(of.max() / of.sum(), most, delta=6e-4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
