"""What fastid must print beside the counts: likelihood ratios, suggestions, chance matches. Written down the long way.

The formulas of a site are those of formulas.py, tails are built one site after the other. Nothing here knows fastid's
tables, its distributions by halves, or its integrals.

    bits, called  bool [people, sites]
"""

from decimal import Decimal
from fractions import Fraction

import formulas as fm
import numpy as np
import stain
from counting import IDENTITY, REVERSE

THETA, ERROR_RATE, DROP_IN = 0.01, 0.005, 0.005
MOST_CELLS = 40_000_000  # of sites times counts times pairs, for which every tail is computed; else of some pairs
SAMPLE = 25
PEOPLE_AT_ONCE = 250
FIGURES = ("log10_lr", "log10_lr_sibling", "log10_lr_relative", "relative", "suggests", "contributor", "p_rmne",
           "chance_matches", "mark")
WORDS = ("relative", "suggests", "contributor", "mark")


class Population:
    """Per-site numbers of one population; arrays [sites]."""

    def __init__(self, freq, sampled, theta=THETA, error_rate=ERROR_RATE, drop_out=0.005):
        self.q, self.theta, self.drop_out = fm.reckoned(freq, sampled), theta, drop_out
        self.error_rate = error_rate
        self.differs = fm.differs(self.q, theta)
        self.relations = fm.relation_ratios(self.q, theta, error_rate)
        self.tables, self.carriers = {}, {}

    def numbers(self, mixture, given):
        """The numbers of contributors. mixture: bits, called."""
        return stain.Numbers(self.q, self.drop_out, DROP_IN, True, *mixture, given)

    def carries(self, n):
        if n not in self.carriers:
            self.carriers[n] = fm.carries(self.q, self.theta, n)
        return self.carriers[n]

    def relation_ratios(self, x, y, both):
        """Against unrelated people, by relation."""
        return np.array([_sum_of(ratios, x, y, both) for ratios in self.relations])

    def mixture_ratios(self, mixture, people, both, numbers):
        """Of each person [n, log10 ratios as stain.tables() has them], n in the order of the numbers."""
        sums = 0
        for bit, carriers in enumerate((~people, people)):
            said = np.concatenate([np.where(mixture, table[:, 1, bit], table[:, 0, bit])
                                   for table in map(self._table, numbers.log_weights)])
            sums = sums + (both & carriers).astype(float) @ said.T
        return sums.reshape(len(people), len(numbers.log_weights), -1)

    def _table(self, n):
        if n not in self.tables:
            self.tables[n] = stain.tables(self.q, self.theta, self.error_rate, n, self.drop_out, DROP_IN, True)
        return self.tables[n]


def _sum_of(ratios, x, y, both):
    """Over the sites called in both, of what their two bits say; ratios[x's bit][y's bit]."""
    minor, major = x & both, ~x & both
    of_minor = (minor & y) @ ratios[1][1] + (minor & ~y) @ ratios[1][0]
    return of_minor + (major & y) @ ratios[0][1] + (major & ~y) @ ratios[0][0]


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
    """What the evidence of a database rests on. `freqs`: frequencies by the names of its populations; `sampled`: people
    that they were counted in, at each site."""

    def __init__(self, freqs, sampled=None, contributors=None, drop_out=0.005, theta=THETA):
        self.names = list(freqs)
        self.populations = [Population(freq, sampled, theta, drop_out=drop_out) for freq in freqs.values()]
        self.given = contributors
        self.numbers = {}  # (population, mixture) -> how many contributors

    def figures(self, comparison, queries, profiles, counts, pairs):
        """Dictionaries of the FIGURES as log10 (chances) and as they are (ratios), one for each (query, row), and of
        where the worst ones come from; of a chance None where it was not computed."""
        tails = self._tails(comparison, queries, profiles, counts, pairs)
        found = []
        of_mixtures = {} if comparison == IDENTITY else self._of_mixtures(comparison, queries, profiles, pairs)
        for (i, row), chances in zip(pairs, tails):
            figures = of_mixtures.get((i, row)) or self._identity(queries, profiles, i, row)
            ratios = figures.pop("relations", None)
            if ratios is None:
                figures = stain.conclusion(self.names, figures["populations"], len(profiles.names), chances)
            elif chances is None:
                figures |= dict.fromkeys(("p_rmne", "chance_matches", "chance_population", "suggests", "mark"))
            else:
                none = [np.log10(1 - self._chances(at, comparison, queries, profiles, [(i, row)])).sum()
                        for at in range(len(self.populations))]
                said, place = fm.conclusion(len(profiles.names), ratios, chances, none)
                figures |= said | {"chance_population": self.names[place]}
            found.append(figures)
        return found

    def weights(self, bits, called):
        """Identity: what a mismatch costs a query's pairs, and what a compared site makes up for, in units of 1e-5."""
        x, site = bits.astype(int), np.arange(len(bits))
        agreement, difference = (np.mean([one.relations[fm.SAME][x, y, site][called] for one in self.populations])
                                 for y in (x, 1 - x))
        return round((agreement - difference) * 1e5), round(agreement * 1e5)

    def _identity(self, queries, profiles, i, row):
        query, stored = (queries.bits[i], queries.called[i]), (profiles.bits[row], profiles.called[row])
        every = np.array([one.relation_ratios(query[0], stored[0], query[1] & stored[1]) for one in self.populations])
        at = int(every[:, fm.SAME].argmin())
        return {"log10_lr": every[at, fm.SAME], "log10_lr_population": self.names[at],
                "log10_lr_sibling": (every[:, fm.SAME] - every[:, fm.SIBLING]).min(), "relations": every}

    def _of_mixtures(self, comparison, queries, profiles, pairs):
        """Of each pair what each population says: many people of a mixture at once."""
        found, of_mixture = {}, {}
        mixtures, people = (profiles, queries) if comparison == REVERSE else (queries, profiles)
        for i, row in pairs:
            mixture, person = (row, i) if comparison == REVERSE else (i, row)
            of_mixture.setdefault(mixture, []).append(person)
        for at, persons in of_mixture.items():
            mixture = mixtures.bits[at], mixtures.called[at]
            for first in range(0, len(persons), PEOPLE_AT_ONCE):
                some = persons[first:first + PEOPLE_AT_ONCE]
                said = [[] for _ in some]
                for one, numbers in zip(self.populations, self._numbers(mixture)):
                    both = people.called[some] & mixture[1]
                    for of_person, ratios in zip(said, one.mixture_ratios(mixture[0], people.bits[some], both, numbers)):
                        by_n = dict(zip(numbers.log_weights, ratios))
                        of_person.append((numbers.mean(by_n), numbers.chosen(by_n), one.drop_out))
                for person, populations in zip(some, said):
                    found[(person, at) if comparison == REVERSE else (at, person)] = {"populations": populations}
        return found

    def _numbers(self, mixture):
        """stain.Numbers of each population."""
        key = mixture[0].tobytes() + mixture[1].tobytes()
        if key not in self.numbers:
            self.numbers[key] = [one.numbers(mixture, self.given) for one in self.populations]
        return self.numbers[key]

    def _tails(self, comparison, queries, profiles, counts, pairs):
        """Of each population; of a sample of the pairs where all would take too long, None of the others."""
        tails = [None] * len(pairs)
        count = np.array([counts.count[i, row] for i, row in pairs], int)
        chosen = np.arange(len(pairs))
        if count.sum() * profiles.bits.shape[1] > MOST_CELLS:
            chosen = np.sort(np.random.default_rng(len(pairs)).choice(len(pairs), min(SAMPLE, len(pairs)), replace=False))
        for part in np.array_split(chosen, max(1, len(chosen) * profiles.bits.shape[1] // 4_000_000)):
            if len(part) == 0:
                continue
            of_all = np.array([log10_tails(self._chances(at, comparison, queries, profiles, [pairs[n] for n in part]),
                                           count[part]) for at in range(len(self.populations))])
            for n, column in zip(part, of_all.T):
                tails[n] = column
        return tails

    def _chances(self, at, comparison, queries, profiles, pairs):
        """P(a random person differs, or shows what the mixture does not) at each site; 0 where there is nothing to see."""
        population, rows = self.populations[at], []
        for i, row in pairs:
            both = queries.called[i] & profiles.called[row]
            if comparison == IDENTITY:
                chance = np.where(queries.bits[i], population.differs[1], population.differs[0])
                rows.append(np.where(both, chance, 0))
            else:
                source, place = (profiles, row) if comparison == REVERSE else (queries, i)
                mixture = source.bits[place], source.called[place]
                most = self._numbers(mixture)[at].most
                rows.append(np.where(both & ~mixture[0], population.carries(most), 0))
        return np.array(rows)


def problem_with(name, text, expected):
    """What is wrong with a figure's text, or None. Its last digit may be off by the rounding of what lies between."""
    if name in WORDS:
        return None if expected in (None, text) else f"{text}, not {expected}"
    if name.startswith("log10_lr"):
        return None if abs(float(text) - expected) <= 0.50001e-4 + 1e-9 * abs(expected) else f"{text}, not {expected:.6f}"
    if expected is None:
        return None
    number = Decimal(text)
    shown = float(number.log10()) if number > 0 else -np.inf
    if Fraction(number) > 0 and len(number.as_tuple().digits) > 4:
        return f"{text} has more than four digits"
    return None if abs(shown - expected) <= np.log10(1 + 5.001e-4) else f"{text}, not 10^{expected:.6f}"
