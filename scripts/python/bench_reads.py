"""Genotypes called from reads by fastid and by bcftools against the truth, by depth: what scripts/bench/reads runs."""

import argparse
import gzip
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path


def run(*command):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def quality(cells, fields):
    """That of the genotype; of the site where no read has the other allele, for which bcftools gives no other."""
    of_either = [text for text in (fields.get("GQ", "."), cells[5]) if text != "."]
    return float(of_either[0]) if of_either else 0


def genotypes(vcf, least_quality=0):
    """{(chromosome, position): how many copies of ALT}; None where nothing is called, or not that surely."""
    found = {}
    for line in vcf.splitlines():
        if line.startswith("#"):
            continue
        cells = line.split("\t")
        fields = dict(zip(cells[8].split(":"), cells[9].split(":")))
        alleles = fields["GT"].replace("|", "/").split("/")
        called = all(allele in "01" for allele in alleles) and quality(cells, fields) >= least_quality
        found[cells[0].removeprefix("chr"), int(cells[1])] = sum(map(int, alleles)) if called else None
    return found


def snps(path):
    """Lines of a VCF that have one base for another."""
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path, encoding="utf-8")
    with opened as file:
        cells = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [line for line in cells if len(line[3]) == 1 and len(line[4]) == 1 and line[4] in "ACGT"]


class Sample:
    def __init__(self, args, work):
        self.args, self.work = args, work
        lines = snps(args.truth)
        self.truth = genotypes("\n".join("\t".join(line) for line in lines))
        self.truth = {site: copies for site, copies in self.truth.items() if copies is not None}
        # The panel's major allele is the reference's.
        (work / "panel.tsv").write_text("id\tchrom\tpos\tmajor\tminor\n" + "".join(
            f"s{i}\t{line[0]}\t{line[1]}\t{line[3]}\t{line[4]}\n" for i, line in enumerate(lines)), encoding="ascii")
        sites = work / "sites.tsv"
        sites.write_text("".join(f"{line[0]}\t{line[1]}\t{line[3]},{line[4]}\n" for line in lines), encoding="ascii")
        run("bgzip", sites)
        run("tabix", "-s1", "-b2", "-e2", f"{sites}.gz")
        depths = run("samtools", "depth", "-a", "-b", self.bed(lines), args.reads).splitlines()
        self.depth = sum(int(line.split("\t")[2]) for line in depths) / len(depths)

    def bed(self, lines):
        path = self.work / "sites.bed"
        path.write_text("".join(f"{line[0]}\t{int(line[1]) - 1}\t{line[1]}\n" for line in lines), encoding="ascii")
        return path

    def thinned(self, depth, seed):
        path = self.work / "thin.bam"
        share = depth / self.depth
        if share >= 1:
            run("samtools", "view", "-b", "-o", path, self.args.reads)
        else:
            run("samtools", "view", "-b", "-s", f"{seed + share:.6f}", "-o", path, self.args.reads)
        run("samtools", "index", path)
        return path

    def by_fastid(self, reads):
        return genotypes(run(self.args.fastid, "call", "-q", reads, "--panel", self.work / "panel.tsv", "--reference",
                             self.args.genome, "--min-gq", self.args.min_gq, "--format", "vcf"))

    def by_bcftools(self, reads):
        sites = self.work / "sites.tsv.gz"
        piled = self.work / "piled.bcf"
        run("bcftools", "mpileup", "-Ob", "-o", piled, "-f", self.args.genome, "-T", sites, "-q", "20", reads)
        called = run("bcftools", "call", "-m", "-C", "alleles", "-T", sites, "-f", "GQ", piled)
        return genotypes(called, self.args.min_gq)

    def count(self, found, counts):
        for site, copies in self.truth.items():
            called = found.get(site)
            kind = "het" if copies == 1 else "hom"
            counts["sites", kind] += 1
            if called is not None:
                counts["called", kind] += 1
                counts["right", kind] += called == copies


def line_of(depth, program, counts):
    cells = []
    for kind in ("hom", "het"):
        sites, called, right = (counts[what, kind] for what in ("sites", "called", "right"))
        cells.append(f"{100 * called / sites:.1f} % | {100 * right / called:.2f} %" if called else "0 % | " if sites else " | ")
    return f"| {depth:g} | {program} | {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fastid", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("reads", type=Path)
    parser.add_argument("genome", type=Path)
    parser.add_argument("truth", type=Path)
    parser.add_argument("--depths", default="1,2,5,10,20,30")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--min-gq", type=int, default=20)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.work) as work:
        sample = Sample(args, Path(work))
        if not sample.truth:
            sys.exit(f"{args.truth}: no genotype of a SNP in it")
        print(f"{len(sample.truth)} sites, {sample.depth:.1f} reads each, GQ from {args.min_gq}\n\n"
              "| reads | program | homozygotes called | right | heterozygotes called | right |\n|---|---|---|---|---|---|")
        for depth in map(float, args.depths.split(",")):
            counts = {"fastid": Counter(), "bcftools": Counter()}
            for seed in range(args.rounds):
                reads = sample.thinned(depth, seed)
                sample.count(sample.by_fastid(reads), counts["fastid"])
                sample.count(sample.by_bcftools(reads), counts["bcftools"])
            for program, of_program in counts.items():
                print(line_of(min(depth, sample.depth), program, of_program), flush=True)


if __name__ == "__main__":
    main()
