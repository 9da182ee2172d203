"""Linkage disequilibrium of all pairs of sites by fastid and by plink1.9, by turns: what scripts/bench/ld runs."""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_pairs import print_heads, print_runs, timed

LEAST_R2 = 0.01  # which some pairs have by chance


def pairs_of(path):
    """Pairs of ids."""
    with open(path, encoding="ascii") as file:
        heads = file.readline().split()
        places = [heads.index(name) for name in ("SNP_A", "SNP_B")]
        return {frozenset(line.split()[i] for i in places) for line in file}


def measure(args, people, work):
    database, bed = work / "people.h5", work / "people"
    subprocess.run([args.fastid, "db", "simulate", "-q", "-o", database, "--profiles", str(people), "--sites",
                    str(args.sites)], check=True)
    subprocess.run([args.fastid, "db", "export", "-q", database, "--format", "bed", "-o", f"{bed}.bed"], check=True)
    fastid = [args.fastid, "ld", "-q", "--all", "--min-r2", LEAST_R2, "--device", args.device, "--threads", args.threads,
              f"{bed}.bed", "-o", work / "f.ld"]
    plink = ["plink1.9", "--silent", "--threads", args.threads, "--bfile", bed, "--r2", "inter-chr", "--ld-window-r2", LEAST_R2,
             "--out", work / "p"]
    took = {"fastid": [], "plink1.9": []}
    for _ in range(args.rounds):
        took["fastid"].append(timed(fastid))
        took["plink1.9"].append(timed(plink))
    if pairs_of(work / "f.ld") != pairs_of(work / "p.ld"):
        sys.exit(f"{people} people: fastid and plink1.9 found different pairs")
    print_runs(f"{args.sites:,} x {people:,}", args.sites * (args.sites - 1) / 2, took)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fastid", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--people", default="2504,12000")
    parser.add_argument("--sites", type=int, default=10_000)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", default=str(os.cpu_count()))
    args = parser.parse_args()
    print(f"{args.device}, {args.threads} threads, medians of {args.rounds}, r2 of at least {LEAST_R2}\n")
    print_heads("sites x people")
    for people in map(int, args.people.split(",")):
        with tempfile.TemporaryDirectory(dir=args.work) as work:
            measure(args, people, Path(work))


if __name__ == "__main__":
    main()
