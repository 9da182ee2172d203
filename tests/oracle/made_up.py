"""Made-up people, and files of them in every shape that the same genotypes can take.

A truth (copies of the panel's minor allele for each person and site) is drawn once. Each file then holds a site as one
KIND of record, so that a truth comes back only through the reader's rules: swapped alleles, the other strand, several
alternatives, position instead of id, half calls and so on.
"""

from dataclasses import dataclass

import numpy as np
from genotypes import COMPLEMENT, LETTERS, Panel

KINDS = (
    "plain", "swapped", "flipped", "flipped swapped", "third allele", "third allele first", "third allele flipped",
    "reference only", "absent", "other alleles", "deletion", "by position", "spanning deletion", "long id",
)
CHROMOSOMES = [*map(str, range(1, 23))]  # all autosomal: X, Y and M have tests of their own (sex_chromosomes)


def make_panel(rng, n_sites, build):
    """Distinct sites in order of position; about one in six is palindromic."""
    panel = Panel([], [], [], [], [], {"cohort": []}, build)
    for s in range(n_sites):
        major = LETTERS[rng.integers(4)]
        others = [letter for letter in LETTERS if letter != major]
        minor = COMPLEMENT[major] if rng.random() < 1 / 6 else others[rng.integers(3)]
        panel.id.append(f"rs{1000 + 7 * s}")
        panel.chrom.append(CHROMOSOMES[s * len(CHROMOSOMES) // n_sites])
        panel.pos.append(10_000 + 1_000 * s)
        panel.major.append(major)
        panel.minor.append(minor)
        panel.freq["cohort"].append(round(float(rng.uniform(0.05, 0.5)), 6))
    return panel


def make_truth(rng, panel, n_people):
    """Copies of the minor allele, [people, sites], in Hardy-Weinberg proportions."""
    return rng.binomial(2, panel.freq["cohort"], (n_people, len(panel.id)))


def with_errors(rng, truth, rate):
    """The same people typed again: at a share of the sites with another number of copies."""
    return np.where(rng.random(truth.shape) < rate, rng.integers(0, 3, truth.shape), truth)


@dataclass
class Record:
    """How one site is written: REF and ALT, and which of them stand for the panel's major and minor allele."""

    name: str
    alleles: list
    major: int  # place in alleles; -1: there is none, such genotypes are written as missing
    minor: int


def make_record(rng, panel, s, kind):
    """A site as a record of some kind; None where the file does not hold it."""
    major, minor, name = panel.major[s], panel.minor[s], panel.id[s]
    if kind == "absent":
        return None
    if "flipped" in kind and not panel.palindromic(s):
        major, minor = COMPLEMENT[major], COMPLEMENT[minor]
    third = next(x for x in rng.permutation(list(LETTERS)) if x not in (major, minor))
    shapes = {
        "swapped": ([minor, major], 1, 0),
        "flipped swapped": ([minor, major], 1, 0),
        "third allele": ([major, minor, third], 0, 1),
        "third allele flipped": ([major, minor, third], 0, 1),
        "third allele first": ([major, third, minor], 0, 2),
        "reference only": ([major], 0, -1),
        "other alleles": ([major, third], 0, 1),
        "deletion": ([major + minor, major], 0, 1),
        "spanning deletion": ([major, minor, "*"], 0, 1),
    }
    alleles, at_major, at_minor = shapes.get(kind, ([major, minor], 0, 1))
    if kind == "by position":
        name = "." if rng.random() < 0.5 else f"kgp{s}"
    return Record(name, alleles, at_major, at_minor)


def genotype(rng, record, copies):
    """One GT: phased or not, sometimes haploid, half called, missing, or with an allele of neither kind."""
    pair = [record.major] * (2 - copies) + [record.minor] * copies
    if rng.random() < 0.5:
        pair.reverse()
    others = [a for a in range(len(record.alleles)) if a not in (record.major, record.minor)]
    texts = ["." if a < 0 else str(a) for a in pair]
    if others and rng.random() < 0.2:
        texts[rng.integers(2)] = str(others[0])
    chance = rng.random()
    if chance < 0.02:
        return rng.choice(["./.", ".", ".|."])
    if chance < 0.04:
        texts[rng.integers(2)] = "."
    elif chance < 0.08:
        return texts[0]
    return rng.choice(["/", "|"]).join(texts)


def write_vcf(rng, path, panel, names, truth, *, kinds=KINDS, prefix="chr", build="GRCh37"):
    """The truth as a VCF whose records are of all kinds in turn, shuffled over the sites."""
    order = rng.permutation(np.resize(np.arange(len(kinds)), len(panel.id)))
    lines = _vcf_header(panel, names, prefix, build)
    for s, kind in enumerate(order):
        record = make_record(rng, panel, s, kinds[kind])
        if record is None:
            continue
        ref, *alts = record.alleles
        calls = [f"{genotype(rng, record, copies)}:{rng.integers(5, 60)}" for copies in truth[:, s]]
        lines.append("\t".join([_contig(panel.chrom[s], prefix), str(panel.pos[s]), record.name, ref,
                                ",".join(alts) or ".", ".", "PASS", ".", "GT:DP", *calls]))
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def write_plain_vcf(path, panel, names, truth):
    """The truth as it is: the panel's sites and alleles, each genotype called, nothing phased."""
    lines = _vcf_header(panel, names, "", "hg19")
    for s, name in enumerate(panel.id):
        calls = [("0/0", "0/1", "1/1")[copies] for copies in truth[:, s]]
        lines.append("\t".join([_contig(panel.chrom[s], ""), str(panel.pos[s]), name, panel.major[s], panel.minor[s],
                                ".", ".", ".", "GT", *calls]))
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def _vcf_header(panel, names, prefix, build):
    lines = ["##fileformat=VCFv4.2", f"##reference={build}", '##FILTER=<ID=PASS,Description="All filters passed">']
    lines += [f"##contig=<ID={_contig(chrom, prefix)}>" for chrom in dict.fromkeys(panel.chrom)]
    lines += ['##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
              '##FORMAT=<ID=DP,Number=1,Type=Integer,Description="Depth">']
    columns = ["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", *names]
    return [*lines, "\t".join(columns)]


def _contig(chrom, prefix):
    return prefix + ("MT" if chrom == "M" and not prefix else chrom)


def person_text(rng, panel, copies, no_calls=0.05):
    """One person's letters for each site, as a text file has them: some on the other strand, some not called."""
    texts = []
    for s, n in enumerate(copies):
        letters = [panel.major[s]] * (2 - n) + [panel.minor[s]] * n
        if rng.random() < 0.1 and not panel.palindromic(s):
            letters = [COMPLEMENT[letter] for letter in letters]
        chance = rng.random()
        if chance < no_calls:
            letters = ["-", "-"]
        elif chance < no_calls + 0.02:
            letters = letters[:1]
        elif chance < no_calls + 0.04:
            letters[rng.integers(2)] = LETTERS[rng.integers(4)]  # perhaps an allele that the panel does not know
        elif chance < no_calls + 0.06:
            letters = []  # the file leaves the site out
        texts.append("".join(letters))
    return texts


def mixture_text(rng, panel, copies, no_calls=0.0):
    """All alleles seen of several people (copies [people, sites]), sometimes with some that nobody has."""
    texts = []
    for s in range(len(panel.id)):
        seen = ({panel.major[s]} if (copies[:, s] < 2).any() else set()) | (
            {panel.minor[s]} if (copies[:, s] > 0).any() else set())
        if rng.random() < 0.05:
            seen.update(LETTERS[i] for i in rng.integers(4, size=2))
        letters = sorted(seen)
        texts.append("--" if rng.random() < no_calls else "".join(letters * 2 if len(letters) == 1 else letters))
    return texts
