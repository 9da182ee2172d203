"""Everyone against everyone by fastid and by plink2, by turns: what scripts/bench/pairs runs."""

import sys

from bench_turns import arguments, as_bed, by_turns, measure_all, print_runs, simulated

LEAST_KINSHIP = 0.0884
MOST_FOR_PLINK = 30_000


def pairs_of(path):
    """The two ids, and NSNP, HETHET and IBS0."""
    with open(path, encoding="ascii") as file:
        heads = file.readline().lstrip("#").split()
        places = [heads.index(name) for name in ("IID1", "IID2", "NSNP", "HETHET", "IBS0")]
        lines = [line.split() for line in file]
    return {(frozenset((line[places[0]], line[places[1]])), *(line[i] for i in places[2:])) for line in lines}


def measure(args, people, work):
    database = simulated(args, people, work, "--duplicates", "20", "--parent-child", "20", "--full-siblings", "20")
    commands = {"fastid": [args.fastid, "pairs", "-q", "--no-evidence", "--threads", args.threads, database,
                           "-o", work / "f.kin0"]}
    if people <= MOST_FOR_PLINK:
        commands["plink2"] = ["plink2", "--silent", "--threads", args.threads, "--bfile", as_bed(args, database),
                              "--make-king-table", "counts", "--king-table-filter", LEAST_KINSHIP, "--out", work / "p"]
    took = by_turns(args.rounds, commands)
    if "plink2" in took and pairs_of(work / "f.kin0") != pairs_of(work / "p.kin0"):
        sys.exit(f"{people} people: fastid and plink2 found different pairs")
    print_runs(f"{people:,} x {args.sites:,}", people * (people - 1) / 2, took)


def main():
    args = arguments("5000,20000,100000", 1024, 5).parse_args()
    print(f"{args.threads} threads, medians of {args.rounds}, kinship of at least {LEAST_KINSHIP}\n")
    measure_all(args, "people x sites", measure)


if __name__ == "__main__":
    main()
