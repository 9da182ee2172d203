#!/usr/bin/env python3
"""The measurements of scripts/bench: fastid and FAISS by turns, medians, answers checked equal."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import faiss
import h5py
import numpy as np

TOP = 10


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="folder with fastid and tests/engine_bench")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for databases")
    parser.add_argument("--profiles", type=int, default=1_000_000)
    parser.add_argument("--sites", type=int, default=1024)
    parser.add_argument("--queries", type=int, default=32)
    parser.add_argument("--repeats", type=int, default=15)
    return parser.parse_args()


class Fastid:
    def __init__(self, program):
        self.program = str(program)

    def run(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], check=True, stdout=subprocess.PIPE).stdout

    def simulate(self, path, profiles, sites):
        if not path.exists():
            self.run("db", "simulate", "-q", "-o", path, "--profiles", profiles, "--sites", sites, "--seed", 1)

    def search(self, queries, database, *more):
        """The result, with the wall time of the whole process and its peak memory in MiB."""
        command = [self.program, "search", "-q", "--device", "cpu", "--format", "json", "--run-info", "-k", str(TOP)]
        start = time.perf_counter()
        output = subprocess.run([*command, *more, str(queries), str(database)], check=True, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL).stdout
        wall = time.perf_counter() - start
        result = json.loads(output)
        return result, wall, result["run"]["peak_memory_bytes"] / 2**20


def rows_of(path):
    """The database's bits, one profile a row: the layout that FAISS takes."""
    with h5py.File(path) as file:
        blocks = file["profiles/bits"][:]  # [block, word, lane]
        n_profiles = int(file.attrs["n_profiles"])
        ids = file["profiles/id"][:]
    rows = np.ascontiguousarray(blocks.transpose(0, 2, 1)).reshape(-1, blocks.shape[1])[:n_profiles]
    return np.ascontiguousarray(rows).view(np.uint8), [name.decode().rstrip("\0") for name in ids]


def write_queries(fastid, database, ids, rows, path):
    """Some stored profiles, as a VCF with a sample each."""
    wanted = [argument for row in rows for argument in ("--profile", ids[row])]
    fastid.run("db", "export", "-q", database, "-o", path, "--format", "vcf", *wanted)


def same_answers(result, distances):
    """FAISS breaks ties its own way, so what must be equal is each rank's number of mismatches."""
    for query, expected in zip(result["queries"], distances):
        found = [match["mismatches"] for match in query["matches"]]
        if found != expected.tolist():
            sys.exit(f"answers differ: {found} against {expected.tolist()}")


def bound(build):
    """The comparison's bound on this machine now, in Tbit/s, as engine_bench measures it."""
    output = subprocess.run([build / "tests" / "engine_bench", "--bound"], check=True, stdout=subprocess.PIPE, text=True)
    return float(output.stdout.split()[0])


def warm_search(build, database, queries):
    """Seconds of each of five searches in one process, start-up left out: what FAISS's figure is, too."""
    command = [build / "tests" / "search_bench", database, queries, "5"]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [float(line.split()[0]) for line in output.splitlines()]


def compare_with_faiss(arguments, fastid):
    database = arguments.work / f"p{arguments.profiles}-s{arguments.sites}.h5"
    queries = arguments.work / f"q{arguments.queries}-s{arguments.sites}.vcf"
    fastid.simulate(database, arguments.profiles, arguments.sites)
    rows, ids = rows_of(database)
    wanted = np.linspace(0, arguments.profiles - 1, arguments.queries).astype(int)
    write_queries(fastid, database, ids, wanted, queries)
    index = faiss.IndexBinaryFlat(arguments.sites)
    index.add(rows)
    query_rows = np.ascontiguousarray(rows[wanted])
    del rows

    ours, whole, theirs, bounds, memory = [], [], [], [], []
    for _ in range(arguments.repeats):
        result, wall, peak = fastid.search(queries, database)
        whole.append(wall)
        memory.append(peak)
        ours += warm_search(arguments.build, database, queries)
        start = time.perf_counter()
        distances, _ = index.search(query_rows, TOP)
        theirs.append(time.perf_counter() - start)
        bounds.append(bound(arguments.build))
        same_answers(result, distances)

    bits = arguments.profiles * arguments.sites * arguments.queries / 1e12
    rate, peer, limit = bits / statistics.median(ours), bits / statistics.median(theirs), statistics.median(bounds)
    print(f"{arguments.queries} queries x {arguments.profiles:,} profiles x {arguments.sites:,} sites, top {TOP}, "
          f"medians of {arguments.repeats} rounds, {os.cpu_count()} CPUs\n")
    print("| what | measured |\n|---|---|")
    print(f"| bound of a comparison (xor, popcount, add on registers) | {limit:.2f} Tbit/s |")
    print(f"| fastid's search: file in the page cache, checksums verified, ranked | {rate:.2f} Tbit/s: "
          f"{100 * rate / limit:.0f} % of the bound |")
    print(f"| FAISS {faiss.__version__} IndexBinaryFlat.search: bits in memory | {peer:.2f} Tbit/s |")
    print(f"| fastid / FAISS | {rate / peer:.1f} |")
    print(f"| `fastid search`, the whole process, queries read from a VCF | {1000 * statistics.median(whole):.0f} ms, "
          f"peak memory {statistics.median(memory):.0f} MiB |\n")


def small_search(arguments, fastid):
    """One query in the number of people of the 1000 Genomes Project: what is felt at a prompt."""
    database, queries = arguments.work / "p2504.h5", arguments.work / "q1.vcf"
    fastid.simulate(database, 2504, arguments.sites)
    write_queries(fastid, database, rows_of(database)[1], [77], queries)
    walls = [fastid.search(queries, database)[1] for _ in range(20)]
    print(f"1 query x 2,504 profiles x {arguments.sites:,} sites, the whole process: "
          f"{1000 * statistics.median(walls):.0f} ms (median of 20)")


def main():
    arguments = parse_arguments()
    arguments.work.mkdir(parents=True, exist_ok=True)
    fastid = Fastid(arguments.build / "fastid")
    compare_with_faiss(arguments, fastid)
    small_search(arguments, fastid)


if __name__ == "__main__":
    main()
