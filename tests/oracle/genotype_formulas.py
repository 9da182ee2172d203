"""The evidence's formulas by the alleles that were seen, written down from their statement as formulas.py has those of bits.

A kind is what is seen at a site: of a person the number of minor copies; of a mixture 0, 1, 2 for the major allele alone,
both, the minor one alone. Everything is an array over sites.
"""

import itertools

import formulas as fm
import numpy as np

KINDS = 3
MAJOR_ONLY, BOTH, MINOR_ONLY = range(KINDS)


def joint_seen(q, theta, relation, w):
    """[3, 3, sites]: P(the genotypes seen) of people so related, each copy misread with probability w."""
    read = np.zeros((KINDS, KINDS))  # [seen, true]
    for true in fm.GENOTYPES:
        for wrong in itertools.product((0, 1), repeat=2):
            seen = sum(copy ^ flip for copy, flip in zip(true, wrong))
            ways = {0: 1, 1: 2, 2: 1}[sum(true)]  # orders of the same genotype
            read[seen, sum(true)] += np.prod([w if flip else 1 - w for flip in wrong]) / ways
    return np.einsum("xg,yh,ghs->xys", read, read, fm.joint_genotypes(q, theta, fm.DESCENT[relation]))


def apart(q, theta, relation=fm.UNRELATED, w=0.0):
    """[3 kinds of one person, 3 differences, sites]: P(the other differs by so many alleles)."""
    joint = joint_seen(q, theta, relation, w)
    found = np.zeros((KINDS, KINDS, len(q)))
    for x, y in itertools.product(range(KINDS), repeat=2):
        found[x, abs(x - y)] += joint[x, y] / joint[x].sum(axis=0)
    return found


def relation_ratios(q, theta, w):
    """[relation, 3, 3, sites]: log10 of P(genotypes) against that of unrelated people."""
    joint = np.array([joint_seen(q, theta, relation, w) for relation in range(len(fm.RELATIONS))])
    return fm.log10(joint) - fm.log10(joint[fm.UNRELATED])


def mean_and_sd(chances):
    """chances: [3 differences, sites]."""
    mean = chances[1] + 2 * chances[2]
    return mean.sum(), np.sqrt((chances[1] + 4 * chances[2] - mean**2).sum())


def carries_lacking(q, theta, n, mixture):
    """P(a random person has an allele that the mixture lacks | its 2n alleles are all the other one); 0 where it lacks
    none."""
    minor, major = fm.carries(q, theta, n), fm.carries(1 - np.asarray(q), theta, n)
    return np.select([mixture == MAJOR_ONLY, mixture == MINOR_ONLY], [minor, major], 0.0)


def lacks(mixture, person):
    """Whether the mixture lacks an allele of the person."""
    return ((mixture == MAJOR_ONLY) & (person > 0)) | ((mixture == MINOR_ONLY) & (person < 2))


def kinds_shown(copies, d, e):
    """[3, sites]: P(each kind is shown | some allele is). copies: [2n + 1, sites], P(c minor copies)."""
    no_minor = (1 - e) * float(d) ** np.arange(len(copies))
    no_major = no_minor[::-1]
    chances = np.array([no_minor * (1 - no_major), (1 - no_minor) * (1 - no_major), (1 - no_minor) * no_major])
    return chances @ copies / (1 - no_minor[-1] * no_minor[0])


class Hypothesis(fm.Hypothesis):
    KINDS = (0, 1, 2)

    @staticmethod
    def people_with(kind):
        return [one for one in fm.GENOTYPES if sum(one) == kind]


def shown_by(q, theta, n, d, e):
    """[3, sites]: P(a mixture of n people shows each kind | it shows something)."""
    urn = fm.Alleles(q, theta, 2 * n + 2)
    return kinds_shown(urn.drawn(0, 0, 2 * n), d, e)
