"""Every statistic by the alleles seen on random cases, recomputed from genotype_formulas.py: what stats_test.py does for
bits."""

import math
import random
import unittest

import formulas as fm
import genotype_formulas as gf
import numpy as np
import stain
from genotype_evidence import may_be_related
from stats_test import CASES, NOT_GIVEN, Cases, answers, largest_within, random_frequencies, tail_sums


def random_kinds(rng, freq, people, no_call):
    """What is seen of so many people."""
    texts = ""
    for q in freq:
        copies = [rng.random() < q for _ in range(2 * people)]
        texts += "-" if rng.random() < no_call else "1" if any(copies) and not all(copies) else "2" if all(copies) else "0"
    return texts


def resemble(rng, row, differ):
    return "".join(rng.choice("012") if kind != "-" and rng.random() < differ else kind for kind in row)


def kinds_of(text):
    """Kinds, and which are called."""
    called = np.array([letter != "-" for letter in text])
    return np.array([int(letter) if letter != "-" else 0 for letter in text]), called


class Published(unittest.TestCase):
    def near(self, actual, published, digits):
        np.testing.assert_allclose(actual, published, rtol=0, atol=0.50001 * 10.0**-digits)

    def test_relation_ratios(self):
        ratios = gf.relation_ratios(np.array([.3]), .03, .005)[..., 0]
        pairs = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
        for first, second, published in (
                (fm.SAME, fm.UNRELATED, (.2803, -1.4525, -3.2379, .3679, -1.1588, .8964)),
                (fm.SIBLING, fm.UNRELATED, (.1503, -.2062, -.5816, .1548, .0058, .5549)),
                (fm.PARENT_CHILD, fm.UNRELATED, (.1378, -.1389, -1.6237, .0755, .1738, .4373)),
                (fm.SAME, fm.SIBLING, (.1300, -1.2462, -2.6562, .2131, -1.1646, .3416))):
            self.near([ratios[first][x, y] - ratios[second][x, y] for x, y in pairs], published, 4)

    def test_mixtures_without_the_major_allele_are_those_of_bits(self):
        """Of a stain, whether the minor allele is shown, whatever the major one does."""
        q, d, e = np.array([.1, .4]), .2, .005
        hypothesis, of_bits = (one(q, .01, 2, fm.SIBLING) for one in (gf.Hypothesis, fm.Hypothesis))
        neither = (1 - e) ** 2 * d**4
        for person in range(3):
            shown = gf.kinds_shown(hypothesis.copies[person], d, e) * (1 - neither)
            none = shown[gf.MAJOR_ONLY] + neither
            if person == 0:
                np.testing.assert_allclose(none, stain.kinds(of_bits.copies[0], d, e, True)[0])


class Genotypes(Cases):
    def identity_cases(self, rng):
        for _ in range(CASES):
            freq = random_frequencies(rng, rng.randint(1, 60) if rng.random() < 0.95 else rng.randint(150, 250))
            no_call = rng.choice([0.0, 0.02, 0.1])
            query = random_kinds(rng, freq, 1, no_call)
            stored = (random_kinds(rng, freq, 1, no_call) if rng.random() < 0.5
                      else resemble(rng, query, rng.choice([0.01, 0.05, 0.2])))
            yield ["identity-alleles", *self.population(rng, freq), query, stored, rng.choice([0.01, 1.0, 30.0]),
                   rng.randint(fm.PARENT_CHILD, fm.UNRELATED)]

    def test_identity(self):
        cases = list(self.identity_cases(random.Random(14)))
        suggested, marked = set(), set()
        for case, actual in zip(cases, answers(cases), strict=True):
            _, _, _, theta, w, profiles, query, stored, most, alternative = case
            q = self.reckoned(case)
            (x, x_called), (y, y_called) = kinds_of(query), kinds_of(stored)
            both, site = x_called & y_called, np.arange(len(q))
            chances = gf.apart(q, theta)[x, :, site].T  # [3, sites]
            cdf = self.tails(chances, both)
            chance = cdf[int(np.abs(x - y)[both].sum())]
            ratios = gf.relation_ratios(q, theta, w)[:, x, y, site][:, both].sum(axis=1)
            same_to = ratios[fm.SAME] - ratios
            if not may_be_related(x[both], y[both]):
                ratios[[fm.PARENT_CHILD, fm.SIBLING, fm.HALF_SIBLING]] = -np.inf
            limit = largest_within(self.tails(chances, x_called), math.log10(most / profiles))
            expected = [same_to[alternative], same_to[fm.SIBLING], chance,
                        fm.chance_matches(profiles, chance, ratios), None, np.log10(chances[0][x_called]).sum()]
            self.assertEqual(actual[4], self.as_limit(limit, chances, x_called), case)
            for one, other in zip(actual, expected):
                if other is not None:
                    self.close(one, other, case, absolute=1e-9)
            for one, other in zip(actual[8:14], ratios, strict=True):
                self.close(one, other, case, absolute=1e-9)
            self.expect_words(case, actual, ratios, (chance, np.log10(chances[0][both]).sum()), suggested, marked)
            marks = [number for relation in range(len(fm.RELATIONS)) for number in gf.mean_and_sd(
                gf.apart(q, theta, relation, w if relation == fm.SAME else 0)[x, :, site].T[:, x_called])]
            for one, other in zip(actual[14:], marks, strict=True):
                self.close(one, other, case, absolute=1e-7)
        self.assertGreaterEqual(suggested, {"same", "first-degree", "unrelated", "inconclusive"})
        self.assertEqual(marked, {False, True})

    @staticmethod
    def tails(chances, sites):
        """log10 P(at most k alleles differ), up to two for each site."""
        cdf = tail_sums(chances[1][sites], chances[2][sites])[1]
        return cdf + [0.0] * (2 * int(sites.sum()) + 1 - len(cdf))

    @staticmethod
    def as_limit(limit, chances, called):
        """Where every count is allowed, the highest that there is."""
        possible = int((1 + (chances[2][called] > 0)).sum())
        return 2 * int(called.sum()) if limit >= possible else limit

    def mixture_cases(self, rng, n_cases):
        for _ in range(n_cases):
            freq = random_frequencies(rng, rng.randint(1, 60) if rng.random() < 0.9 else rng.randint(100, 150))
            no_call = rng.choice([0.0, 0.02, 0.1])
            mixture = random_kinds(rng, freq, rng.randint(1, 4), no_call)
            person = random_kinds(rng, freq, 1, no_call) if rng.random() < 0.5 else resemble(rng, mixture, 0.1)
            yield ["mixture-alleles", *self.population(rng, freq), mixture, person, rng.choice([0.01, 1.0, 30.0]),
                   rng.choice([fm.UNRELATED, fm.UNRELATED, fm.SIBLING, fm.PARENT_CHILD, fm.HALF_SIBLING, fm.COUSIN]),
                   rng.choice([NOT_GIVEN, NOT_GIVEN, 1, 2, 3, 5]), rng.choice([0.005, 0.1, 0.5]), rng.choice([0.001, 0.005, 0.05])]

    def test_mixture(self):
        """Known contributors, and a drop-out for each: stain_test.py."""
        cases = list(self.mixture_cases(random.Random(15), 200))
        standings = set()
        for case, actual in zip(cases, answers(cases), strict=True):
            _, _, _, theta, w, profiles, query, stored, most, alternative, given, d, e = case
            q = self.reckoned(case)
            (m, m_called), (r, r_called) = kinds_of(query), kinds_of(stored)
            both = m_called & r_called
            numbers = stain.Numbers(q, d, e, False, m, m_called, None if given == NOT_GIVEN else given)
            site = np.arange(len(q))
            tables = {n: stain.tables(q, theta, w, n, d, e, False) for n in numbers.log_weights}
            ratios = {n: table[:, m.astype(int), r.astype(int), site][:, both].sum(axis=1) for n, table in tables.items()}
            mean = numbers.mean(ratios)
            same = mean[0] if alternative == fm.UNRELATED else mean[0] - self.against(numbers, q, case, alternative, m, r, both)
            for found, wanted in zip([actual[0], *actual[14:18]], [same, *mean], strict=True):
                self.close(found, wanted, case, absolute=1e-9)
            self.assertEqual(actual[5:7], [min(numbers.log_weights), numbers.most], case)
            carries, lacking = gf.carries_lacking(q, theta, numbers.most, m), m != gf.BOTH
            cdf = tail_sums(carries[both & lacking])[1]
            chance = cdf[int((gf.lacks(m, r) & both).sum())]
            whole = tail_sums(carries[m_called & lacking])[1]
            limit = largest_within(whole, math.log10(most / profiles))
            limit = int(m_called.sum()) if limit == len(whole) - 1 else limit
            matches = math.log10(profiles) + min(chance, -mean[0])
            for one, other in zip(actual[1:5], [chance, matches, limit, whole[0]], strict=True):
                self.close(one, other, case, absolute=1e-9)
            if m_called.any():
                weights = np.exp(list(numbers.log_weights.values()))
                expected = [stain.shown(q, n, d, e, False)[1][m_called].mean() for n in numbers.log_weights]
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
            first, second = (fm.log10(stain.joint(q, theta, w, n, d, e, False, relation))[m.astype(int), r.astype(int), site][both].sum()
                             for relation in (alternative, fm.UNRELATED))
            ratios[n] = [first - second]
        return numbers.mean(ratios)[0]


if __name__ == "__main__":
    unittest.main(verbosity=2)
