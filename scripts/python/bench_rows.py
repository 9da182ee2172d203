"""Answers with many rows, beside plink2 and plink1.9: what scripts/bench/rows runs."""

import statistics
import subprocess
import tempfile
from pathlib import Path

from bench_turns import arguments, by_turns

LEAST_R2, WINDOW = 0.05, 100
ALL_KINSHIPS = "--min-kinship=-10"


def commands_of(args, work):
    """{what: {program: command}}"""
    database = work / "people.h5"
    subprocess.run([args.fastid, "db", "build", "-q", "-o", database, f"{args.cohort}.bed"], check=True,
                   capture_output=True)
    fastid = {name: [args.fastid, name, "-q", "--threads", args.threads] for name in ("pairs", "ld", "search")}
    plink2 = ["plink2", "--silent", "--threads", args.threads, "--bfile", args.cohort, "--out", work / "p2"]
    plink1 = ["plink1.9", "--silent", "--threads", args.threads, "--bfile", args.cohort, "--out", work / "p1"]
    window = ["--ld-window", WINDOW + 1, "--ld-window-kb", 1_000_000, "--ld-window-r2", LEAST_R2]
    result = ["-o", work / "rows.tsv"]
    return {
        "all pairs": {
            "fastid pairs --no-evidence": [*fastid["pairs"], ALL_KINSHIPS, "--no-evidence", database, *result],
            "plink2 --make-king-table": [*plink2, "--make-king-table", "cols=id,nsnp,hethet,ibs0,kinship"],
        },
        "all pairs, with evidence": {"fastid pairs --unlinked": [*fastid["pairs"], "--unlinked", ALL_KINSHIPS, database, *result]},
        f"linked sites, r2 of {LEAST_R2}, {WINDOW} places": {
            "fastid ld": [*fastid["ld"], "--window", WINDOW, "--min-r2", LEAST_R2, database, *result],
            "plink1.9 --r2 dprime": [*plink1, "--r2", "dprime", *window],
            "plink1.9 --r2": [*plink1, "--r2", *window],
        },
        **{f"everyone in everyone, {k} rows each": {
            f"fastid search -k {k}": [*fastid["search"], "-k", k, f"{args.cohort}.bed", database, *result]} for k in (1, 10, 100)},
    }


def main():
    parser = arguments("", 0, 5)
    parser.add_argument("--cohort", type=Path, required=True)
    args = parser.parse_args()
    print(f"{args.threads} threads, medians of {args.rounds}\n")
    print("| what | program | processor time | time | of fastid's processor time | memory |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=args.work) as folder:
        for what, commands in commands_of(args, Path(folder)).items():
            first = None
            for program, runs in by_turns(args.rounds, commands).items():
                processors, seconds = (statistics.median(getattr(run, name) for run in runs)
                                       for name in ("processors", "seconds"))
                first = first or processors
                print(f"| {what} | `{program}` | {processors:.3g} s | {seconds:.3g} s | {processors / first:.3g} |"
                      f" {max(run.memory for run in runs):.0f} MB |", flush=True)


if __name__ == "__main__":
    main()
