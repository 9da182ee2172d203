"""Mixtures, by bits, whose contributors are known: of real people, of simulated ones, and a kit's stain."""

import random

import numpy as np
from calibrate_tools import COHORT, build_panel, panel_of, plink, prepare_studies, table, words, write_vcf

ALL = "all"
BY = "--by", "bits"
DRAWS = 20
DROP_IN = 0.005


# Real people --------------------------------------------------------------------------------------------------------

SITES = 1000
PEOPLE = (2, 3)
DROP_OUTS = (0, 0.2)
TAKEN = {"auto": [], "auto, n given": ["--contributors"], "0.005": ["--drop-out", 0.005]}


def minor_copies(data, studies, panel, work):
    """People of both studies as phase 1 has them: name -> copies of the minor allele at the panel's sites, NaN where none."""
    phase1 = data / "1000g_phase1" / "phase1"
    plink("--bfile", phase1, "--keep", work / "shared.txt", "--recode", "A-transpose", "--out", work / "shared")
    header, *lines = words((work / "shared.traw"))
    names = [name.split("_", 1)[1] for name in header[6:]]
    minor = {line[0]: line[4] for line in panel}
    found = {line[1]: line for line in lines}
    copies = np.full((len(names), len(panel)), np.nan)
    for place, (site, *_) in enumerate(panel):
        counts = np.array([float("nan" if x == "NA" else x) for x in found[site][6:]])
        copies[:, place] = counts if found[site][4] == minor[site] else 2 - counts
    return dict(zip(names, copies))


def stain(copies, drop_out, rng):
    """Bits of a mixture of these people: each minor copy may drop out, and one may drop in."""
    shown = rng.random(copies.shape[1]) < DROP_IN
    for person in np.nan_to_num(copies):
        for copy in (1, 2):
            shown |= (person >= copy) & (rng.random(len(person)) >= drop_out)
    return shown


def draw_mixtures(studies, copies, n, drop_out, seed):
    """Names and bits: people of one population each."""
    chooser, rng = random.Random(seed), np.random.default_rng(seed)
    by_population = {}
    for name in copies:
        by_population.setdefault(studies.people[name], []).append(name)
    large = [names for names in by_population.values() if len(names) >= 10]
    people = [chooser.sample(chooser.choice(large), n) for _ in range(DRAWS)]
    return people, [stain(np.stack([copies[name] for name in chosen]), drop_out, rng) for chosen in people]


def probability_of(n, mixture):
    """P(n contributors), as fastid has it."""
    return next((one["probability"] for one in mixture["numbers"] if one["contributors"] == n), 0)


def judge_real(studies, document, people):
    ratios = {"contributors": [], "same population": [], "others": []}
    marked, first, estimates = {name: 0 for name in ratios}, 0, []
    for query, chosen in zip(document["queries"], people, strict=True):
        own = studies.people[chosen[0]]
        for row in query["matches"]:
            kind = ("contributors" if row["profile"] in chosen
                    else "same population" if studies.people[row["profile"]] == own else "others")
            ratios[kind].append(row["log10_lr"])
            marked[kind] += row["mark"] == "relative?"
        first += {row["profile"] for row in query["matches"][:len(chosen)]} == set(chosen)
        estimates.append(probability_of(len(chosen), query["evidence"]["mixture"]))
    mine = ratios["contributors"]
    return [f"{first} of {len(people)}", f"{min(mine):.1f}, {np.median(mine):.1f}, {max(mine):.1f}",
            f"{sum(ratio > 0 for ratio in mine)} of {len(mine)}", marked["contributors"],
            f"{max(ratios['same population']):.1f}", sum(ratio > 0 for ratio in ratios["same population"]),
            f"{max(ratios['others']):.1f}", f"{np.mean(estimates):.2f}"]


def calibrate_mixtures(fastid, data, work):
    studies = prepare_studies(fastid, data, work)
    database, vcf = build_panel(fastid, studies, SITES, work), work / "mixtures.vcf"
    panel = panel_of(fastid, database, work)[1:]
    copies = minor_copies(data, studies, panel, work)
    print(f"{DRAWS} mixtures of each kind, of people of one population, {SITES:,} sites, among {len(studies.people)} people.\n")
    lines = []
    for n in PEOPLE:
        for drop_out in DROP_OUTS:
            people, bits = draw_mixtures(studies, copies, n, drop_out, seed=100 * n + int(100 * drop_out))
            write_vcf(vcf, panel, [f"mix{i:02}" for i in range(DRAWS)], bits)
            for population in (ALL, COHORT):
                for taken, options in TAKEN.items():
                    given = [*options, n] if options == ["--contributors"] else options
                    document = fastid.json("mixture", "--ignore-build", "-k", "all", *BY, "--population", population, *given, vcf,
                                           database)
                    lines.append([n, drop_out, population, taken, *judge_real(studies, document, people)])
    table(["people", "drop-out", "population", "reckoned with", "contributors first", "their log10_lr (least, median, most)",
           "above 0", "relative?", "highest of the same population", "above 0", "highest of others", "P(n), mean"], lines)


# Simulated people ---------------------------------------------------------------------------------------------------

PROFILES = 1000
CONTRIBUTORS = (2, 3, 4, 5, 6, 8, 10)
PANELS = (256, 1024)


def stored_bits(fastid, database, work):
    """[profile, site], and ids."""
    fastid.run("db", "export", database, "-o", work / "profiles.tsv", "--what", "profiles", "--format", "tsv")
    with open(work / "profiles.tsv", encoding="ascii") as file:
        lines = (line.rstrip("\n").split("\t") for line in file if not line.startswith("#"))
        next(lines)  # the header
        rows = [(line[0], np.array(line[1:]) == "1") for line in lines]
    return np.stack([bits for _, bits in rows]), [name for name, _ in rows]


def simulated(fastid, n_sites, work):
    """A database, its panel's lines, its bits and ids."""
    database = work / f"mixed-{n_sites}.h5"
    fastid.run("db", "simulate", "-o", database, "--profiles", PROFILES, "--sites", n_sites, "--seed", 1)
    return database, panel_of(fastid, database, work)[1:], *stored_bits(fastid, database, work)


def resolved(fastid, database, panel, bits, ids, n, chance):
    """What becomes of mixtures of n people; chance: who they are, and which bits are misread."""
    chooser, rng = chance
    people = [chooser.sample(range(len(bits)), n) for _ in range(DRAWS)]
    mixed = np.stack([bits[chosen].any(axis=0) for chosen in people])
    mixed ^= rng.random(mixed.shape) < DROP_IN
    vcf = database.with_suffix(".vcf")
    write_vcf(vcf, panel, [f"mix{i:02}" for i in range(DRAWS)], mixed)
    document = fastid.json("mixture", "-k", "all", *BY, "--drop-out", DROP_IN, vcf, database)
    return judge_simulated(document, [{ids[row] for row in chosen} for chosen in people])


def judge_simulated(document, people):
    mine, others, first, saturated, estimates = [], [], 0, 0, []
    for query, chosen in zip(document["queries"], people, strict=True):
        for row in query["matches"]:
            (mine if row["profile"] in chosen else others).append(row["log10_lr"])
        first += len({row["profile"] for row in query["matches"][:len(chosen)]} & chosen)
        mixture = query["evidence"]["mixture"]
        saturated += mixture["saturated"]
        estimates.append(probability_of(len(chosen), mixture))
    n = len(people[0])
    return [n, f"{saturated} of {DRAWS}", f"{first / n / DRAWS:.0%}", f"{min(mine):.1f} to {max(mine):.1f}",
            f"{max(others):.1f}", f"{np.mean(estimates):.2f}"]


def calibrate_numbers(fastid, work):
    chance = random.Random(1), np.random.default_rng(1)
    print(f"{DRAWS} mixtures of each kind, of people in a simulated database of {PROFILES:,}; each bit misread with "
          f"probability {DROP_IN}.\n")
    for n_sites in PANELS:
        made = simulated(fastid, n_sites, work)
        print(f"{n_sites:,} sites\n")
        table(["people", "saturated", "contributors among the first n", "log10_lr of contributors", "highest of others",
               "P(n), mean"], [resolved(fastid, *made, n, chance) for n in CONTRIBUTORS])


# The stain ----------------------------------------------------------------------------------------------------------

STRANGERS = 20_000
LISTED = 100
STAIN_DROP_OUTS = ("auto", 0.005, 0.05, 0.2)


def calibrate_stain(fastid, data, work):
    kits = data / "kits"
    database = work / "stain.h5"
    fastid.run("db", "simulate", "-o", database, "--panel", kits / "kintelligence.tsv", "--profiles", STRANGERS, "--seed", 1)
    fastid.run("db", "append", database, kits / "ref01.snp", kits / "na24385.snp")
    populations = panel_of(fastid, database, work)[0][5:]
    print(f"The stain among ref01, na24385 and {STRANGERS:,} simulated strangers; the {LISTED} best are looked at.\n")
    lines = []
    for population in (ALL, *populations):
        for drop_out in STAIN_DROP_OUTS:
            document = fastid.json("mixture", "-k", LISTED, *BY, "--population", population, "--drop-out", drop_out,
                                   kits / "s01a.snp", database)
            rows = {row["profile"]: row for row in document["queries"][0]["matches"]}
            ref, son = rows.pop("ref01"), rows.pop("na24385")
            lines.append([population, drop_out, *(cell for row in (ref, son) for cell in (
                row["rank"], f"{row['log10_lr']:.1f}", "yes" if row["mark"] == "relative?" else "no")),
                f"{max(row['log10_lr'] for row in rows.values()):.1f}"])
    table(["population", "--drop-out", "ref01: rank", "log10_lr", "relative?", "na24385: rank", "log10_lr", "relative?",
           "highest of strangers"], lines)
