#!/usr/bin/env python3
"""The measurements of scripts/bench/gpu: kernels by the device's clock, transfers, and searches end to end."""

import argparse
import datetime
import json
import pathlib
import re
import statistics
import subprocess
import sys

MILLION = 1_000_000
# FastID on three GPUs (Binder, Low and Popovici): 32 queries; mixtures on a K80 (Samsi et al.): hundreds to thousands.
FEW_QUERIES = [(32, 20 * MILLION, sites) for sites in (128, 256, 512, 1024)]
MANY_QUERIES = [(queries, profiles * MILLION, sites) for queries in (512, 1024, 2048) for profiles in (1, 20)
                for sites in (128, 256, 512)] + [(512, 20 * MILLION, 1024), (2048, 20 * MILLION, 1024)]
SQUARE = [(n, n, sites) for n in (4096, 16384) for sites in (1024, 10240)] + [(10000, 10000, 12000)]
# Rate against queries, for the plot, and a part of a million against a million.
ALONG_QUERIES = [(queries, 20 * MILLION, sites) for sites in (512, 1024) for queries in
                 (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)]
ALL_PAIRS = (262144, MILLION, 1024)
# Searches end to end: sites and queries.
SEARCHES = [(sites, queries) for sites in (512, 1024) for queries in (32, 512, 2048)]
QUICK_SEARCHES = [(1024, 32)]
# By both alleles: identity and KING's kinship, beside identity by minor alleles with both masks.
ALLELES = [(queries, 20 * MILLION, 1024) for queries in (32, 2048)]
# Of sites: pairs of SITES among so many people, and triples of sites x people.
SITES, PEOPLE = 10000, (2504, 12000, 50000)
TRIPLES = [(3000, 1600), (3000, 4000)]
QUICK = [(32, 5 * MILLION, 128), (32, 5 * MILLION, 256), (32, 5 * MILLION, 1024), (512, MILLION, 256),
         (512, 5 * MILLION, 512), (2048, MILLION, 256), (2048, MILLION, 1024), (4096, 4096, 1024)]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("selector", nargs="?", default="")
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/bench-gpu"))
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--rates", type=pathlib.Path)
    parser.add_argument("--profiles", type=int, default=20 * MILLION)
    parser.add_argument("--repeats", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=0.3, help="of each measurement of a kernel")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-tune", action="store_true")
    parser.add_argument("--alleles", action="store_true")
    parser.add_argument("--of-sites", action="store_true")
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

    def shapes(self, shapes, *options):
        """Rates of kernels, in bits a second, and of what the device can do at most."""
        rows = self.rows("opencl_bench", self.arguments.selector, "--seconds", self.arguments.seconds, *options,
                         *("x".join(map(str, shape)) for shape in shapes))
        peaks = {row[0]: float(row[4]) for row in rows if row[0] in ("popcount", "matrix unit", "device read")}
        measured = [{"what": what, "queries": int(q), "profiles": int(n), "sites": int(s), "median": float(rate),
                     "best": float(best), "share_of_popcount": float(rate) / peaks["popcount"],
                     "read": float(rate) / int(q) / 8 * (2 if "--masks" in options and what != "mixture" else 1)}
                    for what, q, n, s, rate, best, *_ in rows
                    if what in ("identity", "mixture", "reverse", "alleles", "kin")]
        checksums = {row[3]: float(row[4]) for row in rows if row[0] == "checksums"}
        return {"peaks": peaks, "checksums": checksums, "shapes": measured}

    def kernels(self):
        """By both kernels: each shape, with both masks, and along the queries; the first with the device's peaks."""
        quick = self.arguments.quick
        shapes = QUICK if quick else FEW_QUERIES + MANY_QUERIES + SQUARE
        masked = [(2048, 4 * MILLION, 1024)] if quick else [(q, 20 * MILLION, s) for q in (32, 2048) for s in (512, 1024)]
        matrix = self.shapes(shapes, "--kernel", "matrix", "--rates")
        found = {"peaks": matrix["peaks"], "checksums": matrix["checksums"], "matrix": matrix["shapes"]}
        found["popcount"] = self.shapes(shapes, "--kernel", "popcount", "--identity")["shapes"]
        for kernel in ("matrix", "popcount"):
            found[f"{kernel}, both masks"] = self.shapes(masked, "--kernel", kernel, "--masks")["shapes"]
            found[f"{kernel}, both alleles"] = self.shapes(masked, "--kernel", kernel, "--alleles", "--masks")["shapes"]
            if not quick:
                found[f"{kernel}, along the queries"] = self.shapes(ALONG_QUERIES, "--kernel", kernel, "--identity")["shapes"]
        if not quick:
            found["all pairs"] = self.shapes([ALL_PAIRS], "--kernel", "matrix", "--identity")["shapes"]
        return found

    def kernels_by_alleles(self):
        """What counts both alleles, and identity with both masks beside it."""
        found = {}
        for kernel in ("matrix", "popcount"):
            masked = self.shapes(ALLELES, "--kernel", kernel, "--masks", "--identity", "--rates")
            found = {"peaks": masked["peaks"], "checksums": {}, **found}
            found[f"{kernel}, both masks"] = masked["shapes"]
            found[f"{kernel}, both alleles"] = self.shapes(ALLELES, "--kernel", kernel, "--alleles", "--masks")["shapes"]
        return found

    def searches_by_alleles(self):
        """From a file of this many simulated people, 2 % of the sites not called on either side."""
        output = self.run("fastid", "bench", "-q", "--device", self.device, "--task", "search,alleles,kin", "--masks", "both",
                          "--queries", "1,32,2048", "--profiles", self.arguments.profiles, "--sites", 1024, "--from", "file",
                          "--repeats", self.arguments.repeats, "--scratch", self.arguments.work, "--format", "json")
        return json.loads(output)["points"]

    def of_sites(self):
        """All pairs of sites, with calls missing and without, and triples, by each kernel."""
        found = []
        for kernel in ("best", "popcount"):
            for what in (["--ld", "--sites", SITES, "--profiles", ",".join(map(str, PEOPLE)), "--masks", "none,both"],
                         *(["--epistasis", "--sites", sites, "--profiles", people] for sites, people in TRIPLES)):
                output = self.run("fastid", "bench", "-q", *what, "--device", self.device, "--kernel", kernel, "--repeats",
                                  self.arguments.repeats, "--format", "json")
                found += [{"kernel": kernel, **point} for point in json.loads(output)["points"]]
        return found

    def tune(self):
        """The report of `fastid tune`, whose header stays in the work folder: the configs of the user are left alone."""
        report = self.arguments.work / "tune.json"
        effort = ["--quick"] if self.arguments.quick else []
        self.run("fastid", "tune", "-q", "--device", self.device, *effort, "-o", self.arguments.work / "tuned.h",
                 "--report", report)
        return json.loads(report.read_text())

    def database(self, sites):
        path = self.arguments.work / f"p{self.arguments.profiles}-s{sites}.h5"
        if not path.exists():
            self.run("fastid", "db", "simulate", "-q", "-o", path, "--encoding", "minor", "--profiles",
                     self.arguments.profiles, "--sites", sites, "--seed", 1)
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

    def search(self, database, queries, *options):
        """Medians over the repeats of `fastid bench`."""
        output = self.run("fastid", "bench", "-q", "--db", database, "--query", queries, "--device", self.device,
                          "--repeats", self.arguments.repeats, "--format", "json", *options)
        return json.loads(output)["points"][0]

    def predictions(self, database, queries):
        """Seconds of a search's stages as -v tells them, and as the model expected them."""
        command = [str(self.arguments.programs / "fastid"), "search", "-v", str(queries), str(database), "--device",
                   self.device, "-o", "/dev/null"]
        told = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=True).stderr
        return {stage: {"measured": float(measured), "predicted": float(predicted)} for stage, measured, predicted in
                re.findall(r"fastid: (\w+) +([\d.]+) s  .*; predicted ([\d.]+) s", told)}

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


def end_to_end(bench, transfers, sites, count):
    database = bench.database(sites)
    queries = bench.queries(database, count)
    point = bench.search(database, queries)
    measured = {"total": point["seconds"], "best_total": point["best_seconds"], **point["stage_seconds"]}
    bytes_ = bench.arguments.profiles * sites / 8
    parts = {"file read": bytes_ / max(transfers["file read"].values()),
             "upload": bytes_ / max(transfers["upload pinned"].values()), "compare": measured["compare"]}
    limit = max(parts, key=parts.get)
    return {"queries": count, "sites": sites, **measured,
            "limits": parts, "limit": limit, "ratio": measured["total"] / parts[limit],
            "fed": bytes_ / max(transfers["file to device"].values()),
            "upload_rate": bytes_ / measured["upload"] if measured["upload"] else None,
            "predictions": bench.predictions(database, queries)}


def tbit(rate):
    return f"{rate / 1e12:.4g}"


def print_kernels(kernels):
    peaks = kernels["peaks"]
    print(f"Measured in this run: popcount {tbit(peaks['popcount'])} Tbit/s, matrix unit {tbit(peaks.get('matrix unit', 0))} "
          f"Tbit/s, device read {peaks['device read'] / 1e12:.3g} TB/s. Rates in Tbit/s; reading: of the device's read rate.")
    for sites, rate in kernels["checksums"].items():
        print(f"Tiles of {sites} sites are held against their checksums at {rate / 1e12:.3g} TB/s.")
    for title, shapes in kernels.items():
        if title in ("peaks", "checksums"):
            continue
        print(f"\n{title}:\n\n| | queries | profiles | sites | rate | of the popcount rate | reading |\n"
              "|---|---|---|---|---|---|---|")
        for shape in shapes:
            print(f"| {shape['what']} | {shape['queries']:,} | {shape['profiles']:,} | {shape['sites']:,} | "
                  f"{tbit(shape['median'])} | {100 * shape['share_of_popcount']:.0f} % | "
                  f"{100 * shape['read'] / peaks['device read']:.0f} % |")
    for pairs in kernels.get("all pairs", []):
        print(f"\nA million against a million of {pairs['sites']:,} sites, at that rate: "
              f"{MILLION * MILLION * pairs['sites'] / pairs['median']:.3f} s of kernel time.")


def print_searches_by_alleles(points):
    print("\nFrom a file, both masks; ms, medians:\n\n"
          "| task | queries x profiles x sites | search | read | upload | compare |\n|---|---|---|---|---|---|")
    for point in points:
        stages = " | ".join(f"{1e3 * point['stage_seconds'][stage]:.1f}" for stage in ("read", "upload", "compare"))
        print(f"| {point['task']} | {point['queries']:,} x {point['profiles']:,} x {point['sites']:,} | "
              f"{1e3 * point['seconds']:.1f} | {stages} |")


def measure_alleles(bench):
    kernels = bench.kernels_by_alleles()
    print_kernels(kernels)
    sys.stdout.flush()
    searches = bench.searches_by_alleles()
    print_searches_by_alleles(searches)
    return {"date": datetime.date.today().isoformat(), "kernels": kernels, "searches": searches}


def write_rates(kernels, path):
    """Rates against queries and their bounds, for scripts/python/plot_rates.py."""
    peaks = kernels["peaks"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("sites\tqueries\tseries\trate\n")
        for kernel in ("matrix", "popcount"):
            for shape in kernels[f"{kernel}, along the queries"]:
                file.write(f"{shape['sites']}\t{shape['queries']}\t{kernel} kernel\t{shape['median']}\n")
        for queries, _, sites in ALONG_QUERIES:
            for name, bound in (("memory read", 8 * queries * peaks["device read"]),
                                ("matrix unit", peaks["matrix unit"]), ("popcount unit", peaks["popcount"])):
                if bound <= 1.2 * peaks["matrix unit"]:
                    file.write(f"{sites}\t{queries}\tbound: {name}\t{bound}\n")


def print_tuning(report):
    search = report["search"]
    best, default = (search["trials"][search[which]] for which in ("best", "default"))
    ratio = best["bits_a_second"] / default["bits_a_second"] if default["bits_a_second"] else float("nan")
    print(f"Tuned: {len(search['trials'])} configs of compare.cl tried; the best has {ratio:.2f} times the rate of "
          f"{default['config']['name']}.\n\n| what | predicted | measured | off by |\n|---|---|---|---|")
    for one in report["predictions"]:
        predicted, measured = one["predicted_seconds"], one["measured_seconds"]
        off = f"{100 * (predicted / measured - 1):+.0f} %" if predicted else "not predicted"
        print(f"| {one['what']} | {1e3 * predicted:.4g} ms | {1e3 * measured:.4g} ms | {off} |")
    print()


def print_transfers(transfers):
    print("\n| what | GB/s |\n|---|---|")
    for what, rates in transfers.items():
        unit = {"file read": "threads", "file to device": "readers"}.get(what, "MiB")
        text = ", ".join(f"{rate / 1e9:.1f} ({size} {unit})" for size, rate in rates.items())
        print(f"| {what} | {text} |")


def print_searches(searches, profiles):
    print(f"\nSearches of {profiles:,} profiles from the page cache; ms, medians:\n")
    print("| queries x sites | search | file read | upload | compare | largest of the three | ratio | read and sent alone |"
          "\n|---|---|---|---|---|---|---|---|")
    for one in searches:
        parts = one["limits"]
        print(f"| {one['queries']:,} x {one['sites']:,} | {1e3 * one['total']:.1f} | {1e3 * parts['file read']:.1f} | "
              f"{1e3 * parts['upload']:.1f} | {1e3 * parts['compare']:.1f} | {one['limit']} | {one['ratio']:.2f} | "
              f"{1e3 * one['fed']:.1f} |")
    print("\nThe model's prediction beside one search of each; ms:\n\n| queries x sites | stage | predicted | measured |\n"
          "|---|---|---|---|")
    for one in searches:
        for stage, seconds in one["predictions"].items():
            print(f"| {one['queries']:,} x {one['sites']:,} | {stage} | {1e3 * seconds['predicted']:.0f} | "
                  f"{1e3 * seconds['measured']:.0f} |")


def print_of_sites(points):
    print("| what | sites x people | calls | kernel | ms | 10^12 bits (triples x people) a second |")
    print("|---|---|---|---|---|---|")
    for point in points:
        rate = point.get("bits_per_second") or point.get("combination_people_per_second")
        print(f"| {point['task']} | {point['sites']:,} x {point['people']:,} "
              f"| {'some missing' if point.get('calls_missing') else 'all'} | {point['kernel']} "
              f"| {1e3 * point['seconds']:.2f} | {rate / 1e12:,.4g} |")


def main():
    arguments = parse_arguments()
    bench = Bench(arguments)
    if arguments.of_sites:
        points = bench.of_sites()
        if arguments.json:
            arguments.json.write_text(json.dumps(points, indent=1) + "\n")
        print_of_sites(points)
        return
    if arguments.alleles:
        result = measure_alleles(bench)
        if arguments.json:
            arguments.json.write_text(json.dumps(result, indent=1) + "\n")
        return
    tuning = None if arguments.no_tune else bench.tune()
    if tuning:
        print_tuning(tuning)
        sys.stdout.flush()
    kernels = bench.kernels()
    if arguments.rates:
        write_rates(kernels, arguments.rates)
    print_kernels(kernels)
    sys.stdout.flush()
    database = bench.database(1024)
    transfers = bench.transfers(database)
    searches = [end_to_end(bench, transfers, sites, count)
                for sites, count in (QUICK_SEARCHES if arguments.quick else SEARCHES)]
    process = bench.whole_process(database, bench.queries(database, 32))
    result = {"date": datetime.date.today().isoformat(), "device": process["description"], "kernels": kernels,
              "transfers": transfers, "searches": searches, "process": process, "profiles": arguments.profiles,
              "tuning": tuning}
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")
    print(f"\n{process['description']}, {result['date']}.")
    print_transfers(transfers)
    print_searches(searches, arguments.profiles)
    print(f"\n`fastid search` of 32 queries, the whole process: {process['seconds']:.2f} s, with `--device cpu` "
          f"{process['cpu_seconds']:.2f} s.")
    if not process["same_answer"]:
        sys.exit("the device and the cpu engine do not agree")


if __name__ == "__main__":
    main()
