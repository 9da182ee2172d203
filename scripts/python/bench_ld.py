"""Linkage disequilibrium by fastid and by PLINK, by turns: what scripts/bench/ld runs."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

from bench_turns import arguments, as_bed, by_turns, measure_all, print_runs, simulated

LEAST_R2 = 0.01  # which some pairs have by chance
WINDOW = 1000  # places, of a panel that is pruned


def pairs_of(path):
    """Pairs of ids."""
    with open(path, encoding="ascii") as file:
        heads = file.readline().split()
        places = [heads.index(name) for name in ("SNP_A", "SNP_B")]
        return {frozenset(line.split()[i] for i in places) for line in file}


def ids(path):
    return [line for line in path.read_text(encoding="ascii").splitlines() if not line.startswith("#")]


def measure_pairs(args, people, work):
    bed = as_bed(args, simulated(args, people, work))
    took = by_turns(args.rounds, {
        "fastid": [args.fastid, "ld", "-q", "--all", "--min-r2", LEAST_R2, "--device", args.device, "--threads", args.threads,
                   f"{bed}.bed", "-o", work / "f.ld"],
        "plink1.9": ["plink1.9", "--silent", "--threads", args.threads, "--bfile", bed, "--r2", "inter-chr",
                     "--ld-window-r2", LEAST_R2, "--out", work / "p"]})
    if pairs_of(work / "f.ld") != pairs_of(work / "p.ld"):
        sys.exit(f"{people} people: fastid and plink1.9 found different pairs")
    print_runs(f"{args.sites:,} x {people:,}", args.sites * (args.sites - 1) / 2, took)


def check_pruned(bed, kept, work):
    """No two sites of a list have an r2 above the limit within the window, as plink1.9 counts it."""
    command = ["plink1.9", "--silent", "--bfile", bed, "--extract", kept, "--r2", "--ld-window", WINDOW + 1, "--ld-window-kb",
               10_000_000, "--ld-window-r2", LEAST_R2, "--out", work / "left"]
    subprocess.run(list(map(str, command)), check=True)
    # Places are those of the pruned panel here, so that pairs further apart than the window was may be among them.
    place = {line.split()[1]: i for i, line in enumerate(Path(f"{bed}.bim").read_text(encoding="ascii").splitlines())}
    with open(work / "left.ld", encoding="ascii") as file:
        heads = file.readline().split()
        a, b, r2 = (heads.index(name) for name in ("SNP_A", "SNP_B", "R2"))
        for fields in map(str.split, file):
            if float(fields[r2]) > LEAST_R2 * 1.00001 and abs(place[fields[a]] - place[fields[b]]) <= WINDOW:
                sys.exit(f"{fields[a]} and {fields[b]} were kept with an r2 of {fields[r2]}")


def pairs_in_windows(bed):
    chromosomes = Counter(line.split()[0] for line in Path(f"{bed}.bim").read_text(encoding="ascii").splitlines())
    return sum(n * min(n - 1, WINDOW) - min(n - 1, WINDOW) * (min(n - 1, WINDOW) + 1) // 2 for n in chromosomes.values())


def measure_prune(args, people, work):
    bed = as_bed(args, simulated(args, people, work))
    plinks = ["--threads", args.threads, "--bfile", bed, "--indep-pairwise", WINDOW + 1, 1, LEAST_R2]
    took = by_turns(args.rounds, {
        "fastid": [args.fastid, "ld", "-q", "--prune", LEAST_R2, "--window", WINDOW, "--device", args.device,
                   "--threads", args.threads, f"{bed}.bed", "-o", work / "f.txt"],
        "plink1.9": ["plink1.9", "--silent", *plinks, "--out", work / "p"],
        "plink2": ["plink2", "--silent", *plinks, "--out", work / "q"]})
    check_pruned(bed, work / "f.txt", work)
    print_runs(f"{args.sites:,} x {people:,}", pairs_in_windows(bed), took)
    lists = {"fastid": "f.txt", "plink1.9": "p.prune.in", "plink2": "q.prune.in"}
    print("\nsites kept: " + ", ".join(f"{name} {len(ids(work / path)):,}" for name, path in lists.items()) + "\n")


def main():
    parser = arguments("2504,12000", 10_000, 3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--prune", action="store_true")
    args = parser.parse_args()
    what = f"pruned to an r2 of {LEAST_R2} within {WINDOW} places" if args.prune else f"r2 of at least {LEAST_R2}"
    print(f"{args.device}, {args.threads} threads, medians of {args.rounds}, {what}\n")
    measure_all(args, "sites x people", measure_prune if args.prune else measure_pairs)


if __name__ == "__main__":
    main()
