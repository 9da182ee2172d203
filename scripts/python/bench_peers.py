#!/usr/bin/env python3
"""The measurements of scripts/bench/peers: fastid and other exact Hamming searches by turns, answers checked equal."""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import h5py
import numpy as np

TOP, SITES = 10, 1024
ROUND_SECONDS = 20  # a peer that has used so many seconds at a point sits out the other rounds


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fastid", required=True, help="the program")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for databases and results")
    parser.add_argument("--debian-python", help="an interpreter (and PYTHONPATH, before a colon) with an older FAISS")
    parser.add_argument("--profiles", default="1000000,4000000")
    parser.add_argument("--queries", default="1,32,256")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--tsv", type=pathlib.Path, help="also write the rates here, for scripts/python/plot_rates.py")
    return parser.parse_args()


class Fastid:
    """Measured three ways: the search alone with the bits in memory or in a file, and the whole process."""

    def __init__(self, program, threads):
        self.program, self.threads = str(program), str(threads)

    def run(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], check=False, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"fastid {arguments[0]} failed: {done.stderr}")
        return done.stdout

    def simulate(self, path, profiles):
        if not path.exists():
            self.run("db", "simulate", "-q", "-o", path, "--encoding", "minor", "--profiles", profiles, "--sites", SITES,
                     "--seed", 1)

    def alone(self, database, queries, source):
        """The measured point of `fastid bench`: seconds, and the share of the bound that applies."""
        output = self.run("bench", "-q", "--db", database, "--query", queries, "--from", source, "--repeats", 3,
                          "--threads", self.threads, "--format", "json")
        return json.loads(output)["points"][0]

    def whole(self, database, queries):
        start = time.perf_counter()
        output = self.run("search", "-q", "--device", "cpu", "--threads", self.threads, "-k", TOP, "--format", "tsv",
                          queries, database)
        return time.perf_counter() - start, output

    def export(self, database, ids, path):
        wanted = [word for name in ids for word in ("--profile", name)]
        self.run("db", "export", "-q", database, "-o", path, "--format", "vcf", *wanted)


class Peer:
    """A peer_worker.py that holds the profiles."""

    def __init__(self, title, name, rows_path, threads, python=sys.executable, python_path=None):
        script = pathlib.Path(__file__).with_name("peer_worker.py")
        env = dict(os.environ, OMP_NUM_THREADS=str(threads))
        if python_path:
            env["PYTHONPATH"] = python_path
        self.worker = subprocess.Popen([python, str(script), name, str(rows_path), str(threads), str(TOP)],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
        self.version = self.worker.stdout.readline().strip()
        if not self.version:
            sys.exit(f"{title} does not start")
        self.title = f"{title} {self.version}"
        self.name = name

    def search(self, queries_path):
        print(queries_path, file=self.worker.stdin, flush=True)
        line = self.worker.stdout.readline()
        if not line:
            sys.exit(f"{self.title} failed")
        return float(line)

    def answer(self, queries_path):
        found = np.load(f"{queries_path}.{self.name}-{self.version}.npz")
        return found["distances"], found["rows"]

    def close(self):
        self.worker.stdin.close()
        self.worker.wait()


def rows_of(path):
    """The database's bits, one profile a row: what the peers take."""
    with h5py.File(path) as file:
        blocks = file["profiles/bits"][:]  # [block, word, lane]
        n_profiles = int(file.attrs["n_profiles"])
    rows = blocks.transpose(0, 2, 1).reshape(-1, blocks.shape[1])[:n_profiles]
    return np.ascontiguousarray(rows).view(np.uint8)


def parse_answer(tsv, queries):
    """Mismatches and rows of fastid's top, [queries, TOP]."""
    header, *lines = (line.split("\t") for line in tsv.splitlines())
    columns = [header.index("mismatches"), header.index("row")]
    numbers = np.array([[int(line[column]) for column in columns] for line in lines]).reshape(queries, TOP, 2)
    return numbers[:, :, 0], numbers[:, :, 1]


def check_answer(title, rows, query_rows, ours, theirs):
    """Equal distances at each rank; the same rows, but for those that tie with the last one listed."""
    if not np.array_equal(ours[0], theirs[0]):
        sys.exit(f"{title}: distances differ")
    for query, (near, mine, other) in enumerate(zip(ours[0], ours[1], theirs[1])):
        sure = near < near[-1]
        if set(mine[sure]) != set(other[sure]):
            sys.exit(f"{title}: query {query} finds other profiles")
        counted = np.unpackbits(rows[other] ^ query_rows[query], axis=1).sum(axis=1)
        if not np.array_equal(np.sort(counted), near) or len(set(other)) != TOP:
            sys.exit(f"{title}: query {query} is told wrong distances")


class Point:
    """One number of queries on one database, measured in rounds."""

    def __init__(self, arguments, fastid, peers, database, rows, queries):
        self.arguments, self.fastid, self.peers, self.database = arguments, fastid, peers, database
        self.rows, self.queries = rows, queries
        self.wanted = np.linspace(0, len(rows) - 1, queries).astype(int)
        stem = arguments.work / f"{database.stem}-q{queries}"
        self.vcf, self.packed = stem.with_suffix(".vcf"), stem.with_suffix(".npy")
        self.seconds, self.shares = {}, {}

    def prepare(self):
        self.fastid.export(self.database, [f"P{row + 1:09d}" for row in self.wanted], self.vcf)
        np.save(self.packed, self.rows[self.wanted])

    def add(self, title, seconds):
        self.seconds.setdefault(title, []).append(seconds)

    def measure(self):
        self.prepare()
        for peer in self.peers:  # the first search of each brings its pages and threads up, and is checked
            peer.search(self.packed)
        ours = parse_answer(self.fastid.whole(self.database, self.vcf)[1], self.queries)
        for peer in self.peers:
            check_answer(peer.title, self.rows, self.rows[self.wanted], ours, peer.answer(self.packed))
        for _ in range(self.arguments.rounds):
            self.measure_round()
        return self

    def measure_round(self):
        for source in ("memory", "file"):
            point = self.fastid.alone(self.database, self.vcf, source)
            self.add(f"fastid, {source}", point["seconds"])
            self.shares.setdefault(source, []).append((point["share_of_bound"], point["bound"]))
        self.add("fastid, whole process", self.fastid.whole(self.database, self.vcf)[0])
        for peer in self.peers:
            if sum(self.seconds.get(peer.title, [])) < ROUND_SECONDS:
                self.add(peer.title, peer.search(self.packed))

    def median(self, title):
        return statistics.median(self.seconds[title])

    def rate(self, title):
        return self.queries * len(self.rows) * SITES / self.median(title) / 1e12

    def lines(self):
        """(title, seconds, Tbit/s, fastid in memory / this one)."""
        best = self.median("fastid, memory")
        return [(title, self.median(title), self.rate(title), self.median(title) / best) for title in self.seconds]

    def markdown(self):
        share, bound = sorted(self.shares["memory"])[len(self.shares["memory"]) // 2]
        text = [f"\n{self.queries} queries x {len(self.rows):,} profiles x {SITES:,} sites "
                f"(fastid in memory: {100 * share:.0f} % of the bound, which is {bound}):\n",
                "| what | ms | Tbit/s | times fastid's search in memory |", "|---|---|---|---|"]
        text += [f"| {title} | {1e3 * seconds:.1f} | {rate:.3g} | {ratio:.2f} |"
                 for title, seconds, rate, ratio in self.lines()]
        return "\n".join(text)


def start_peers(arguments, rows_path):
    peers = [Peer("FAISS", "faiss", rows_path, arguments.threads),
             Peer("USearch", "usearch", rows_path, arguments.threads)]
    if arguments.debian_python:
        path, _, python = arguments.debian_python.rpartition(":")
        peers.append(Peer("FAISS", "faiss", rows_path, arguments.threads, python, path or None))
    return peers


def measure_database(arguments, fastid, profiles):
    database = arguments.work / f"p{profiles}-s{SITES}.h5"
    fastid.simulate(database, profiles)
    rows = rows_of(database)
    rows_path = arguments.work / f"p{profiles}-s{SITES}.npy"
    np.save(rows_path, rows)
    peers = start_peers(arguments, rows_path)
    points = []
    for queries in map(int, arguments.queries.split(",")):
        points.append(Point(arguments, fastid, peers, database, rows, queries).measure())
        print(points[-1].markdown(), flush=True)
    for peer in peers:
        peer.close()
    rows_path.unlink()
    return points


def write_tsv(path, points):
    lines = ["program\tqueries\tprofiles\tsites\tseconds\ttbit_per_s"]
    lines += [f"{title}\t{point.queries}\t{len(point.rows)}\t{SITES}\t{seconds:.6g}\t{rate:.6g}"
              for point in points for title, seconds, rate, _ in point.lines()]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def main():
    arguments = parse_arguments()
    arguments.work.mkdir(parents=True, exist_ok=True)
    fastid = Fastid(arguments.fastid, arguments.threads)
    print(f"Top {TOP}, {arguments.threads} threads each, medians of {arguments.rounds} rounds by turns (fewer where a "
          f"program is slow), {datetime.date.today().isoformat()}. Answers were checked equal.")
    points = [point for profiles in map(int, arguments.profiles.split(","))
              for point in measure_database(arguments, fastid, profiles)]
    if arguments.tsv:
        write_tsv(arguments.tsv, points)


if __name__ == "__main__":
    main()
