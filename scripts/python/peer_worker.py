#!/usr/bin/env python3
"""One exact Hamming search of another program, kept warm: what scripts/python/bench_peers.py measures fastid against.

usage: peer_worker.py faiss|usearch ROWS.npy THREADS TOP

ROWS.npy holds the profiles' bits, [profiles, sites / 8] bytes, which stay in memory. For each line on standard input, the
path of such a file of queries, it searches and prints the seconds of the search alone, then writes distances and rows to
QUERIES.NAME.npz. Runs under any Python that has numpy and the library.
"""

import sys
import time

import numpy as np


def faiss_search(rows, threads, top):
    import faiss

    faiss.omp_set_num_threads(threads)
    index = faiss.IndexBinaryFlat(rows.shape[1] * 8)
    index.add(rows)
    return faiss.__version__, lambda queries: index.search(queries, top)


def usearch_search(rows, threads, top):
    import usearch
    from usearch.index import MetricKind, search

    def run(queries):
        found = search(rows, queries, top, MetricKind.Hamming, exact=True, threads=threads)
        shape = (len(queries), top)  # a single query comes back flat
        return np.reshape(found.distances, shape), np.reshape(found.keys, shape)

    return usearch.__version__, run


def main():
    name, path, threads, top = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    rows = np.load(path)
    version, search = {"faiss": faiss_search, "usearch": usearch_search}[name](rows, threads, top)
    print(version, flush=True)
    for line in sys.stdin:
        queries = np.load(line.strip())
        start = time.perf_counter()
        distances, found = search(queries)
        seconds = time.perf_counter() - start
        np.savez(f"{line.strip()}.{name}-{version}.npz", distances=np.asarray(distances, np.int64),
                 rows=np.asarray(found, np.int64))
        print(seconds, flush=True)


if __name__ == "__main__":
    main()
