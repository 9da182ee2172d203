"""Mixtures whose contributors all have one drop-out, which is given: ratios, supports, and what a row is marked as.

As the drop-out is that of all, a site depends on how many copies of the minor allele the contributors have together. So
the ratios follow from the distributions of that number in genotype_formulas.py, and the numbers of contributors weigh by
what the mixture alone shows, with theta 0. stain_test.py is of contributors with a drop-out each.
"""

import math

import formulas as fm
import genotype_formulas as gf
import numpy as np

MOST_EXPECTED = 8  # contributors, where no number is given
MOST_FITTED = 2000  # sites
NEGLIGIBLE = math.log(1e-6)
RELATIVES = ("parent-child", "sibling", "half-sibling")
CONTRIBUTOR = 0  # the first row of the tables below
RELATIONS = (fm.SAME, fm.PARENT_CHILD, fm.SIBLING, fm.HALF_SIBLING)


def kinds(copies, d, e, bits):
    """[kind, sites]: P(the mixture shows each kind); by alleles given that it shows something."""
    if not bits:
        return gf.kinds_shown(copies, d, e)
    none = (1 - e) * (copies * np.power(float(d), np.arange(len(copies)))[:, None]).sum(axis=0)
    return np.stack([none, 1 - none])


def joint(q, theta, w, n, d, e, bits, relation):
    """[mixture's kind, person's kind, sites]: P(both), a contributor having this relation to the person."""
    hypothesis = gf.Hypothesis(q, theta, n, relation)
    urn = fm.Alleles(q, theta)
    total = 0.0
    for g, orders in enumerate((1, 2, 1)):
        read = np.array([(1 - w) ** 2, 2 * w * (1 - w), w * w] if g == 0 else
                        [w * (1 - w), 1 - 2 * w * (1 - w), w * (1 - w)] if g == 1 else [w * w, 2 * w * (1 - w), (1 - w) ** 2])
        if bits:
            read = np.array([read[0], read[1] + read[2]])
        person = orders * urn.probability(g, 2 - g) * read[:, None]
        total = total + kinds(hypothesis.copies[g], d, e, bits)[:, None, :] * person
    return total


def tables(q, theta, w, n, d, e, bits):
    """[contributor, relatives...; mixture's kind; person's kind; sites]: log10 ratios to unrelated people."""
    none = fm.log10(joint(q, theta, w, n, d, e, bits, fm.UNRELATED))
    return np.stack([fm.log10(joint(q, theta, w, n, d, e, bits, relation)) - none for relation in RELATIONS])


def shown(q, n, d, e, bits):
    """[kind, sites]: of n unrelated people, with theta 0."""
    if bits:
        some, none = fm.shown_by(q, 0.0, n, d, e)
        return np.stack([none, some])
    return gf.shown_by(q, 0.0, n, d, e)


class Numbers:
    """The numbers of contributors with their log weights (natural); one mixture in one population."""

    def __init__(self, q, d, e, bits, mixture, called, given=None):
        sites = np.flatnonzero(called)
        if len(sites) > MOST_FITTED:
            sites = sites[np.round(np.linspace(0, len(sites) - 1, MOST_FITTED)).astype(int)]
        kinds_there, self.likelihoods, weights = np.asarray(mixture)[sites].astype(int), {}, {}
        for n in [given] if given else range(1, MOST_EXPECTED + 1):
            of_sites = shown(q, n, d, e, bits)[:, sites]
            self.likelihoods[n] = float(np.log(of_sites[kinds_there, np.arange(len(sites))]).sum())
            weights[n] = self.likelihoods[n] - (n - 1) / 2 * math.log(max(1, int(np.sum(called))))
        stop = next((n for n in weights if weights[n] < max(weights[m] for m in weights if m <= n) + NEGLIGIBLE), None)
        considered = {n: weight for n, weight in weights.items() if stop is None or n <= stop}
        total = np.logaddexp.reduce(list(considered.values()))
        self.log_weights = {n: weight - total for n, weight in considered.items() if weight - total > NEGLIGIBLE}

    @property
    def likeliest(self):
        """The number with the highest likelihood, and that likelihood."""
        return max(self.likelihoods.items(), key=lambda one: (one[1], -one[0]))

    @property
    def most(self):
        return max(self.log_weights)

    def mean(self, ratios):
        """log10 of the mean. ratios: {n: [relations]}."""
        terms = np.array([np.asarray(ratios[n]) + weight / math.log(10) for n, weight in self.log_weights.items()])
        top = terms.max(axis=0)
        top = np.where(np.isfinite(top), top, 0)
        with np.errstate(divide="ignore"):
            return top + np.log10((10.0 ** (terms - top)).sum(axis=0))

    def chosen(self, ratios):
        """The number that adds most to a contributor's ratio."""
        return max(self.log_weights, key=lambda n: ratios[n][CONTRIBUTOR] + self.log_weights[n] / math.log(10))


def edges(values, limits):
    """Whether a number lies on the edge of a limit."""
    return any(abs(value - limit) < 1e-6 for value in values for limit in limits)


def suggests(ratios):
    """None on an edge."""
    said = {"contributor": ratios[0], "first-degree": max(ratios[1], ratios[2]), "second-degree": ratios[3], "unrelated": 0.0}
    first, second = sorted(said.values(), reverse=True)[:2]
    if first == second == -math.inf or edges([first - second], [3]):
        return None
    return max(said, key=said.get) if first - second > 3 else "inconclusive"


def standing(ratios, n_profiles):
    """"apart", "relative?", "NA"; None on an edge."""
    least, relative = math.log10(n_profiles) + 2, max(ratios[1:4])
    if edges([ratios[0], relative], [least]) or edges([ratios[0] - relative], [3]):
        return None
    if ratios[0] > least and ratios[0] > relative + 3:
        return "apart"
    return "relative?" if max(ratios[0], relative) > least else "NA"


def conclusion(names, of_populations, n_profiles, log10_chances):
    """The figures of a row. of_populations: of each the ratios (as `tables` has them), the number of contributors chosen,
    the drop-out; log10_chances: of each P(RMNE), or None where it was not computed."""
    at = int(np.argmin([ratios[CONTRIBUTOR] for ratios, _, _ in of_populations]))
    ratios, n, d = of_populations[at]
    best = int(np.argmax(ratios[1:4]))
    tied = sum(abs(ratios[1 + best] - one) < 1e-4 for one in ratios[1:4]) > 1
    figures = {"log10_lr": ratios[CONTRIBUTOR], "log10_lr_population": names[at], "log10_lr_relative": ratios[1 + best],
               "relative": None if tied else RELATIVES[best], "suggests": suggests(ratios), "mark": standing(ratios, n_profiles),
               "contributor": f"1 of {n}, drop-out {d:.2g}"}
    if log10_chances is None:
        return figures | dict.fromkeys(("p_rmne", "chance_matches", "chance_population"))
    log10_n = math.log10(n_profiles)
    matches = [min(log10_n + chance, log10_n - one[0][0]) for chance, one in zip(log10_chances, of_populations)]
    place = max(range(len(names)), key=lambda p: (matches[p], log10_chances[p]))
    return figures | {"p_rmne": log10_chances[place], "chance_matches": matches[place], "chance_population": names[place]}
