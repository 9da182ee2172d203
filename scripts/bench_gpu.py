#!/usr/bin/env python3
"""The measurements of scripts/bench-gpu: kernels by the device's clock, transfers, and searches end to end."""

import argparse
import datetime
import json
import pathlib
import statistics
import subprocess
import sys

MILLION = 1_000_000
# FastID on three GPUs (Binder, Low and Popovici): 32 queries; mixtures on a K80 (Samsi et al.): hundreds to thousands.
FEW_QUERIES = [(32, 20 * MILLION, sites) for sites in (128, 256, 512, 1024)]
MANY_QUERIES = [(queries, profiles * MILLION, sites) for queries in (512, 1024, 2048) for profiles in (1, 5, 10, 15, 20)
                for sites in (128, 256, 512)] + [(512, 20 * MILLION, 1024), (2048, 20 * MILLION, 1024)]
SQUARE = [(n, n, sites) for n in (4096, 16384) for sites in (1024, 10240)]
QUICK = [(32, 5 * MILLION, 128), (32, 5 * MILLION, 256), (32, 5 * MILLION, 1024), (512, MILLION, 256),
         (512, 5 * MILLION, 512), (2048, MILLION, 256), (2048, MILLION, 1024), (4096, 4096, 1024)]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("selector", nargs="?", default="")
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/bench-gpu"))
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--profiles", type=int, default=20 * MILLION)
    parser.add_argument("--repeats", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=0.3, help="of each measurement of a kernel")
    parser.add_argument("--quick", action="store_true")
    return parser.parse_args()


class Bench:
    def __init__(self, arguments):
        self.arguments = arguments
        self.device = f"opencl:{arguments.selector}" if arguments.selector else "opencl"
        arguments.work.mkdir(parents=True, exist_ok=True)

    def run(self, program, *options):
        command = [str(self.arguments.programs / program), *map(str, options)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}")
        return done.stdout

    def rows(self, program, *options):
        return [line.split("\t") for line in self.run(program, *options).splitlines()
                if line and not line.startswith("#")]

    def kernels(self):
        """The popcount peak, and each shape's rate; all in bits a second."""
        shapes = QUICK if self.arguments.quick else FEW_QUERIES + MANY_QUERIES + SQUARE
        rows = self.rows("opencl_bench", self.arguments.selector, "--seconds", self.arguments.seconds,
                         *("x".join(map(str, shape)) for shape in shapes))
        peak = next(float(row[4]) for row in rows if row[0] == "popcount")
        measured = [{"what": what, "queries": int(q), "profiles": int(n), "sites": int(s), "median": float(rate),
                     "best": float(best), "share_of_popcount": float(rate) / peak}
                    for what, q, n, s, rate, best, *_ in rows if what in ("identity", "mixture")]
        return {"popcount_peak": peak, "shapes": measured}

    def database(self):
        path = self.arguments.work / f"p{self.arguments.profiles}-s1024.h5"
        if not path.exists():
            self.run("fastid", "db", "simulate", "-q", "-o", path, "--profiles", self.arguments.profiles, "--sites", 1024,
                     "--seed", 1)
        return path

    def queries(self, database, count):
        path = self.arguments.work / f"{database.stem}-q{count}.vcf"
        if not path.exists():
            step = self.arguments.profiles // count
            wanted = [option for i in range(count) for option in ("--profile", f"P{i * step + 1:09d}")]
            self.run("fastid", "db", "export", "-q", database, "-o", path, "--format", "vcf", *wanted)
        return path

    def transfers(self, database):
        rates = {}
        for what, size, rate in self.rows("transfer_bench", database, self.arguments.selector, 5):
            rates.setdefault(what, {})[int(size)] = float(rate)
        return rates

    def search(self, database, queries):
        """Medians over the repeats, the first left out: it meets cold buffers."""
        rows = self.rows("search_bench", database, queries, self.arguments.repeats + 1, 0, self.device)[1:]
        names = ("total", "open", "read", "upload", "compare", "fetch")
        medians = {name: statistics.median(float(row[i]) for row in rows) for i, name in enumerate(names)}
        medians["best_total"] = min(float(row[0]) for row in rows)
        return medians

    def whole_process(self, database, queries):
        """Wall seconds of `fastid search`, OpenCL's start included, and whether the cpu engine's bytes came out."""
        outputs = {}
        for device in (self.device, "cpu"):
            outputs[device] = [self.run("fastid", "search", queries, database, "--device", device, "--format", "json",
                                        "--run-info", "-q") for _ in range(3)]
        found = {device: json.loads(texts[-1]) for device, texts in outputs.items()}
        seconds = {device: statistics.median(json.loads(text)["run"]["seconds"]["total"] for text in texts)
                   for device, texts in outputs.items()}
        same = found[self.device]["queries"] == found["cpu"]["queries"]
        return {"seconds": seconds[self.device], "cpu_seconds": seconds["cpu"], "same_answer": same,
                "description": found[self.device]["run"]["description"]}


def end_to_end(bench, transfers, database, count):
    queries = bench.queries(database, count)
    measured = bench.search(database, queries)
    bytes_ = bench.arguments.profiles * 1024 / 8
    parts = {"file read": bytes_ / max(transfers["file read"].values()),
             "upload": bytes_ / max(transfers["upload pinned"].values()), "compare": measured["compare"]}
    limit = max(parts, key=parts.get)
    return {"queries": count, **measured, "limits": parts, "limit": limit, "ratio": measured["total"] / parts[limit],
            "upload_rate": bytes_ / measured["upload"] if measured["upload"] else None}


def tbit(rate):
    return f"{rate / 1e12:.4g}"


def print_kernels(kernels):
    print(f"Popcount peak, measured in this run: {tbit(kernels['popcount_peak'])} Tbit/s.\n")
    print("| | queries | profiles | sites | Tbit/s | of the popcount peak |\n|---|---|---|---|---|---|")
    for shape in kernels["shapes"]:
        print(f"| {shape['what']} | {shape['queries']:,} | {shape['profiles']:,} | {shape['sites']:,} | "
              f"{tbit(shape['median'])} | {100 * shape['share_of_popcount']:.1f} % |")


def print_transfers(transfers):
    print("\n| what | GB/s |\n|---|---|")
    for what, rates in transfers.items():
        unit = "threads" if what == "file read" else "MiB"
        text = ", ".join(f"{rate / 1e9:.1f} ({size} {unit})" for size, rate in rates.items())
        print(f"| {what} | {text} |")


def print_searches(searches, profiles):
    print(f"\nSearches of {profiles:,} profiles of 1,024 sites from the page cache; ms, medians:\n")
    print("| queries | search | file read | upload | compare | largest of the three | ratio |")
    print("|---|---|---|---|---|---|---|")
    for one in searches:
        parts = one["limits"]
        print(f"| {one['queries']:,} | {1e3 * one['total']:.1f} | {1e3 * parts['file read']:.1f} | "
              f"{1e3 * parts['upload']:.1f} | {1e3 * parts['compare']:.1f} | {one['limit']} | {one['ratio']:.2f} |")


def main():
    arguments = parse_arguments()
    bench = Bench(arguments)
    kernels = bench.kernels()
    database = bench.database()
    transfers = bench.transfers(database)
    searches = [end_to_end(bench, transfers, database, count) for count in ((32,) if arguments.quick else (32, 512, 2048))]
    process = bench.whole_process(database, bench.queries(database, 32))
    result = {"date": datetime.date.today().isoformat(), "device": process["description"], "kernels": kernels,
              "transfers": transfers, "searches": searches, "process": process, "profiles": arguments.profiles}
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")
    print(f"{process['description']}, {result['date']}.\n")
    print_kernels(kernels)
    print_transfers(transfers)
    print_searches(searches, arguments.profiles)
    print(f"\n`fastid search` of 32 queries, the whole process: {process['seconds']:.2f} s, with `--device cpu` "
          f"{process['cpu_seconds']:.2f} s.")
    if not process["same_answer"]:
        sys.exit("the device and the cpu engine do not agree")


if __name__ == "__main__":
    main()
