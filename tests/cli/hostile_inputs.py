"""Files that fastid must refuse, made on the spot and the same every time.

Each function yields (name, content) or (name, content, expression): bytes for a file called `name`, and what the message
must say where that matters. `maybe` marks content that may just as well be right: a text cut off at the end of a line.
"""

import gzip
import random
import struct
import subprocess


def maybe(name, content):
    return name, content, None


def cuts(content, n=20):
    """n proper prefixes: the ends that hurt (nothing, one byte, all but one), the rest spread evenly."""
    ends = {0, 1, len(content) - 1} | {len(content) * i // (n - 2) for i in range(1, n - 2)}
    return sorted(end for end in ends if end < len(content))


def truncated_text(name, content, fields, separator=b"\t"):
    """A last line that lacks columns must be noticed; a whole one cannot be."""
    for end in cuts(content):
        last = content[:end].rsplit(b"\n", 1)[-1]
        broken = last and not last.startswith(b"#") and len(last.split(separator)) < fields
        headless = not any(line and not line.startswith(b"#") for line in content[:end].split(b"\n"))
        cut = f"cut{end}-{name}"
        yield (cut, content[:end]) if broken or headless else maybe(cut, content[:end])


def truncated(name, content):
    return [(f"cut{end}-{name}", content[:end]) for end in cuts(content)]


def mutated(name, content, n, seed):
    """A few bytes changed: may be refused, may be read, must not crash or hang."""
    draw = random.Random(seed)
    for i in range(n):
        changed = bytearray(content)
        for _ in range(1 + i % 4):
            changed[draw.randrange(len(changed))] = draw.choice([0, 9, 10, 32, 45, 48, 57, 65, 127, 128, 255])
        yield maybe(f"mutant{i}-{name}", bytes(changed))


def junk(seed, size=65536):
    return random.Random(seed).randbytes(size)


def bgzip(content):
    return subprocess.run(["bgzip", "-c"], input=content, capture_output=True, check=True).stdout


def bcf(vcf):
    return subprocess.run(["bcftools", "view", "--no-version", "-Ob"], input=vcf, capture_output=True, check=True).stdout


def bcf_uncompressed(vcf):
    return subprocess.run(["bcftools", "view", "--no-version", "-Ou"], input=vcf, capture_output=True, check=True).stdout


def wrong_types(snp):
    yield "empty", b"", "empty|not an HDF5"
    yield "newlines", b"\n" * 100
    yield "png", b"\x89PNG\r\n\x1a\n" + junk(1, 1000)
    yield "elf", b"\x7fELF\x02\x01\x01" + junk(2, 1000)
    yield "pdf", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" + junk(3, 1000)
    yield "zip", b"PK\x03\x04" + junk(4, 1000)
    yield "xz", b"\xfd7zXZ\x00" + junk(5, 1000)
    yield "zstd", b"\x28\xb5\x2f\xfd" + junk(6, 1000)
    yield "json", b'{"rsid": "rs1001", "genotype": "AG"}\n'
    yield "html", b"<!DOCTYPE html>\n<html><body>404 not found</body></html>\n"
    yield "utf16.snp", snp.decode().encode("utf-16")
    yield "gzip-of-junk", gzip.compress(junk(7))
    yield "gzip-of-nothing", gzip.compress(b"")
    yield "gzip-cut", gzip.compress(snp)[:-9]
    yield "gzip-damaged", gzip.compress(snp)[:60] + b"\xff" * 20 + gzip.compress(snp)[80:]
    yield "bgzf-then-junk", bgzip(snp)[:-28] + junk(8)
    yield "hdf5-signature", b"\x89HDF\r\n\x1a\n" + junk(9)
    yield "bed-magic", b"\x6c\x1b\x01" + junk(10)
    yield "bcf-magic", b"BCF\x02\x02" + struct.pack("<I", 0xFFFFFFF0) + junk(11)
    yield "bcf-magic.gz", bgzip(b"BCF\x02\x02" + struct.pack("<I", 0x7FFFFFF0) + junk(12))
    yield "vcf-magic", b"##fileformat=VCFv4.2\n" + junk(13)
    yield "zeros", bytes(65536)
    for seed in range(20, 28):
        yield f"junk{seed}", junk(seed)


def bad_snps(snp):
    lines = snp.splitlines(keepends=True)
    head, body = b"".join(lines[:2]), b"".join(lines[2:])
    first = lines[2].rstrip(b"\n").split(b"\t")
    row = lambda *fields: head + b"\t".join(fields) + b"\n" + body.split(b"\n", 1)[1]
    yield "comments.snp", b"# nothing\n#sample nobody\n"
    yield "header.snp", b"# rsid\tchromosome\tposition\tgenotype\n"
    yield "column-names.snp", b"rsid\tchromosome\tposition\tgenotype\n"
    yield "three-columns.snp", row(*first[:3]), "line 3"
    yield "bad-genotype.snp", row(*first[:3], b"A1"), "line 3"
    yield "negative.snp", row(first[0], first[1], b"-5", b"AG"), "line 3"
    yield "huge-position.snp", row(first[0], first[1], b"9" * 25, b"AG"), "line 3"
    yield "nul.snp", row(first[0], first[1], b"12\x0034", b"AG"), "line 3"
    yield "nul-genotype.snp", row(*first[:3], b"A\x00"), "line 3"
    yield "long-genotype.snp", row(*first[:3], b"A" * 100000)
    yield "long-line.snp", head + b"rs" + b"1" * 10_000_000
    yield "long-comment-then-nothing.snp", b"#" * 10_000_000
    yield "comments-without-end.snp", head + b"# c\n" * 200_000 + body, "comment too many"
    yield "packed-comments.snp.gz", gzip.compress(b"# c\n" * 3_000_000), "comment too many"
    yield "twice.snp", head + body + lines[2].replace(b"AG", b"GG"), "rs1001"
    yield "twice-the-same.snp", head + body + lines[2], "rs1001"
    yield "no-overlap.snp", b"".join(b"xx%d\t1\t%d\tAG\n" % (i, i + 7) for i in range(60)), "no overlap"
    yield "other-build.snp", b"# build 38\n" + snp, "build"
    yield "eigenstrat.snp", b"".join(b"rs%d 1 0.01 %d A G\n" % (1001 + i, 5000 + i) for i in range(60)), "EIGENSTRAT"


def bad_vcfs(vcf):
    lines = vcf.splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if line.startswith(b"#CHROM"))
    meta, columns, records = b"".join(lines[:at]), lines[at].rstrip(b"\n").split(b"\t"), lines[at + 1 :]
    tabs = lambda fields: b"\t".join(fields) + b"\n"
    first = records[0].rstrip(b"\n").split(b"\t")
    change = lambda field, value: meta + lines[at] + tabs(first[:field] + [value] + first[field + 1 :]) + b"".join(records[1:])
    n_bad = lambda value: change(9, value)
    yield "header.vcf", meta + lines[at]
    yield "packed-line.vcf.gz", gzip.compress(meta + b"##" + b"#" * 60_000_000), "longer than any line"
    yield "contigs-without-end.vcf", lines[0] + b"".join(b"##contig=<ID=c%d>\n" % i for i in range(150_000)), "header does not end"
    yield "packed-samples.vcf.gz", gzip.compress(meta + lines[at].rstrip(b"\n") + b"\ta" * 20_000_000 + b"\n"), "longer than any line"
    yield "meta.vcf", meta
    yield "no-samples.vcf", meta + tabs(columns[:8]) + b"".join(tabs(r.split(b"\t")[:8]) for r in records), "sample"
    yield "no-gt.vcf", vcf.replace(b"\tGT\t", b"\tDP\t").replace(b"FORMAT=<ID=GT", b"FORMAT=<ID=DP")
    yield "allele-7.vcf", n_bad(b"0/7")
    yield "allele-huge.vcf", n_bad(b"0/99999999999999")
    yield "allele-negative.vcf", n_bad(b"0/-1")
    yield "gt-junk.vcf", n_bad(b"hello")
    yield "nul.vcf", n_bad(b"0/\x001")
    yield "negative.vcf", change(1, b"-5")
    yield "huge-position.vcf", change(1, b"99999999999999999999")
    yield "missing-columns.vcf", meta + lines[at] + tabs(first[:-3]) + b"".join(records[1:])
    yield "more-columns.vcf", meta + lines[at] + tabs(first + [b"0/1"]) + b"".join(records[1:])
    yield "long-line.vcf", meta + lines[at] + b"1" * 10_000_000
    yield "long-meta.vcf", b"##fileformat=VCFv4.2\n##" + b"x" * 10_000_000
    yield "same-sample.vcf", vcf.replace(b"\tP02\t", b"\tP01\t"), "P01"
    yield "same-id.vcf", vcf.replace(b"\trs1002\t", b"\trs1001\t"), "rs1001"
    yield "other-build.vcf", vcf.replace(b"GRCh37", b"GRCh38"), "--ignore-build"
    moved = [r.split(b"\t") for r in records]
    moved = [tabs([r[0], b"%d" % (int(r[1]) + 12345)] + r[2:-1] + [r[-1].rstrip(b"\n")]) for r in moved]
    silent = b"".join(line for line in lines[:at] if b"GRCh37" not in line)
    yield "other-positions.vcf", silent + lines[at] + b"".join(moved), "--ignore-build"
    body = b"".join(b"9\t%d\tzz%d\tA\tG\t.\t.\t.\tGT%s\n" % (5 + i, i, b"\t0/1" * 12) for i in range(60))
    yield "no-overlap.vcf", meta + lines[at] + body, "no overlap"
    body = b"".join(b"9\t%d\tzz%d\tA\tG\t.\t.\t.\tGT%s\n" % (50 + i, i, b"\t0/1" * 12) for i in range(1200))
    hets = b"".join(r.replace(b"0/0", b"0/1").replace(b"./.", b"0/1") for r in records)
    yield "variants-only.vcf", meta + lines[at] + hets + body, "--absent-as-reference|variants"


def panels(panel):
    lines = panel.splitlines(keepends=True)
    first = lines[2].rstrip(b"\n").split(b"\t")
    def row(field, value):
        return b"".join(lines[:2]) + b"\t".join(first[:field] + [value] + first[field + 1 :]) + b"\n" + b"".join(lines[3:])
    yield "header.tsv", b"".join(lines[:2]), "no sites"
    more = b"".join(b"\tp%d" % i for i in range(300_000))
    yield "populations.tsv", lines[0] + lines[1].rstrip(b"\n") + more + b"\n" + b"".join(lines[2:]), "300,001 columns of frequencies"
    yield "no-header.tsv", b"".join(lines[2:]), "line 1"
    yield "negative.tsv", row(2, b"-4"), "line 3"
    yield "huge-position.tsv", row(2, b"9" * 30), "line 3"
    yield "allele.tsv", row(3, b"N"), "line 3"
    yield "same-alleles.tsv", row(3, first[4])
    yield "frequency-2.tsv", row(5, b"2"), "line 3"
    yield "frequency-nan.tsv", row(5, b"nan"), "line 3"
    yield "same-id.tsv", panel + lines[2], "rs1001"
    yield "no-id.tsv", row(0, b"")
    yield "nul.tsv", row(0, b"rs\x00")
    yield "other-build.tsv", panel.replace(b"GRCh37", b"GRCh99"), "line 1"
    yield "long-line.tsv", b"".join(lines[:2]) + b"A" * 10_000_000
