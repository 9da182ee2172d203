"""Every statistic of fastid on random cases, recomputed with numpy, scipy and 60-digit decimals.

The formulas are those of formulas.py, which shares nothing with src/; tails are summed one by one in arithmetic that
has no smallest number. `stats_cases` (its path comes in the environment variable FASTID_STATS) answers one line for
each case.
"""

import itertools
import math
import os
import random
import subprocess
import unittest
from decimal import Decimal, localcontext

import formulas as fm
import genotype_formulas as gf
import numpy as np
import stain
from scipy import stats

CASES = 1000
RELATIVE = 1e-9
NOTHING = -math.inf
PANEL_RELATIONS = (fm.SAME, fm.PARENT_CHILD, fm.SIBLING, fm.UNRELATED)
NOT_GIVEN = -1


def answers(cases):
    """Gives the program one line for each case; a case is a list of texts, numbers, or lists of numbers."""
    def text(field):
        if isinstance(field, str):
            return field
        return ",".join(map(repr, field)) if isinstance(field, list) else repr(field)

    lines = "".join("\t".join(map(text, case)) + "\n" for case in cases)
    done = subprocess.run([os.environ["FASTID_STATS"]], input=lines, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"stats_cases ended with {done.returncode}:\n{done.stderr}")
    return [[float(number) for number in line.split("\t")] for line in done.stdout.splitlines()]


def log10_of_decimal(x):
    """The logarithm of numbers that no float holds; forty times as quick as all their digits would be."""
    return x.adjusted() + math.log10(x.scaleb(-x.adjusted())) if x > 0 else NOTHING


def tail_sums(probabilities, twice=()):
    """log10 of P(count = k) and P(count <= k), for every k. twice: P(an event counts twice), where one may."""
    with localcontext() as context:
        context.prec = 60
        masses = [Decimal(1)]
        nothing = Decimal(0)
        for yes, two in itertools.zip_longest(map(Decimal, probabilities), map(Decimal, twice), fillvalue=nothing):
            no = 1 - yes - two
            masses = [a * no + b * yes for a, b in zip(masses + [nothing], [nothing] + masses)] if not two else [
                a * no + b * yes + c * two for a, b, c in zip(
                    masses + 2 * [nothing], [nothing, *masses, nothing], 2 * [nothing] + masses)]
        pmf, cdf, total = [], [], Decimal(0)
        for mass in masses:
            total += mass
            pmf.append(log10_of_decimal(mass))
            cdf.append(log10_of_decimal(total))
        return pmf, cdf


def largest_within(cdf, limit):
    fitting = [k for k, value in enumerate(cdf) if value <= limit]
    return fitting[-1] if fitting else -1


def random_frequencies(rng, n):
    kind = rng.random()
    if kind < 0.1:
        return [rng.choice([0.0, 1.0, 0.3, 0.5]) for _ in range(n)]
    return [rng.uniform(0.001, 0.999 if kind < 0.3 else 0.5) for _ in range(n)]


def random_row(rng, freq, people, no_call):
    """What is seen of so many people."""
    return "".join("-" if rng.random() < no_call else "01"[any(rng.random() < q for _ in range(2 * people))]
                   for q in freq)


def resemble(rng, row, differ):
    return "".join("01"[bit == "0"] if bit != "-" and rng.random() < differ else bit for bit in row)


def planes(text):
    """bits, called."""
    letters = np.array(list(text))
    return letters == "1", letters != "-"


class Formulas(unittest.TestCase):
    """The oracle itself gives the figures that its formulas were published with."""

    def near(self, actual, published, digits):
        np.testing.assert_allclose(actual, published, rtol=0, atol=0.50001 * 10.0**-digits)

    def test_joint_genotypes(self):
        self.near(fm.joint_genotypes(np.array([.1]), .01, fm.DESCENT[fm.UNRELATED])[:, :, 0],
                  [[.660425, .141981, .008494], [.141981, .033976, .002244], [.008494, .002244, .000162]], 6)

    def test_conditional_bits(self):
        for q, theta, none, one in ((.1, .01, .814435, .204259), (.1, .03, .822934, .231704),
                                    (.05, .03, .909312, .146762), (.3, .03, .520508, .527553)):
            self.near(1 - fm.differs(np.array([q]), theta)[:, 0], [none, one], 6)

    def test_relation_ratios(self):
        for theta, first, second, published in (
                (0, fm.SAME, fm.UNRELATED, (.0905, -1.2506, .6851)), (.03, fm.SAME, fm.UNRELATED, (.0838, -1.2231, .6066)),
                (.03, fm.SAME, fm.SIBLING, (.0412, -.9593, .2134)), (.03, fm.SIBLING, fm.UNRELATED, (.0426, -.2638, .3933)),
                (.03, fm.PARENT_CHILD, fm.UNRELATED, (.0413, -.2522, .3848))):
            ratios = fm.relation_ratios(np.array([.1]), theta, .005)
            self.near([ratios[first, x, y, 0] - ratios[second, x, y, 0] for x, y in ((0, 0), (0, 1), (1, 1))], published, 4)

    def test_random_people_not_excluded(self):
        for theta, published in ((.01, (.185565, .182159, .175709)), (.03, (.177066, .167891, .152120))):
            self.near([fm.carries(np.array([.1]), theta, n)[0] for n in (1, 2, 4)], published, 6)
        cdf = tail_sums([fm.carries(np.array([q]), 0, 2)[0] for q in (.1, .2, .3)])[1]
        self.near([10 ** cdf[0], 10 ** cdf[1]], [.254016, .720868], 6)

    def test_mixture_ratios(self):
        for theta, d, published in ((0, .005, (.0910, -2.2334, -.2528, .4596)), (.01, .005, (.0869, -2.2294, -.2502, .4355)),
                                    (.01, .2, (.0695, -.6418, -.2578, .4407))):
            self.near(stain.tables(np.array([.1]), theta, 0.0, 2, d, .005, True)[stain.CONTRIBUTOR].ravel(), published, 4)

    def test_expected_mismatches(self):
        self.near([fm.relation_mismatches(np.array([.1]), 0, 0, r)[0] for r in PANEL_RELATIONS],
                  [0, .16200, .15795, .30780], 5)


class Cases(unittest.TestCase):
    """How answers are compared."""

    def close(self, actual, expected, what, absolute=0.0):
        if math.isinf(expected):
            self.assertEqual(actual, expected, what)
        else:
            self.assertLessEqual(abs(actual - expected), absolute + RELATIVE * max(abs(expected), 1e-3), what)

    def close_log10(self, actual, expected, what):
        """The number behind the logarithm, to 1e-9 of itself."""
        if math.isinf(expected):
            self.assertEqual(actual, expected, what)
        else:
            self.assertLessEqual(abs(actual - expected), RELATIVE / math.log(10), what)

    def population(self, rng, freq):
        """freq sampled theta w profiles."""
        return [freq, rng.choice([NOT_GIVEN, NOT_GIVEN, 3, 90]), rng.choice([0.0, 0.01, 0.03, 0.2]),
                rng.choice([0.001, 0.005, 0.05]), rng.choice([10, 1000, 20_000_000])]

    @staticmethod
    def reckoned(case):
        return fm.reckoned(case[1], None if case[2] == NOT_GIVEN else case[2])

    def expect_words(self, case, actual, ratios, log10_chances, suggested, marked):
        """What is suggested, and whether it says "relative?", but for numbers that lie on the edge. log10_chances: of
        so few differences, of none."""
        words = (*fm.SUGGESTIONS, "inconclusive")[int(actual[6])]
        edge = 1e-9
        possible = {fm.suggestion(ratios * (1 + sign * 1e-12) + bump) for sign in (-1, 1)
                    for bump in np.vstack([np.zeros(6), edge * np.eye(6), -edge * np.eye(6)])}
        suggested.add(words)
        profiles, limit = case[5], math.log10(fm.EXPLAINED_BY_CHANCE)
        of_hit, of_none = fm.chance_matches(profiles, log10_chances[0], ratios), math.log10(profiles) + log10_chances[1]
        if min(abs(of_hit - limit), abs(of_none - limit)) > edge:
            if of_none >= limit:
                possible = {"inconclusive"}
            elif of_hit >= limit:
                possible = {one if one == "unrelated" else "inconclusive" for one in possible}
            self.assertIn(words, possible, case)
            self.assertEqual(bool(actual[7]), words in ("first-degree", "second-degree"), case)
            marked.add(bool(actual[7]))


class Statistics(Cases):
    def test_one_site(self):
        rng = random.Random(1)
        cases = [["site", rng.uniform(1e-4, 1 - 1e-4), rng.choice([0.0, 0.01, rng.random(), 1.0]),
                  rng.choice([0.0, 0.005, rng.uniform(0, 0.5)])] for _ in range(CASES)]
        for case, actual in zip(cases, answers(cases), strict=True):
            _, q, theta, w = case
            for relation in range(len(fm.RELATIONS)):
                joint = fm.joint_bits(np.array([q]), theta, relation, w)[:, :, 0]
                for found, wanted in zip(actual[3 * relation:], (joint[0, 0], joint[0, 1], joint[1, 1])):
                    self.close(found, wanted, (case, relation), absolute=1e-14)

    def test_tails(self):
        rng = random.Random(2)
        cases = []
        for _ in range(CASES):
            scale, share = rng.choice([1.0, 0.5, 1e-3, 1e-9]), rng.choice([0.0, 0.0, 0.3, 1.0])
            probabilities = [rng.random() * scale for _ in range(rng.randint(0, 120))]
            twice = [rng.random() * (1 - p) if rng.random() < share else 0.0 for p in probabilities]
            most = sum(2 if two else 1 for two in twice)
            counts = sorted({0, most, *(rng.randint(0, most) for _ in range(6))})
            cases.append(["tail", probabilities, twice, counts, -rng.uniform(0, 60)])
        for case, actual in zip(cases, answers(cases), strict=True):
            _, probabilities, twice, counts, limit = case
            pmf, cdf = tail_sums(probabilities, twice)
            self.assertEqual(actual[2], largest_within(cdf, limit), case)
            means = [p + 2 * t for p, t in zip(probabilities, twice)]
            self.close(actual[0], sum(means), case)
            self.close(actual[1], math.sqrt(sum(p + 4 * t - m * m for p, t, m in zip(probabilities, twice, means))), case)
            for k, tail, mass, one in zip(counts, actual[3::3], actual[4::3], actual[5::3], strict=True):
                self.close_log10(tail, cdf[k], (case, k))
                self.close_log10(one, cdf[k], (case, k))
                self.close_log10(mass, pmf[k], (case, k))

    def test_tails_of_a_thousand_genotypes(self):
        """As of unrelated people at any theta: the two alleles of a person are then not independent of each other."""
        rng = random.Random(8)
        for theta in (0.0, 0.01, 0.03, 0.3, 0.9):
            apart = gf.apart(np.array([rng.uniform(0.05, 0.5) for _ in range(1024)]), theta)
            kinds = [rng.randrange(3) for _ in range(1024)]
            once, twice = ([float(apart[kind, count, s]) for s, kind in enumerate(kinds)] for count in (1, 2))
            pmf, cdf = tail_sums(once, twice)
            counts = list(range(0, 1024, 31))
            actual = answers([["tail", once, twice, counts, -30.0]])[0]
            self.assertEqual(actual[2], largest_within(cdf, -30))
            for k, tail, mass, one in zip(counts, actual[3::3], actual[4::3], actual[5::3], strict=True):
                self.close_log10(tail, cdf[k], (theta, k))
                self.close_log10(one, cdf[k], (theta, k))
                self.close_log10(mass, pmf[k], (theta, k))

    def test_tails_of_a_thousand_sites_to_1e_300_and_below(self):
        rng = random.Random(3)
        probabilities = [rng.uniform(0.05, 0.95) for _ in range(1024)]
        pmf, cdf = tail_sums(probabilities)
        actual = answers([["tail", probabilities, 1024 * [0.0], list(range(1025)), -300.0]])[0]
        self.assertLess(cdf[0], -300)
        self.assertEqual(actual[2], largest_within(cdf, -300))
        for k in range(1025):
            self.close_log10(actual[3 + 3 * k], cdf[k], k)
            self.close_log10(actual[4 + 3 * k], pmf[k], k)

    def test_tails_of_a_hundred_thousand_sites(self):
        """Two kinds of sites: two binomials, of which scipy knows the logarithms."""
        counts = [0, 1, 10, 1000, 9000, 20000, 29800, 30000, 30400]
        few, many, p, q = 40_000, 60_000, 0.15, 0.4
        actual = answers([["tail", [p] * few + [q] * many, [0.0] * (few + many), counts, -300.0]])[0]
        for k, tail in zip(counts, actual[3::3]):
            i = np.arange(max(0, k - many), min(few, k) + 1)
            pmf = stats.binom.logpmf(i, few, p)
            # P(X + Y <= k) = sum of P(X = i) P(Y <= k - i); the inner tail is summed in logarithms
            inner = np.logaddexp.accumulate(stats.binom.logpmf(np.arange(min(k, many) + 1), many, q))
            total = np.logaddexp.reduce(pmf + inner[np.minimum(k - i, len(inner) - 1)])
            # scipy's own logarithms of gamma functions of 100,000 are good to some 1e-10 of 1e6
            self.assertLessEqual(abs(tail - total / math.log(10)), 1e-8, k)

    def identity_cases(self, rng):
        for _ in range(CASES):
            freq = random_frequencies(rng, rng.randint(1, 70) if rng.random() < 0.95 else rng.randint(150, 300))
            no_call = rng.choice([0.0, 0.02, 0.1])
            query = random_row(rng, freq, 1, no_call)
            stored = (random_row(rng, freq, 1, no_call) if rng.random() < 0.5
                      else resemble(rng, query, rng.choice([0.01, 0.05, 0.2])))
            yield ["identity", *self.population(rng, freq), query, stored, rng.choice([0.01, 1.0, 30.0]),
                   rng.randint(fm.PARENT_CHILD, fm.UNRELATED)]

    def test_identity(self):
        cases = list(self.identity_cases(random.Random(4)))
        suggested, marked = set(), set()
        for case, actual in zip(cases, answers(cases), strict=True):
            _, _, _, theta, w, profiles, query, stored, most, alternative = case
            q = self.reckoned(case)
            (x, x_called), (y, y_called) = planes(query), planes(stored)
            both = x_called & y_called
            site = np.arange(len(q))
            chances = np.where(x, *fm.differs(q, theta)[::-1])
            chance = tail_sums(chances[both])[1][int((x != y)[both].sum())]
            ratios = fm.relation_ratios(q, theta, w)[:, x.astype(int), y.astype(int), site][:, both].sum(axis=1)
            limit = largest_within(tail_sums(chances[x_called])[1], math.log10(most / profiles))
            expected = [ratios[fm.SAME] - ratios[alternative], ratios[fm.SAME] - ratios[fm.SIBLING], chance,
                        fm.chance_matches(profiles, chance, ratios), limit, np.log10(1 - chances[x_called]).sum()]
            for one, other in zip(actual, expected):
                self.close(one, other, case, absolute=1e-9)
            for one, other in zip(actual[8:14], ratios, strict=True):
                self.close(one, other, case, absolute=1e-9)
            self.expect_words(case, actual, ratios, (chance, np.log10(1 - chances[both]).sum()), suggested, marked)
            marks = [number for relation in range(len(fm.RELATIONS)) for number in fm.mean_and_sd(
                fm.relation_mismatches(q, theta, w, relation, x)[x_called])]
            for one, other in zip(actual[14:], marks, strict=True):
                self.close(one, other, case, absolute=1e-14)
        self.assertGreaterEqual(suggested, {"same", "first-degree", "unrelated", "inconclusive"})
        self.assertEqual(marked, {False, True})

    def test_kin_power(self):
        """Means and spreads exactly; rates against those of other pairs, within what chance allows."""
        rng, draws = np.random.default_rng(6), 1000
        cases = [["kin", list(rng.uniform(low, 0.5, sites)), NOT_GIVEN, theta, w]
                 for sites, low in ((1, 0.3), (80, 0.05), (600, 0.2), (5000, 0.01))
                 for theta, w in ((0, 0.005), (0.03, 0.02))]
        for case, actual in zip(cases, answers(cases), strict=True):
            q, theta, w = np.array(case[1]), case[3], case[4]
            read = np.array([[(1 - w) ** 2, 2 * w * (1 - w), w * w], [w * (1 - w), (1 - w) ** 2 + w * w, w * (1 - w)],
                             [w * w, 2 * w * (1 - w), (1 - w) ** 2]])  # [copies, seen]
            seen = np.array([np.einsum("gx,hy,ghs->xys", read, read, fm.joint_genotypes(q, theta, descent))
                             for descent in fm.DESCENT]).reshape(6, 9, -1)
            ratios = np.log10(seen / seen[fm.UNRELATED])
            for relation, figures in enumerate(np.array(actual).reshape(6, 4)):
                mean = (seen[relation] * ratios[relation]).sum(axis=0)
                variance = (seen[relation] * (ratios[relation] - mean) ** 2).sum()
                self.close(figures[0], mean.sum(), case[3:], absolute=1e-9)
                self.close(figures[1], math.sqrt(variance), case[3:], absolute=1e-9)
                sums = np.zeros((draws, 6))
                for site in range(len(q)):
                    sums += ratios[:, :, site].T[rng.choice(9, draws, p=seen[relation, :, site])]
                best, order = sums.argmax(axis=1), np.sort(sums, axis=1)
                decided = order[:, -1] - order[:, -2] >= 1
                drawn, right = min(20000, max(500, 2_000_000 // len(q))), decided & (best == relation)
                for rate, called in zip(figures[2:], (right, decided & ~right), strict=True):
                    mean = (rate * drawn + called.sum()) / (drawn + draws)
                    allowed = 5 * math.sqrt(mean * (1 - mean) * (1 / drawn + 1 / draws)) + 3 / drawn
                    self.assertLess(abs(rate - called.mean()), allowed, (len(q), theta, w, fm.RELATIONS[relation]))

    def mixture_cases(self, rng, n_cases):
        for _ in range(n_cases):
            freq = random_frequencies(rng, rng.randint(1, 60) if rng.random() < 0.9 else rng.randint(100, 150))
            no_call = rng.choice([0.0, 0.02, 0.1])
            mixture = random_row(rng, freq, rng.randint(1, 4), no_call)
            person = random_row(rng, freq, 1, no_call) if rng.random() < 0.5 else resemble(rng, mixture, 0.1)
            yield ["mixture", *self.population(rng, freq), mixture, person, rng.choice([0.01, 1.0, 30.0]),
                   rng.choice([fm.UNRELATED, fm.UNRELATED, fm.SIBLING, fm.PARENT_CHILD, fm.HALF_SIBLING, fm.COUSIN]),
                   rng.choice([NOT_GIVEN, NOT_GIVEN, 1, 2, 3, 5]), rng.choice([0.005, 0.1, 0.5]), rng.choice([0.001, 0.005, 0.05])]

    def test_mixture(self):
        """Known contributors, and a drop-out for each: stain_test.py."""
        cases = list(self.mixture_cases(random.Random(5), 200))
        standings = set()
        for case, actual in zip(cases, answers(cases), strict=True):
            _, _, _, theta, w, profiles, query, stored, most, alternative, given, d, e = case
            q = self.reckoned(case)
            (m, m_called), (r, r_called) = planes(query), planes(stored)
            both = m_called & r_called
            numbers = stain.Numbers(q, d, e, True, m, m_called, None if given == NOT_GIVEN else given)
            site = np.arange(len(q))
            tables = {n: stain.tables(q, theta, w, n, d, e, True) for n in numbers.log_weights}
            ratios = {n: table[:, m.astype(int), r.astype(int), site][:, both].sum(axis=1) for n, table in tables.items()}
            mean = numbers.mean(ratios)
            same = mean[0] if alternative == fm.UNRELATED else mean[0] - self.against(numbers, q, case, alternative, m, r, both)
            for found, wanted in zip([actual[0], *actual[14:18]], [same, *mean], strict=True):
                self.close(found, wanted, case, absolute=1e-9)
            self.assertEqual(actual[5:7], [min(numbers.log_weights), numbers.most], case)
            carries, lacking = fm.carries(q, theta, numbers.most), ~m
            cdf = tail_sums(carries[both & lacking])[1]
            chance = cdf[int((~m & r & both).sum())]
            whole = tail_sums(carries[m_called & lacking])[1]
            limit = largest_within(whole, math.log10(most / profiles))
            limit = int(m_called.sum()) if limit == len(whole) - 1 else limit
            matches = math.log10(profiles) + min(chance, -mean[0])
            for one, other in zip(actual[1:5], [chance, matches, limit, whole[0]], strict=True):
                self.close(one, other, case, absolute=1e-9)
            if m_called.any():
                weights = np.exp(list(numbers.log_weights.values()))
                expected = [stain.shown(q, n, d, e, True)[1][m_called].mean() for n in numbers.log_weights]
                self.close(actual[7], float(weights @ expected / weights.sum()), case)
                self.close(actual[8], (m == 1)[m_called].mean(), case)
            if abs(cdf[0] + math.log10(profiles)) > 1e-9:
                self.assertEqual(actual[9], float(cdf[0] + math.log10(profiles) > 0), case)
            said, stands = stain.suggests(mean), stain.standing(mean, profiles)
            if said:
                names = ("contributor", "first-degree", "second-degree", "unrelated", "inconclusive")
                self.assertEqual(names[int(actual[10])], said, case)
            if stands:
                self.assertEqual(("NA", "relative?", "apart")[int(actual[11])], stands, case)
                standings.add(stands)
            relative = int(np.argmax(mean[1:4]))
            if sorted(mean[1:4])[2] - sorted(mean[1:4])[1] > 1e-9:
                self.assertEqual(int(actual[12]), fm.PARENT_CHILD + relative, case)
        self.assertEqual(standings, {"NA", "relative?", "apart"})

    def against(self, numbers, q, case, alternative, m, r, both):
        """log10 of the mean ratio of a contributor with this relation to unrelated people."""
        theta, w, d, e = case[3], case[4], case[11], case[12]
        site = np.arange(len(q))
        ratios = {}
        for n in numbers.log_weights:
            first, second = (fm.log10(stain.joint(q, theta, w, n, d, e, True, relation))[m.astype(int), r.astype(int), site][both].sum()
                             for relation in (alternative, fm.UNRELATED))
            ratios[n] = [first - second]
        return numbers.mean(ratios)[0]

    def test_panel(self):
        rng = random.Random(7)
        cases = [["panel", *self.population(rng, random_frequencies(rng, rng.randint(0, 90)))] for _ in range(CASES)]
        for case, actual in zip(cases, answers(cases), strict=True):
            _, _, _, theta, w, profiles = case
            q = self.reckoned(case)
            unequal = fm.relation_mismatches(q, theta, w, fm.UNRELATED)
            cdf = tail_sums(unequal)[1]
            self.assertEqual(actual[0], largest_within(cdf, math.log10(0.01 / profiles)), case)
            self.close(actual[1], cdf[0] + math.log10(profiles), case, absolute=1e-9)
            self.close(actual[2], cdf[0], case, absolute=1e-9)
            free = []
            for n in range(1, fm.MOST_CONTRIBUTORS + 1):  # at no site is one person alone in carrying
                urn = fm.Alleles(q, theta, 2 * n + 2)
                alone = urn.probability(0, 2 * n) - urn.probability(0, 2 * n + 2)
                free.append(profiles * np.prod(1 - alone) <= 1)
            self.assertEqual(actual[3], free.index(False) if False in free else fm.MOST_CONTRIBUTORS, case)
            for relation, mean, sd in zip(PANEL_RELATIONS, actual[4::2], actual[5::2], strict=True):
                for one, other in zip((mean, sd), fm.mean_and_sd(fm.relation_mismatches(q, theta, w, relation))):
                    self.close(one, other, case, absolute=1e-14)


if __name__ == "__main__":
    unittest.main(verbosity=2)
