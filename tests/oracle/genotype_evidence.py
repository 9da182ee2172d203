"""evidence.py by the alleles that were seen: what fastid must print beside the counts, the long way.

Kinds are those of genotype_formulas.py; people and mixtures are genotypes.Planes.
"""

import functools

import formulas as fm
import genotype_formulas as gf
import numpy as np
import stain
from counting import IDENTITY, REVERSE, kinds_of
from evidence import DROP_IN, ERROR_RATE, THETA
from scipy import optimize


class Population:
    def __init__(self, freq, theta, drop_out):
        self.q, self.theta, self.drop_out = fm.reckoned(freq), theta, drop_out
        self.apart = gf.apart(self.q, theta)
        self.relations = gf.relation_ratios(self.q, theta, ERROR_RATE)
        self.site = np.arange(len(self.q))

    def numbers(self, mixture, called, given=None):
        return stain.Numbers(self.q, self.drop_out, DROP_IN, False, mixture, called, given)

    @functools.cache
    def site_ratios(self, n, d):
        """As stain.tables() has them."""
        return stain.tables(self.q, self.theta, ERROR_RATE, n, d, DROP_IN, False)


def may_be_related(x, y):
    """Whether KING's kinship of two people allows a relative of the second degree: within three standard errors of
    2^-4.5."""
    fewer = min((x == 1).sum(), (y == 1).sum())
    if fewer == 0:
        return True
    squares = ((x - y) ** 2).astype(float)
    error = np.sqrt(len(x) * squares.var()) / (4 * fewer)
    return 0.5 - squares.sum() / (4 * fewer) + 3 * error >= 0.0442


def log10_tail(chances, count):
    """log10 P(the sum is at most `count`); chances: [3, sites] of adding 0, 1, 2."""
    mass, scale = np.ones(1), 0.0
    for none, one, two in chances.T:
        mass = np.convolve(mass, [none, one, two])[: count + 1]
        largest = mass.max()
        mass, scale = mass / largest, scale + np.log10(largest)
    return np.log10(mass.sum()) + scale


class Model:
    def __init__(self, freqs, drop_out=0.005, theta=THETA):
        self.names = list(freqs)
        self.populations = [Population(freq, theta, drop_out) for freq in freqs.values()]

    def figures(self, comparison, queries, profiles, counts, pairs):
        """As evidence.Model.figures()."""
        asked, stored = kinds_of(queries), kinds_of(profiles)
        found = []
        for i, row in pairs:
            x, y, both = asked[i], stored[row], queries.called[i] & profiles.called[row]
            count = int(counts.count[i, row])
            if comparison == IDENTITY:
                figures = self._identity(x, y, both, count)
                said, place = fm.conclusion(len(profiles.names), figures.pop("relations"), figures.pop("chances"),
                                            figures.pop("none"), may_be_related(x[both], y[both]))
                figures |= said | {"chance_population": self.names[place]}
            else:
                called = profiles.called[row] if comparison == REVERSE else queries.called[i]
                figures = self._mixture(*((y, x) if comparison == REVERSE else (x, y)), both, called, count)
                figures = stain.conclusion(self.names, figures["populations"], len(profiles.names), figures["chances"])
            found.append(figures)
        return found

    def _identity(self, x, y, both, count):
        ratios = np.array([one.relations[:, x, y, one.site][:, both].sum(axis=1) for one in self.populations])
        at = int(ratios[:, fm.SAME].argmin())
        tails = [log10_tail(one.apart[x, :, one.site][both].T, count) for one in self.populations]
        return {"log10_lr": ratios[at, fm.SAME], "log10_lr_population": self.names[at],
                "log10_lr_sibling": (ratios[:, fm.SAME] - ratios[:, fm.SIBLING]).min(), "relations": ratios,
                "chances": tails,
                "none": [np.log10(one.apart[x, 0, one.site][both]).sum() for one in self.populations]}

    def _mixture(self, mixture, person, both, called, count):
        found, tails = [], []
        for one in self.populations:
            numbers = one.numbers(mixture, called)
            ratios = {n: one.site_ratios(n, one.drop_out)[:, mixture, person, one.site][:, both].sum(axis=1)
                      for n in numbers.log_weights}
            found.append((numbers.mean(ratios), numbers.chosen(ratios), one.drop_out))
            carries = gf.carries_lacking(one.q, one.theta, numbers.most, mixture)[both]
            tails.append(log10_tail(np.stack([1 - carries, carries, 0 * carries]), count))
        return {"populations": found, "chances": tails}

    def weights(self, comparison, kinds, called):
        """What one of the count costs a query's pairs, and what one of the denominator makes up for, in units of 1e-5."""
        if comparison == IDENTITY:
            alike, apart = [], []
            for one in self.populations:
                ratios = one.relations[fm.SAME]
                for s in np.flatnonzero(called):
                    alike.append(ratios[kinds[s], kinds[s], s])
                    apart += [ratios[kinds[s], y, s] for y in range(3) if abs(y - kinds[s]) == 1]
            # each difference stands beside one site
            agreement, cost = np.mean(alike), np.mean(alike) - np.mean(apart)
        else:
            agreement, cost = self._mixture_weights(kinds, called)
        return round(cost * 1e5), round(agreement * 1e5)

    def _mixture_weights(self, mixture, called):
        n = max((one.numbers(mixture, called).likeliest for one in self.populations), key=lambda one: one[1])[0]
        n = max(2, n)
        alleles = (1, 3, 2)  # as sets: major, both, minor
        size = [bin(one).count("1") for one in alleles]
        seen, seen_alleles, lost, lost_alleles, lacking = 0.0, 0.0, 0.0, 0.0, 0.0
        for one in self.populations:
            ratios = one.site_ratios(n, one.drop_out)[stain.CONTRIBUTOR]
            urn = fm.Alleles(one.q, one.theta)
            people = [ways * urn.probability(g, 2 - g) for g, ways in enumerate((1, 2, 1))]
            for s in np.flatnonzero(called):
                for g in range(3):
                    missing = bin(alleles[g] & ~alleles[mixture[s]]).count("1")
                    weight, ratio = people[g][s], ratios[mixture[s], g, s]
                    if missing == 0:
                        seen, seen_alleles = seen + weight * ratio, seen_alleles + weight * size[g]
                    else:
                        lost, lost_alleles = lost + weight * ratio, lost_alleles + weight * size[g]
                        lacking += weight * missing
        agreement = seen / seen_alleles
        return agreement, (agreement * lost_alleles - lost) / lacking


def log10_tail_bound(chances, weights, most):
    """The lowest x^-most times the product of E(x^count)^weight, x from 0 to 1; chances: [3, sites]."""
    def log_bound(log_x):
        return weights @ np.log(np.exp(log_x * np.arange(3)) @ chances) - most * log_x
    if most == 0:
        return float(weights @ np.log10(chances[0]))
    at = optimize.minimize_scalar(log_bound, bounds=(-100, 0), method="bounded", options={"xatol": 1e-10}).x
    return min(0.0, log_bound(at) / np.log(10))


class BlockModel(Model):
    """Each run of sites weighs as one. Mixtures are of a stated number of people."""

    contributors = 2

    def __init__(self, run_of, *arguments, **options):
        super().__init__(*arguments, **options)
        self.run_of = run_of

    def of_sites(self, both):
        """The weight of each compared site."""
        return 1 / np.bincount(self.run_of[both])[self.run_of[both]]

    def _identity(self, x, y, both, count):
        weights = self.of_sites(both)
        ratios = np.array([one.relations[:, x, y, one.site][:, both] @ weights for one in self.populations])
        at, most = int(ratios[:, fm.SAME].argmin()), abs(x - y)[both] @ weights
        tails = [log10_tail_bound(one.apart[x, :, one.site][both].T, weights, most) for one in self.populations]
        return {"log10_lr": ratios[at, fm.SAME], "log10_lr_population": self.names[at],
                "log10_lr_sibling": (ratios[:, fm.SAME] - ratios[:, fm.SIBLING]).min(), "relations": ratios,
                "chances": tails,
                "none": [weights @ np.log10(one.apart[x, 0, one.site][both]) for one in self.populations]}

    def _mixture(self, mixture, person, both, called, count):
        weights = self.of_sites(both)
        found, tails, most = [], [], gf.lacks(mixture, person)[both] @ weights
        for one in self.populations:
            ratios = one.site_ratios(self.contributors, one.drop_out)[:, mixture, person, one.site][:, both] @ weights
            found.append((ratios, self.contributors, one.drop_out))
            carries = gf.carries_lacking(one.q, one.theta, self.contributors, mixture)[both]
            tails.append(log10_tail_bound(np.stack([1 - carries, carries, 0 * carries]), weights, most))
        return {"populations": found, "chances": tails}
