"""Linkage disequilibrium of all pairs of sites by fastid and by plink1.9, by turns: what scripts/bench/ld runs."""

import sys

from bench_turns import arguments, as_bed, by_turns, measure_all, print_runs, simulated

LEAST_R2 = 0.01  # which some pairs have by chance


def pairs_of(path):
    """Pairs of ids."""
    with open(path, encoding="ascii") as file:
        heads = file.readline().split()
        places = [heads.index(name) for name in ("SNP_A", "SNP_B")]
        return {frozenset(line.split()[i] for i in places) for line in file}


def measure(args, people, work):
    bed = as_bed(args, simulated(args, people, work))
    took = by_turns(args.rounds, {
        "fastid": [args.fastid, "ld", "-q", "--all", "--min-r2", LEAST_R2, "--device", args.device, "--threads", args.threads,
                   f"{bed}.bed", "-o", work / "f.ld"],
        "plink1.9": ["plink1.9", "--silent", "--threads", args.threads, "--bfile", bed, "--r2", "inter-chr",
                     "--ld-window-r2", LEAST_R2, "--out", work / "p"]})
    if pairs_of(work / "f.ld") != pairs_of(work / "p.ld"):
        sys.exit(f"{people} people: fastid and plink1.9 found different pairs")
    print_runs(f"{args.sites:,} x {people:,}", args.sites * (args.sites - 1) / 2, took)


def main():
    parser = arguments("2504,12000", 10_000, 3)
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    print(f"{args.device}, {args.threads} threads, medians of {args.rounds}, r2 of at least {LEAST_R2}\n")
    measure_all(args, "sites x people", measure)


if __name__ == "__main__":
    main()
