"""Linked sites: what chance brings of them, beside what is said, with each site counted and with blocks."""

import math

from calibrate_kin import ALL_PAIRS, BOUNDS
from calibrate_tools import panel_of, plink, table, words, write_panel

PANELS = (100, 1000)  # sites side by side; and all
LEAST_PEOPLE = 80
R2S, WINDOW = (0.1, 0.5), 1_000_000
WANTED = (1, 10, 100)  # chance matches, all queries together
RATIOS = ("parent_child", "sibling", "half_sibling", "cousin")


def populations(data):
    """People of phase 3 by population, of those that HapMap 3 lists too."""
    in_phase3 = {fields[1] for fields in words(data / "1000g_phase3" / "phase3.fam")}
    people = {}
    for fields in words(data / "hapmap3" / "relationships_w_pops_121708.txt")[1:]:
        if fields[1] in in_phase3:
            people.setdefault(fields[6], []).append(fields[1])
    return {name: ids for name, ids in sorted(people.items()) if len(ids) >= LEAST_PEOPLE}


def panels(fastid, data, work):
    """Databases of each population on sites side by side, with its own frequencies, by the number of sites."""
    phase3 = data / "1000g_phase3" / "phase3"
    made = {}
    for name, ids in populations(data).items():
        prefix = work / name
        (work / "keep.txt").write_text("".join(f"{i} {i}\n" for i in ids), encoding="ascii")
        plink("--bfile", phase3, "--keep", work / "keep.txt", "--mac", 1, "--make-bed", "--out", prefix)
        fastid.run("db", "build", "-o", work / f"{name}.h5", prefix.with_suffix(".bed"))
        header, *sites = panel_of(fastid, work / f"{name}.h5", work)
        for n_sites in (*PANELS, len(sites)):
            database = work / f"{name}-{n_sites}.h5"
            write_panel(work / "some.tsv", [header, *sites[:n_sites]])
            fastid.run("db", "build", "-o", database, "--panel", work / "some.tsv", prefix.with_suffix(".bed"))
            made.setdefault(n_sites if n_sites in PANELS else "all", []).append((prefix.with_suffix(".bed"), database, len(ids)))
    return made


def strangers(fastid, databases, *options):
    """Ordered pairs of two people of one population: how many, and by what was wanted those within it."""
    n, found = 0, dict.fromkeys(WANTED, 0)
    for queries, database, people in databases:
        rows = [row for row in fastid.rows("search", "-k", "all", "--sort", "rate", *options, queries, database)
                if row["query"] != row["profile"]]
        n += len(rows)
        for wanted in WANTED:  # of all databases together
            found[wanted] += sum(float(row["chance_matches"]) <= wanted / people / len(databases) for row in rows)
    return n, found


def ratios(fastid, databases, *options):
    """Shares of pairs of strangers that have a ratio of each relation, by bound."""
    n, above = 0, {relation: dict.fromkeys(BOUNDS, 0) for relation in RATIOS}
    for queries, database, _ in databases:
        rows = [row for row in fastid.rows("kin", "--unlinked", "-k", "all", "--sort", "kinship", "--min-kinship", ALL_PAIRS, *options,
                                           queries, database) if row["query"] != row["profile"]]
        n += len(rows)
        for relation, at in above.items():
            for bound in BOUNDS:
                at[bound] += sum(float(row[f"log10_lr_{relation}"]) >= math.log10(bound) for row in rows)
    return n, above


def calibrate_linkage(fastid, data, work):
    ways = [("each site", ())]
    for r2 in R2S:
        path = work / f"blocks-{r2}.tsv"
        fastid.run("ld", "--blocks", r2, "--window-bp", WINDOW, "-o", path, data / "1000g_phase3" / "phase3.bed", "--force")
        lengths = [int(line[4]) for line in words(path) if line[0].isdigit()]
        print(f"r2 of {r2}: {len(lengths)} blocks of {sum(lengths):,} sites, of {min(lengths)} to {max(lengths)}\n")
        ways.append((f"blocks by {r2}", ("--blocks", path)))
    made = panels(fastid, data, work)
    found, high = [], []
    for n_sites, databases in made.items():
        for theta in (0, 0.01):
            for way, options in ways:
                n, within = strangers(fastid, databases, "--theta", theta, *options)
                found.append([n_sites, theta, way, f"{n:,}", *(f"{within[wanted]:,}" for wanted in WANTED)])
        for way, options in ways:
            n, above = ratios(fastid, databases, "--theta", 0, *options)
            high += [[n_sites, way, relation.replace("_", "-"), *(f"{above[relation][bound] / n:.4%}" for bound in BOUNDS)]
                     for relation in RATIOS]
    table(["sites", "theta", "counted", "pairs", *(f"E {wanted}" for wanted in WANTED)], found)
    table(["sites", "counted", "relation", *(f"LR {bound:,}" for bound in BOUNDS)], high)
