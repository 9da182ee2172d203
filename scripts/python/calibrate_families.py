"""Simulated families: how often what is suggested is right."""

from collections import Counter

import numpy as np
from calibrate_tools import export_people, planted_pairs, table

PANELS = (94, 1024, 10039)
PEOPLE, PAIRS = 1000, 200
RELATIONS = {"the same person": "--duplicates", "parent and child": "--parent-child", "full siblings": "--full-siblings",
             "half siblings": "--half-siblings", "first cousins": "--first-cousins"}
SUGGESTIONS = ("same", "first-degree", "second-degree", "unrelated", "inconclusive")


def matches_of(fastid, option, n_sites, work):
    """The rows of the pairs, and those of strangers, of PAIRS people searched among all."""
    database = work / "family.h5"
    fastid.run("db", "simulate", "-o", database, "--unlinked-meioses", "--profiles", PEOPLE, "--sites", n_sites, "--seed", n_sites, option, PAIRS)
    pairs = planted_pairs(database)
    queries = export_people(fastid, database, pairs)
    related, strangers = [], []
    for row in fastid.rows("search", "--unlinked", "-k", "all", queries, database):
        if row["profile"] != row["query"]:
            (related if row["profile"] == pairs[row["query"]][0] else strangers).append(judged(row))
    return related, strangers


def judged(row):
    """What is said of a hit."""
    return {"suggests": row["suggests"], "log10_lr": float(row["log10_lr"]), "log10_lr_sibling": float(row["log10_lr_sibling"]),
            "relative": row["mark"] == "relative?"}


def cells(rows):
    count = Counter(row["suggests"] for row in rows)
    ratios = {name: [row[name] for row in rows] for name in ("log10_lr", "log10_lr_sibling")}
    return [f"{len(rows):,}", *(f"{count[name] / len(rows):.2%}" for name in SUGGESTIONS),
            f"{np.mean([row['relative'] for row in rows]):.2%}",
            *(f"{min(values):.1f} to {max(values):.1f}" for values in ratios.values())]


def calibrate_families(fastid, work):
    print(f"{PAIRS} pairs of each relation among {PEOPLE:,} simulated people; strangers are all others.\n")
    lines = []
    for n_sites in PANELS:
        strangers = []
        for name, option in RELATIONS.items():
            related, others = matches_of(fastid, option, n_sites, work)
            lines.append([f"{n_sites:,}", name, *cells(related)])
            strangers += others
        lines.append([f"{n_sites:,}", "strangers", *cells(strangers)])
    table(["sites", "truth", "pairs", *SUGGESTIONS, "relative?", "log10_lr", "log10_lr_sibling"], lines)
