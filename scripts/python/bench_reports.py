#!/usr/bin/env python3
"""The measurements of scripts/bench/reports: what a histogram of mismatches costs `fastid search`, turn by turn.

usage: bench_reports.py FASTID [--profiles N] [--sites N] [--queries N] [--rounds N] [--work FOLDER]

Makes the database and the queries (profiles of it, as a VCF) in FOLDER, then runs the search as json, which collects
histograms, evidence and differing sites, and as tsv, which collects evidence alone. Prints the medians of the search
itself (reading, comparing, ranking, counting), of the evidence, and of the whole process, by the clock and of processors.
"""

import argparse
import re
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(*command):
    """Seconds by the clock and of processors, and what it said on standard error."""
    began, used = time.perf_counter(), processor_seconds()
    done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return time.perf_counter() - began, processor_seconds() - used, done.stderr


def prepare(arguments, folder):
    database, queries = folder / f"{arguments.profiles}-{arguments.sites}.h5", folder / "queries.vcf"
    if not database.exists():
        run(arguments.fastid, "db", "simulate", "-q", "-o", database, "--encoding", "minor", "--profiles",
            arguments.profiles, "--sites", arguments.sites, "--seed", 1)
    step = arguments.profiles // arguments.queries
    chosen = [f"P{1 + i * step:09}" for i in range(arguments.queries)]
    run(arguments.fastid, "db", "export", database, "-o", queries, "--format", "vcf", "--profile", *chosen)
    return database, queries


def measure(arguments, database, queries, form):
    whole, used, said = run(arguments.fastid, "search", "-v", queries, database, "--format", form)
    search = re.search(r"lanes?(?:, opened in [\d.]+ s)?: ([\d.]+) s", said)
    evidence = re.search(r"evidence ([\d.]+) s", said)
    return float(search.group(1)), float(evidence.group(1)), whole, used


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fastid", type=Path)
    parser.add_argument("--profiles", type=int, default=1_000_000)
    parser.add_argument("--sites", type=int, default=1024)
    parser.add_argument("--queries", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--work", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fastid-bench-") as scratch:
        folder = arguments.work or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        database, queries = prepare(arguments, folder)
        taken = {"tsv": [], "json": []}
        for _ in range(arguments.rounds):
            for form, times in taken.items():
                times.append(measure(arguments, database, queries, form))
        print("| | search | evidence | whole process | processor time |\n|---|---|---|---|---|")
        for form, times in taken.items():
            medians = [f"{statistics.median(column):.4f} s" for column in zip(*times)]
            print(f"| {form} | {' | '.join(medians)} |")
        turns = list(zip(taken["tsv"], taken["json"]))
        search, used = (statistics.median(json[i] / tsv[i] for tsv, json in turns) for i in (0, 3))
        print(f"| json / tsv, median of the turns | {search:.3f} | | | {used:.3f} |")


if __name__ == "__main__":
    main()
