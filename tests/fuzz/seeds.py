#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets: a folder a target, some small and true inputs in each.

usage: seeds.py FOLDER        FASTID names the program, FASTID_SEED_DATABASE that of seed_database.cpp

All are made from ../cli/fixtures, whose people are made up.
"""

import bz2
import gzip
import json
import lzma
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parent / "cli" / "fixtures"
MARK = b"\n=====\n"
PART_SECTIONS = ("candidates", "ties", "histograms", "pairs", "linked sites", "combinations", "queries: names",
                 "queries: shape", "queries: rows")  # in the order of part_target.cpp
sys.path.insert(0, str(FIXTURES.parent))
sys.path.insert(0, str(HERE.parent / "support"))
import alignments  # noqa: E402
import fixtures  # noqa: E402
import workbooks  # noqa: E402


def rows():
    """(id, chromosome, position, two letters) of a person."""
    for line in (FIXTURES / "anna.snp").read_text().splitlines():
        if not line.startswith("#"):
            yield line.split("\t")


def vendors():
    """The layouts of genotyping companies, as their own files have them."""
    data = list(rows())[:20]
    both = lambda row: list(row[3])
    comma = lambda header, line: "\n".join([*header, *map(line, data)]) + "\n"
    yield "23andme", comma(["# rsid\tchromosome\tposition\tgenotype"], "\t".join)
    yield "ancestry", comma(["#AncestryDNA raw data download", "rsid\tchromosome\tposition\tallele1\tallele2"],
                            lambda row: "\t".join([*row[:3], *both(row)]))
    yield "ftdna", comma(["RSID,CHROMOSOME,POSITION,RESULT"], lambda row: ",".join(f'"{field}"' for field in row))
    yield "famfinder", comma(["name,chromosome,position,allele1,allele2"], lambda row: ",".join([*row[:3], *both(row)]))
    yield "myheritage", comma(["# MyHeritage DNA raw data.", "RSID,CHROMOSOME,POSITION,RESULT"],
                              lambda row: ",".join(f'"{field}"' for field in row))
    yield "myheritage-quotes", comma(["# MyHeritage DNA raw data.", '"RSID,""CHROMOSOME"",""POSITION"",""RESULT"""'],
                                     lambda row: '"' + row[0] + ',' + ",".join(f'""{field}""' for field in row[1:]) + '"')
    yield "livingdna", comma(["# Living DNA customer genotype data download file version: 1.0.1",
                              "# rsid\tchromosome\tposition\tgenotype"], "\t".join)
    yield "mixture", "#sample stain\n" + "".join("\t".join([*row[:3], "AGT"]) + "\n" for row in data)


def eigenstrat():
    """(.geno as text, .snp, .ind) of three people."""
    sites = list(rows())[:20]
    geno = "".join("0129"[i % 4] + "012"[i % 3] + "2" + "\n" for i in range(len(sites)))
    snp = "".join(f"{row[0]} {row[1]} 0.0 {row[2]} A G\n" for row in sites)
    return geno, snp, "A M one\nB F one\nC U two\n"


def packed():
    """The same in two bits a genotype; hashes as ADMIXTOOLS makes them."""
    def hash_of(names):
        total = 0
        for name in names:
            one = 0
            for char in name:
                one = (one * 23 + ord(char)) & 0xFFFFFFFF
            total = (total * 17 ^ one) & 0xFFFFFFFF
        return total

    geno, snp, ind = eigenstrat()
    lines = geno.split()
    head = f"GENO {3:7d} {len(lines):7d} {hash_of('ABC'):x} {hash_of([r.split()[0] for r in snp.splitlines()]):x}"
    content = head.encode().ljust(48, b"\0")
    for line in lines:
        value = 0
        for char in line:
            value = value << 2 | (3 if char == "9" else int(char))
        content += bytes([value << 2]).ljust(48, b"\0")
    return content, snp.encode(), ind.encode()


def vcfs():
    yield "cohort", (FIXTURES / "cohort.vcf").read_bytes()
    head = "##fileformat=VCFv4.2\n" + "".join(f"##contig=<ID={c},assembly=GRCh37>\n" for c in range(1, 23))
    head += '##FORMAT=<ID=GT,Number=1,Type=String,Description="G">\n##FORMAT=<ID=AD,Number=R,Type=Integer,Description="D">\n'
    head += '##INFO=<ID=END,Number=1,Type=Integer,Description="E">\n##ALT=<ID=NON_REF,Description="N">\n'
    lines = ["\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT one".split())]
    for row in list(rows())[:12]:
        a, b = row[3][0], "ACGT"[("ACGT".index(row[3][0]) + 1) % 4]
        lines.append("\t".join([row[1], row[2], row[0], a, f"{b},<NON_REF>", ".", ".", ".", "GT:AD", "0/1:7,9,0"]))
    lines.append("\t".join(["20", "1", ".", "A", "<NON_REF>", ".", ".", "END=60000000", "GT:AD", "0/0:30,0"]))
    yield "gvcf", (head + "\n".join(lines) + "\n").encode()
    head += '##FORMAT=<ID=PL,Number=G,Type=Integer,Description="L">\n##FORMAT=<ID=GL,Number=G,Type=Float,Description="L">\n'
    lines = ["\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT one".split())]
    for row in list(rows())[:12]:
        a, b = row[3][0], "ACGT"[("ACGT".index(row[3][0]) + 2) % 4]  # a transition, as most sites of the panel are
        lines.append("\t".join([row[1], row[2], row[0], a, b, ".", ".", ".", "GT:PL:GL", "./.:0,3,40:-0.1,-0.5,-4"]))
    lines.append("\t".join(["22", "1", ".", "A", "C", ".", ".", ".", "GT:PL", "./.:."]))  # the last byte asks for likelihoods
    yield "likelihoods", (head + "\n".join(lines)).encode()


def reports():
    """Reports of a kit, in both layouts: the parts of their workbooks."""
    loci = [(row[0], ",".join(row[3]), [(letter, True, 50 + i) for letter in dict.fromkeys(row[3])] + [("T", False, 2)])
            for i, row in enumerate(list(rows())[:12]) if row[3].isalpha()]
    loci.append(("rs9", "INC", [("A", False, 3), ("G", False, 0)]))
    for name, sheet in (("older", workbooks.older_sheet), ("newer", workbooks.newer_sheet)):
        yield name, workbooks.parts({"Identity SNPs": sheet("Identity SNP", "Sample1", loci, "Mixture")})


def aligned():
    """Reads at the first sites of the panel: as SAM and as BAM."""
    contigs = [("1", 1000000), ("2", 5000)]
    reads = []
    for i, (pos, base) in enumerate(((144128, "A"), (144128, "G"), (276235, "C"), (276235, "T"), (360111, "G"))):
        for k, (cigar, before) in enumerate((("50M", 20), ("5S20M2I23M", 18), ("30M4D20M", 10), ("49M1S", 48))):
            bases = "A" * before + base + "A" * (49 - before)
            flag = alignments.PAIRED | (alignments.REVERSE | alignments.SECOND if k % 2 else alignments.FIRST)
            reads.append(alignments.Read(f"r{i}.{k // 2}", flag, 0, pos - before, 60 - k, cigar, bases, [30 + k] * 50))
    reads.sort(key=lambda read: read.pos)
    yield "five.sam", alignments.sam(contigs, reads, "anna").encode()
    yield "five.bam", alignments.bam(contigs, reads, "anna")


def pairs():
    """Reads and haplotypes: a read of the haplotype, one with an N, one of nowhere."""
    hap = "ACGTTGCAACGGTCATTGCACCGGTA"
    for read in (hap[3:20], hap[3:10] + "N" + hap[11:20], "T" * 17):
        yield "\t".join([hap, read, "5" * len(read), "I" * len(read), "I" * len(read), "+" * len(read), "-1.0"]) + "\n"


def group_of_pairs():
    """The same as a group, with a second haplotype, and a pair after it."""
    lines = [line.split("\t") for line in pairs()]
    reads = "".join("\t".join(line[1:6]) + "\n" for line in lines)
    return f"3 2\n{reads}{lines[0][0]}\n{lines[0][0][2:]}\n" + "\t".join(lines[0])


def configs():
    for path in sorted((HERE.parent.parent / "configs").glob("*.h")):
        yield path.stem, path.read_bytes()


def databases(work):
    """Databases with and without missing calls, and one that was appended to."""
    work.mkdir()
    subprocess.run([os.environ["FASTID_SEED_DATABASE"], work], check=True)
    for path in sorted(work.iterdir()):
        yield path.name, path.read_bytes()


def audit_log(work):
    """The record of two searches."""
    fastid = lambda *arguments: subprocess.run([os.environ["FASTID"], *arguments], cwd=work, check=True, capture_output=True)
    shutil.copytree(FIXTURES, work)
    fastid("db", "build", "-q", "-o", "people.h5", "--panel", "panel.tsv", "cohort.vcf")
    fastid("search", "-q", "--audit-log", "searches.jsonl", "suspect.snp", "people.h5", "--device", "cpu")
    fastid("search", "-q", "--audit-log", "searches.jsonl", "anna.snp", "suspect.snp", "people.h5", "--device", "cpu")
    return (work / "searches.jsonl").read_bytes()


def parts_of_runs(work):
    """The head and the sections of a shard's part of each command, as part_target.cpp cuts its inputs."""
    fastid = lambda *arguments: subprocess.run([os.environ["FASTID"], *arguments], cwd=work, check=True, capture_output=True)
    shutil.copytree(FIXTURES, work)
    fastid("db", "build", "-q", "-o", "people.h5", "--panel", "panel.tsv", "cohort.vcf")
    (work / "cases.tsv").write_text("".join(f"P{i:02}\t{1 + i % 2}\n" for i in range(1, 13)))
    for name, arguments in (("search", ["search", "anna.snp", "suspect.snp", "people.h5"]),
                            ("pairs", ["pairs", "people.h5", "--min-kinship", "-9"]), ("ld", ["ld", "cohort.vcf", "--min-r2", "0.2"]),
                            ("epistasis", ["epistasis", "cohort.vcf", "--phenotype", "cases.tsv", "-k", "5"])):
        fastid(*arguments, "-q", "--device", "cpu", "--shard", "1/1", "-o", f"{name}.part")
        part = (work / f"{name}.part").read_bytes()
        end = len(part) - 32
        head = part[end - int.from_bytes(part[end:end + 8], "little"):end]
        contents = dict.fromkeys(PART_SECTIONS, b"")
        for section in json.loads(head)["sections"]:
            if section["name"] in contents:
                contents[section["name"]] += part[section["offset"]:section["offset"] + section["bytes"]]
        yield name, MARK.join([head, *contents.values()])


def matrices():
    """Numbers as text, as .npy and in gzip."""
    text = "".join("\t".join(str((i * j) % 7 / 2) for j in range(5)) + "\n" for i in range(1, 36))
    yield "text", text
    for kind, code in (("<f4", "f"), ("<f8", "d")):
        head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': (3, 4), }}".ljust(117) + "\n"
        npy = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + struct.pack(f"<12{code}", *range(12))
        yield code, npy
        yield f"{code}.gz", gzip.compress(npy, mtime=0)


def log_of(content):
    """The lines of a database's log."""
    start = content.index(b'{"action"')
    end = content.rindex(b"]}\n") + 3
    return content[start:end]


def write(folder, target, name, content):
    (folder / target).mkdir(parents=True, exist_ok=True)
    (folder / target / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def main(folder):
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for seed, content in vcfs():
            write(folder, "vcf", seed, content)
            write(folder, "any", f"{seed}.vcf", content)
            write(folder, "any", f"{seed}.gz", gzip.compress(content, mtime=0))
            write(folder, "any", f"{seed}.xz", lzma.compress(content))
            write(folder, "any", f"{seed}.bz2", bz2.compress(content))
            (work / f"{seed}.vcf").write_bytes(content)
            if shutil.which("bcftools"):
                bcf = subprocess.run(["bcftools", "view", "-Ob", work / f"{seed}.vcf"], capture_output=True, check=True).stdout
                plain = subprocess.run(["bcftools", "view", "-Ou", work / f"{seed}.vcf"], capture_output=True, check=True).stdout
                write(folder, "bcf", f"{seed}", bcf)
                write(folder, "bcf", f"{seed}-plain", plain)
            if shutil.which("zstd"):
                write(folder, "any", f"{seed}.zst", subprocess.run(["zstd", "-qc"], input=content, capture_output=True).stdout)
        for seed, content in vendors():
            write(folder, "text", seed, content)
            write(folder, "any", seed, content)
        for sample in FIXTURES.glob("*.snp"):
            write(folder, "text", sample.name, sample.read_bytes())
        fixtures.plink_from_vcf(FIXTURES / "cohort.vcf", work / "cohort")
        write(folder, "plink", "cohort", MARK.join((work / f"cohort.{part}").read_bytes() for part in ("bed", "bim", "fam")))
        write(folder, "eigenstrat", "text", MARK.join(part.encode() for part in eigenstrat()))
        write(folder, "eigenstrat", "packed", MARK.join(packed()))
        for seed, parts in reports():
            names = ("xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "_rels/.rels")
            write(folder, "workbook", seed, MARK.join(parts[part].encode() for part in names))
            write(folder, "any", f"{seed}.xlsx", workbooks.archive(parts))
        table = "Sample.Name,Marker,Allele.1,Allele.2,Height.1,Height.2\n" + "".join(
            f"{who},{row[0]},{row[3][0]},{row[3][-1]},9,{i % 3}\n" for who in ("one", "two") for i, row in enumerate(list(rows())[:9]))
        write(folder, "text", "evidence", table)
        write(folder, "any", "evidence", table)
        write(folder, "panel", "two-builds", "id\tchrom\tpos_GRCh37\tpos_GRCh38\tmajor\tminor\tEUR\nrs1\t1\t5\t7\tA\tG\t0.1\n")
        write(folder, "panel", "panel", (FIXTURES / "panel.tsv").read_bytes())
        write(folder, "family", "three", "# person father mother\nson father mother\ndaughter father mother\nfather granddad 0\n")
        write(folder, "family", "ped", "F son father mother 1 -9\nF father 0 0 1 -9 A A\nG\tdaughter\t0\tother\t2\t1\n")
        write(folder, "family", "loop", "a c d\nb c d\ne a b\n")
        write(folder, "phenotypes", "two", "id\tphenotype\nP01\t1\nP02\t2\nP03\tNA\nP09\t1\n")
        write(folder, "phenotypes", "three", "# of F1 and F2\nF1 P04 0\nF2 P04 1\nF3 P01 -9\n")
        write(folder, "phenotypes", "fam", "F1 P04 0 0 1 1\nF2 P04 0 0 2 2\n")
        write(folder, "blocks", "two", "#build GRCh37\nblock\tchrom\tfirst\tlast\tsites\n1\t1\t144128\t276235\t2\n2\t2\t427011\t665265\t3\n")
        write(folder, "choice", "all", MARK.join([b"kit=FORCE && (n<9 || !expiry)", b"P03\nP09\nP06\n", b"P09\nnobody\n"]))
        write(folder, "choice", "lists", MARK.join([b"", b"\xef\xbb\xbfP01\r\nP02\r\n", b"P02"]))
        for seed, content in matrices():
            write(folder, "numbers", seed, content)
        for seed, content in parts_of_runs(work / "parts"):
            write(folder, "part", seed, content)
        for seed, content in aligned():
            write(folder, "reads", seed, content)
            write(folder, "any", seed, content)
        write(folder, "pairs", "three", "# haplotype read qualities\n" + "".join(pairs()))
        write(folder, "pairs", "group", group_of_pairs())
        for seed, content in configs():
            write(folder, "config", seed, content)
            write(folder, "registry", seed, b"device\tH2*\tmine\n# a comment\narchitecture\tunit_9*\tmine" + MARK + content)
        write(folder, "registry", "own", MARK.join([(HERE.parent.parent / "configs" / "registry.tsv").read_bytes(), b""]))
        write(folder, "cache", "entry", b"fastid program 1 " + b"a" * 64 + b" 3 0000000000000000\nabc")
        for seed, content in databases(work / "databases"):
            write(folder, "database", seed, content)
            write(folder, "log", seed, log_of(content))
        write(folder, "tags", "all", "kit=FORCE && (consent == yes || !expiry<2027-01-01) && site != \"a b\" && n>=7 && sex")
        write(folder, "map", "two-chromosomes", "#build GRCh37\nchrom\tpos\tcM\n1\t100\t0\n1\t5000000\t7.5\n2\t1\t-1\n2\t9\t-1\n")
        write(folder, "sheet", "tabs", "id\tkit\tconsent\texpiry\nP01\tFORCE\tyes\t2031-01-31\n\nP02\tFORCE\n")
        write(folder, "sheet", "commas", "id,kit,note\r\nP01,FORCE,\r\nP02,,7\r\n")
        write(folder, "user_config", "all", "# usual\ndevice = cpu\n\nthreads=8\r\ndevice = \"opencl:a b\"")
        write(folder, "audit", "two", audit_log(work / "searches"))


if __name__ == "__main__":
    if len(sys.argv) != 2 or not {"FASTID", "FASTID_SEED_DATABASE"} <= os.environ.keys():
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
