#!/usr/bin/env python3
"""Somebody who may write to the files at work: databases that lead into others, text that means harm, content changed
with its checksums, a database replaced while it is appended to, an audit log that crashes cut. What must hold: no byte of
another file is shown or changed, every change is found, what is somebody else's is left alone, and the log goes on.

usage: forgeries.py [ATTACK...]      prints what was counted; exit 1 where something is lost

FASTID is the program, FASTID_IO_FAULTS the library of io_faults.cpp. Needs h5py.
"""

import os
import random
import signal
import sys

import faults
import h5py
import numpy as np
from faults import NEW, OLD, Lost, fastid, preload

COMMANDS = (["db", "verify", "-q"], ["db", "info"], ["db", "export", "--what", "panel", "-o", "-"], ["search", "-q"], ["db", "append", "-q"])


def command_on(scene, words, database):
    """The arguments of a command that opens a database."""
    if words[0] == "search":
        return [*words, scene.query, database, "-k", "all", "--device", "cpu"]
    return [*words, database, *([scene.inputs[0]] if "append" in words else [])]


def edited(scene, edit):
    scene.reset()
    with h5py.File(scene.database, "r+") as file:
        edit(file)
    return scene.database.read_bytes()


def foreign_links(scene):
    """Every object of a database in turn becomes a link into another file, or is stored in one."""
    other = scene.folder / "other.h5"
    secret = scene.folder / "secret"
    secret.write_bytes(b"SECRET-OF-ANOTHER-FILE-" * 4000)
    with h5py.File(scene.good) as file:
        names = ["panel", "profiles", "log", "panel/freq"]
        file["panel"].visit(lambda name: names.append("panel/" + name))
        names += ["profiles/" + name for name in file["profiles"]]
    tried = 0

    def attack(edit, commands=COMMANDS):
        nonlocal tried
        changed = edited(scene, edit)
        other.write_bytes(scene.good.read_bytes())
        for words in commands:
            done = fastid(*command_on(scene, words, scene.database), check=False)
            if done.returncode != 3 or "SECRET" in done.stdout + done.stderr or "people.h5" not in done.stderr:
                raise Lost(f"{words}: exit {done.returncode}: {done.stdout[:200]}{done.stderr[:400]}")
            if other.read_bytes() != scene.good.read_bytes() or scene.database.read_bytes() != changed:
                raise Lost(f"{words} changed a file")
            scene.expect_only_database()
            tried += 1

    def link(name, to):
        def edit(file):
            file.move(name, "moved")
            file[name] = to
        return edit

    def stored_elsewhere(name):
        def edit(file):
            shape, dtype = file[name].shape, file[name].dtype
            del file[name]
            file.create_dataset(name, shape, dtype, external=[(str(secret), 0, h5py.h5f.UNLIMITED)])
        return edit

    for name in names:
        attack(link(name, h5py.ExternalLink(str(other), "/" + name)))
        attack(link(name, h5py.SoftLink("/moved")))
    for name in ("profiles/id", "panel/id"):
        attack(stored_elsewhere(name))
    attack(stored_elsewhere("log"), [words for words in COMMANDS if words[-1] != "-" and words[0] != "search"])
    return {"objects": len(names), "commands": tried}


def harmful_text(scene):
    """Names, attributes and a log that would act on a terminal, or end early."""
    evil = {"escape": b"\x1b[2J", "c1": b"\xc2\x9b2J", "bidi": b"\xe2\x80\xae", "nul": b"a\x00b", "latin": b"\xe9", "line": b"a\nb"}
    tried = 0

    def attack(edit, commands):
        nonlocal tried
        edited(scene, edit)
        for words in commands:
            done = fastid(*command_on(scene, words, scene.database), check=False)
            shown = (done.stdout + done.stderr).replace("\n", "").replace("\t", "")
            if done.returncode != 3 or any(ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\udce9" for c in shown):
                raise Lost(f"{words}: exit {done.returncode}: {shown[:400]!r}")
            tried += 1

    def first_id(value):
        def edit(file):
            ids = file["profiles/id"][()]
            ids[:] = np.array([value + b"%d" % i for i in range(len(ids))], ids.dtype)
            file["profiles/id"][...] = ids
        return edit

    for value in evil.values():
        attack(lambda file, value=value: file.attrs.create("created_by", np.bytes_(b"fastid " + value + b".")), COMMANDS)
        attack(first_id(value), [words for words in COMMANDS if "info" not in words and "panel" not in words])
    for escaped in (b"\\u001b", b"\\u0000", b"\\u202e"):
        def edit(file, escaped=escaped):
            text = bytes(file["log"][()])
            file["log"][...] = np.frombuffer(text.replace(b'"command":"fastid', b'"command":"' + escaped, 1), np.uint8)
        attack(edit, COMMANDS[:2])
    return {"texts": tried}


def changed_content(scene):
    """What a database says is changed, and every checksum of HDF5 and of blocks with it: verify and append refuse it."""
    draw = random.Random(8)
    tried = 0

    def attack(edit):
        nonlocal tried
        changed = edited(scene, edit)
        for words in (COMMANDS[0], COMMANDS[-1]):
            done = fastid(*command_on(scene, words, scene.database), check=False)
            if done.returncode != 3 or scene.database.read_bytes() != changed:
                raise Lost(f"{words}: exit {done.returncode}: {done.stderr}")
            tried += 1

    def swap(*names):
        def edit(file):
            i, j = draw.sample(range(len(file[names[0]])), 2)
            for name in names:
                values = file[name][()]
                values[[i, j]] = values[[j, i]]
                file[name][...] = values
        return edit

    def log(file):
        text = bytes(file["log"][()])
        file["log"][...] = np.frombuffer(text.replace(b"simulate", b"simulata", 1), np.uint8)

    for _ in range(5):
        attack(swap("profiles/id"))
        attack(swap("profiles/bits", "profiles/checksum"))
    attack(log)
    attack(lambda file: file.attrs.create("kind", np.bytes_(b"mixtures")))

    derived = scene.folder / "derived.h5"
    fastid("db", "build", "-q", "-o", derived, scene.inputs[0])

    def recount(file):
        file["panel/counted/cohort"][7] -= 2

    def forget_counts(file):
        del file["panel/counted"]

    for edit in (recount, forget_counts):
        scene.database.write_bytes(derived.read_bytes())
        with h5py.File(scene.database, "r+") as file:
            edit(file)
        changed = scene.database.read_bytes()
        for words in (COMMANDS[0], COMMANDS[-1], ["search", "-q"], ["kin", "-q"]):
            arguments = command_on(scene, words, scene.database) if words[0] != "kin" else [*words, scene.query, scene.database]
            done = fastid(*arguments, check=False)
            if done.returncode != 3 or "people.h5" not in done.stderr or scene.database.read_bytes() != changed:
                raise Lost(f"{edit.__name__}, {words}: exit {done.returncode}: {done.stderr}")
            tried += 1
    return {"changes": tried}


def replaced_meanwhile(scene):
    """Another program puts a database in the place of the one that is appended to, or built anew, at each call."""
    other = scene.folder / "replaces.h5"
    fastid("db", "build", "-q", "-o", scene.folder / "seven.h5", "--panel", scene.folder / "panel.tsv", scene.inputs[1])
    seven = (scene.folder / "seven.h5").read_bytes()
    found = {"replaced before": 0, "refused": 0, "replaced after": 0}
    for verb in ("append", "build"):
        command, after = scene.command(verb)
        for at in range(1, faults.calls_of(scene, command) + 1):
            scene.reset()
            other.write_bytes(seven)
            done = fastid(*command, check=False,
                          env={**preload("replace", at), "IO_FAULT_FROM": str(other), "IO_FAULT_TO": str(scene.database)})
            if scene.database.read_bytes() != seven and other.exists():
                continue  # that call was not made in its turn
            if scene.database.read_bytes() != seven:
                if done.returncode == 0 and scene.state()[0] == (NEW + NEW if verb == "append" else NEW):
                    found["replaced before"] += 1  # it was what was opened
                    continue
                raise Lost(f"{verb}, call {at}: what was put there is gone: exit {done.returncode}: {done.stderr}")
            found["refused" if done.returncode == 1 else "replaced after"] += 1
            scene.expect_only_database()
    if not found["refused"]:
        raise Lost(f"nothing was refused: {found}")
    return found


def others_links(scene):
    """Links that another user put into a folder that everybody may write to, in the place of what is written: not followed."""
    if os.geteuid() != 0:
        return {"skipped": "only root can give a link to somebody else"}
    sticky, target = scene.folder / "sticky", scene.folder / "target"
    sticky.mkdir()
    sticky.chmod(0o1777)
    search, link = ["search", "-q", scene.query, scene.good, "--device", "cpu", "-k", "1"], sticky / "link"
    tried = 0
    for command in ([*search, "-o", link], [*search, "--audit-log", link], [*search, "--shard", "1/1", "-o", link],
                    ["db", "export", "-q", scene.good, "-o", link], ["db", "simulate", "-q", "-o", link, "--profiles", "9"],
                    ["similarity", "-q", scene.good, "--best", "1", "-o", link]):
        link.symlink_to(target)
        os.lchown(link, 1234, 1234)
        done = fastid(*command, check=False)
        if done.returncode != 1 or "a link that another user put into" not in done.stderr or target.exists():
            raise Lost(f"{command}: exit {done.returncode}: {done.stderr}")
        link.unlink()
        tried += 1
    return {"commands": tried}


def audit_crashes(scene, n=40):
    """Searches that crash with half a record written, several in a row: each later search is logged, and verify tells."""
    log = scene.folder / "searches.jsonl"
    draw = random.Random(13)
    search = ["search", "-q", scene.query, scene.good, "--device", "cpu", "-k", "1", "--audit-log", log]
    fastid(*search)
    records, torn = 1, 0
    for _ in range(n):
        for _ in range(draw.randrange(4)):
            done = fastid(*search, check=False, env={**preload("torn", 1), "IO_FAULT_BYTES": str(draw.randrange(1, 1200))})
            if done.returncode != -signal.SIGKILL:
                raise Lost(f"exit {done.returncode}: {done.stderr}")
        fastid(*search)
        checked = fastid("audit-log", "verify", log)
        lines = log.read_bytes().split(b"\n")
        whole = sum(line.startswith(b'{"record":') and line.endswith(b'"}') for line in lines)
        records = int(checked.stdout.split()[1])
        if records != whole:
            raise Lost(f"{records} of {whole} records: {checked.stderr}")
        torn = len(lines) - 1 - whole
        if torn and f"{torn} line" not in checked.stderr:
            raise Lost(f"{torn} lines were cut off: {checked.stderr}")
    if not torn:
        raise Lost("no crash cut a line off")
    return {"records": records, "lines cut off": torn}


ATTACKS = {
    "foreign-links": foreign_links,
    "harmful-text": harmful_text,
    "changed-content": changed_content,
    "replaced-meanwhile": replaced_meanwhile,
    "others-links": others_links,
    "audit-crashes": audit_crashes,
}


def main(wanted):
    return faults.run([(name, ATTACKS[name]) for name in wanted or ATTACKS])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
