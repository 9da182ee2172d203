"""The evidence's formulas, written down from their statement: nothing here knows how src/stats computes them.

Where fastid draws one allele after the other, this takes the probability of any set of alleles in closed form (rising
factorials); where it folds genotypes into tables, this enumerates people. Everything is an array over sites.

    q      frequency of the minor allele, [sites]; p = 1 - q
    theta  co-ancestry: after n alleles of which m were minor, the next one is minor with probability
           (m theta + (1 - theta) q) / (1 + (n - 1) theta), the first with probability q
    w      probability that one allele copy is misread
    d, e   drop-out of a copy, drop-in of a minor allele
    bit    1: at least one minor allele
"""

import functools
import itertools
import math

import numpy as np

SAME, PARENT_CHILD, SIBLING, HALF_SIBLING, COUSIN, UNRELATED = range(6)
RELATIONS = ("same", "parent-child", "sibling", "half-sibling", "cousin", "unrelated")
# P(0, 1, 2 alleles identical by descent)
DESCENT = ((0, 0, 1), (0, 1, 0), (.25, .5, .25), (.5, .5, 0), (.75, .25, 0), (1, 0, 0))
GENOTYPES = ((0, 0), (0, 1), (1, 0), (1, 1))  # as two alleles in order, 1 for minor

MOST_CONTRIBUTORS = 20
ASSUMED_FLOOR = 1 / 202
EXPLAINED_BY_CHANCE = 0.01
SUGGESTIONS = ("same", "first-degree", "second-degree", "unrelated")


def reckoned(freq, sampled=None):
    """The frequencies that are reckoned with: counted in `sampled` people, of each site how many, or as they are stated."""
    freq = np.array(freq, float)
    if sampled is not None:
        sampled = np.array(sampled, float)
        return (freq * 2 * sampled + 1) / (2 * sampled + 2)
    least = min([ASSUMED_FLOOR, *(min(q, 1 - q) for q in freq if 0 < q < 1)])
    return np.clip(freq, least, 1 - least)


class Alleles:
    """P(some alleles) by the sampling formula: exchangeable, so that only their numbers count."""

    def __init__(self, q, theta, most=2 * MOST_CONTRIBUTORS + 8):
        self.q, self.theta = np.asarray(q, float), theta
        steps = np.arange(most + 1)[:, None] * theta
        self._minor, self._major = (self._rising((1 - theta) * own + steps) for own in (self.q, 1 - self.q))
        self._all = self._rising(1 - theta + steps)

    @staticmethod
    def _rising(factors):
        return np.concatenate([np.ones_like(factors[:1]), np.cumprod(factors, axis=0)])

    def probability(self, minor, major):
        """Of so many of each, in one order."""
        if self.theta == 1:  # all alleles are alike
            one = np.ones_like(self.q)
            return one if minor + major == 0 else 0 * one if minor and major else self.q if minor else 1 - self.q
        return self._minor[minor] * self._major[major] / self._all[minor + major]

    def drawn(self, minor, major, n):
        """[n + 1, sites]: of so many of each, and 0, 1 .. n of n more that are minor, in any order of these."""
        if self.theta == 1:
            each = np.stack([self.probability(minor + m, major + n - m) for m in range(n + 1)])
        else:
            each = self._minor[minor:minor + n + 1] * self._major[major:major + n + 1][::-1] / self._all[minor + major + n]
        return ways(n)[:, None] * each


@functools.cache
def ways(n):
    """Orders of 0, 1 .. n among n."""
    return np.array([math.comb(n, m) for m in range(n + 1)], float)


def joint_genotypes(q, theta, descent):
    """[3, 3, sites]: P(one has g minor copies, the other h)."""
    urn, joint = Alleles(q, theta, 6), np.zeros((3, 3, len(q)))
    for one in GENOTYPES:
        joint[sum(one), sum(one)] += descent[2] * urn.probability(sum(one), 2 - sum(one))
        for other in GENOTYPES:
            minor = sum(one) + sum(other)
            joint[sum(one), sum(other)] += descent[0] * urn.probability(minor, 4 - minor)
            if one[0] == other[0]:  # the first allele of each is the shared one
                minor -= one[0]
                joint[sum(one), sum(other)] += descent[1] * urn.probability(minor, 3 - minor)
    return joint


def reads_minor(w):
    """P(bit 1 | 0, 1, 2 minor copies)."""
    return np.array([1 - (1 - w) ** 2, 1 - w * (1 - w), 1 - w**2])


def joint_bits(q, theta, relation, w):
    """[2, 2, sites]: P(the two bits) of people so related, each copy misread with probability w."""
    read = np.array([1 - reads_minor(w), reads_minor(w)])
    return np.einsum("xg,yh,ghs->xys", read, read, joint_genotypes(q, theta, DESCENT[relation]))


def log10(x):
    with np.errstate(divide="ignore"):
        return np.log10(x)


def differs(q, theta):
    """[2, sites]: P(an unrelated person's bit is another one | one person's bit)."""
    joint = joint_bits(q, theta, UNRELATED, 0)
    return np.stack([joint[0, 1] / joint[0].sum(axis=0), joint[1, 0] / joint[1].sum(axis=0)])


def relation_ratios(q, theta, w):
    """[relation, 2, 2, sites]: log10 of P(bits) against that of unrelated people."""
    joint = np.array([joint_bits(q, theta, relation, w) for relation in range(len(RELATIONS))])
    return log10(joint) - log10(joint[UNRELATED])


def suggestion(ratios):
    """Of the ratios against unrelated people, by relation: what explains the bits ten times as well as all else."""
    choices = [ratios[SAME], max(ratios[PARENT_CHILD], ratios[SIBLING]), ratios[HALF_SIBLING], ratios[UNRELATED]]
    best = int(np.argmax(choices))
    others = max(choice for place, choice in enumerate(choices) if place != best)
    return SUGGESTIONS[best] if choices[best] - others >= 1 else "inconclusive"


def chance_matches(n_profiles, log10_chance, ratios):
    """log10 of how many unrelated people match so well: by differences, and no fewer than can have such a mean ratio; at
    most all."""
    profiles = math.log10(n_profiles)
    four = ratios[[SAME, PARENT_CHILD, SIBLING, HALF_SIBLING]]
    top = four.max()
    mean = top + math.log10((10 ** (four - top)).mean()) if np.isfinite(top) else top
    return min(profiles, profiles + max(log10_chance, -mean))


def conclusion(n_profiles, ratios, log10_chances, log10_none, may_be_related=True):
    """What is said of a hit. ratios: [populations, relations], against unrelated people; log10_chances: of so few
    differences, log10_none: of none at all, in each population. Gives back its figures and the place of the population
    with most chance matches."""
    ratios = ratios.copy()
    if not may_be_related:
        ratios[:, [PARENT_CHILD, SIBLING, HALF_SIBLING]] = -np.inf
    of_all = [(chance_matches(n_profiles, chance, of), chance) for chance, of in zip(log10_chances, ratios)]
    place = max(range(len(of_all)), key=lambda at: of_all[at])
    matches = of_all[place][0]
    explained = matches >= math.log10(EXPLAINED_BY_CHANCE)
    weak = math.log10(n_profiles) + max(log10_none) >= math.log10(EXPLAINED_BY_CHANCE)
    suggested = suggestion(ratios[ratios[:, SAME].argmin()])
    if weak or (explained and suggested != "unrelated"):
        suggested = "inconclusive"
    relative = suggested in ("first-degree", "second-degree")
    apart = not explained and not relative and round(ratios[:, SAME].min(), 4) > 0
    return {"chance_matches": matches, "suggests": suggested,
            "mark": "relative?" if relative else "apart" if apart else "NA"}, place


def relation_mismatches(q, theta, w, relation, bits=None):
    """P(the bits differ) at each site: of two people of the population, or given the bits of one."""
    joint = joint_bits(q, theta, relation, w if relation == SAME else 0)
    if bits is None:
        return joint[0, 1] + joint[1, 0]
    return np.where(bits, joint[1, 0] / joint[1].sum(axis=0), joint[0, 1] / joint[0].sum(axis=0))


def mean_and_sd(chances):
    return chances.sum(), math.sqrt((chances * (1 - chances)).sum())


def carries(q, theta, n):
    """P(a random person has the minor allele | 2n alleles of a mixture are all major)."""
    urn = Alleles(q, theta, 2 * n + 3)
    return 1 - urn.probability(0, 2 * n + 2) / urn.probability(0, 2 * n)


# Mixtures -----------------------------------------------------------------------------------------------------------

def people_with(bit):
    return [one for one in GENOTYPES if (sum(one) > 0) == bool(bit)]


class Hypothesis:
    """Of n contributors one is the person (SAME) or a relative of the person, or all are strangers to the person."""

    KINDS = (0, 1)  # of what is seen of a person
    people_with = staticmethod(people_with)

    def __init__(self, q, theta, n, relation=SAME, known=()):
        """known: (kinds, called) of people who are among the n for certain, each [sites]."""
        self.urn, self.n, self.relation, self.known = Alleles(q, theta, 2 * n + 8), n, relation, known
        self.copies = np.stack([self._copies(kind) for kind in self.KINDS])  # [person's kind, c, sites]

    def _copies(self, bit):
        """[2n + 1, sites]: P(so many minor copies among the contributors | what is seen of the person and the known)."""
        sites = len(self.urn.q)
        states = [np.where(called, bits.astype(int), -1) for bits, called in self.known]
        copies = np.zeros((2 * self.n + 1, sites))
        for pattern in itertools.product((-1, *self.KINDS), repeat=len(states)):
            at = np.all([state == one for state, one in zip(states, pattern)], axis=0) if states else np.ones(sites, bool)
            if at.any():
                found = self._copies_with(bit, [one for one in pattern if one >= 0])
                copies[:, at] = found[:, at]
        return copies

    def _copies_with(self, bit, known_bits):
        copies = np.zeros((2 * self.n + 1, len(self.urn.q)))
        total = 0
        for person, *known in itertools.product(self.people_with(bit), *map(self.people_with, known_bits)):
            of_known = sum(map(sum, known))
            seen = sum(person) + of_known, 2 * (1 + len(known)) - sum(person) - of_known
            total = total + self.urn.probability(*seen)
            for share, inherited in self._inheritances(person):
                drawn, least = 2 * (self.n - len(known)) - len(inherited), of_known + sum(inherited)
                copies[least:least + drawn + 1] += share * self.urn.drawn(*seen, drawn)
        return copies / total

    def _inheritances(self, person):
        """Which of the person's alleles a contributor has, and how probably."""
        none, one, two = DESCENT[self.relation]
        return [(share, alleles) for share, alleles in (
            (none, ()), (one / 2, person[:1]), (one / 2, person[1:]), (two, person)) if share]


def shown_by(q, theta, n, d, e):
    """P(a mixture of n people shows the minor allele), and P(it does not)."""
    urn = Alleles(q, theta, 2 * n + 2)
    copies, hidden = urn.drawn(0, 0, 2 * n), float(d) ** np.arange(2 * n + 1)
    none, some = hidden @ copies, (1 - hidden) @ copies
    return some + e * none, (1 - e) * none
