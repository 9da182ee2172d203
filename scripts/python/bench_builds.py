"""Two builds of fastid by turns on simulated people: what scripts/bench/builds runs."""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_turns import arguments, by_turns, simulated

N_QUERIES = 32


def questions(args, work):
    """{command: (arguments, file that it writes)}; OUT in the arguments stands for that file."""
    database = simulated(args, args.people, work / "many", "--cases", str(N_QUERIES), "--cases-dir", work / "cases")
    few = simulated(args, args.pairs, work / "few", "--full-siblings", "20")
    vcf = work / "few.vcf"
    subprocess.run([args.fastid, "db", "export", "-q", few, "--format", "vcf", "-o", vcf], check=True)
    queries, mixtures = (sorted((work / "cases").glob(f"{kind}-*.snp")) for kind in ("identity", "mixture"))
    size = f"{int(args.people):,} x {args.sites:,}"
    few_size = f"{int(args.pairs):,} x {args.sites:,}"
    return {f"search, {N_QUERIES} queries, {size}": ["search", *queries, database],
            f"mixture, {N_QUERIES} mixtures, {size}": ["mixture", *mixtures, database],
            f"pairs, {few_size}": ["pairs", "--no-evidence", few],
            f"db build from VCF, {few_size}": ["db", "build", "--force", vcf]}


def answer(program, path):
    """What must be the same of both builds: the bytes of a table, the profiles of a database."""
    if path.suffix != ".h5":
        return path.read_bytes()
    info = subprocess.run([program, "db", "info", "--format", "json", path], check=True, stdout=subprocess.PIPE)
    return json.loads(info.stdout)["profiles_sha256"]


def measure(args, what, words, work):
    programs = {"first": args.fastid, "other": args.other}
    outputs = {name: work / (name + (".h5" if words[0] == "db" else ".tsv")) for name in programs}
    took = by_turns(args.rounds, {name: [program, *words, "-q", "--threads", args.threads, "-o", outputs[name]]
                                  for name, program in programs.items()})
    if answer(args.fastid, outputs["first"]) != answer(args.fastid, outputs["other"]):
        sys.exit(f"{what}: the two builds gave different results")
    print_ratios(what, took["first"], took["other"])


def print_ratios(what, first, other):
    seconds = " | ".join(f"{statistics.median(run.user for run in runs):.3f} s" for runs in (first, other))
    ratios = [a.user / b.user for a, b in zip(first, other, strict=True)]
    low, median, high = statistics.quantiles(ratios, n=4)
    clock = statistics.median(a.seconds / b.seconds for a, b in zip(first, other, strict=True))
    print(f"| {what} | {seconds} | {median:.3f} | {low:.3f} to {high:.3f} | {clock:.3f} |", flush=True)


def main():
    parser = arguments("1000000", 1024, 21)
    parser.add_argument("--other", type=Path, required=True)
    parser.add_argument("--pairs", default="20000")
    args = parser.parse_args()
    print(f"{args.threads} threads, {args.rounds} turns; processor time in user mode, its ratio in each turn (median, middle"
          f" half), ratio by the clock\n\n| command | {args.fastid} | {args.other} | ratio | | by the clock |\n"
          "|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=args.work) as folder:
        work = Path(folder)
        for name in ("many", "few"):
            (work / name).mkdir()
        for what, words in questions(args, work).items():
            measure(args, what, words, work)


if __name__ == "__main__":
    main()
