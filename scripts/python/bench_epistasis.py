"""Triples of sites by fastid and by MPI3SNP, by turns: what scripts/bench/epistasis runs."""

import json
import subprocess
import sys
from pathlib import Path

from bench_turns import arguments, as_bed, by_turns, measure_all, print_runs, simulated

TOP = 10
# Headers that its source text uses and does not include.
INCLUDES = " ".join(f"-include {header}" for header in ("cstdint", "limits", "stdexcept", "string"))


def built(source, work):
    """MPI3SNP of a folder of source text, for CPUs."""
    folder = work / "mpi3snp"
    for command in (["cmake", "-S", source, "-B", folder, "-DTARGET_ARCH=CPU", f"-DCMAKE_CXX_FLAGS={INCLUDES}"],
                    ["cmake", "--build", folder]):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return folder / "MPI3SNP"


def phenotypes_of(path):
    """{id: phenotype}."""
    lines = path.read_text(encoding="ascii").splitlines()
    return dict(line.split()[-2:] for line in lines if not line.startswith("#"))


def transposed(bed, phenotypes, work):
    """The same people for MPI3SNP: a .tped, and a .tfam with their phenotypes."""
    made = work / "transposed"
    subprocess.run(["plink1.9", "--silent", "--bfile", str(bed), "--recode", "transpose", "--out", str(made)], check=True)
    of = phenotypes_of(phenotypes)
    lines = [line.split() for line in Path(f"{made}.tfam").read_text(encoding="ascii").splitlines()]
    made.with_suffix(".tfam").write_text("".join(" ".join([*fields[:5], of[fields[1]]]) + "\n" for fields in lines),
                                         encoding="ascii")
    return made


def triples_of_fastid(path):
    found = json.loads(path.read_text(encoding="ascii"))["results"]
    return {frozenset(site["id"] for site in one["sites"]) for one in found}


def triples_of_peer(path, bed):
    """Its output has places of sites, from 0 on."""
    ids = [line.split()[1] for line in Path(f"{bed}.bim").read_text(encoding="ascii").splitlines()]
    lines = path.read_text(encoding="ascii").splitlines()
    return {frozenset(ids[int(place)] for place in line.split()[:3]) for line in lines}


def measure(args, people, work):
    database = simulated(args, people, work, "--encoding", "alleles", "--epistasis", "threshold", "--heritability", "0.05")
    phenotypes, bed = Path(f"{database}.phenotypes.tsv"), as_bed(args, database)
    made = transposed(bed, phenotypes, work)
    took = by_turns(args.rounds, {
        "fastid": [args.fastid, "epistasis", "-q", f"{bed}.bed", "--phenotype", phenotypes, "--score", "mi", "--top", TOP,
                   "--threads", args.threads, "--format", "json", "-o", work / "f.json"],
        "MPI3SNP": [args.peer, "-t", args.threads, "-n", TOP, f"{made}.tped", f"{made}.tfam", work / "p.txt"]})
    if triples_of_fastid(work / "f.json") != triples_of_peer(work / "p.txt", bed):
        sys.exit(f"{people} people: fastid and MPI3SNP found different triples")
    print_runs(f"{args.sites:,} x {people:,}", args.sites * (args.sites - 1) * (args.sites - 2) / 6, took)


def main():
    parser = arguments("1600,4000", 400, 3)
    parser.add_argument("--source", type=Path, required=True)
    args = parser.parse_args()
    args.peer = built(args.source, args.work)
    print(f"cpu, {args.threads} threads, medians of {args.rounds}, the best {TOP}\n")
    measure_all(args, "sites x people", measure, "triples")


if __name__ == "__main__":
    main()
