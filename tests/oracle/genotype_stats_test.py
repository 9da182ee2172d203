"""Every statistic by the alleles seen on random cases, recomputed from genotype_formulas.py: what stats_test.py does for
bits."""

import math
import random
import unittest

import formulas as fm
import genotype_formulas as gf
import numpy as np
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
                np.testing.assert_allclose(none, of_bits.shows_none(np.array([False, False]), d, e))


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
            freq = random_frequencies(rng, rng.randint(1, 50) if rng.random() < 0.9 else rng.randint(100, 150))
            no_call = rng.choice([0.0, 0.02, 0.1])
            mixture = random_kinds(rng, freq, rng.randint(1, 4), no_call)
            person = random_kinds(rng, freq, 1, no_call) if rng.random() < 0.5 else resemble(rng, mixture, 0.1)
            known = [random_kinds(rng, freq, 1, 0.05) for _ in range(rng.choice([0, 0, 0, 1, 2]))]
            given = rng.choice([NOT_GIVEN, NOT_GIVEN, 1, 2, 3, 5])
            if given != NOT_GIVEN:
                given = max(given, len(known) + 1)
            yield ["mixture-alleles", *self.population(rng, freq), mixture, person, rng.choice([0.01, 1.0, 30.0]),
                   rng.choice([fm.UNRELATED, fm.UNRELATED, fm.SIBLING, fm.PARENT_CHILD, fm.HALF_SIBLING, fm.COUSIN]), given,
                   rng.choice([NOT_GIVEN, 0.005, 0.1, 0.5]), rng.choice([0.001, 0.005, 0.05]), ",".join(known)]

    def test_mixture(self):
        cases = list(self.mixture_cases(random.Random(15), 200))
        marked = set()
        for case, actual in zip(cases, answers(cases), strict=True):
            _, _, _, theta, _, profiles, query, stored, most, alternative, given, d, e, known = case
            q, d = self.reckoned(case), None if d == NOT_GIVEN else d
            (m, m_called), (r, r_called) = kinds_of(query), kinds_of(stored)
            known = [kinds_of(text) for text in known.split(",") if text]
            both = m_called & r_called
            low, high = self.expect_contributors(case, actual, q, m, m_called, len(known))
            wanted = {n: gf.mixture_ratio(q, theta, n, (m, r, both), d, e, alternative, known) for n in range(low, high + 1)}
            found = {int(actual[at]): actual[at:at + 4] for at in range(14, len(actual), 4)}
            self.assertEqual(found.keys(), wanted.keys(), case)
            for n in found:
                self.expect_ratio(case, found[n], wanted[n][:3], d)
            self.assertEqual(actual[0], min(actual[15::4]), case)
            carries, one_lacking = gf.carries_lacking(q, theta, high, m), m != gf.BOTH
            cdf = tail_sums(carries[both & one_lacking])[1]
            chance = cdf[int((gf.lacks(m, r) & both).sum())]
            whole = tail_sums(carries[m_called & one_lacking])[1]
            limit = largest_within(whole, math.log10(most / profiles))
            limit = int(m_called.sum()) if limit == len(whole) - 1 else limit
            for one, other in zip(actual[1:5], [chance, chance + math.log10(profiles), limit, whole[0]], strict=True):
                self.close(one, other, case, absolute=1e-9)
            if abs(cdf[0] + math.log10(profiles)) > 1e-9:
                self.assertEqual(actual[12], float(cdf[0] + math.log10(profiles) > 0), case)
            marked.add(self.expect_mark(case, actual, wanted, (q, theta, d, e, known), (m, r, both),
                                        chance + math.log10(profiles), gf.Hypothesis))
        self.assertEqual(marked, {False, True})

    def expect_contributors(self, case, actual, q, m, m_called, known):
        _, _, _, theta, *_, given, d, e, _ = case
        if not m_called.any():
            return int(actual[8]), int(actual[9])
        d = None if d == NOT_GIVEN else d
        best, low, high = fm.contributors(gf.contributor_likelihoods(q, theta, m, m_called, d, e))
        self.assertEqual(actual[5:8], [best, low, high], case)
        low, high = fm.reckoned_contributors(low, high, d, known)
        if given != NOT_GIVEN:
            best = low = high = given
        self.assertEqual(actual[8:10], [low, high], case)
        shown = gf.shown_by(q, theta, best, fm.USUAL_DROP_OUT if d is None else d, e)[gf.BOTH]
        self.close(actual[10], shown[m_called].mean(), case)
        self.close(actual[11], (m == gf.BOTH)[m_called].mean(), case)
        return low, high


if __name__ == "__main__":
    unittest.main(verbosity=2)
