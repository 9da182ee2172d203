#!/usr/bin/env python3
"""The measurements of scripts/calibrate, as Markdown.

people    1000 Genomes phase 1 searched in HapMap 3, without the people who are in both, so that every match is false.
          For each query the mismatch limit is chosen at which a share of the wanted number of false matches is
          expected; what is expected of all queries together is held against what was found.
mixtures  2 to 10 people of a simulated database, mixed with reading errors.
"""

import argparse
import csv
import io
import json
import os
import pathlib
import random
import subprocess
import sys
from dataclasses import dataclass

import numpy as np

WANTED = (1, 10, 100, 1000)  # false matches, all queries together
PANELS = (100, 200, 500, 1000, 3000, 14079)
COHORT = "cohort"
RELATED_BELOW = 0.33  # share of mismatches at 14,079 sites; strangers begin at 0.334


class Fastid:
    def __init__(self, program):
        self.program = str(program)

    def run(self, *arguments):
        command = [self.program, *map(str, arguments)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        return done.stdout

    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.run(*arguments, "--format", "tsv")), delimiter="\t"))

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--format", "json"))


def plink(*arguments):
    subprocess.run(["plink1.9", "--silent", "--allow-no-sex", *map(str, arguments)], check=True)


def table(header, rows):
    print("| " + " | ".join(header) + " |\n" + "|---" * len(header) + "|")
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
    print()


# Real people --------------------------------------------------------------------------------------------------------

def words(path):
    return [line.split() for line in path.read_text(encoding="ascii").splitlines()]


@dataclass
class Studies:
    stored: pathlib.Path  # PLINK prefix: who is in the database
    asked: pathlib.Path  # who is searched for, none of them stored
    panel: list  # lines of a panel TSV with frequencies of the cohort and of each population
    populations: list


def prepare_studies(fastid, data, work):
    stored, phase1 = data / "hapmap3" / "hapmap3", data / "1000g_phase1" / "phase1"
    ids = {fields[1] for fields in words(stored.with_suffix(".fam"))}
    shared = [fields for fields in words(phase1.with_suffix(".fam")) if fields[1] in ids]
    (work / "shared.txt").write_text("".join(f"{f[0]} {f[1]}\n" for f in shared), encoding="ascii")
    plink("--bfile", phase1, "--remove", work / "shared.txt", "--make-bed", "--out", work / "asked")
    panel, populations = panel_with_populations(fastid, data, stored, work)
    return Studies(stored, work / "asked", panel, populations)


def panel_with_populations(fastid, data, stored, work):
    """HapMap 3's panel, with frequencies of each of its populations beside the cohort's."""
    names = words(data / "hapmap3" / "relationships_w_pops_121708.txt")[1:]
    population = {fields[1]: fields[6] for fields in names}
    people = words(stored.with_suffix(".fam"))
    (work / "within.txt").write_text("".join(f"{f[0]} {f[1]} {population[f[1]]}\n" for f in people), encoding="ascii")
    plink("--bfile", stored, "--freq", "--within", work / "within.txt", "--out", work / "populations")
    fastid.run("db", "build", "-o", work / "whole.h5", stored.with_suffix(".bed"))
    fastid.run("db", "export", work / "whole.h5", "-o", work / "whole.tsv", "--what", "panel", "--format", "tsv")
    text = (work / "whole.tsv").read_text(encoding="ascii")
    lines = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    minor = {line[0]: line[4] for line in lines[1:]}
    found = {}  # site -> population -> frequency of the panel's minor allele
    for _, site, cluster, a1, _, frequency, _, _ in words(work / "populations.frq.strat")[1:]:
        share = float(frequency)
        found.setdefault(site, {})[cluster] = share if a1 == minor[site] else 1 - share
    populations = sorted(set(population[fields[1]] for fields in people))
    panel = [[*lines[0], *populations]]
    panel += [[*line, *(f"{found[line[0]][name]:.6f}" for name in populations)] for line in lines[1:]]
    return panel, populations


def build_panel(fastid, studies, n_sites, work):
    """A database on evenly spaced sites of the panel."""
    sites = studies.panel[1:]
    chosen = [sites[i * len(sites) // n_sites] for i in range(n_sites)]
    path, database = work / f"panel-{n_sites}.tsv", work / f"people-{n_sites}.h5"
    path.write_text("".join("\t".join(line) + "\n" for line in [studies.panel[0], *chosen]), encoding="ascii")
    fastid.run("db", "build", "-o", database, "--panel", path, studies.stored.with_suffix(".bed"))
    return database


@dataclass
class Histogram:
    """One query: what was found and, for each population, what was expected, up to each count."""

    found: np.ndarray
    expected: dict


def cumulative(counts, values, length):
    full = np.zeros(length)
    full[counts] = values
    return np.cumsum(full)


def histograms(fastid, studies, database, n_sites):
    by_query = {}
    for population in [COHORT, *studies.populations]:
        result = fastid.json("search", "--ignore-build", "-k", 1, "--population", population,
                             studies.asked.with_suffix(".bed"), database)
        for query in result["queries"]:
            seen = query["histogram"]
            found = cumulative(seen["counts"], seen["profiles"], n_sites + 1)
            one = by_query.setdefault(query["name"], Histogram(found, {}))
            one.expected[population] = cumulative(seen["counts"], seen["expected_unrelated"], n_sites + 1)
    return by_query


def relatives(fastid, studies, database):
    """Pairs that are too much alike for strangers, at all sites."""
    rows = fastid.rows("search", "--ignore-build", "--population", COHORT, "-k", 5,
                       studies.asked.with_suffix(".bed"), database)
    return [row for row in rows if float(row["mismatch_rate"]) < RELATED_BELOW]


def mismatches_of(fastid, studies, database, pairs, work):
    """Mismatches of the pairs on another panel, by query."""
    names = {pair["query"] for pair in pairs}
    people = [f for f in words(studies.asked.with_suffix(".fam")) if f[1] in names]
    (work / "related.txt").write_text("".join(f"{f[0]} {f[1]}\n" for f in people), encoding="ascii")
    plink("--bfile", studies.asked, "--keep", work / "related.txt", "--make-bed", "--out", work / "related")
    rows = fastid.rows("search", "--ignore-build", "--population", COHORT, "-k", "all", work / "related.bed", database)
    wanted = {(pair["query"], pair["profile"]) for pair in pairs}
    found = {}
    for row in rows:
        if (row["query"], row["profile"]) in wanted:
            found.setdefault(row["query"], []).append(int(row["mismatches"]))
    return found


def limit_of(histogram, populations, most):
    """The largest limit that every population allows, and what the worst of them expects at it; -1, 0 for none."""
    limit = min(int(np.searchsorted(histogram.expected[name], most, side="right")) - 1 for name in populations)
    return limit, (max(histogram.expected[name][limit] for name in populations) if limit >= 0 else 0.0)


def judge(by_query, populations, wanted, related):
    """Expected, found, and of those found between relatives, over all queries."""
    expected, found, between_relatives = 0.0, 0, 0
    for name, histogram in by_query.items():
        limit, at_limit = limit_of(histogram, populations, wanted / len(by_query))
        expected += at_limit
        if limit >= 0:
            found += int(histogram.found[limit])
            between_relatives += sum(count <= limit for count in related.get(name, []))
    return expected, found, between_relatives


def judged(by_query, populations, wanted, related):
    """As cells of the table."""
    expected, found, between_relatives = judge(by_query, populations, wanted, related)
    strangers = found - between_relatives
    return [f"{expected:.3g}", strangers, between_relatives, f"{strangers / expected:.2g}"]


def calibrate_people(fastid, data, work):
    studies = prepare_studies(fastid, data, work)
    pairs = relatives(fastid, studies, work / "whole.h5")
    choices = {COHORT: [COHORT], "all": [COHORT, *studies.populations]}
    rows = {choice: [] for choice in choices}
    for n_sites in PANELS:
        database = build_panel(fastid, studies, n_sites, work)
        by_query = histograms(fastid, studies, database, n_sites)
        related = mismatches_of(fastid, studies, database, pairs, work)
        for choice, populations in choices.items():
            for wanted in WANTED:
                rows[choice].append([f"{n_sites:,}", f"{wanted:,}", *judged(by_query, populations, wanted, related)])
    stored = len(words(studies.stored.with_suffix(".fam")))
    print(f"{len(by_query)} people searched among {stored} others; {len(pairs)} pairs differ at less than "
          f"{RELATED_BELOW:.0%} of {PANELS[-1]:,} sites and are taken for relatives.\n")
    for choice, lines in rows.items():
        print(f"`--population {choice}`\n")
        table(["sites", "wanted at most", "expected", "strangers found", "relatives found", "strangers / expected"],
              lines)


# Mixtures -----------------------------------------------------------------------------------------------------------

PROFILES = 10_000
DRAWS = 20
ERROR_RATE = 0.005
CONTRIBUTORS = range(2, 11)
MIXTURE_PANELS = (256, 1024, 5000)


def stored_bits(fastid, database, work):
    """bool [profile, site], and ids."""
    fastid.run("db", "export", database, "-o", work / "profiles.tsv", "--what", "profiles", "--format", "tsv")
    with open(work / "profiles.tsv", encoding="ascii") as file:
        lines = (line.rstrip("\n").split("\t") for line in file if not line.startswith("#"))
        next(lines)  # the header
        rows = [(line[0], np.array(line[1:]) == "1") for line in lines]
    return np.stack([bits for _, bits in rows]), [name for name, _ in rows]


def write_vcf(path, panel, names, mixtures):
    """Mixtures as samples that carry the minor allele or do not; [mixture, site]."""
    with open(path, "w", encoding="ascii") as file:
        file.write('##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n')
        file.write("".join(f"##contig=<ID={chrom}>\n" for chrom in dict.fromkeys(site[1] for site in panel)))
        file.write("\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split() + names) + "\n")
        for (site, chrom, pos, major, minor, *_), bits in zip(panel, mixtures.T, strict=True):
            calls = ["0/1" if bit else "0/0" for bit in bits]
            file.write("\t".join([chrom, pos, site, major, minor, ".", ".", ".", "GT", *calls]) + "\n")


def mix(bits, n, draws, rng):
    """Rows of the contributors and what is read of their mixture, for each draw."""
    people = [rng.sample(range(len(bits)), n) for _ in range(draws)]
    true = np.stack([bits[rows].any(axis=0) for rows in people])
    errors = np.random.default_rng(rng.getrandbits(64)).random(true.shape) < ERROR_RATE
    return people, true ^ errors


@dataclass
class JudgedMixtures:
    """Mixtures of one number of people, together."""

    saturation: float  # mean
    saturated: int  # said to be so
    among_first: float  # share of n contributors among the first n
    complete: int  # mixtures of which the first n are the contributors
    lowest_ratio: float  # log10_lr of contributors
    highest_ratio: float
    highest_of_others: float
    lowest_estimate: int  # of the number of contributors
    highest_estimate: int
    in_interval: int  # mixtures whose interval holds the true number

    def cells(self, draws):
        return [f"{self.saturation:.3f}", f"{self.saturated} of {draws}", f"{self.among_first:.0%}",
                f"{self.complete} of {draws}", f"{self.lowest_ratio:.1f} to {self.highest_ratio:.1f}",
                f"{self.highest_of_others:.1f}", f"{self.lowest_estimate} to {self.highest_estimate}",
                f"{self.in_interval} of {draws}"]


def judge_mixtures(fastid, database, vcf, names, ids, people):
    found = fastid.json("mixture", "-k", 1, vcf, database)["queries"]
    evidence = [query["evidence"]["mixture"] for query in found]
    hits = fastid.rows("mixture", "-k", "all", vcf, database)
    leading, ratios, others = [], [], []
    for name, rows in zip(names, people, strict=True):
        mine = [hit for hit in hits if hit["mixture"] == name]
        contributors = {ids[row] for row in rows}
        leading.append(sum(hit["profile"] in contributors for hit in mine[:len(rows)]))
        ratios += [float(hit["log10_lr"]) for hit in mine if hit["profile"] in contributors]
        others += [float(hit["log10_lr"]) for hit in mine if hit["profile"] not in contributors]
    n = len(people[0])
    estimates = [one["contributors_estimate"] for one in evidence]
    return JudgedMixtures(
        saturation=float(np.mean([one["saturation"] for one in evidence])),
        saturated=sum(one["saturated"] for one in evidence),
        among_first=sum(leading) / (n * len(names)),
        complete=sum(count == n for count in leading),
        lowest_ratio=min(ratios), highest_ratio=max(ratios), highest_of_others=max(others),
        lowest_estimate=min(estimates), highest_estimate=max(estimates),
        in_interval=sum(one["contributors_low"] <= n <= one["contributors_high"] for one in evidence))


def panel_lines(fastid, database, work):
    """id, chrom, pos, major, minor, ... of each site."""
    fastid.run("db", "export", database, "-o", work / "mixed.tsv", "--what", "panel", "--format", "tsv")
    lines = (work / "mixed.tsv").read_text(encoding="ascii").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")][1:]


def calibrate_mixtures(fastid, work):
    rng = random.Random(1)
    print(f"{DRAWS} mixtures of each kind, of people in a simulated database of {PROFILES:,}; each bit misread with "
          f"probability {ERROR_RATE}.\n")
    for n_sites in MIXTURE_PANELS:
        database, vcf = work / f"mixed-{n_sites}.h5", work / "mixtures.vcf"
        fastid.run("db", "simulate", "-o", database, "--profiles", PROFILES, "--sites", n_sites, "--seed", 1)
        panel = panel_lines(fastid, database, work)
        bits, ids = stored_bits(fastid, database, work)
        names = [f"mix{i:02}" for i in range(DRAWS)]
        rows = []
        for n in CONTRIBUTORS:
            people, mixtures = mix(bits, n, DRAWS, rng)
            write_vcf(vcf, panel, names, mixtures)
            rows.append([n, *judge_mixtures(fastid, database, vcf, names, ids, people).cells(DRAWS)])
        print(f"{n_sites:,} sites\n")
        table(["people", "saturation", "saturated", "contributors among the first n", "all n first",
               "log10_lr of contributors", "highest of others", "n estimated", "n in its interval"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fastid", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for databases")
    parser.add_argument("parts", nargs="+", choices=["people", "mixtures"])
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    fastid = Fastid(arguments.fastid)
    if "people" in arguments.parts:
        calibrate_people(fastid, pathlib.Path(os.environ["FASTID_REAL_DATA"]), arguments.work)
    if "mixtures" in arguments.parts:
        calibrate_mixtures(fastid, arguments.work)


if __name__ == "__main__":
    main()
