"""Everyone against everyone by fastid and by plink2, by turns: what scripts/bench/pairs runs."""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LEAST_KINSHIP = 0.0884
MOST_FOR_PLINK = 30_000


def timed(command):
    """Seconds and the peak of memory in MB."""
    start = time.monotonic()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return time.monotonic() - start, used.ru_maxrss / 1024


def pairs_of(path):
    """The two ids, and NSNP, HETHET and IBS0."""
    with open(path, encoding="ascii") as file:
        heads = file.readline().lstrip("#").split()
        places = [heads.index(name) for name in ("IID1", "IID2", "NSNP", "HETHET", "IBS0")]
        lines = [line.split() for line in file]
    return {(frozenset((line[places[0]], line[places[1]])), *(line[i] for i in places[2:])) for line in lines}


def measure(args, people, work):
    database, bed = work / "people.h5", work / "people"
    subprocess.run([args.fastid, "db", "simulate", "-q", "-o", database, "--profiles", str(people), "--sites",
                    str(args.sites), "--duplicates", "20", "--parent-child", "20", "--full-siblings", "20"], check=True)
    fastid = [args.fastid, "pairs", "-q", "--no-evidence", "--threads", args.threads, database, "-o", work / "f.kin0"]
    plink = ["plink2", "--silent", "--threads", args.threads, "--bfile", bed, "--make-king-table", "counts",
             "--king-table-filter", LEAST_KINSHIP, "--out", work / "p"]
    with_plink = people <= MOST_FOR_PLINK
    if with_plink:
        subprocess.run([args.fastid, "db", "export", "-q", database, "--format", "bed", "-o", f"{bed}.bed"], check=True)
    took = {"fastid": [], "plink2": []}
    for _ in range(args.rounds):
        took["fastid"].append(timed(fastid))
        if with_plink:
            took["plink2"].append(timed(plink))
    if with_plink and pairs_of(work / "f.kin0") != pairs_of(work / "p.kin0"):
        sys.exit(f"{people} people: fastid and plink2 found different pairs")
    n_pairs = people * (people - 1) / 2
    for program, runs in took.items():
        if not runs:
            continue
        seconds = statistics.median(run[0] for run in runs)
        ratio = seconds / statistics.median(run[0] for run in took["fastid"])
        print(f"| {people:,} x {args.sites:,} | {program} | {seconds:.3g} s | {n_pairs / seconds / 1e6:.3g} | {ratio:.3g} |"
              f" {max(run[1] for run in runs):.0f} MB |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fastid", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--people", default="5000,20000,100000")
    parser.add_argument("--sites", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", default=str(os.cpu_count()))
    args = parser.parse_args()
    print(f"{args.threads} threads, medians of {args.rounds}, kinship of at least {LEAST_KINSHIP}\n")
    print("| people x sites | program | time | million pairs/s | of fastid's time | memory |\n|---|---|---|---|---|---|")
    for people in map(int, args.people.split(",")):
        with tempfile.TemporaryDirectory(dir=args.work) as work:
            measure(args, people, Path(work))


if __name__ == "__main__":
    main()
