"""The counts of all pairs, their order, and the text that fastid must print for them.

Counts are sums over sites of what the comparison says of one site; the order is by exact whole numbers.
"""

from dataclasses import dataclass

import numpy as np

IDENTITY, MIXTURE, REVERSE = "identity", "mixture", "reverse-mixture"

IDENTITY_COLUMNS = "query rank profile mismatches compared mismatch_rate log10_lr log10_lr_sibling suggests chance_matches row mark".split()
MIXTURE_COLUMNS = ("mixture rank profile not_seen minor_alleles compared log10_lr log10_lr_relative relative suggests "
                   "contributor p_rmne chance_matches row mark").split()
BITS, ALLELES = "bits", "alleles"


@dataclass
class Counts:
    """int64 [queries, profiles] each."""

    count: np.ndarray
    minor_alleles: np.ndarray  # of a mixture's person; by alleles, the alleles
    compared: np.ndarray


def _packed(plane):
    """bool [people, sites] -> uint64 [people, words]: eight sites a byte, in numpy's order, padded with zeros."""
    octets = np.packbits(plane, axis=1)
    octets = np.pad(octets, ((0, 0), (0, -octets.shape[1] % 8)))
    return octets.view(np.uint64)


def _set_bits(words):
    """How many bits of each row of uint64 are set; destroys its argument."""
    u = np.uint64
    words -= (words >> u(1)) & u(0x5555555555555555)
    words[...] = (words & u(0x3333333333333333)) + ((words >> u(2)) & u(0x3333333333333333))
    words += words >> u(4)
    words &= u(0x0F0F0F0F0F0F0F0F)
    words *= u(0x0101010101010101)
    words >>= u(56)
    return words.sum(axis=1, dtype=np.int64)


def kinds_of(planes):
    """0, 1, 2: a major allele alone was seen, both were, a minor one alone; 0 where the site is not called."""
    return np.where(planes.bits, 2 - planes.major.astype(int), 0)


def count_alleles(comparison, queries, profiles):
    """Counts of every pair by the alleles seen: how far genotypes are apart; alleles that a mixture does not show."""
    shape = (len(queries.names), len(profiles.names))
    counts = Counts(*(np.zeros(shape, np.int64) for _ in range(3)))
    asked, stored = kinds_of(queries), kinds_of(profiles)
    for i in range(shape[0]):
        both = queries.called[i] & profiles.called
        counts.compared[i] = both.sum(axis=1)
        if comparison == IDENTITY:
            counts.count[i] = (np.abs(asked[i] - stored) * both).sum(axis=1)
            continue
        person, mixture = (queries, profiles) if comparison == REVERSE else (profiles, queries)
        place = {REVERSE: (slice(i, i + 1), slice(None))}.get(comparison, (slice(None), slice(i, i + 1)))
        for has in (lambda planes: planes.bits, lambda planes: planes.major):
            of_person, shown = has(person)[place[0]] & both, has(mixture)[place[1]]
            counts.minor_alleles[i] += of_person.sum(axis=1)
            counts.count[i] += (of_person & ~shown).sum(axis=1)
    return counts


def count_pairs(comparison, queries, profiles, by=BITS):
    """Counts of every pair."""
    if by == ALLELES:
        return count_alleles(comparison, queries, profiles)
    shape = (len(queries.names), len(profiles.names))
    counts = Counts(*(np.zeros(shape, np.int64) for _ in range(3)))
    d1, cd = _packed(profiles.bits & profiles.called), _packed(profiles.called)
    q1, cq = _packed(queries.bits & queries.called), _packed(queries.called)
    for i in range(shape[0]):
        both = cd & cq[i]
        if comparison == IDENTITY:
            counts.count[i] = _set_bits((d1 ^ q1[i]) & both)
        elif comparison == MIXTURE:
            counts.count[i] = _set_bits(d1 & ~q1[i] & both)
            counts.minor_alleles[i] = _set_bits(d1 & both)
        else:
            counts.count[i] = _set_bits(~d1 & q1[i] & both)
            counts.minor_alleles[i] = _set_bits(q1[i] & both)
        counts.compared[i] = _set_bits(both)
    return counts


@dataclass
class Ranked:
    """One query's profiles, best first, and how many that were cut off tie with the last one."""

    rows: list
    ties_cut: int


def rank_by_weight(comparison, counts, weights, top):
    """The best rows of each query by worth x denominator - cost x count. weights: cost and worth, for each query."""
    denominators = counts.compared if comparison == IDENTITY else counts.minor_alleles
    ranked = []
    for i, (cost, worth) in enumerate(weights):
        lack = cost * counts.count[i] - worth * np.maximum(denominators[i], 1)
        rows = np.flatnonzero(counts.compared[i])
        rows = rows[np.lexsort((rows, -counts.compared[i][rows], -denominators[i][rows], lack[rows]))]
        ranked.append(rows[: None if top == "all" else top].tolist())
    return ranked


def rank(comparison, counts, top=10, max_count=None, min_compared=1):
    """The order of every query's profiles.

    The fraction count / weight is compared as floor(count * 2^32 / weight), a whole number: weights lie below 2^15, so
    two different fractions differ by more than 2^-30 and equal ones give the same number.
    """
    weight = counts.compared if comparison == IDENTITY else counts.minor_alleles
    assert counts.compared.size == 0 or counts.compared.max() < 1 << 15
    share = (counts.count << 32) // np.maximum(weight, 1)
    ranked = []
    for i in range(counts.count.shape[0]):
        keys = np.stack([share[i], -counts.minor_alleles[i], -counts.compared[i]])
        listed = counts.compared[i] >= max(1, min_compared)
        if max_count is not None:
            listed &= counts.count[i] <= max_count
        rows = np.flatnonzero(listed)
        rows = rows[np.lexsort((rows, *keys[::-1, rows]))]
        shown = rows[:top] if top != "all" else rows
        ties = int((keys[:, rows[len(shown):]] == keys[:, shown[-1:]]).all(axis=0).sum()) if len(shown) else 0
        ranked.append(Ranked(shown.tolist(), ties))
    return ranked


def columns_of(comparison, by=BITS):
    if comparison == IDENTITY:
        return IDENTITY_COLUMNS
    return [ALLELES if by == ALLELES and name == "minor_alleles" else name for name in MIXTURE_COLUMNS]


def table(comparison, queries, profiles, counts, ranked, by=BITS):
    """The lines of output as dictionaries, a list for each query; None for what evidence.py computes."""
    lines = []
    for i, query in enumerate(ranked):
        lines.append([])
        for place, row in enumerate(query.rows, start=1):
            count, compared = int(counts.count[i, row]), int(counts.compared[i, row])
            minor = int(counts.minor_alleles[i, row])
            asked, stored = queries.names[i], profiles.names[row]
            if comparison == IDENTITY:
                rate = count / (2 * compared if by == ALLELES else compared)
                cells = [asked, place, stored, count, compared, rate, None, None, None, None, row, None]
            else:
                mixture, profile = (stored, asked) if comparison == REVERSE else (asked, stored)
                cells = [mixture, place, profile, count, minor, compared, *7 * [None], row, None]
            lines[-1].append(dict(zip(columns_of(comparison, by), cells, strict=True)))
    return lines


def tsv(comparison, lines, by=BITS):
    """The same as fastid's tsv, byte for byte; NA for what evidence.py computes."""
    text = ["\t".join(columns_of(comparison, by))]
    text += ["\t".join(_text(cell) for cell in line.values()) for query in lines for line in query]
    return "\n".join(text) + "\n"


def _text(cell):
    if cell is None:
        return "NA"
    return f"{cell:.6f}" if isinstance(cell, float) else str(cell)
