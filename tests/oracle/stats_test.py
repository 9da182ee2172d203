"""Every statistic of fastid on random cases, recomputed with numpy, scipy and 60-digit decimals.

The formulas are written down again here the long way: genotypes are enumerated, tails are summed one by one in
arithmetic that has no smallest number. Nothing of src/ is shared; `stats_cases` (its path comes in the environment
variable FASTID_STATS) answers one line for each case.
"""

import math
import os
import random
import subprocess
import unittest
from decimal import Decimal, localcontext

import numpy as np
from scipy import stats

CASES = 1000
RELATIVE = 1e-9
NOTHING = -math.inf
MOST_CONTRIBUTORS = 20
ASSUMED_FLOOR = 1 / 202
RELATIONS = ("same", "parent-child", "siblings", "unrelated")


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


def log10(x):
    return math.log10(x) if x > 0 else NOTHING


def log10_of_decimal(x):
    """The same of numbers that no float holds; forty times as quick as all their digits would be."""
    return x.adjusted() + math.log10(x.scaleb(-x.adjusted())) if x > 0 else NOTHING


# One site -----------------------------------------------------------------------------------------------------------

def genotypes(q, theta):
    """P(0, 1, 2 copies of the minor allele)."""
    p = 1 - q
    return np.array([p * p + theta * p * q, 2 * p * q * (1 - theta), q * q + theta * p * q])


def reads_1(w):
    return np.array([1 - (1 - w) ** 2, 1 - w * (1 - w), 1 - w * w])


def match_probability(copies, q, theta):
    """Four alleles from an urn that gives back one more of the kind drawn (Balding and Nichols)."""
    def draw(seen_minor, seen, minor):
        share = theta * seen_minor + (1 - theta) * q if minor else theta * (seen - seen_minor) + (1 - theta) * (1 - q)
        return share / (1 + (seen - 1) * theta)

    alleles = {0: (0, 0), 1: (1, 0), 2: (1, 1)}[copies]
    chance, minors, seen = 1.0, copies, 2
    for allele in alleles:
        chance *= draw(minors, seen, allele)
        minors, seen = minors + allele, seen + 1
    return chance * (2 if copies == 1 else 1)


def identity_ratio(x, y, q, theta, w):
    people = genotypes(q, theta)
    first = reads_1(w) if x else 1 - reads_1(w)
    second = reads_1(w) if y else 1 - reads_1(w)
    return log10((people * first * second).sum() / ((people * first).sum() * (people * second).sum()))


def carrier(q, theta):
    return 1 - genotypes(q, theta)[0]


def mixture_ratio(m, r, q, theta, n, w):
    with localcontext() as context:
        context.prec = 60
        q, theta, w = Decimal(q), Decimal(theta), Decimal(w)
        none = (1 - q) ** 2 + theta * (1 - q) * q

        def seen(t):
            shown = t * (1 - w) + (1 - t) * w
            return shown if m else 1 - shown

        ratio = seen(Decimal(1) if r else 1 - none ** (n - 1)) / seen(1 - none**n)
        return log10_of_decimal(ratio)


# Many sites ---------------------------------------------------------------------------------------------------------

def tail_sums(probabilities):
    """log10 of P(count = k) and P(count <= k), for every k."""
    with localcontext() as context:
        context.prec = 60
        masses = [Decimal(1)]
        for yes in map(Decimal, probabilities):
            no = 1 - yes
            masses = [a * no + b * yes for a, b in zip(masses + [Decimal(0)], [Decimal(0)] + masses)]
        pmf, cdf, total = [], [], Decimal(0)
        for mass in masses:
            total += mass
            pmf.append(log10_of_decimal(mass))
            cdf.append(log10_of_decimal(total))
        return pmf, cdf


def largest_within(cdf, limit):
    fitting = [k for k, value in enumerate(cdf) if value <= limit]
    return fitting[-1] if fitting else -1


def floored(freq):
    least = min([ASSUMED_FLOOR] + [min(q, 1 - q) for q in freq if 0 < q < 1])
    return [min(max(q, least), 1 - least) for q in freq]


def random_frequencies(rng, n):
    kind = rng.random()
    if kind < 0.1:
        return [rng.choice([0.0, 1.0, 0.3, 0.5]) for _ in range(n)]
    return [rng.uniform(0.001, 0.999 if kind < 0.3 else 0.5) for _ in range(n)]


def random_row(rng, freq, carriers_in, no_call):
    """A row of `carriers_in` people."""
    def bit(q):
        return any(rng.random() < q for _ in range(2 * carriers_in))

    return "".join("-" if rng.random() < no_call else "01"[bit(q)] for q in freq)


def resemble(rng, row, differ):
    return "".join("01"[bit == "0"] if bit != "-" and rng.random() < differ else bit for bit in row)


def relative_joint(relation, q, w):
    """P(query 0, other 1), P(query 1, other 0), theta 0, by enumerating what the two inherit."""
    p = 1 - q
    if relation == "same":
        read = reads_1(w)
        either = float((genotypes(q, 0) * read * (1 - read)).sum())
        return either, either
    # k copies shared by descent, with probabilities; the rest is drawn anew
    shared = {"unrelated": (1, 0, 0), "parent-child": (0, 1, 0), "siblings": (0.25, 0.5, 0.25)}[relation]
    zero_one = shared[0] * p * p * (1 - p * p)
    zero_one += shared[1] * sum(weight * p * q for weight, allele in ((p, 0), (q, 1)) if allele == 0)
    return zero_one, zero_one


def expected_given(relation, freq, row, w):
    mean = variance = 0.0
    for q, bit in zip(freq, row):
        if bit == "-":
            continue
        c = float((genotypes(q, 0) * reads_1(w)).sum()) if relation == "same" else carrier(q, 0)
        zero, one = relative_joint(relation, q, w)
        chance = zero / (1 - c) if bit == "0" else one / c
        mean += chance
        variance += chance * (1 - chance)
    return mean, math.sqrt(variance)


class Statistics(unittest.TestCase):
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

    def test_one_site(self):
        rng = random.Random(1)
        cases = [["site", rng.uniform(1e-4, 1 - 1e-4), rng.choice([0.0, 0.01, rng.random()]),
                  rng.choice([0.0, 0.005, rng.uniform(0, 0.5)]), rng.randint(1, 12)] for _ in range(CASES)]
        for case, actual in zip(cases, answers(cases), strict=True):
            _, q, theta, w, n = case
            expected = [*genotypes(q, theta), *(match_probability(copies, q, theta) for copies in range(3))]
            expected += [identity_ratio(x, y, q, theta, w) for x, y in ((0, 0), (0, 1), (1, 1))]
            expected += [mixture_ratio(m, r, q, theta, n, w) for m, r in ((0, 0), (0, 1), (1, 0), (1, 1))]
            expected += [carrier(q, theta)]
            for one, other in zip(actual, expected, strict=True):
                self.close(one, other, case, absolute=1e-9)

    def test_tails(self):
        rng = random.Random(2)
        cases = []
        for _ in range(CASES):
            scale = rng.choice([1.0, 0.5, 1e-3, 1e-9])
            probabilities = [rng.random() * scale for _ in range(rng.randint(0, 120))]
            counts = sorted({0, len(probabilities), *(rng.randint(0, len(probabilities)) for _ in range(6))})
            cases.append(["tail", probabilities, counts, -rng.uniform(0, 60)])
        for case, actual in zip(cases, answers(cases), strict=True):
            _, probabilities, counts, limit = case
            pmf, cdf = tail_sums(probabilities)
            self.assertEqual(actual[2], largest_within(cdf, limit), case)
            self.close(actual[0], sum(probabilities), case)
            self.close(actual[1], math.sqrt(sum(p * (1 - p) for p in probabilities)), case)
            for k, (tail, mass) in zip(counts, zip(actual[3::2], actual[4::2]), strict=True):
                self.close_log10(tail, cdf[k], (case, k))
                self.close_log10(mass, pmf[k], (case, k))

    def test_tails_of_a_thousand_sites_to_1e_300_and_below(self):
        rng = random.Random(3)
        probabilities = [rng.uniform(0.05, 0.95) for _ in range(1024)]
        pmf, cdf = tail_sums(probabilities)
        actual = answers([["tail", probabilities, list(range(1025)), -300.0]])[0]
        self.assertLess(cdf[0], -300)
        self.assertEqual(actual[2], largest_within(cdf, -300))
        for k in range(1025):
            self.close_log10(actual[3 + 2 * k], cdf[k], k)
            self.close_log10(actual[4 + 2 * k], pmf[k], k)

    def test_tails_of_a_hundred_thousand_sites(self):
        """Two kinds of sites: two binomials, of which scipy knows the logarithms."""
        counts = [0, 1, 10, 1000, 9000, 20000, 29800, 30000, 30400]
        few, many, p, q = 40_000, 60_000, 0.15, 0.4
        actual = answers([["tail", [p] * few + [q] * many, counts, -300.0]])[0]
        for k, tail in zip(counts, actual[3::2]):
            i = np.arange(max(0, k - many), min(few, k) + 1)
            pmf = stats.binom.logpmf(i, few, p)
            # P(X + Y <= k) = sum of P(X = i) P(Y <= k - i); the inner tail is summed in logarithms
            inner = np.logaddexp.accumulate(stats.binom.logpmf(np.arange(min(k, many) + 1), many, q))
            total = np.logaddexp.reduce(pmf + inner[np.minimum(k - i, len(inner) - 1)])
            # scipy's own logarithms of gamma functions of 100,000 are good to some 1e-10 of 1e6
            self.assertLessEqual(abs(tail - total / math.log(10)), 1e-8, k)

    def pair_cases(self, kind, rng):
        for _ in range(CASES):
            freq = random_frequencies(rng, rng.randint(1, 70) if rng.random() < 0.95 else rng.randint(150, 300))
            people = rng.randint(1, 4) if kind != "identity" else 1
            no_call = rng.choice([0.0, 0.02, 0.1])
            mixture = random_row(rng, freq, people, no_call)
            person = random_row(rng, freq, 1, no_call) if rng.random() < 0.5 else resemble(rng, mixture, 0.05)
            query, stored = (person, mixture) if kind == "reverse" else (mixture, person)
            yield [kind, freq, rng.choice([0.0, 0.01, 0.03]), rng.choice([0.001, 0.005, 0.05]),
                   rng.choice([10, 1000, 20_000_000]), query, stored, rng.choice([0.01, 1.0, 30.0]),
                   rng.choice([0, 0, 1, 2, 5])]

    def test_identity(self):
        cases = list(self.pair_cases("identity", random.Random(4)))
        for case, actual in zip(cases, answers(cases), strict=True):
            _, stated, theta, w, profiles, query, stored, most, _ = case
            freq = floored(stated)
            both = [s for s in range(len(freq)) if query[s] != "-" and stored[s] != "-"]
            chances = {s: carrier(freq[s], theta) if query[s] == "0" else 1 - carrier(freq[s], theta)
                       for s in range(len(freq)) if query[s] != "-"}
            differing = sum(query[s] != stored[s] for s in both)
            chance = tail_sums([chances[s] for s in both])[1][differing]
            limit = largest_within(tail_sums(list(chances.values()))[1], math.log10(most / profiles))
            ratio = sum(identity_ratio(query[s] == "1", stored[s] == "1", freq[s], theta, w) for s in both)
            match = sum(math.log10(1 - d) for d in chances.values())
            expected = [ratio, chance, chance + math.log10(profiles), limit, match]
            for one, other in zip(actual, expected):
                self.close(one, other, case, absolute=1e-9)
            marks = [number for relation in RELATIONS for number in expected_given(relation, freq, query, w)]
            for one, other in zip(actual[13:], marks, strict=True):
                self.close(one, other, case)

    def estimate(self, freq, theta, w, mixture):
        """Log likelihood of 1 .. 20 contributors."""
        none = np.array([genotypes(q, theta)[0] for q in freq])
        called = np.array([bit != "-" for bit in mixture])
        minor = np.array([bit == "1" for bit in mixture])
        likelihoods = []
        for n in range(1, MOST_CONTRIBUTORS + 1):
            t = 1 - none**n
            seen = t * (1 - w) + (1 - t) * w
            likelihoods.append(np.log(np.where(minor, seen, 1 - seen))[called].sum())
        return np.array(likelihoods)

    def check_mixture(self, case, actual, reverse):
        _, stated, theta, w, profiles, query, stored, most, given = case
        freq = floored(stated)
        mixture, person = (stored, query) if reverse else (query, stored)
        both = [s for s in range(len(freq)) if query[s] != "-" and stored[s] != "-"]
        lacking = [carrier(freq[s], theta) for s in both if mixture[s] == "0"]
        cdf = tail_sums(lacking)[1]
        excluded = sum(mixture[s] == "0" and person[s] == "1" for s in both)
        likelihoods = self.estimate(freq, theta, w, mixture)
        likely = likelihoods >= likelihoods.max() - stats.chi2.ppf(0.95, 1) / 2
        used = int(actual[6])
        if given:
            self.assertEqual(used, given)
        elif any(bit != "-" for bit in mixture):
            self.assertAlmostEqual(likelihoods[used - 1], likelihoods.max(), 9, case)
        ratio = sum(mixture_ratio(mixture[s] == "1", person[s] == "1", freq[s], theta, used, w) for s in both)
        chance = cdf[excluded]
        for one, other in zip(actual, [ratio, chance, chance + math.log10(profiles)]):
            self.close(one, other, case, absolute=1e-9)
        if abs(cdf[0] + math.log10(profiles)) > 1e-9:
            self.assertEqual(actual[12], float(cdf[0] + math.log10(profiles) > 0), case)
        return freq, mixture, likely, used

    def test_mixture(self):
        cases = list(self.pair_cases("mixture", random.Random(5)))
        for case, actual in zip(cases, answers(cases), strict=True):
            _, _, theta, w, profiles, query, _, most, _ = case
            freq, mixture, likely, used = self.check_mixture(case, actual, reverse=False)
            cdf = tail_sums([carrier(q, theta) for q, bit in zip(freq, query) if bit == "0"])[1]
            limit = largest_within(cdf, math.log10(most / profiles))
            called = sum(bit != "-" for bit in query)
            self.assertEqual(actual[3], called if limit == len(cdf) - 1 else limit, case)
            self.close(actual[5], cdf[0], case, absolute=1e-9)
            if called == 0:
                continue
            numbers = np.flatnonzero(likely) + 1
            self.assertEqual(actual[8:10], [numbers[0], numbers[-1]], case)
            self.close(actual[11], query.count("1") / called, case)
            t = [1 - genotypes(q, theta)[0] ** used for q, bit in zip(freq, query) if bit != "-"]
            self.close(actual[10], np.mean([x * (1 - w) + (1 - x) * w for x in t]), case)

    def test_reverse(self):
        cases = list(self.pair_cases("reverse", random.Random(6)))
        for case, actual in zip(cases, answers(cases), strict=True):
            freq, *_ = self.check_mixture(case, actual, reverse=True)
            query, theta = case[5], case[2]
            chances = [carrier(q, theta) if bit == "1" else 1 - carrier(q, theta)
                       for q, bit in zip(freq, query) if bit != "-"]
            self.close(actual[4], sum(map(math.log10, chances)), case, absolute=1e-9)

    def test_panel(self):
        rng = random.Random(7)
        cases = [["panel", random_frequencies(rng, rng.randint(0, 90)), rng.choice([0.0, 0.01, 0.05]),
                  rng.choice([0.0, 0.005, 0.05]), rng.choice([10, 1000, 20_000_000])] for _ in range(CASES)]
        for case, actual in zip(cases, answers(cases), strict=True):
            _, stated, theta, w, profiles = case
            freq = floored(stated)
            c = np.array([carrier(q, theta) for q in freq])
            cdf = tail_sums(list(2 * c * (1 - c)))[1]
            self.assertEqual(actual[0], largest_within(cdf, math.log10(0.01 / profiles)), case)
            self.close(actual[1], cdf[0] + math.log10(profiles), case, absolute=1e-9)
            self.close(actual[2], cdf[0], case, absolute=1e-9)
            free = [profiles * np.prod(1 - (1 - c) ** n * c) <= 1 for n in range(1, MOST_CONTRIBUTORS + 1)]
            self.assertEqual(actual[3], free.index(False) if False in free else MOST_CONTRIBUTORS, case)
            for relation, mean, sd in zip(RELATIONS, actual[4::2], actual[5::2], strict=True):
                chances = [sum(relative_joint(relation, q, w)) for q in freq]
                self.close(mean, sum(chances), case)
                self.close(sd, math.sqrt(sum(x * (1 - x) for x in chances)), case)


if __name__ == "__main__":
    unittest.main(verbosity=2)
