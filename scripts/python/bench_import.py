#!/usr/bin/env python3
"""The measurements of scripts/bench/import: fastid and plink2 by turns on the same files, medians, contents checked."""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fastid", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for files")
    parser.add_argument("--people", type=int, default=2504)
    parser.add_argument("--sites", type=int, default=100_000)
    parser.add_argument("--singles", type=int, default=20_000, help="files of one person each, of 1,024 sites")
    parser.add_argument("--repeats", type=int, default=7)
    return parser.parse_args()


def run(*command):
    """Seconds that the whole process took, and what it computed on all CPUs."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def content(fastid, database):
    text = subprocess.run([fastid, "db", "info", "--format", "json", database], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(text)["profiles_sha256"]


def make_cohort(arguments):
    """The same people as VCF, bgzipped VCF, BCF and PLINK bed; gives the database that they came from."""
    base = arguments.work / f"p{arguments.people}-s{arguments.sites}"
    database, vcf = base.with_suffix(".h5"), base.with_suffix(".vcf")
    if not base.with_suffix(".bcf").exists():
        run(arguments.fastid, "db", "simulate", "-q", "-o", database, "--profiles", arguments.people, "--sites",
            arguments.sites, "--seed", 1)
        run(arguments.fastid, "db", "export", "-q", database, "-o", vcf)
        run("bgzip", "--keep", "--force", vcf)
        run("plink2", "--vcf", vcf, "--make-bed", "--out", base)
        run("bcftools", "view", "-Ob", "-o", base.with_suffix(".bcf"), vcf)
    return base


def by_turns(arguments, ours, theirs):
    """Medians of (wall, CPU) seconds of two commands that run by turns."""
    times = {"ours": [], "theirs": []}
    for _ in range(arguments.repeats):
        times["theirs"].append(run(*theirs))
        times["ours"].append(run(*ours))
    return {who: tuple(map(statistics.median, zip(*runs))) for who, runs in times.items()}


def compare(arguments, base, name, suffix, flag):
    out, bed = arguments.work / "out.h5", arguments.work / "out"
    file = base.with_suffix(suffix)
    given = base if suffix == ".bed" else file
    medians = by_turns(arguments, (arguments.fastid, "db", "build", "-q", "-o", out, file),
                       ("plink2", flag, given, "--make-bed", "--out", bed))
    if content(arguments.fastid, out) != content(arguments.fastid, base.with_suffix(".h5")):
        sys.exit(f"{file}: not the bits that it was made from")
    (wall, cpu), (peer_wall, peer_cpu) = medians["ours"], medians["theirs"]
    print(f"| {name}, {file.stat().st_size / 1e6:.0f} MB | {wall:.2f} s ({cpu:.2f} s CPU) | {peer_wall:.2f} s "
          f"({peer_cpu:.2f} s CPU) | {peer_wall / wall:.2f} |")


def many_singles(arguments):
    """One file for each person, as a lab that adds cases has them."""
    folder = arguments.work / f"singles{arguments.singles}"
    source = arguments.work / "singles.h5"
    if not folder.exists():
        folder.mkdir()
        run(arguments.fastid, "db", "simulate", "-q", "-o", source, "--profiles", arguments.singles, "--sites", 1024)
        panel = subprocess.run([arguments.fastid, "db", "export", source, "-o", "-", "--what", "panel"], check=True,
                               stdout=subprocess.PIPE, text=True).stdout
        (arguments.work / "singles.tsv").write_text(panel)
        sites = [line.split("\t") for line in panel.splitlines() if not line.startswith(("#", "id\t"))]
        heads = [f"{site[0]}\t{site[1]}\t{site[2]}\t" for site in sites]
        letters = [(2 * site[3] + "\n", site[3] + site[4] + "\n", "--\n") for site in sites]
        rows = subprocess.Popen([arguments.fastid, "db", "export", source, "-o", "-", "--format", "tsv"],
                                stdout=subprocess.PIPE, text=True).stdout
        next(rows)
        for row in rows:
            name, *bits = row.rstrip("\n").split("\t")
            lines = [head + letter[2 if bit == "NA" else int(bit)] for head, letter, bit in zip(heads, letters, bits)]
            (folder / f"{name}.snp").write_text("".join(lines))
    files = sorted(folder.iterdir())
    out = arguments.work / "out.h5"
    wall, cpu = zip(*(run(arguments.fastid, "db", "build", "-q", "-o", out, "--panel", arguments.work / "singles.tsv",
                          *files) for _ in range(3)))
    if content(arguments.fastid, out) != content(arguments.fastid, source):
        sys.exit("single files: not the bits that they were made from")
    seconds = statistics.median(wall)
    print(f"\n{arguments.singles:,} files of one person and 1,024 sites each: {seconds:.1f} s "
          f"({statistics.median(cpu):.1f} s CPU), {arguments.singles / seconds:,.0f} files a second (median of 3)")


def main():
    arguments = parse_arguments()
    arguments.work.mkdir(parents=True, exist_ok=True)
    base = make_cohort(arguments)
    print(f"{arguments.people:,} people x {arguments.sites:,} sites, medians of {arguments.repeats} rounds, "
          f"{os.cpu_count()} CPUs, files in the page cache\n")
    print("| input | `fastid db build` | `plink2 --make-bed` | plink2 / fastid |\n|---|---|---|---|")
    compare(arguments, base, "VCF, bgzip", ".vcf.gz", "--vcf")
    compare(arguments, base, "VCF, plain", ".vcf", "--vcf")
    compare(arguments, base, "BCF", ".bcf", "--bcf")
    compare(arguments, base, "PLINK bed", ".bed", "--bfile")
    many_singles(arguments)


if __name__ == "__main__":
    main()
