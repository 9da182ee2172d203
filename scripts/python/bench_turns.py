"""Programs by turns on simulated people: what scripts/bench/pairs, ld and builds have in common."""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple


class Run(NamedTuple):
    """Of a whole command. What processors took tells more than the clock where others use the machine too."""

    seconds: float  # by the clock
    memory: float  # the peak, MB
    processors: float  # seconds, of all processors
    user: float  # those of them in user mode


def timed(command):
    """Runs a command, whose messages are printed only where it fails."""
    with tempfile.TemporaryFile("w+") as messages:
        start = time.monotonic()
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=messages)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        if status != 0:
            messages.seek(0)
            sys.exit(f"failed: {' '.join(map(str, command))}\n{messages.read()}")
    return Run(seconds, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime, used.ru_utime)


def print_runs(what, n_pairs, took):
    """A line for each program of `took`, {name: [Run, ...]}, the first of which others are compared with."""
    of_first = None
    for program, runs in took.items():
        seconds, cpu = (statistics.median(values) for values in zip(*((run.seconds, run.processors) for run in runs)))
        of_first = of_first or (seconds, cpu)
        print(f"| {what} | {program} | {seconds:.3g} s | {n_pairs / seconds / 1e6:.3g} | {seconds / of_first[0]:.3g} |"
              f" {cpu / of_first[1]:.3g} | {max(run.memory for run in runs):.0f} MB |", flush=True)


def print_heads(what, counted="pairs"):
    print(f"| {what} | program | time | million {counted}/s | of fastid's time | of its processor time | memory |\n"
          "|---|---|---|---|---|---|---|")


def arguments(people, sites, rounds):
    """What both scripts take, with these defaults."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fastid", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--people", default=people)
    parser.add_argument("--sites", type=int, default=sites)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--threads", default=str(os.cpu_count()))
    return parser


def simulated(args, people, work, *more):
    """A database of people. `more`: further options of db simulate."""
    database = work / "people.h5"
    subprocess.run([args.fastid, "db", "simulate", "-q", "-o", database, "--profiles", str(people), "--sites",
                    str(args.sites), *more], check=True)
    return database


def as_bed(args, database):
    """The same people for PLINK: the name of the .bed, without its suffix."""
    bed = database.with_suffix("")
    subprocess.run([args.fastid, "db", "export", "-q", database, "--format", "bed", "-o", f"{bed}.bed"], check=True)
    return bed


def by_turns(rounds, commands):
    """{name: [Run, ...]} of {name: command}."""
    took = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            took[name].append(timed(command))
    return took


def measure_all(args, what, measure, counted="pairs"):
    """Runs measure(args, people, folder) for each number of people, below the heads of its lines."""
    print_heads(what, counted)
    for people in map(int, args.people.split(",")):
        with tempfile.TemporaryDirectory(dir=args.work) as work:
            measure(args, people, Path(work))
