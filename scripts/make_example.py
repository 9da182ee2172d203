#!/usr/bin/env python3
"""Makes the example in data/: a panel, the people of a small database, a person's sample and a mixture's.

usage: make_example.py            writes the files
       make_example.py --check    compares them with what would be written; exit 1 where they differ

Nobody's genotypes are in it: sites, frequencies and people are drawn from a generator with a fixed seed, in
Hardy-Weinberg proportions, sites independent. The same files come out on every machine.

  data/panels/example-panel.tsv   256 sites
  data/example/cohort.vcf         12 people, P01 to P12; of 1 in 100 genotypes there is no call
  data/example/suspect.snp        P07 again, from a poor sample: no call at 1 site in 20, an error at 1 in 100
  data/example/stain.snp          a mixture of P03 and P10: every allele seen at a site; no call at 1 in 50
"""

import random
import sys
from pathlib import Path

N_SITES, N_PEOPLE = 256, 12
SUSPECT, CONTRIBUTORS = 6, (2, 9)
# Megabases of the autosomes: enough to give each a fair share of the sites.
CHROMOSOMES = [248, 242, 198, 190, 181, 170, 159, 145, 138, 133, 135, 133, 114, 107, 101, 90, 83, 80, 58, 64, 46, 50]
ALLELE_PAIRS = ["AG", "GA", "CT", "TC", "AC", "CA", "GT", "TG", "AG", "GA", "CT", "TC", "AT", "CG"]


class Draws:
    """Random numbers by random() alone, whose sequence Python promises to keep."""

    def __init__(self, seed):
        self.generator = random.Random(seed)

    def chance(self, probability):
        return self.generator.random() < probability

    def below(self, n):
        return int(self.generator.random() * n)

    def between(self, low, high):
        return low + (high - low) * self.generator.random()


def make_sites(draws):
    """(id, chromosome, position, major, minor, minor-allele frequency), by chromosome and position."""
    places = set()
    while len(places) < N_SITES:
        chromosome = draws.below(len(CHROMOSOMES))
        places.add((chromosome + 1, 1_000_000 + draws.below(CHROMOSOMES[chromosome] * 1_000_000 - 2_000_000)))
    sites = []
    for number, (chromosome, position) in enumerate(sorted(places), 1):
        major, minor = ALLELE_PAIRS[draws.below(len(ALLELE_PAIRS))]
        sites.append((f"ex{number:04d}", chromosome, position, major, minor, round(draws.between(0.05, 0.45), 4)))
    return sites


def make_people(draws, sites):
    """people[person][site]: two letters."""
    return [[tuple(s[4] if draws.chance(s[5]) else s[3] for _ in "ab") for s in sites] for _ in range(N_PEOPLE)]


def panel_tsv(sites):
    lines = ["# A made-up panel for the examples; scripts/make_example.py wrote it", "#build GRCh38"]
    lines.append("id\tchrom\tpos\tmajor\tminor\texample")
    lines += ["\t".join(map(str, site)) for site in sites]
    return lines


def cohort_vcf(draws, sites, people):
    names = [f"P{number:02d}" for number in range(1, N_PEOPLE + 1)]
    lines = ["##fileformat=VCFv4.2", "##source=scripts/make_example.py", "##reference=GRCh38"]
    lines += [f"##contig=<ID={c},assembly=GRCh38>" for c in range(1, len(CHROMOSOMES) + 1)]
    lines.append('##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">')
    lines.append("\t".join(["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT"] + names))
    for place, (name, chromosome, position, major, minor, _) in enumerate(sites):
        reference, alternative = (minor, major) if draws.chance(0.25) else (major, minor)
        calls = []
        for person in people:
            copies = sorted(int(letter == alternative) for letter in person[place])
            calls.append("./." if draws.chance(0.01) else f"{copies[0]}/{copies[1]}")
        lines.append("\t".join([str(chromosome), str(position), name, reference, alternative, ".", "PASS", ".", "GT"] + calls))
    return lines


def snp_file(sample, about, sites, genotypes):
    lines = [f"# {about}; scripts/make_example.py wrote it", "# positions on GRCh38", f"#sample {sample}", "# rsid\tchromosome\tposition\tgenotype"]
    lines += [f"{s[0]}\t{s[1]}\t{s[2]}\t{genotype}" for s, genotype in zip(sites, genotypes)]
    return lines


def poor_sample(draws, sites, person):
    """The person's genotypes as a poor sample shows them: an error takes one letter for the other."""
    for site, letters in zip(sites, person):
        if draws.chance(0.05):
            yield "--"
            continue
        if draws.chance(0.01):
            letters = (site[4] if letters[0] == site[3] else site[3], letters[1])
        yield "".join(sorted(letters))


def mixture(draws, sites, people):
    """Every allele that is seen at a site, twice where there is one only, as a genotype is written."""
    for place in range(len(sites)):
        alleles = "".join(sorted({letter for person in people for letter in person[place]}))
        yield "--" if draws.chance(0.02) else alleles * 2 if len(alleles) == 1 else alleles


def example_files():
    """{path: text} of the whole example."""
    draws = Draws(20190520)
    sites = make_sites(draws)
    people = make_people(draws, sites)
    suspect = list(poor_sample(draws, sites, people[SUSPECT]))
    stain = list(mixture(draws, sites, [people[c] for c in CONTRIBUTORS]))
    files = {
        "data/panels/example-panel.tsv": panel_tsv(sites),
        "data/example/cohort.vcf": cohort_vcf(draws, sites, people),
        "data/example/suspect.snp": snp_file("suspect", "A poor sample of one made-up person", sites, suspect),
        "data/example/stain.snp": snp_file("stain", "A mixture of two made-up people", sites, stain),
    }
    return {path: "\n".join(lines) + "\n" for path, lines in files.items()}


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    root = Path(__file__).resolve().parent.parent
    differing = 0
    for name, text in example_files().items():
        path = root / name
        if not arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif not path.is_file() or path.read_text() != text:
            differing += 1
            print(f"{name} is not what scripts/make_example.py writes; run it", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
