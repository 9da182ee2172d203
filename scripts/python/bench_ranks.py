"""Weak scaling of fastid similarity over the ranks of one host: what scripts/bench/ranks runs."""

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

from bench_turns import by_turns


class Problem:
    """Vectors that grow with the ranks, so that each has as much to compare as one alone."""

    def __init__(self, name, options, vectors, units, way=2, by_elements=False):
        self.name, self.options, self.vectors, self.units = name, options, vectors, units
        self.way, self.by_elements = way, by_elements

    def sizes(self, ranks, scale):
        """Vectors and their elements."""
        units = max(1, round(self.units * scale))
        if self.by_elements:
            return self.vectors, units * ranks
        return round(self.vectors * ranks ** (1 / self.way)), units

    def work(self, vectors, units):
        pairs = vectors * (vectors - 1) / 2
        return units * (pairs if self.way == 2 else pairs * (vectors - 2) / 3)

    def words(self, vectors, units):
        split = ["--split", "elements"] if self.by_elements else []
        return ["similarity", "-q", "--synthetic", "random", *self.options, "--way", self.way, "--vectors", vectors, "--units",
                units, "--checksum", *split]


NUMBERS, CCC = ["--of", "numbers"], ["--metric", "ccc"]
PROBLEMS = [Problem("triples of floats, by vectors", NUMBERS, 800, 2000, way=3),
            Problem("pairs of floats, by vectors", NUMBERS, 6000, 4000),
            Problem("pairs of floats, by elements", NUMBERS, 1000, 131072, by_elements=True),
            Problem("pairs of genotypes, ccc, by elements", CCC, 1000, 1000000, by_elements=True)]


def checksum(command):
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE).stdout


def measure(args, problem):
    sizes = {ranks: problem.sizes(ranks, args.scale) for ranks in args.ranks}
    commands = {ranks: [*args.mpirun.split(), "-n", ranks, args.fastid.with_name("fastid-mpi"), *problem.words(*of),
                        "--threads", 1] for ranks, of in sizes.items()}
    for ranks, of in sizes.items():
        if checksum(commands[ranks]) != checksum([args.fastid, *problem.words(*of)]):
            sys.exit(f"{problem.name}: {ranks} ranks have another checksum than one process")
    took = by_turns(args.rounds, commands)
    for ranks, (vectors, units) in sizes.items():
        seconds = {n: statistics.median(run.seconds for run in took[n]) for n in (1, ranks)}
        rates = {n: problem.work(*sizes[n]) / seconds[n] / n for n in (1, ranks)}
        print(f"| {problem.name} | {ranks} | {vectors:,} x {units:,} | {seconds[ranks]:.2f} s |"
              f" {rates[ranks] / rates[1]:.0%} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fastid", type=Path, required=True)
    parser.add_argument("--ranks", type=lambda text: list(map(int, text.split(","))), default=[1, 2, 4])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--mpirun", default="mpirun --bind-to core")
    args = parser.parse_args()
    args.ranks = sorted({1, *args.ranks})  # one alone is what the others are compared with
    print(f"medians of {args.rounds} turns, {args.mpirun}; each rank has one thread\n\n"
          "| what | ranks | vectors x elements | time | rate of a rank, of one alone |\n|---|---|---|---|---|")
    for problem in PROBLEMS:
        measure(args, problem)


if __name__ == "__main__":
    main()
