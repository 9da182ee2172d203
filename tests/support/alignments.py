"""Files of aligned reads: SAM as text, and BAM by its specification (SAMv1.pdf, section 4), without htslib."""

import re
import struct
import zlib
from dataclasses import dataclass

PAIRED, PROPER, UNMAPPED, REVERSE, FIRST, SECOND = 0x1, 0x2, 0x4, 0x10, 0x40, 0x80
SECONDARY, FAILED, DUPLICATE = 0x100, 0x200, 0x400
_END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")


@dataclass
class Read:
    name: str
    flag: int
    contig: int  # its place in the header
    pos: int  # 1-based
    quality: int  # of the mapping
    cigar: str
    bases: str
    qualities: list


def header(contigs, sample=None, order="coordinate"):
    """`contigs`: (name, length) of each."""
    lines = [f"@HD\tVN:1.6\tSO:{order}"] + [f"@SQ\tSN:{name}\tLN:{length}" for name, length in contigs]
    return "\n".join(lines + ([f"@RG\tID:a\tSM:{sample}"] if sample else [])) + "\n"


def sam(contigs, reads, sample=None):
    lines = [
        "\t".join(map(str, [read.name, read.flag, contigs[read.contig][0], read.pos, read.quality, read.cigar, "*", 0, 0,
                            read.bases, "".join(chr(33 + q) for q in read.qualities)]))
        for read in reads
    ]
    return header(contigs, sample) + "".join(line + "\n" for line in lines)


def _record(read):
    operations = [(int(n), "MIDNSHP=X".index(op)) for n, op in re.findall(r"(\d+)([MIDNSHP=X])", read.cigar)]
    codes = ["=ACMGRSVTWYHKDBN".index(base) for base in read.bases]
    packed = bytes(codes[i] << 4 | (codes[i + 1] if i + 1 < len(codes) else 0) for i in range(0, len(codes), 2))
    name = read.name.encode() + b"\0"
    body = struct.pack("<iiBBHHHiiii", read.contig, read.pos - 1, len(name), read.quality, 4680, len(operations),
                       read.flag, len(codes), -1, -1, 0)
    body += name + b"".join(struct.pack("<I", n << 4 | op) for n, op in operations) + packed + bytes(read.qualities)
    return struct.pack("<i", len(body)) + body


def _block(content):
    compress = zlib.compressobj(6, zlib.DEFLATED, -15)
    data = compress.compress(content) + compress.flush()
    head = struct.pack("<4BI2BH2BHH", 31, 139, 8, 4, 0, 0, 255, 6, 66, 67, 2, len(data) + 25)
    return head + data + struct.pack("<II", zlib.crc32(content), len(content))


def bam(contigs, reads, sample=None):
    text = header(contigs, sample).encode()
    content = b"BAM\1" + struct.pack("<i", len(text)) + text + struct.pack("<i", len(contigs))
    for name, length in contigs:
        content += struct.pack("<i", len(name) + 1) + name.encode() + b"\0" + struct.pack("<i", length)
    content += b"".join(map(_record, reads))
    return b"".join(_block(content[i : i + 60000]) for i in range(0, len(content), 60000)) + _END
