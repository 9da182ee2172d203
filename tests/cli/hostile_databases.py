"""Databases that are damaged, forged or not databases at all, made with h5py from a good one.

Everything about a database but its blocks is checked when it is opened; so all commands refuse it, but for those that
do not look at what is damaged. Two of them are tried with each, in turn.
"""

import os
import random
import subprocess
from pathlib import Path

import h5py
import numpy as np

import hostile_inputs as inputs

ALL = "search info verify export"


def edited(path, edit):
    """The bytes of a database after edit(h5py file)."""
    copy = path.with_name(f"edited-{os.getpid()}.h5")
    copy.write_bytes(path.read_bytes())
    with h5py.File(copy, "r+") as file:
        edit(file)
    content = copy.read_bytes()
    copy.unlink()
    return content


def open_elsewhere(path):
    """The bytes of a database that another program has open for writing."""
    copy = path.with_name(f"open-{os.getpid()}.h5")
    copy.write_bytes(path.read_bytes())
    with h5py.File(copy, "r+"):
        content = copy.read_bytes()
    copy.unlink()
    return content


def attribute(name, value):
    def edit(file):
        if value is None:
            del file.attrs[name]
        else:
            file.attrs.create(name, value)
    return edit


def replaced(name, change):
    """A dataset replaced by what change(its values) gives; removed where that is None."""
    def edit(file):
        values = change(file[name][()])
        del file[name]
        if values is not None:
            file.create_dataset(name, data=values)
    return edit


def nested(file):
    """Groups in groups: each is looked up from the root, which took minutes."""
    group = file
    for _ in range(1500):
        group = group.create_group("g")


def forged():
    """(name, edit, what the message says)."""
    text = lambda value: np.bytes_(value)
    yield "newer", attribute("format_version", np.uint32(4)), "newer.*update"
    yield "without-features", attribute("format_version", np.uint32(3)), "features.*missing"
    yield "version-2", attribute("format_version", np.uint32(2)), "encoding"
    yield "version-0", attribute("format_version", np.uint32(0)), "format_version"
    for name in ("format", "format_version", "genome_build", "encoding", "n_profiles", "n_sites", "lanes", "panel_sha256",
                 "created_by", "created_utc", "kind"):
        yield f"without-{name}", attribute(name, None), "no fastid database" if name == "format" else name
        yield f"array-{name}", attribute(name, np.zeros(5, np.uint32)), name
        yield f"float-{name}", attribute(name, np.float64(1)), name
    yield "long-text", attribute("created_by", text(b"x" * 60000)), "created_by"
    yield "vlen-text", attribute("kind", "individuals"), "kind"
    for n in (0, 99, 101, 128, 129, 10**6, 2**40, 2**63, 2**64 - 1):
        if n not in (97, 98, 99, 100):
            yield f"profiles-{n}", attribute("n_profiles", np.uint64(n)), "profiles|bits|checksum|id"
    yield "profiles-97", attribute("n_profiles", np.uint64(97)), "id"
    for n in (0, 1, 59, 61, 65, 2**31, 2**32 - 1):
        yield f"sites-{n}", attribute("n_sites", np.uint32(n)), "n_sites|bits|panel"
    yield "lanes", attribute("lanes", np.uint32(64)), "lanes"
    yield "encoding", attribute("encoding", text(b"major")), "encoding"
    yield "kind", attribute("kind", text(b"aliens")), "kind"
    yield "build", attribute("genome_build", text(b"GRCh99")), "genome_build"
    yield "panel-sum", attribute("panel_sha256", text(b"0" * 64)), "panel"
    for name in ("panel/id", "panel/chrom", "panel/pos", "panel/major", "panel/minor", "panel/freq", "profiles/id",
                 "profiles/bits", "profiles/checksum", "panel", "profiles"):
        yield "without-" + name.replace("/", "-"), lambda file, name=name: file.__delitem__(name), name.split("/")[0]
    for name in ("panel/id", "panel/pos", "panel/major", "profiles/id", "profiles/bits", "profiles/called", "profiles/checksum",
                 "panel/freq/madeup"):
        yield "short-" + name.replace("/", "-"), replaced(name, lambda values: values[:-1]), name
        yield "long-" + name.replace("/", "-"), replaced(name, lambda values: np.concatenate([values, values[:1]])), name
        yield "group-" + name.replace("/", "-"), as_group(name), name
    for name in ("panel/pos", "profiles/bits", "profiles/checksum"):
        yield "float-" + name.replace("/", "-"), replaced(name, lambda values: values.astype(np.float32)), name
        yield "flat-" + name.replace("/", "-"), replaced(name, lambda values: np.stack([values.reshape(-1)] * 2)), name
    yield "other-position", replaced("panel/pos", lambda values: values + 1), "panel"
    yield "other-frequency", replaced("panel/freq/madeup", lambda values: values * 2 + np.nan), "panel|freq|madeup"
    yield "compressed", compressed, "bits"
    yield "contiguous", replaced("profiles/bits", lambda values: values), "bits"
    yield "external", external, "bits"
    yield "content", attribute("content_sha256", text(b"00")), "content_sha256"
    yield "link-soft", linked("profiles/id", h5py.SoftLink("/elsewhere")), "/profiles/id: is a soft"
    yield "link-external", linked("profiles/id", h5py.ExternalLink("people.h5", "/profiles/id")), "/profiles/id: is a soft"
    yield "link-group", linked("profiles", h5py.ExternalLink("people.h5", "/profiles")), "/profiles: is a soft"
    yield "link-frequencies", linked("panel/freq/madeup", h5py.SoftLink("/elsewhere")), "madeup: is a soft"
    yield "link-unused", lambda file: file.__setitem__("more", h5py.ExternalLink("/etc/passwd", "/")), "/more: is a soft"
    yield "deep", nested, "too many groups"
    yield "many", lambda file: [file.create_group(f"g{i}") for i in range(25000)], "too many objects"
    yield "link-twice", twice, "has two names"
    yield "external-storage", external_storage, "/profiles/id.*lies in another file"
    yield "virtual", virtual, "/profiles/id.*lies in another file"
    for name in ("panel/id", "panel/pos", "panel/freq/madeup", "profiles/id", "profiles/bits", "profiles/checksum"):
        yield "unlimited-" + name.replace("/", "-"), unlimited(name), f"{name}.*lies in another file"
    for name in ("panel/id", "panel/pos", "panel/freq/madeup", "profiles/id", "profiles/checksum"):
        yield "contiguous-" + name.replace("/", "-"), stored(name), f"{name}.*chunks of this file"
        yield "unguarded-" + name.replace("/", "-"), stored(name, chunks=True), f"{name}.*Fletcher32"
        yield "gzip-" + name.replace("/", "-"), stored(name, chunks=True, fletcher32=True, compression="gzip"), f"{name}.*compressed|{name}.*does not hold"
    yield "huge-chunks", stored("panel/pos", chunks=(10**6,), maxshape=(None,), fletcher32=True), "panel/pos.*chunks of|which the file does not hold"
    for name in ("created_by", "created_utc"):
        for kind, value in EVIL.items():
            yield f"text-{name}-{kind}", attribute(name, text(b"fastid " + value + b"x")), f"{name}.*zero byte, a control"
    for kind, value in EVIL.items():
        yield f"text-site-{kind}", names("panel/id", value), "/panel/id.*zero byte, a control|panel/id"


# What no name may hold: what a terminal obeys, what turns text around, what ends it early, what is no text.
EVIL = {"escape": b"\x1b[2J", "c1": b"\xc2\x9b2J", "bidi": b"\xe2\x80\xae", "nul": b"a\x00b", "latin": b"\xe9", "line": b"\n"}


def linked(name, link):
    def edit(file):
        file.move(name, "elsewhere")
        file[name] = link
    return edit


def twice(file):
    del file["profiles/called"]
    file["profiles/called"] = file["profiles/bits"]


def external_storage(file):
    ids = file["profiles/id"]
    shape, dtype = ids.shape, ids.dtype
    del file["profiles/id"]
    file.create_dataset("profiles/id", shape, dtype, external=[("people.h5", 0, shape[0] * dtype.itemsize)])


def virtual(file):
    ids = file["profiles/id"]
    layout = h5py.VirtualLayout(shape=ids.shape, dtype=ids.dtype)
    layout[:] = h5py.VirtualSource("people.h5", "profiles/id", shape=ids.shape, dtype=ids.dtype)
    del file["profiles/id"]
    file.create_virtual_dataset("profiles/id", layout)


def unlimited(name):
    """A virtual dataset without an end: HDF5 opens its sources when it is asked for its space."""
    def edit(file):
        shape, kind = file[name].shape, file[name].id.get_type()
        del file[name]
        rest, endless = shape[1:], h5py.h5s.UNLIMITED
        space = h5py.h5s.create_simple(shape, (endless,) + rest)
        space.select_hyperslab((0,) * len(shape), (1,) * len(shape), block=(endless,) + rest)
        how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        how.set_virtual(space, b"people.h5", b"/" + name.encode(), space)
        h5py.h5d.create(file.id, name.encode(), kind, space, how)
    return edit


def stored(name, **how):
    """The same values, stored in another way."""
    def edit(file):
        values, dtype = file[name][()], file[name].dtype
        del file[name]
        file.create_dataset(name, data=values, dtype=dtype, **how)
    return edit


def names(dataset, value):
    """All names hold `value`, and are still each their own."""
    def edit(file):
        old, how = file[dataset][()], {"chunks": file[dataset].chunks, "maxshape": (None,), "fletcher32": True}
        del file[dataset]
        file.create_dataset(dataset, data=np.array([value + b"%d" % i for i in range(len(old))], "S16"), **how)
    return edit


def evil_log(file):
    text = bytes(file["log"][()])
    changed = text.replace(b'"command":"fastid', b'"command":"\\u001b', 1)
    assert len(changed) == len(text) != 0 and changed != text
    file["log"][...] = np.frombuffer(changed, np.uint8)


def as_group(name):
    def edit(file):
        del file[name]
        file.create_group(name)
    return edit


def compressed(file):
    values = file["profiles/bits"][()]
    del file["profiles/bits"]
    file.create_dataset("profiles/bits", data=values, chunks=values.shape, compression="gzip")


def external(file):
    del file["profiles/bits"]
    file["profiles/bits"] = h5py.ExternalLink("/etc/passwd", "/bits")


def other_hdf5(path):
    def edit(file):
        for name in list(file):
            del file[name]
        for name in list(file.attrs):
            del file.attrs[name]
        file["data"] = np.arange(10)
    return edited(path, edit)


def flipped_word(block, plane):
    """One bit of a block; its checksum stays."""
    def edit(file):
        values = file[f"profiles/{plane}"][block]
        values[0, 3] ^= np.uint32(1 << 7)
        file[f"profiles/{plane}"][block] = values
    return edit


def same_ids(file):
    ids = file["profiles/id"][()]
    ids[40] = ids[3]
    file["profiles/id"][...] = ids


def swapped(name, i, j):
    """Two rows of a dataset change places; HDF5 mends its own checksums."""
    def edit(file):
        values = file[name][()]
        values[[i, j]] = values[[j, i]]
        file[name][...] = values
    return edit


def swapped_blocks(file):
    for name in ("bits", "called", "checksum"):
        swapped("profiles/" + name, 0, 1)(file)


def other_log(file):
    text = bytes(file["log"][()])
    file["log"][...] = np.frombuffer(text.replace(b"simulate", b"Simulate", 1), np.uint8)


def of_an_earlier_fastid(file):
    del file.attrs["content_sha256"]
    del file["profiles/sha256"]


def without_content(checks, content):
    """A database that has no content checksum is sound, says so, and gets one with an append."""
    work = checks.folder({"x.h5": content})
    problems = []
    def run(says, *arguments):
        done = subprocess.run([checks.program, *arguments], cwd=work, capture_output=True, text=True)
        if done.returncode != 0 or says not in done.stdout + done.stderr:
            problems.append(f"{arguments}: exit {done.returncode}: {done.stdout}{done.stderr}")
    run("sound", "db", "verify", "x.h5")
    run("content sha256 none", "db", "info", "x.h5")
    run('"content_sha256": ""', "search", "suspect.snp", "x.h5", "--format", "json")
    run("", "db", "append", "x.h5", "suspect.snp")
    run("sound", "db", "verify", "x.h5")
    with h5py.File(work / "x.h5") as file:
        if len(file.attrs["content_sha256"]) != 64 or file["profiles/sha256"].shape != (1,):
            problems.append("the append made no content checksum")
    return problems


def flipped_anywhere(checks, n):
    """A bit anywhere in the file: refused, or the answer is what it was."""
    content = checks.read("hundred.h5")
    expected = subprocess.run([checks.program, "search", "-q", "suspect.snp", "hundred.h5", "--top", "all"], cwd=checks.base,
                              capture_output=True, check=True).stdout
    draw = random.Random(99)
    used = [i for i, byte in enumerate(content) if byte != 0]

    def check(place):
        changed = bytearray(content)
        changed[place] ^= 1 << draw.randrange(8)
        work = checks.folder({"x.h5": bytes(changed)})
        done = subprocess.run([checks.program, "search", "-q", "suspect.snp", "x.h5", "--top", "all"], cwd=work, timeout=60,
                              capture_output=True)
        if done.returncode == 3 and b"x.h5" in done.stderr and not done.stdout:
            return []
        if done.returncode == 0 and done.stdout == expected:
            return []
        return [f"byte {place}: exit {done.returncode}, {done.stderr.decode('utf-8', 'replace')}\n{done.stdout[:400]}"]

    for place in draw.sample(used, n):
        checks.submit(f"database/flip-{place}", check, place)


def add(checks):
    path = Path(checks.base) / "hundred.h5"
    checks.files(ALL, ((name + ".h5", edited(path, edit), says) for name, edit, says in forged()), in_turn=2)
    checks.files(ALL + " append", [("open.h5", open_elsewhere(path), "another program has it open for writing")])
    checks.files(ALL, [("other.h5", other_hdf5(path), "no fastid database")])
    checks.files(ALL, inputs.truncated("hundred.h5", path.read_bytes()), in_turn=2)
    for plane in ("bits", "called"):
        damaged = edited(path, flipped_word(2, plane))
        checks.files("search export", [(f"block-{plane}.h5", damaged, r"block 2 \(profiles 64 to 95\)")])
        checks.submit(f"verify/block-{plane}", verify_lists, checks, damaged, r"block 2 \(profiles 64 to 95\)")
    checks.submit("verify/same-ids", verify_lists, checks, edited(path, same_ids), "ids of profiles 0 to 99.*SHA-256",
                  "profile 40.*profile 3")
    checks.files("info", [("no-log.h5", edited(path, lambda file: file.__delitem__("log")), "log")])
    for name, edit, place in (("ids", swapped("profiles/id", 3, 70), "ids of profiles 0 to 99.*SHA-256"),
                              ("blocks", swapped_blocks, "block 0 .*SHA-256"), ("log", other_log, "content.*SHA-256"),
                              ("attribute", attribute("content_sha256", np.bytes_(b"0" * 64)), "content.*SHA-256"),
                              ("no-digests", lambda file: file.__delitem__("profiles/sha256"), "content.*SHA-256")):
        checks.submit(f"verify/changed-{name}", verify_lists, checks, edited(path, edit), place)
        checks.submit(f"append/changed-{name}", checks.refuses, "append", {"x.h5": edited(path, edit)}, "x.h5", False, "checksum")
    checks.submit("append/without-content", without_content, checks, edited(path, of_an_earlier_fastid))
    for kind, value in EVIL.items():
        evil = edited(path, names("profiles/id", value))
        checks.files("search export", [(f"ids-{kind}.h5", evil, "/profiles/id.*zero byte, a control")])
        checks.submit(f"verify/ids-{kind}", verify_lists, checks, evil, "ids of profiles 0 to 99.*no names")
    checks.files("info", [("evil-log.h5", edited(path, evil_log), "log record 1")])
    checks.submit("verify/evil-log", verify_lists, checks, edited(path, evil_log), "log.*cannot be read")
    flipped_anywhere(checks, 60)


def verify_lists(checks, content, *places):
    """verify says each place on a line, then how many there are."""
    import re
    work = checks.folder({"x.h5": content})
    done = subprocess.run([checks.program, "db", "verify", "x.h5"], cwd=work, capture_output=True, text=True)
    lines = done.stderr.splitlines()
    named = len(lines) == len(places) + 1 and all(map(re.search, places, lines))
    counted = f"{len(places)} place{'' if len(places) == 1 else 's'} damaged" in "".join(lines[-1:])
    return [] if done.returncode == 3 and named and counted and not done.stdout else [f"exit {done.returncode}: {done.stderr}"]
