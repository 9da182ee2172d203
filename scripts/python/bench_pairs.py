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
    """Seconds, the peak of memory in MB, and seconds of processors, which tell more where others use the machine too."""
    start = time.monotonic()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return time.monotonic() - start, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime


def print_runs(what, n_pairs, took):
    """A line for each program of `took`, {name: [timed(), ...]}, the first of which others are compared with."""
    of_first = None
    for program, runs in took.items():
        if not runs:
            continue
        seconds, _, cpu = (statistics.median(values) for values in zip(*runs, strict=True))
        of_first = of_first or (seconds, cpu)
        print(f"| {what} | {program} | {seconds:.3g} s | {n_pairs / seconds / 1e6:.3g} | {seconds / of_first[0]:.3g} |"
              f" {cpu / of_first[1]:.3g} | {max(run[1] for run in runs):.0f} MB |", flush=True)


def print_heads(what):
    print(f"| {what} | program | time | million pairs/s | of fastid's time | of its processor time | memory |\n"
          "|---|---|---|---|---|---|---|")


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
    print_runs(f"{people:,} x {args.sites:,}", people * (people - 1) / 2, took)


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
    print_heads("people x sites")
    for people in map(int, args.people.split(",")):
        with tempfile.TemporaryDirectory(dir=args.work) as work:
            measure(args, people, Path(work))


if __name__ == "__main__":
    main()
