"""The pair-HMM's forward algorithm, many pairs of one shape at a time."""

import numpy as np
from scipy.signal import lfilter


def deletions(match, md, ii):
    """D[j] = M[j-1] md + D[j-1] ii along a row of each pair."""
    if np.ptp(md) == 0 and np.ptp(ii) == 0:
        return lfilter([0.0, md[0]], [1.0, -ii[0]], match, axis=1)
    row = np.zeros_like(match)
    for j in range(1, match.shape[1]):
        row[:, j] = match[:, j - 1] * md + row[:, j - 1] * ii
    return row


def log10_likelihoods(bases, qualities, haplotypes):
    """log10 P(read | haplotype) of each pair. The recurrence is taken column by column of the published formulas.

    bases       pairs x R letters
    qualities   pairs x R x 4: base, insertion, deletion, continuation
    haplotypes  pairs x H letters
    """
    n, rows = bases.shape
    columns = haplotypes.shape[1]
    rate = lambda q: 10.0 ** (-np.asarray(q, float) / 10)
    match = np.zeros((n, columns + 1))
    insertion = np.zeros_like(match)
    deletion = np.full_like(match, 1.0 / columns)
    scale = np.zeros(n)
    for i in range(rows):
        error = rate(np.maximum(qualities[:, i, 0], 6))[:, None]
        mi, md, ii = (rate(qualities[:, i, k])[:, None] for k in (1, 2, 3))
        mm, im = 1 - np.minimum(1, mi + md), 1 - ii
        same = (bases[:, i, None] == haplotypes) | (bases[:, i, None] == "N") | (haplotypes == "N")
        prior = np.where(same, 1 - error, error / 3)
        new_match = np.zeros_like(match)
        new_match[:, 1:] = prior * (match[:, :-1] * mm + (insertion[:, :-1] + deletion[:, :-1]) * im)
        new_insertion = np.zeros_like(match)
        new_insertion[:, 1:] = match[:, 1:] * mi + insertion[:, 1:] * ii
        new_deletion = deletions(new_match, md[:, 0], ii[:, 0])
        match, insertion, deletion = new_match, new_insertion, new_deletion
        top = np.maximum(match, insertion).max(axis=1)
        top[top == 0] = 1
        for table in (match, insertion, deletion):
            table /= top[:, None]
        scale += np.log10(top)
    return np.log10((match + insertion)[:, 1:].sum(axis=1)) + scale
