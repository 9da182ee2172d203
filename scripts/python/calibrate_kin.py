"""Kinship: which relations are named of simulated relatives, how high strangers' ratios come, and what linkage adds."""

from collections import Counter

import numpy as np
from calibrate_tools import export_people, panel_with_populations, planted_pairs, population_of, table, write_panel

PEOPLE, PAIRS = 2000, 200
ERROR_RATE, NO_CALL_RATE = 0.002, 0.02
PANELS = (1000, 10039, 14079)
TRUTHS = {"duplicate": ("duplicates", "same"), "parent-child": ("parent-child", "parent-child"),
          "full-siblings": ("full-siblings", "sibling"), "half-siblings": ("half-siblings", "half-sibling"),
          "first-cousins": ("first-cousins", "cousin")}  # of relatives.tsv: option, what fastid kin calls it
NAMED = ("same", "parent-child", "sibling", "half-sibling", "cousin")

STRANGER_PANELS = (100, 1000, 10039)
MOST_ASKED, SITES_ASKED = 200, 200_000  # queries, and their sites together
THETAS = (0, 0.01)
BOUNDS = (1, 10, 100, 1000)
ALL_PAIRS = -10  # the least that --min-kinship takes
RATIOS = ("parent_child", "sibling", "half_sibling", "cousin")


# Simulated people ---------------------------------------------------------------------------------------------------

def simulated(fastid, n_sites, work):
    """A database of people with relatives among them, and the pairs."""
    database = work / f"kin-{n_sites}.h5"
    fastid.run("db", "simulate", "-o", database, "--unlinked-meioses", "--profiles", PEOPLE, "--sites", n_sites, "--seed", n_sites,
               "--error-rate", ERROR_RATE, "--no-call-rate", NO_CALL_RATE,
               *(word for option, _ in TRUTHS.values() for word in (f"--{option}", PAIRS)))
    return database, planted_pairs(database)


def named(fastid, n_sites, work):
    """What is said of the pairs, by their truth (None: not listed), and of strangers, as counts."""
    database, pairs = simulated(fastid, n_sites, work)
    queries = export_people(fastid, database, pairs)
    strangers, said = Counter(), {}
    for row in fastid.rows("kin", "--unlinked", "-k", "all", queries, database):
        if row["profile"] == row["query"]:
            continue
        if row["profile"] == pairs[row["query"]][0]:
            said[row["query"]] = row["relation"]
        else:
            strangers[row["relation"]] += 1
    truths = {truth: Counter() for truth in TRUTHS}
    for query, (_, truth) in pairs.items():
        truths[truth][said.get(query)] += 1
    return truths, strangers


def verdicts(said, truth):
    """Right, undecided, another relation, unrelated, not listed."""
    right = said[TRUTHS[truth][1]]
    others = [said[name] for name in ("undecided", "unrelated", None)]
    undecided, unrelated, missing = others
    return right, undecided, said.total() - right - sum(others), unrelated, missing


def strangers_ratios(fastid, n_sites, theta, work):
    """log10 ratios of strangers, [pair][relation]."""
    database, pairs = simulated(fastid, n_sites, work)
    asked = list(pairs)[:min(MOST_ASKED, SITES_ASKED // n_sites)]
    rows = fastid.rows("kin", "--unlinked", "-k", "all", "--min-kinship", ALL_PAIRS, "--theta", theta,
                       export_people(fastid, database, asked), database)
    return np.array([[float(row[f"log10_lr_{name}"]) for name in RATIOS] for row in rows
                     if row["profile"] not in (row["query"], pairs[row["query"]][0])])


def calibrate_kin(fastid, work):
    print(f"{PAIRS} pairs of each relation among {PEOPLE:,} simulated people, one of each searched among all.\n")
    lines, of_strangers = [], []
    for n_sites in PANELS:
        truths, strangers = named(fastid, n_sites, work)
        lines += [[f"{n_sites:,}", truth, *verdicts(said, truth)] for truth, said in truths.items()]
        of_strangers.append([f"{n_sites:,}", f"{strangers.total():,}", *(f"{strangers[name]:,}" for name in NAMED)])
    table(["sites", "truth", "right", "undecided", "another relation", "unrelated", "not listed"], lines)
    print("Strangers that are listed, and how many of them a relation is named of.\n")
    table(["sites", "listed", *NAMED], of_strangers)
    print("Strangers, all of them: share with a ratio of x or more; theory has at most 1 in x.\n")
    lines = []
    for n_sites in STRANGER_PANELS:
        for theta in THETAS:
            ratios = strangers_ratios(fastid, n_sites, theta, work)
            lines += [[f"{n_sites:,}", theta, f"{len(ratios):,}", name.replace("_", "-"),
                       *(f"{np.mean(column >= np.log10(bound)):.4%}" for bound in BOUNDS)]
                      for name, column in zip(RATIOS, ratios.T)]
    table(["sites", "theta", "pairs", "relation", *(f"LR {bound:,}" for bound in BOUNDS)], lines)


# Real people --------------------------------------------------------------------------------------------------------

FIRST_DEGREE = (0.177, 0.354)  # kinship
MOST_IBS0 = 0.01  # share of a parent's and a child's sites that only errors make


def first_degree(rows):
    """Kinship and log10 of siblings against parent and child: of parents and children, and of siblings."""
    found = {"parent-child": [], "sibling": []}
    for row in rows:
        kinship = float(row["kinship"])
        if FIRST_DEGREE[0] <= kinship < FIRST_DEGREE[1]:
            kind = "parent-child" if int(row["ibs0"]) < MOST_IBS0 * int(row["compared"]) else "sibling"
            found[kind].append((kinship, float(row["log10_lr_sibling"]) - float(row["log10_lr_parent_child"])))
    return {kind: np.array(values) for kind, values in found.items()}


def once(rows):
    """Each pair once, and nobody with the same person."""
    return list({frozenset((row["query"], row["profile"])): row for row in rows if row["query"] != row["profile"]}.values())


def real_pairs(fastid, data, work):
    """What is listed of HapMap 3's people, searched among themselves by the frequencies of their populations."""
    stored = data / "hapmap3" / "hapmap3"
    people = population_of(data)
    panel = panel_with_populations(fastid, stored, people, work)
    write_panel(work / "panel.tsv", panel)
    database = work / "people.h5"
    fastid.run("db", "build", "-o", database, "--panel", work / "panel.tsv", stored.with_suffix(".bed"))
    populations = ",".join(sorted(set(people.values())))
    return once(fastid.rows("kin", "--unlinked", "-k", "all", "--population", populations, stored.with_suffix(".bed"), database)), people


def simulated_pairs(fastid, work):
    """What is listed of simulated relatives on HapMap 3's sites, unlinked, by its frequencies."""
    database = work / "unlinked.h5"
    fastid.run("db", "export", work / "whole.h5", "-o", work / "unlinked.tsv", "--what", "panel", "--format", "tsv")
    fastid.run("db", "simulate", "-o", database, "--unlinked-meioses", "--panel", work / "unlinked.tsv", "--profiles", PEOPLE, "--seed", 1,
               "--parent-child", PAIRS, "--full-siblings", PAIRS)
    return once(fastid.rows("kin", "--unlinked", "-k", 5, export_people(fastid, database, planted_pairs(database)), database))


def span(values, digits):
    return f"{values.min():.{digits}f} to {values.max():.{digits}f}"


def calibrate_relatives(fastid, data, work):
    rows, people = real_pairs(fastid, data, work)
    print(f"{len(rows)} pairs of HapMap 3's {len(people)} people are listed, by what is named of them.\n")
    lines = []
    for name in (*NAMED, "undecided", "unrelated"):
        mine = [row for row in rows if row["relation"] == name]
        if mine:
            most, n = Counter(people[row["profile"]] for row in mine).most_common(1)[0]
            lines.append([name, len(mine), span(np.array([float(row["kinship"]) for row in mine]), 3),
                          span(np.array([int(row["ibs0"]) for row in mine]), 0), f"{most} {n}"])
    table(["relation", "pairs", "kinship", "ibs0", "most of"], lines)
    print("Relatives of the first degree, real and simulated.\n")
    lines = []
    for who, found in (("real", first_degree(rows)), ("simulated", first_degree(simulated_pairs(fastid, work)))):
        for kind, values in found.items():
            kinship, ratio = values.T
            lines.append([who, kind, len(values), span(kinship, 3), f"{kinship.std(ddof=1):.4f}", span(ratio, 0),
                          f"{ratio.std(ddof=1):.0f}"])
    table(["people", "relation", "pairs", "kinship", "its standard deviation", "log10 of sibling to parent-child",
           "its standard deviation"], lines)
