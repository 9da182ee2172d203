"""What fastid must print beside the counts: likelihood ratios, chance matches, exclusion. Written down the long way.

Genotypes are enumerated, tails are built one site after the other. Nothing here knows fastid's formulas in closed form,
its distributions by halves, or its integrals.

    bits, called  bool [people, sites]
"""

from decimal import Decimal
from fractions import Fraction

import numpy as np
from counting import IDENTITY, REVERSE

THETA, ERROR_RATE = 0.01, 0.005
MOST_CONTRIBUTORS = 20
ASSUMED_PEOPLE = 100
MOST_CELLS = 40_000_000  # of sites times counts times pairs, for which every tail is computed; else of some pairs
SAMPLE = 25
FIGURES = ("log10_lr", "p_rmne", "expected_false")


def floored(freq, sampled):
    """Frequencies of alleles that merely were not seen."""
    freq = np.array(freq, float)
    if sampled is not None:
        least = 1 / (2 * sampled + 2)
    else:
        stated = np.minimum(freq, 1 - freq)[(freq > 0) & (freq < 1)]
        least = min([1 / (2 * ASSUMED_PEOPLE + 2), *stated])
    return np.clip(freq, least, 1 - least)


class Population:
    """Per-site numbers of one population; arrays [sites]."""

    def __init__(self, freq, sampled, theta=THETA, error_rate=ERROR_RATE):
        q = floored(freq, sampled)
        p, w = 1 - q, error_rate
        self.error_rate = w
        self.genotypes = [p * p + theta * p * q, 2 * p * q * (1 - theta), q * q + theta * p * q]
        self.carrier = self.genotypes[1] + self.genotypes[2]
        reads_minor = [1 - (1 - w) ** 2, 1 - w * (1 - w), 1 - w**2]
        read = {1: reads_minor, 0: [1 - r for r in reads_minor]}
        single = {x: sum(g * r for g, r in zip(self.genotypes, read[x])) for x in (0, 1)}
        self.identity = {}  # log10 ratios by the two bits
        for x in (0, 1):
            for y in (0, 1):
                both = sum(g * rx * ry for g, rx, ry in zip(self.genotypes, read[x], read[y]))
                self.identity[x, y] = np.log10(both / (single[x] * single[y]))
        self.mixture = {}  # the same of mixtures, by the number of contributors

    def shown(self, people):
        """P(a mixture of so many unrelated people is read as bit 1)."""
        true = 1 - (1 - self.carrier) ** people
        return true * (1 - self.error_rate) + (1 - true) * self.error_rate

    def contributors(self, mixture):
        """The number of people that makes the mixture's bits the most probable. mixture: bits and called, [sites]."""
        bits, called = mixture
        likelihood = []
        for n in range(1, MOST_CONTRIBUTORS + 1):
            one = self.shown(n)[called]
            likelihood.append(np.log(np.where(bits[called], one, 1 - one)).sum())
        return 1 + int(np.argmax(likelihood))

    def identity_ratio(self, x, y, both):
        return _sum_of(self.identity, x, y, both)

    def mixture_ratio(self, mixture, person, both, n):
        if n not in self.mixture:
            self.mixture[n] = self._mixture_ratios(n)
        return _sum_of(self.mixture[n], mixture, person, both)

    def _mixture_ratios(self, n):
        """log10 ratios by the mixture's bit and the person's: among its n contributors, or not."""
        against, ratios = self.shown(n), {}
        for person, with_person in ((0, self.shown(n - 1)), (1, 1 - self.error_rate)):
            ratios[1, person] = np.log10(with_person / against)
            ratios[0, person] = np.log10((1 - with_person) / (1 - against))
        return ratios


def _sum_of(ratios, x, y, both):
    """Over the sites called in both, of what their two bits say."""
    minor, major = x & both, ~x & both
    of_minor = (minor & y) @ ratios[1, 1] + (minor & ~y) @ ratios[1, 0]
    return of_minor + (major & y) @ ratios[0, 1] + (major & ~y) @ ratios[0, 0]


def log10_tails(chances, counts):
    """log10 P(at most counts[i] of the events happen that have the chances chances[i]); one site after the other."""
    most = int(counts.max(initial=0))
    wanted = np.arange(most + 1) <= counts[:, None]  # higher counts never come back below
    mass = np.zeros((len(counts), most + 1))
    mass[:, 0] = 1
    scale = np.zeros(len(counts))
    for s in range(chances.shape[1]):
        chance = chances[:, s, None]
        mass[:, 1:] = mass[:, 1:] * (1 - chance) + mass[:, :-1] * chance
        mass[:, :1] *= 1 - chance
        if s % 32 == 31:  # before anything that counts leaves the range of numbers
            mass = np.where(wanted, mass, 0)
            largest = mass.max(axis=1)
            mass /= largest[:, None]
            scale += np.log10(largest)
    return np.log10(np.where(wanted, mass, 0).sum(axis=1)) + scale


class Model:
    """What the evidence of a database rests on. `freqs`: a list of frequencies for each of its populations."""

    def __init__(self, freqs, sampled=None, contributors=None):
        self.populations = [Population(freq, sampled) for freq in freqs]
        self.given = contributors

    def figures(self, comparison, queries, profiles, counts, pairs):
        """Dictionaries of the FIGURES as log10 (chances) and as they are (ratios), one for each (query, row); of a
        chance None where it was not computed."""
        ratios = [min(self._ratio(one, comparison, queries, profiles, i, row) for one in self.populations)
                  for i, row in pairs]
        tails = self._tails(comparison, queries, profiles, counts, pairs)
        found = []
        for ratio, tail in zip(ratios, tails):
            expected = None if tail is None else tail + np.log10(len(profiles.names))
            found.append({"log10_lr": ratio, "p_rmne": tail, "expected_false": expected})
        return found

    def _ratio(self, population, comparison, queries, profiles, i, row):
        query, stored = (queries.bits[i], queries.called[i]), (profiles.bits[row], profiles.called[row])
        both = query[1] & stored[1]
        if comparison == IDENTITY:
            return population.identity_ratio(query[0], stored[0], both)
        mixture, person = (stored, query) if comparison == REVERSE else (query, stored)
        n = self.given or self._contributors(population, comparison, mixture, row if comparison == REVERSE else i)
        return population.mixture_ratio(mixture[0], person[0], both, n)

    def _contributors(self, population, comparison, mixture, key):
        cache = population.__dict__.setdefault(f"known {comparison}", {})
        whole = (mixture[0].tobytes(), mixture[1].tobytes())
        if cache.get(key, (None,))[0] != whole:
            cache[key] = whole, population.contributors(mixture)
        return cache[key][1]

    def _tails(self, comparison, queries, profiles, counts, pairs):
        """The greatest over populations; of a sample of the pairs where all would take too long."""
        tails = [None] * len(pairs)
        count = np.array([counts.count[i, row] for i, row in pairs], int)
        chosen = np.arange(len(pairs))
        if count.sum() * profiles.bits.shape[1] > MOST_CELLS:
            chosen = np.sort(np.random.default_rng(len(pairs)).choice(len(pairs), min(SAMPLE, len(pairs)), replace=False))
        for part in np.array_split(chosen, max(1, len(chosen) * profiles.bits.shape[1] // 4_000_000)):
            if len(part) == 0:
                continue
            of_all = [log10_tails(self._chances(one, comparison, queries, profiles, [pairs[n] for n in part]), count[part])
                      for one in self.populations]
            for n, tail in zip(part, np.max(of_all, axis=0)):
                tails[n] = float(tail)
        return tails

    @staticmethod
    def _chances(population, comparison, queries, profiles, pairs):
        """P(a random person differs, or is excluded) at each site; 0 where there is nothing to see."""
        rows = []
        for i, row in pairs:
            both = queries.called[i] & profiles.called[row]
            if comparison == IDENTITY:
                chance = np.where(queries.bits[i], 1 - population.carrier, population.carrier)
                rows.append(np.where(both, chance, 0))
            else:
                mixture = profiles.bits[row] if comparison == REVERSE else queries.bits[i]
                rows.append(np.where(both & ~mixture, population.carrier, 0))
        return np.array(rows)


def problem_with(name, text, expected):
    """What is wrong with a figure's text, or None. Its last digit may be off by the rounding of what lies between."""
    if name == "log10_lr":
        return None if abs(float(text) - expected) <= 0.50001e-4 + 1e-9 * abs(expected) else f"{text}, not {expected:.6f}"
    if expected is None:
        return None
    number = Decimal(text)
    shown = float(number.log10()) if number > 0 else -np.inf
    if Fraction(number) > 0 and len(number.as_tuple().digits) > 4:
        return f"{text} has more than four digits"
    return None if abs(shown - expected) <= np.log10(1 + 5.001e-4) else f"{text}, not 10^{expected:.6f}"
