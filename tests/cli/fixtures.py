#!/usr/bin/env python3
"""The genotypes that the command-line tests use: 12 made-up people at 60 sites, and samples of some of them.

usage: fixtures.py            writes fixtures/
       fixtures.py --check    exit 1 where a file there is not what would be written

  panel.tsv       60 sites, GRCh37; every tenth is palindromic
  cohort.vcf      P01 to P12, 2 % without a call; at every seventh site REF is the minor allele
  full.vcf        Q01 to Q03, every call present, ALT is the minor allele
  suspect.snp     P07 again: errors at 2 sites, no call at 3
  stranger.snp    nobody of these
  stain.snp       the alleles of P03 and P10; stain2.snp those of P05 and P06
  anna.snp, ben.snp   two more people

derive() adds the files that are no text: cohort.bed, .bim and .fam, which hold what cohort.vcf holds.
"""

import random
import sys
from pathlib import Path

N_SITES, N_PEOPLE = 60, 12
FOLDER = Path(__file__).resolve().parent / "fixtures"
PAIRS = ["AG", "CT", "GA", "TC", "AC", "GT", "CA", "TG", "AG"]


class Draws:
    """random() alone, whose sequence Python promises to keep."""

    def __init__(self, seed):
        self.generator = random.Random(seed)

    def chance(self, probability):
        return self.generator.random() < probability

    def below(self, n):
        return int(self.generator.random() * n)


def make_sites(draws):
    """(id, chromosome, position, major, minor, frequency)."""
    sites = []
    for s in range(N_SITES):
        major, minor = ("AT", "CG")[s // 10 % 2] if s % 10 == 9 else PAIRS[s % 9]
        frequency = round(0.1 + 0.35 * draws.generator.random(), 3)
        sites.append((f"rs{1001 + s}", 1 + s // 3, 100_000 * (s + 1) + draws.below(90_000), major, minor, frequency))
    return sites


def draw_person(draws, sites):
    """Copies of the minor allele at each site."""
    return [int(draws.chance(s[5])) + int(draws.chance(s[5])) for s in sites]


def vcf(sites, people, names, swapped):
    lines = ["##fileformat=VCFv4.2", "##reference=GRCh37"]
    lines += [f"##contig=<ID={c},assembly=GRCh37>" for c in range(1, 23)]
    lines.append('##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">')
    lines.append("\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split() + names))
    for s, (name, chrom, pos, major, minor, _) in enumerate(sites):
        ref, alt = (minor, major) if swapped(s) else (major, minor)
        calls = []
        for person in people:
            copies = person[s] if person[s] is None or not swapped(s) else 2 - person[s]
            calls.append({None: "./.", 0: "0/0", 1: "0/1", 2: "1/1"}[copies])
        lines.append("\t".join([str(chrom), str(pos), name, ref, alt, ".", "PASS", ".", "GT"] + calls))
    return lines


def snp(sample, sites, genotypes):
    lines = [f"#sample {sample}", "# rsid\tchromosome\tposition\tgenotype"]
    return lines + [f"{s[0]}\t{s[1]}\t{s[2]}\t{g}" for s, g in zip(sites, genotypes)]


def letters(site, copies):
    return site[3] * (2 - copies) + site[4] * copies


def poor_sample(sites, person):
    """Errors turn one homozygote into the other, or a heterozygote into one."""
    for s, site in enumerate(sites):
        copies = (2 if person[s] == 0 else 0) if s in (11, 40) else person[s]
        yield "--" if s in (5, 23, 58) else letters(site, copies or 0)


def stain(sites, people):
    for s, site in enumerate(sites):
        seen = "".join(sorted({letter for person in people for letter in letters(site, person[s])}))
        yield seen * 2 if len(seen) == 1 else seen


def texts():
    """{name: text} of all files of text."""
    draws = Draws(4711)
    sites = make_sites(draws)
    people = [draw_person(draws, sites) for _ in range(N_PEOPLE)]
    others = [draw_person(draws, sites) for _ in range(6)]
    cohort = [[None if draws.chance(0.02) else copies for copies in person] for person in people]
    panel = ["#build GRCh37", "id\tchrom\tpos\tmajor\tminor\tmadeup"] + ["\t".join(map(str, s)) for s in sites]
    person = lambda name, whose: snp(name, sites, [letters(s, c) for s, c in zip(sites, whose)])
    files = {
        "panel.tsv": panel,
        "cohort.vcf": vcf(sites, cohort, [f"P{i:02d}" for i in range(1, N_PEOPLE + 1)], lambda s: s % 7 == 3),
        "full.vcf": vcf(sites, others[:3], ["Q01", "Q02", "Q03"], lambda s: False),
        "suspect.snp": snp("suspect", sites, poor_sample(sites, people[6])),
        "stranger.snp": person("stranger", others[3]),
        "anna.snp": person("anna", others[4]),
        "ben.snp": person("ben", others[5]),
        "stain.snp": snp("stain", sites, stain(sites, [people[2], people[9]])),
        "stain2.snp": snp("stain2", sites, stain(sites, [people[4], people[5]])),
    }
    return {name: "\n".join(lines) + "\n" for name, lines in files.items()}


def plink_from_vcf(vcf_path, stem):
    """A PLINK 1 set of a VCF's biallelic genotypes. Allele 1 is ALT."""
    rows = [line.split("\t") for line in vcf_path.read_text().splitlines() if not line.startswith("##")]
    code = {"1/1": 0b00, "./.": 0b01, "0/1": 0b10, "0/0": 0b11}
    bed, bim = bytearray(b"\x6c\x1b\x01"), []
    for row in rows[1:]:
        bim.append("\t".join([row[0], row[2], "0", row[1], row[4], row[3]]))
        for first in range(9, len(row), 4):
            bed.append(sum(code[call] << 2 * i for i, call in enumerate(row[first : first + 4])))
    stem.with_suffix(".bed").write_bytes(bed)
    stem.with_suffix(".bim").write_text("\n".join(bim) + "\n")
    stem.with_suffix(".fam").write_text("".join(f"F {name} 0 0 0 -9\n" for name in rows[0][9:]))


def derive(folder):
    plink_from_vcf(folder / "cohort.vcf", folder / "cohort")


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    differing = 0
    for name, text in texts().items():
        path = FOLDER / name
        if not arguments:
            path.write_text(text)
        elif not path.is_file() or path.read_text() != text:
            differing += 1
            print(f"{path} is not what fixtures.py writes", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
