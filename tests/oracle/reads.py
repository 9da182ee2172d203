"""Genotypes from aligned reads, by the rules of docs/commands/call.md: a world of made-up people and reads, and what `fastid
call` must say of them."""

import re
from dataclasses import dataclass

import alignments as al
import numpy as np
import pair_hmm

FLANK, MORE = 50, 10
SPACING = 240
COMPLEMENT = {"A": "T", "T": "A", "C": "G", "G": "C"}


@dataclass
class Site:
    pos: int  # 1-based
    major: str  # as the panel has it
    minor: str
    frequency: float
    flipped: bool  # the panel has the other strand's letters


class World:
    """A genome of one chromosome, a panel, and neighbours of its sites that vary too."""

    def __init__(self, rng, n_sites):
        self.length = (n_sites + 2) * SPACING
        self.genome = list(rng.choice(list("ACGT"), self.length))
        self.sites, self.neighbours = [], []
        for i in range(n_sites):
            pos = (i + 1) * SPACING
            here = self.genome[pos - 1]
            other = rng.choice([base for base in "ACGT" if base != here])
            pair = (here, other) if rng.random() < 0.8 else (other, here)
            flipped = bool(rng.random() < 0.05) and COMPLEMENT[here] != other
            letters = [COMPLEMENT[base] for base in pair] if flipped else pair
            self.sites.append(Site(pos, *letters, round(float(rng.uniform(0.1, 0.5)), 3), flipped))
            if i % 4 == 0:
                beside = pos + int(rng.integers(3, 9))
                base = self.genome[beside - 1]
                self.neighbours.append((beside, base, rng.choice([b for b in "ACGT" if b != base])))

    def letters(self, site):
        """(major, minor) on the genome's strand."""
        return tuple(COMPLEMENT[b] if site.flipped else b for b in (site.major, site.minor))

    def person(self, rng):
        """Copies of the minor allele at each site, and the two chromosomes."""
        both, copies = [list(self.genome), list(self.genome)], []
        for site in self.sites:
            minor = [rng.random() < site.frequency for _ in both]
            for chromosome, has in zip(both, minor):
                chromosome[site.pos - 1] = self.letters(site)[int(has)]
            copies.append(sum(minor))
        for pos, _, other in self.neighbours:
            for chromosome in both:
                if rng.random() < 0.4:
                    chromosome[pos - 1] = other
        return np.array(copies), both

    def write(self, folder):
        text = "".join(self.genome)
        (folder / "genome.fa").write_text(f">chr1\n{text}\n")
        (folder / "genome.fa.fai").write_text(f"chr1\t{len(text)}\t6\t{len(text)}\t{len(text) + 1}\n")
        lines = [f"s{i}\t1\t{s.pos}\t{s.major}\t{s.minor}\t{s.frequency}" for i, s in enumerate(self.sites)]
        (folder / "panel.tsv").write_text("\n".join(["id\tchrom\tpos\tmajor\tminor\tmade", *lines]) + "\n")
        known = [f"1\t{pos}\t.\t{base}\t{other}\t.\t.\t." for pos, base, other in self.neighbours]
        (folder / "known.vcf").write_text("##fileformat=VCFv4.2\n" + "\n".join(known) + "\n")


def sequence(rng, chromosome, start, length):
    """CIGAR, bases and qualities of a read from `start` (0-based) on, sometimes with a gap or clipped ends."""
    kind = rng.random()
    half = length // 2
    if kind < 0.05:
        cigar, bases = f"{half}M2I{length - half - 2}M", chromosome[start : start + half] + ["A", "C"] + chromosome[
            start + half : start + length - 2]
    elif kind < 0.10:
        cigar, bases = f"{half}M3D{length - half}M", chromosome[start : start + half] + chromosome[
            start + half + 3 : start + length + 3]
    elif kind < 0.20:
        cigar, bases = f"6S{length - 6}M", ["G"] * 6 + chromosome[start : start + length - 6]
    else:
        cigar, bases = f"{length}M", chromosome[start : start + length]
    qualities = rng.choice([8, 20, 30, 37, 41], length).tolist()
    bases = [rng.choice([b for b in "ACGT" if b != base]) if rng.random() < 10 ** (-q / 10) else base
             for base, q in zip(bases, qualities)]
    return cigar, "".join(bases), qualities


def make_reads(rng, world, chromosomes, depth, length=100):
    """Fragments of two reads each; some duplicates, secondary alignments, and reads of low mapping quality."""
    reads = []
    for i in range(int(depth * world.length / (2 * length))):
        chromosome = chromosomes[rng.integers(len(chromosomes))]
        span = int(rng.integers(120, 320))
        start = int(rng.integers(0, world.length - span - 8))
        for second, at in enumerate((start, start + span - length)):
            flag = al.PAIRED | al.PROPER | ((al.SECOND | al.REVERSE) if second else al.FIRST)
            odd = rng.random()
            flag |= al.DUPLICATE if odd < 0.03 else al.SECONDARY if odd < 0.05 else al.FAILED if odd < 0.06 else 0
            mapping = int(rng.choice([60, 60, 60, 25, 7]))
            cigar, bases, qualities = sequence(rng, chromosome, at, length)
            reads.append(al.Read(f"f{i}", flag, 0, at + 1, mapping, cigar, bases, qualities))
    return sorted(reads, key=lambda read: read.pos)


def columns(read):
    """(place in the read, position, inserted) of each aligned or inserted base."""
    at, pos = 0, read.pos
    for n, op in re.findall(r"(\d+)([MIDNS=X])", read.cigar):
        for _ in range(int(n)):
            if op in "M=X":
                yield at, pos, False
            if op == "I":
                yield at, pos - 1, True
            at += op in "M=XIS"
            pos += op in "M=XDN"


def damaged(read, at, pos, base, site_pos, alleles, genome, rate, single):
    """The share of such a base that damage may have made."""
    before = {"T": "C", "A": "G"}.get(base)
    may = before in alleles if pos == site_pos else genome[pos - 1] == before
    if not rate or not may:
        return 0
    reverse = bool(read.flag & al.REVERSE)
    left, right = before == "C", before == "G"
    if single:  # T for C on the strand that was read
        left = right = (before == "G") == reverse
    shares = [0.0]
    if left and not (read.flag & al.PAIRED and reverse):
        shares.append(rate * 0.7**at)
    if right and not (read.flag & al.PAIRED and not reverse):
        shares.append(rate * 0.7 ** (len(read.bases) - 1 - at))
    return max(shares)


def observation(read, world, site, damage, single):
    """(bases, qualities, place of the site's base) around a site; None where the read has none there."""
    if read.flag & (al.UNMAPPED | al.SECONDARY | al.DUPLICATE | al.FAILED) or read.quality < 20:
        return None
    bases, qualities, here = [], [], None
    for at, pos, inserted in columns(read):
        if abs(pos - site.pos) > FLANK or (inserted and pos < site.pos - FLANK):
            continue
        quality = min(read.qualities[at], read.quality)
        share = 0 if inserted else damaged(read, at, pos, read.bases[at], site.pos, world.letters(site), world.genome, damage, single)
        if share:
            error = 10 ** (-quality / 10)
            quality = int(np.floor(-10 * np.log10(error + share * (1 - error))))
        if pos == site.pos and not inserted:
            here = len(bases)
        bases.append(read.bases[at])
        qualities.append(quality)
    return None if here is None else (bases, qualities, here)


def observations(world, site, reads, damage, single=False):
    """One for each fragment."""
    kept = {}
    for read in reads:
        if not 0 <= site.pos - read.pos < 2 * len(read.bases):  # no base of the read lies there
            continue
        seen = observation(read, world, site, damage, single)
        if seen is None:
            continue
        other = kept.get(read.name)
        if other is None:
            kept[read.name] = seen
            continue
        best, worse = (seen, other) if seen[1][seen[2]] > other[1][other[2]] else (other, seen)
        if best[0][best[2]] != worse[0][worse[2]]:
            best[1][best[2]] -= min(best[1][best[2]], worse[1][worse[2]])
        kept[read.name] = best
    return list(kept.values())


def haplotypes(world, site, allele, known):
    """The genome around the site with the allele, without and with the known neighbour."""
    first = site.pos - FLANK - MORE
    window = world.genome[first - 1 : site.pos + FLANK + MORE]
    window = window[: site.pos - first] + [allele] + window[site.pos - first + 1 :]
    made = ["".join(window)]
    near = [n for n in world.neighbours if first <= n[0] <= site.pos + FLANK + MORE] if known else []
    for pos, _, other in near:
        made += [hap[: pos - first] + other + hap[pos - first + 1 :] for hap in made]
    return made


def likelihoods(world, seen, known):
    """Of each site, reads x 2: log10 under the major and the minor allele, after the cap on what a misplaced read may say.
    seen: the observations() of each site."""
    tables, by_length = [], {}  # pairs of one shape are reckoned at once
    for site, reads in zip(world.sites, seen, strict=True):
        haps = [haplotypes(world, site, allele, known) for allele in world.letters(site)]
        tables.append(np.empty((len(reads), 2, len(haps[0]))))
        for r, (bases, qualities, _) in enumerate(reads):
            shape = np.stack([np.array(qualities), *(np.full(len(bases), q) for q in (45, 45, 10))], axis=1)
            for allele, hap in np.ndindex(tables[-1].shape[1:]):
                by_length.setdefault(len(bases), []).append(
                    ((len(tables) - 1, (r, allele, hap)), bases, shape, list(haps[allele][hap])))
    for pairs in by_length.values():
        places, *arrays = zip(*pairs)
        for (table, place), found in zip(places, pair_hmm.log10_likelihoods(*map(np.array, arrays)), strict=True):
            tables[table][place] = found
    under = []
    for each in tables:
        high = each.max(axis=2)
        both = high + np.log10((10 ** (each - high[..., None])).mean(axis=2))
        best = both.max(axis=1, keepdims=True)
        under.append(np.maximum(both, best - 4.5) - best)
    return under


def genotype(both, frequency=None):
    """PL by minor copies, GQ, most probable copies, AD (major, minor)."""
    sums = np.array([both[:, 0].sum(), np.log10((10**both).mean(axis=1)).sum(), both[:, 1].sum()])
    phred = -10 * (sums - sums.max())
    prior = np.zeros(3) if frequency is None else np.log10(
        [(1 - frequency) ** 2, 2 * frequency * (1 - frequency), frequency**2])
    posterior = 10 ** (sums + prior - (sums + prior).max())
    best = int(posterior.argmax())
    others = 1 - posterior[best] / posterior.sum() if posterior[best] < posterior.sum() else 0
    quality = 99 if others <= 0 else min(99.0, -10 * np.log10(others))
    depths = (int((both[:, 0] > both[:, 1] + 0.2).sum()), int((both[:, 1] > both[:, 0] + 0.2).sum()))
    return phred, quality, best, depths
