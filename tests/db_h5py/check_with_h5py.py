"""Reads databases with h5py by the formulas of docs/file-format.md, and compares with what went into them.

    check_with_h5py.py WRITE_EXAMPLE

The people come from WRITE_EXAMPLE as letters; nothing here knows how src/ packs them.
"""
import contextlib
import ctypes
import ctypes.util
import hashlib
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def profile_bits(plane, i, n_sites):
    """Sites of profile i, as the documented formula says."""
    return [int(plane[i // 32, s // 32, i % 32]) >> (s % 32) & 1 for s in range(n_sites)]


def xxh3_64(data):
    library = ctypes.CDLL(ctypes.util.find_library("xxhash"))
    library.XXH3_64bits.restype = ctypes.c_uint64
    library.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    return library.XXH3_64bits(data, len(data))


def panel_sha256(db):
    panel = db["panel"]
    sha = hashlib.sha256()
    sha.update(f"fastid-panel 1\nbuild {text(db.attrs['genome_build'])}\n".encode())
    columns = [panel[name][:] for name in ("id", "chrom", "pos", "major", "minor")]
    for site in zip(*columns):
        sha.update(("\t".join(text(field) for field in site) + "\n").encode())
    for name in panel["freq"]:  # in the order in which they were written
        sha.update(f"population {name}\n".encode())
        for value in panel["freq"][name][:]:
            sha.update(struct.pack("<d", value))
    return sha.hexdigest()


def check_attributes(db, n_profiles, n_sites, encoding):
    attributes = db.attrs
    assert text(attributes["format"]) == "fastid-db"
    assert text(attributes["encoding"]) == encoding
    assert text(attributes["genome_build"]) == "GRCh37"
    assert text(attributes["kind"]) == "individuals"
    assert text(attributes["created_by"]).startswith("fastid 0.")
    assert len(text(attributes["created_utc"])) == len("2026-11-20T16:05:09Z")
    for name, value, kind in (("format_version", {"minor": 1, "alleles": 2}[encoding], "<u4"), ("n_profiles", n_profiles, "<u8"),
                              ("n_sites", n_sites, "<u4"), ("lanes", 32, "<u4")):
        assert attributes[name] == value and attributes[name].dtype == np.dtype(kind), name
    assert sorted(attributes) == ["content_sha256", "created_by", "created_utc", "encoding", "format", "format_version",
                                  "genome_build", "kind", "lanes", "n_profiles", "n_sites", "panel_sha256"]


def check_datasets(db, n_profiles, n_sites, first, second):
    blocks, words = -(-n_profiles // 32), -(-n_sites // 32)
    expected = {f"profiles/{first}": ("<u4", (blocks, words, 32)), "profiles/checksum": ("<u8", (blocks,)),
                "panel/pos": ("<u4", (n_sites,)), "panel/freq/YRI": ("<f8", (n_sites,)),
                "panel/freq/CEU.2": ("<f8", (n_sites,)), "panel/major": ("S1", (n_sites,)),
                "panel/minor": ("S1", (n_sites,)), "profiles/id": ("S16", (n_profiles,)),
                "profiles/sha256": ("S192" if second else "S128", (-(-blocks // max(1, 2**20 // (128 * words))),))}
    if second:
        expected[f"profiles/{second}"] = expected[f"profiles/{first}"]
    for name, (kind, shape) in expected.items():
        assert db[name].dtype == np.dtype(kind) and db[name].shape == shape, (name, db[name])
    assert sorted(db["profiles"]) == sorted(n.split("/")[1] for n in expected if n.startswith("profiles"))
    assert sorted(db["panel"]) == ["chrom", "freq", "id", "major", "minor", "pos"]
    assert db["panel/id"].dtype.kind == "S" and db["panel/chrom"].dtype.kind == "S"
    assert db[f"profiles/{first}"].compression is None and db[f"profiles/{first}"].maxshape[0] is None
    assert db["profiles/id"].fletcher32 and db["panel/pos"].fletcher32


def documented():
    """The program of docs/file-format.md, which prints the first profile of people.h5; its functions by name."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "file-format.md").read_text(encoding="utf-8")
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(re.search("```python\n(.*?)```", page, re.DOTALL)[1], names)
    return names, printed.getvalue()


def check_documented(path, letters, encoding):
    """Letters as check_people() has them."""
    names, printed = documented()
    with h5py.File(path, "r") as db:
        for i, person in enumerate(letters):
            if encoding == "alleles":
                expected = [{"0": "major", "1": "both", "2": "minor", "-": None}[letter] for letter in person]
                seen = names["alleles_seen"](db, i)
            else:
                expected = [{"0": 0, "1": 1, "-": None}[letter] for letter in person]
                seen = names["minor_seen"](db, i)
            assert seen == expected, i
            assert i > 0 or printed == f"person-0 {expected}\n"


def check_people(db, letters, n_sites, first, second):
    """Letters: 0 no minor allele, 1 at least one (of encoding alleles: one of each), 2 no major one, - not called."""
    bits = db[f"profiles/{first}"][:]
    others = db[f"profiles/{second}"][:] if second else None
    has_second = "01" if second == "major" else "012"
    for i, person in enumerate(letters):
        assert profile_bits(bits, i, n_sites) == [int(letter in "12") for letter in person], i
        if second:
            assert profile_bits(others, i, n_sites) == [int(letter in has_second) for letter in person], i
    assert [text(name) for name in db["profiles/id"][:]] == [f"person-{i}" for i in range(len(letters))]
    # Nothing past the last site or the last profile: as many ones in all as there are letters.
    for plane, shown in ((bits, "12"), (others, has_second)):
        if plane is not None:
            ones = sum(letter in shown for person in letters for letter in person)
            assert int(np.unpackbits(plane.view(np.uint8)).sum()) == ones
    return bits, others


def check_content(db, bits, others):
    """The content checksum, from pieces of 1 MiB of blocks."""
    names, n_blocks = [bytes(name) for name in db["profiles/id"][:]], len(bits)
    piece = max(1, 2**20 // bits[0].nbytes)
    sha = lambda data: hashlib.sha256(data).hexdigest()
    rows = []
    for first in range(0, n_blocks, piece):
        ids = b"".join(name + b"\0" for name in names[32 * first:32 * (first + piece)])
        planes = [plane[first:first + piece].tobytes() for plane in (bits, others) if plane is not None]
        rows.append("".join(sha(data) for data in [ids, *planes]))
    assert [text(row) for row in db["profiles/sha256"][:]] == rows
    lines = [f"fastid-content {db.attrs['format_version']}", f"kind {text(db.attrs['kind'])}", f"profiles {db.attrs['n_profiles']}",
             f"panel {text(db.attrs['panel_sha256'])}", *rows, f"log {sha(bytes(db['log'][:]))}"]
    assert sha("".join(line + "\n" for line in lines).encode()) == text(db.attrs["content_sha256"])


def check_sums(db, bits, others):
    check_content(db, bits, others)
    for block, stored in enumerate(db["profiles/checksum"][:]):
        data = bits[block].tobytes() + (others[block].tobytes() if others is not None else b"")
        assert xxh3_64(data) == int(stored), block
    assert panel_sha256(db) == text(db.attrs["panel_sha256"])
    record, = [json.loads(line) for line in bytes(db["log"][:]).decode().splitlines()]
    assert record["action"] == "build" and record["inputs"][0]["name"] == "people.vcf"
    assert record["profiles_after"] == db.attrs["n_profiles"]


def main(write_example):
    with tempfile.TemporaryDirectory() as folder:
        cases = [(shape, encoding) for shape in ((1, 1, 0), (33, 33, 0), (97, 70, 0.1), (200, 1000, 0.02), (32, 32, 0))
                 for encoding in ("minor", "alleles")]
        for (n_profiles, n_sites, no_calls), encoding in cases:
            db_path, letters_path = os.path.join(folder, "people.h5"), os.path.join(folder, "letters")
            subprocess.run([write_example, db_path, letters_path, str(n_profiles), str(n_sites), str(no_calls),
                            encoding], check=True)
            with open(letters_path, encoding="ascii") as file:
                letters = file.read().splitlines()
            with h5py.File(db_path, "r") as db:
                first, second = ("minor", "major") if encoding == "alleles" else ("bits", "called" if no_calls > 0 else None)
                check_attributes(db, n_profiles, n_sites, encoding)
                check_datasets(db, n_profiles, n_sites, first, second)
                check_sums(db, *check_people(db, letters, n_sites, first, second))
            with contextlib.chdir(folder):
                check_documented(db_path, letters, encoding)
            print(f"{n_profiles} x {n_sites}, {encoding}: equal")


if __name__ == "__main__":
    main(sys.argv[1])
