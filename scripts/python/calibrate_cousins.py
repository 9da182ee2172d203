"""Real people: what `pairs` says along the map beside what it says site by site, and the cousins whom kinship does not show."""

from collections import Counter

from calibrate_tools import plink, table, words

LEAST_PEOPLE = 40  # of a population, whose own frequencies are taken
FAR = .0221  # kinship: KING's bound of the third degree
THINS = (0, .1)  # cM
FOUND = 6  # log10 ratio, as `pairs` lists by default


def populations(study, data):
    """Of a study the people of each population of HapMap 3."""
    named = {fields[1]: fields[6] for fields in words(data / "hapmap3" / "relationships_w_pops_121708.txt")[1:]}
    people = {}
    for fields in words(study.with_suffix(".fam")):
        if fields[1] in named:
            people.setdefault(named[fields[1]], []).append(fields[:2])
    return {name: of for name, of in sorted(people.items()) if len(of) >= LEAST_PEOPLE}


def database_of(fastid, study, people, work):
    """These people alone, with their own frequencies."""
    (work / "keep.txt").write_text("".join(" ".join(ids) + "\n" for ids in people), encoding="ascii")
    plink("--bfile", study, "--keep", work / "keep.txt", "--make-bed", "--out", work / "own")
    fastid.run("db", "build", "-o", work / "own.h5", work / "own.bed")
    return work / "own.h5"


def listed(fastid, database, *options):
    return {frozenset((row["#IID1"], row["IID2"])): row for row in fastid.rows("pairs", *options, database)}


def degree_named(row):
    if row is None:
        return "not listed"
    return row["degree"] if row["degree"] != "NA" else "undecided"


def calibrate_cousins(fastid, data, work):
    cells, changes, far = [], Counter(), {}
    for study, path in (("HapMap 3", data / "hapmap3" / "hapmap3"), ("1000 Genomes phase 1", data / "1000g_phase1" / "phase1")):
        for name, people in populations(path, data).items():
            database = database_of(fastid, path, people, work)
            before = listed(fastid, database, "--unlinked")
            along = {thin: listed(fastid, database, "--thin", thin, "--min-lr", 0) for thin in THINS}
            found = {thin: {pair for pair, row in rows.items() if float(row["log10_lr"]) >= FOUND} for thin, rows in along.items()}
            hidden = {thin: {pair for pair in pairs if float(along[thin][pair]["KINSHIP"]) < FAR} for thin, pairs in found.items()}
            far[study, name] = hidden, along
            cells.append([study, name, len(people), len(before), *(len(found[thin]) for thin in THINS), *(len(hidden[thin]) for thin in THINS)])
            for pair, row in before.items():
                changes[study, row["relation"], degree_named(along[THINS[-1]].get(pair))] += 1
    table(["study", "population", "people", "`--unlinked`", *(f"ratio of 10^{FOUND}, thin {thin}" for thin in THINS),
           *(f"of these kinship below {FAR}, thin {thin}" for thin in THINS)], cells)
    print("What is named of the pairs that `pairs --unlinked` lists.\n")
    table(["study", "site by site", "degree along the map", "pairs"], [[*key, n] for key, n in sorted(changes.items())])
    print("Pairs of HapMap 3 below that kinship of whom both were typed again: log10 ratio there.\n")
    lines = []
    for (study, name), (hidden, _) in far.items():
        again = far.get(("1000 Genomes phase 1", name))
        if study != "HapMap 3" or again is None:
            continue
        there = {ids[1] for ids in populations(data / "1000g_phase1" / "phase1", data)[name]}
        for thin in THINS:
            ratios = [float(again[1][thin][pair]["log10_lr"]) if pair in again[1][thin] else None for pair in hidden[thin] if pair <= there]
            if ratios:
                kept = [ratio for ratio in ratios if ratio is not None]
                lines.append([name, thin, len(hidden[thin]), len(ratios), len(ratios) - len(kept), f"{min(kept, default=0):.1f} to {max(kept, default=0):.1f}"])
    table(["population", "thin", "pairs", "typed again", "below 1 there", "others"], lines)
