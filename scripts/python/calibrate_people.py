"""Strangers among real people: how many are found where chance is said to bring so many, and why."""

from collections import Counter

import numpy as np
from calibrate_tools import (COHORT, SITES, build_panel, panel_of, panel_with_populations, plink, population_of,
                             prepare_studies, relatives, search, spaced, table, words, write_panel)

WANTED = (1, 10, 100)  # chance matches, all queries together
PANELS = (100, 1000, SITES)
THETAS, USUAL_THETA = (0, 0.01, 0.03), 0.01
ALL = "all"
BYS = ALLELES, BITS = "alleles", "bits"


def strangers(rows, related, wanted, n_queries):
    """Those whose chance matches are at most their share of what is wanted."""
    return [(row["query"], row["profile"]) for row in rows
            if float(row["chance_matches"]) <= wanted / n_queries and (row["query"], row["profile"]) not in related]


def found_at(fastid, studies, database, related, by, choice, theta):
    """Strangers by what was wanted, for one way to reckon."""
    n_queries = len(words(studies.asked.with_suffix(".fam")))
    rows = search(fastid, studies, database, "-k", "all", "--by", by, "--sort", "rate", "--population", choice,
                  "--theta", theta, "--max-chance-matches", max(WANTED) / n_queries)
    return {wanted: strangers(rows, related, wanted, n_queries) for wanted in WANTED}


def calibrate_people(fastid, data, work):
    studies = prepare_studies(fastid, data, work)
    related = relatives(fastid, studies, work)
    n_queries, n_stored = (len(words(prefix.with_suffix(".fam"))) for prefix in (studies.asked, studies.stored))
    print(f"{n_queries} people searched among {n_stored} others; {len(related)} pairs are taken for relatives.\n")
    databases = {n: build_panel(fastid, studies, n, work) for n in PANELS}
    header = ["by", "population", "theta", *(f"{n:,} sites: E {wanted}" for n in PANELS for wanted in WANTED)]
    excess, lines = [], []
    for by, choice in (*((by, ALL) for by in BYS), *((ALLELES, choice) for choice in (COHORT, *studies.populations))):
        for theta in THETAS if choice in (ALL, COHORT) else (USUAL_THETA,):
            cells = []
            for n, database in databases.items():
                found = found_at(fastid, studies, database, related, by, choice, theta)
                cells += [f"{len(found[wanted]):,}" for wanted in WANTED]
                if (choice, n) == (ALL, SITES):
                    excess.append((by, theta, found))
            lines.append([by, choice, theta, *cells])
    table(header, lines)
    for by, theta, found in excess:
        for wanted in WANTED:
            stored = Counter(studies.people[profile] for _, profile in found[wanted])
            print(f"{SITES:,} sites, by {by}, all, theta {theta}, E {wanted}: by the stored person's population",
                  ", ".join(f"{name} {n}" for name, n in stored.most_common()))


def calibrate_strangers(fastid, data, work):
    """How many people have a stranger whom chance does not explain: by differences alone, and as they are listed."""
    asked, phase1 = data / "hapmap3" / "hapmap3", (data / "1000g_phase1" / "phase1").with_suffix(".bed")
    population = population_of(data)
    write_panel(work / "panel.tsv", panel_with_populations(fastid, asked, population, work))
    pooled, several = work / "pooled.h5", work / "several.h5"
    fastid.run("db", "build", "-o", pooled, phase1)
    fastid.run("db", "build", "-o", several, "--panel", work / "panel.tsv", "--ignore-build", phase1)
    fastid.run("db", "build", "-o", work / "asked.h5", asked.with_suffix(".bed"))
    pairs = fastid.rows("pairs", "--ignore-build", pooled, work / "asked.h5", "--min-kinship", "0.0442")
    related = {(pair["IID2"], pair["#IID1"]) for pair in pairs}
    people = words(asked.with_suffix(".fam"))
    print(f"{len(people)} people of HapMap 3 searched among 1,092 of 1000 Genomes phase 1; strangers have a kinship below .0442.\n")
    lines = [["of phase 1, all populations counted as one", *with_strangers(fastid, asked, pooled, related)]]
    for choice, name in ((COHORT, "of HapMap 3, all populations counted as one"), (ALL, "of HapMap 3 as one, and of its eleven populations")):
        lines.append([name, *with_strangers(fastid, asked, several, related, "--population", choice)])
    own = np.zeros(3, int)
    for choice in sorted(set(population.values())):
        (work / "keep.txt").write_text("".join(f"{f[0]} {f[1]}\n" for f in people if population[f[1]] == choice), encoding="ascii")
        plink("--bfile", asked, "--keep", work / "keep.txt", "--make-bed", "--out", work / "own")
        own += with_strangers(fastid, work / "own", several, related, "--population", choice)
    lines.append(["of HapMap 3, each person's own population", *own])
    table(["frequencies", "by differences alone", "as listed", "marked `relative?`"], lines)


def with_strangers(fastid, asked, database, related, *options):
    """Of how many people a stranger has fewer than 0.01 chance matches: by differences alone, as listed; and is marked."""
    query = (asked.with_suffix(".bed"), database)
    shared = ("search", "--ignore-build", *options)
    limits = fastid.json(*shared, "-k", 1, "--max-chance-matches", 0.01, "--no-histograms", *query)
    most = {one["name"]: one["evidence"]["max_count"] for one in limits["queries"]}
    found = [set(), set(), set()]
    for row in fastid.rows(*shared, "-k", 6, "--sort", "rate", *query):
        if row["query"] == row["profile"] or (row["query"], row["profile"]) in related:
            continue
        for names, so in zip(found, (int(row["mismatches"]) <= most[row["query"]], float(row["chance_matches"]) < 0.01,
                                     row["mark"] == "relative?")):
            if so:
                names.add(row["query"])
    return [len(names) for names in found]


def spreads(document):
    """Of each query: (own centre - the model's) / the model's spread, and own spread / the model's."""
    found = []
    for query in document["queries"]:
        own, model = query["histogram"]["own"], query["histogram"]["model"]
        found.append(((own["centre"] - model["centre"]) / model["spread"], own["spread"] / model["spread"]))
    return np.array(found)


def medians(document):
    shift, ratio = np.median(spreads(document), axis=0)
    return [f"{shift:+.2f}", f"{ratio:.2f}"]


def calibrate_spread(fastid, data, work):
    studies = prepare_studies(fastid, data, work)
    print("By bits. The whole database: medians over the queries.\n")
    lines = []
    for n_sites in PANELS:
        database = build_panel(fastid, studies, n_sites, work)
        for choice in (ALL, COHORT):
            document = fastid.json("search", "--ignore-build", "-k", 50, "--by", BITS, "--sort", "rate",
                                   "--population", choice, studies.asked.with_suffix(".bed"), database)
            lines.append([f"{n_sites:,}", choice, *medians(document)])
    table(["sites", "population", "shift", "spread"], lines)
    print("Within each population, by its own frequencies: people searched among themselves.\n")
    table(["population", "people", *(f"{name}: {what}" for name in ("all sites", "1,000 spaced", "1,000 adjoining")
                                     for what in ("shift, theta 0", "shift, theta .01", "spread"))],
          [within(fastid, studies, name, work) for name in studies.populations])


def within(fastid, studies, name, work):
    people = [f for f in words(studies.stored.with_suffix(".fam")) if studies.people[f[1]] == name]
    prefix, database = work / "within", work / "within.h5"
    (work / "keep.txt").write_text("".join(f"{f[0]} {f[1]}\n" for f in people), encoding="ascii")
    plink("--bfile", studies.stored, "--keep", work / "keep.txt", "--make-bed", "--out", prefix)
    fastid.run("db", "build", "-o", database, prefix.with_suffix(".bed"))
    header, *sites = panel_of(fastid, database, work)
    line = [name, len(people)]
    for chosen in (sites, spaced(sites, 1000), sites[:1000]):
        write_panel(work / "within.tsv", [header, *chosen])
        fastid.run("db", "build", "-o", database, "--panel", work / "within.tsv", prefix.with_suffix(".bed"))
        (shift, spread), (shift_1, _) = (
            medians(fastid.json("search", "-k", 1, "--by", BITS, "--theta", theta, prefix.with_suffix(".bed"), database))
            for theta in (0, 0.01))
        line += [shift, shift_1, spread]
    return line
