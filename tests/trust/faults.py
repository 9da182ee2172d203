#!/usr/bin/env python3
"""A database under attack: killed, out of disk, two writers, readers meanwhile. What must hold, whatever is done to
`db append`, `remove`, `replace`, `merge`, `compact`, `tag`, `policy` (and to a `db build` or `simulate` in its place): the database has the old profiles or all of the new ones, `db verify`
finds it sound, nobody is told anything else, and the next append clears away what a killed one had to leave.

usage: faults.py [--quick] [ATTACK...]      all attacks, or some; prints what was counted; exit 1 where something is lost

FASTID is the program, FASTID_IO_FAULTS the library of io_faults.cpp.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

FASTID = os.environ.get("FASTID", "")
LIBRARY = os.environ.get("FASTID_IO_FAULTS", "")
OLD, NEW, GONE, SITES = 3000, 150, 50, 300  # profiles before, those added or replaced, those removed


os.environ["FASTID_CASE"] = "a trial"  # a policy may demand one


class Lost(Exception):
    """Something happened that must not."""


def fastid(*arguments, check=True, env=None, **options):
    done = subprocess.run([FASTID, *map(str, arguments)], capture_output=True, text=True, errors="surrogateescape", timeout=120,
                          env={**os.environ, **(env or {})}, **options)
    if check and done.returncode != 0:
        raise Lost(f"{arguments}: exit {done.returncode}\n{done.stderr}")
    return done


class Scene:
    """A folder with a good database, and inputs that bring NEW people each."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.good = self.folder / "good.h5"
        self.database = self.folder / "work" / "people.h5"
        self.database.parent.mkdir()
        fastid("db", "simulate", "-q", "-o", self.good, "--encoding", "minor", "--profiles", OLD, "--sites", SITES, "--cases", 1,
               "--cases-dir", self.folder / "cases")
        fastid("db", "export", "-q", self.good, "-o", self.folder / "panel.tsv", "--what", "panel")
        self.query = self.folder / "cases" / "identity-0001.snp"
        self.inputs = [self.make_vcf(name) for name in ("first", "second")]

    def make_vcf(self, name):
        """People whose first no-call makes the called plane come into being, and whose ids are longer than before."""
        draw = random.Random(name)
        sites = [line.split("\t") for line in (self.folder / "panel.tsv").read_text().splitlines()
                 if not line.startswith(("#", "id\t"))]
        lines = ["##fileformat=VCFv4.2", '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">']
        lines += [f"##contig=<ID={chrom}>" for chrom in sorted({site[1] for site in sites})]
        people = [f"{name}-person-number-{i:06d}" for i in range(NEW)]
        lines.append("\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split() + people))
        for site in sites:
            calls = draw.choices(["0/0", "0/1", "1/1", "./."], [50, 40, 9, 1], k=NEW)
            lines.append("\t".join([site[1], site[2], site[0], site[3], site[4], ".", ".", ".", "GT"] + calls))
        path = self.folder / f"{name}.vcf"
        path.write_text("\n".join(lines) + "\n")
        return path

    def reset(self):
        for path in self.database.parent.iterdir():
            path.unlink()
        self.database.write_bytes(self.good.read_bytes())

    def put_back(self):
        """The good database again, in one step, while readers look."""
        other = self.folder / "again.h5"
        other.write_bytes(self.good.read_bytes())
        other.rename(self.database)

    def append_command(self, which=0):
        return [FASTID, "db", "append", "-q", str(self.database), str(self.inputs[which])]

    def command(self, verb):
        """What changes the database, and how many profiles it has then. A build and a merge take the old one's place."""
        return {"append": lambda: (self.append_command()[1:], OLD + NEW),
                "build": lambda: (["db", "build", "-q", "--force", "-o", self.database, "--panel", self.folder / "panel.tsv",
                                   self.inputs[0]], NEW),
                "remove": lambda: (["db", "remove", "-q", self.database, "--ids", self.ids(), "--reason", "a trial"],
                                   OLD - GONE),
                "replace": lambda: (["db", "append", "-q", self.database, "--duplicates", "replace", self.changed(),
                                     self.inputs[0]], OLD + NEW),
                "merge": lambda: (["db", "merge", "-q", "--force", "-o", self.database, self.good, self.other()], OLD + NEW),
                "tag": lambda: (["db", "tag", "-q", self.database, "P000000001", "--set", "kit=trial"], OLD),
                "policy": lambda: (["db", "policy", "-q", self.database, "--require-case"], OLD),
                "simulate": lambda: (["db", "simulate", "-q", "--force", "-o", self.database, "--profiles", NEW, "--sites", SITES],
                                     NEW),
                "compact": lambda: (["db", "compact", "-q", self.database], OLD)}[verb]()

    def ids(self):
        """Those who are removed: one of every so many, the first and the last among them."""
        path = self.folder / "ids.txt"
        path.write_text("".join(f"P{row + 1:09}\n" for row in [*range(0, OLD - 1, OLD // (GONE - 1))][:GONE - 1] + [OLD - 1]))
        return path

    def changed(self):
        """People of the database, with alleles of others."""
        path = self.folder / "changed.vcf"
        if not path.exists():
            people = "\t".join(f"P{row + 1:09}" for row in range(7, OLD, OLD // NEW))
            lines = self.inputs[1].read_text().splitlines()
            header = next(line for line in lines if line.startswith("#CHROM")).split("\t")
            path.write_text("\n".join("\t".join(header[:9]) + "\t" + people if line.startswith("#CHROM") else line
                                      for line in lines) + "\n")
        return path

    def other(self):
        path = self.folder / "other.h5"
        if not path.exists():
            fastid("db", "build", "-q", "--encoding", "minor", "-o", path, "--panel", self.folder / "panel.tsv", self.inputs[0])
        return path

    def state(self):
        """Profiles, and what the content's checksum is, of a database that is sound."""
        fastid("db", "verify", "-q", self.database)
        info = json.loads(fastid("db", "info", self.database, "--format", "json").stdout)
        return info["n_profiles"], info["content_sha256"]

    def expect_state(self, *counts):
        state = self.state()
        if state[0] not in counts:
            raise Lost(f"{state[0]} profiles, where {counts} may be")
        return state

    def expect(self, *counts):
        return self.expect_state(*counts)[0]

    def expect_only_database(self):
        others = [path.name for path in self.database.parent.iterdir() if path != self.database]
        if others:
            raise Lost(f"left behind: {others}")

    def append_goes_on(self, before):
        """After any end of an append, the next one works, and clears up. before: how many profiles there are."""
        fastid("db", "append", "-q", self.database, self.inputs[1])
        self.expect(before + NEW)
        self.expect_only_database()


def whole(command):
    return [FASTID, *map(str, command)]


def seconds_of(scene, command):
    scene.reset()
    start = time.monotonic()
    subprocess.run(whole(command), check=True)
    return time.monotonic() - start


def random_kills(scene, n, verb="append"):
    """SIGKILL at random moments of the command's life."""
    command, after = scene.command(verb)
    usual = max(seconds_of(scene, command) for _ in range(3))
    draw = random.Random(20261120)
    found = {"old": 0, "new": 0, "ended before": 0}
    scene.reset()
    before = scene.state()
    while found["old"] + found["new"] < n:
        scene.reset()
        process = subprocess.Popen(whole(command), stdin=subprocess.DEVNULL)
        time.sleep(draw.uniform(0, 1.05 * usual))
        process.kill()
        killed = process.wait() == -signal.SIGKILL
        state = scene.expect_state(OLD, after)
        found["ended before" if not killed else "old" if state == before else "new"] += 1
        scene.append_goes_on(state[0])
    return {"kills": n, **found}


def preload(kind, at, counter=None, signal=None):
    env = {"LD_PRELOAD": LIBRARY, "IO_FAULT_KIND": kind, "IO_FAULT_AT": str(at)}
    if signal:
        env["IO_FAULT_SIGNAL"] = str(int(signal))
    if counter:
        env["IO_FAULT_COUNT"] = str(counter)
    return env


def calls_of(scene, command):
    scene.reset()
    counter = scene.folder / "calls"
    fastid(*command, env=preload("none", 0, counter))
    return int(counter.read_text())


def kills_at_calls(scene, step, verb="append"):
    """SIGKILL just before each call that changes a file."""
    command, after = scene.command(verb)
    calls = calls_of(scene, command)
    found = {"old": 0, "new": 0}
    scene.reset()
    before = scene.state()
    for at in range(1, calls + 1, step):
        scene.reset()
        done = fastid(*command, check=False, env=preload("kill", at))
        if done.returncode != -signal.SIGKILL:
            raise Lost(f"call {at} of {calls}: exit {done.returncode}: {done.stderr}")
        state = scene.expect_state(OLD, after)
        found["old" if state == before else "new"] += 1
        scene.append_goes_on(state[0])
    return {"calls that change a file": calls, "kills": sum(found.values()), **found}


def failing_writes(scene, step, verb="append"):
    """A full disk, a broken one, and one write that fails, from each call on: exit 1 with a message, the old database,
    nothing left behind. Where only what comes after the rename fails, the append has been done."""
    command, after = scene.command(verb)
    calls = calls_of(scene, command)
    tried = {"full": 0, "broken": 0, "once": 0}
    found = {"old": 0, "done": 0}
    for kind in tried:
        for at in range(1, calls + 1, step):
            scene.reset()
            done = fastid(*command, check=False, env=preload(kind, at))
            tried[kind] += 1
            count = scene.expect(OLD, after)
            scene.expect_only_database()
            if done.returncode == 1 and count == OLD and "people.h5" in done.stderr:
                found["old"] += 1
            elif done.returncode == 0 and count == after:
                found["done"] += 1
            else:
                raise Lost(f"{kind} at call {at}: exit {done.returncode}, {count} profiles: {done.stderr}")
    return {**tried, **found}


def terminated(scene, step, verb="append", signals=(signal.SIGTERM,)):
    """A signal at each call that changes a file: 128 and its number within a second, old or new, nothing left behind."""
    command, after = scene.command(verb)
    calls = calls_of(scene, command)
    found = {"old": 0, "done": 0}
    longest = 0.0
    for number in signals:
        for at in range(1, calls + 1, step):
            scene.reset()
            start = time.monotonic()
            done = fastid(*command, check=False, env=preload("signal", at, signal=number))
            longest = max(longest, time.monotonic() - start)
            count = scene.expect(OLD, after)
            scene.expect_only_database()
            if (done.returncode, count) not in ((128 + number, OLD), (128 + number, after), (0, after)):
                raise Lost(f"{number.name} at call {at}: exit {done.returncode}, {count} profiles: {done.stderr}")
            found["old" if count == OLD else "done"] += 1
    return {"signals": sum(found.values()), **found, "longest run, s": round(longest, 2)}


def hung_up(scene, step):
    """The signals that end a session, a job or a budget, at each call of an append."""
    return terminated(scene, step, signals=(signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU, signal.SIGUSR1))


def endless(scene, step):
    """What never ends by itself: writes that say without end that a signal broke them off, a file system without locks,
    files that cannot be looked at. Exit 1 that says so, the old database, nothing left behind."""
    command, after = scene.command("append")
    calls = calls_of(scene, command)
    tried = {"interrupted": 0, "no locks": 0, "no stat": 0, "no threads": 0}

    def expect_refusal(fault, env, says):
        scene.reset()
        done = fastid(*command, check=False, env=env)
        count = scene.expect(OLD, after)
        scene.expect_only_database()
        refused = done.returncode == 1 and count == OLD and "people.h5" in done.stderr and says in done.stderr
        if not refused and (done.returncode, count) != (0, after):
            raise Lost(f"{fault}: exit {done.returncode}, {count} profiles: {done.stderr}")
        tried[fault] += 1

    for at in range(1, calls + 1, step):
        expect_refusal("interrupted", preload("eintr", at), "")
    expect_refusal("no locks", preload("locks", 1), "its file system has no locks (an NFS")
    expect_refusal("no stat", preload("stat", 1), "Input/output error")
    for arguments in (["db", "build", "-q", "--force", "-o", scene.database, "--panel", scene.folder / "panel.tsv", scene.inputs[0]],
                      ["db", "verify", "-q", scene.good],
                      ["search", "-q", scene.query, scene.good, "--device", "cpu"]):
        scene.reset()
        done = fastid(*arguments, "--threads", "2", check=False, env=preload("threads", 1))
        scene.expect(OLD, NEW)
        scene.expect_only_database()
        if done.returncode not in (0, 1) or "defect" in done.stderr or (done.returncode and "thread" not in done.stderr):
            raise Lost(f"no threads, {arguments[:2]}: exit {done.returncode}: {done.stderr}")
        tried["no threads"] += 1
    return tried


def size_limits(scene, n):
    """RLIMIT_FSIZE at sizes from nothing to the whole: what a quota does."""
    import resource
    scene.reset()
    fastid(*scene.append_command()[1:])
    largest = scene.database.stat().st_size
    found = {"refused": 0, "done": 0}
    for i in range(n):
        limit = largest * i // (n - 1) // 4096 * 4096 + 4096 * (i == n - 1)
        scene.reset()
        done = fastid(*scene.append_command()[1:], check=False,
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        count = scene.expect(OLD, OLD + NEW)
        scene.expect_only_database()
        if (done.returncode, count) not in ((1, OLD), (0, OLD + NEW)):
            raise Lost(f"limit of {limit} bytes: exit {done.returncode}, {count} profiles: {done.stderr}")
        found["refused" if done.returncode else "done"] += 1
    if not found["refused"] or not found["done"]:
        raise Lost(f"the limits tried nothing: {found}")
    return {"limits": n, **found}


def full_disk(scene, n):
    """A real file system that fills up: a small tmpfs in a mount namespace of our own, where the system lets us."""
    scene.reset()
    fastid(*scene.append_command()[1:])
    largest, good = scene.database.stat().st_size, scene.good.stat().st_size
    script = """
        mount -t tmpfs -o size=$1 none "$2" && cp "$3" "$2/people.h5" || exit 99
        "$4" db append -q "$2/people.h5" "$5"; code=$?
        [ "$(ls -A "$2")" = people.h5 ] || exit 98
        "$4" db verify -q "$2/people.h5" || exit 97
        "$4" db info "$2/people.h5" --format json
        exit $code"""
    place = scene.folder / "small"
    place.mkdir(exist_ok=True)
    found = {"refused": 0, "done": 0}
    for i in range(n):
        size = (good + 65536 + (largest + 65536) * i // (n - 1)) // 4096 * 4096
        done = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "bash", "-c", script, "-", str(size),
                               place, scene.good, FASTID, scene.inputs[0]], capture_output=True, text=True)
        if done.returncode == 99 or "unshare" in done.stderr:
            return {"skipped": "no mount namespaces here"}
        count = json.loads(done.stdout)["n_profiles"] if done.stdout else None
        if (done.returncode, count) not in ((1, OLD), (0, OLD + NEW)):
            raise Lost(f"tmpfs of {size} bytes: exit {done.returncode}, {count} profiles: {done.stderr}")
        found["refused" if done.returncode else "done"] += 1
    if not found["refused"] or not found["done"]:
        raise Lost(f"the sizes tried nothing: {found}")
    return {"sizes": n, **found}


def no_room(scene, _):
    """Files whose size is known before: one byte too little is refused before anything is written, with both sizes; where
    they fit, all is done."""
    values, out = OLD * (OLD - 1) // 2, scene.folder / "out"
    similar = ["similarity", "-q", scene.good, "--device", "cpu"]
    tried = {"refused": 0, "done": 0}
    for name, least, command in (
            ("r2.npy", SITES * SITES * 4, ["ld", "-q", scene.good, "--matrix"]),
            ("r2.h5", SITES * SITES * 4 // 10, ["ld", "-q", scene.good, "--matrix"]),
            ("all.h5", values * 8, [*similar, "--format", "hdf5", "-o"]),
            ("all.u8", values, [*similar, "--format", "bytes", "-o"]),
            ("all.tsv", values * (2 * len("P000000001\t") + 2), [*similar, "-o"]),
            ("all.part", values * 16, [*similar, "--shard", "1/1", "-o"]),
            ("new.h5", 2 * 40 * 32 * 4, ["db", "simulate", "-q", "--profiles", "1280", "--sites", "20", "-o"])):
        out.mkdir()
        for free in (least - 1, least):
            calls = scene.folder / "calls"
            done = fastid(*command, out / name, check=False, env={**preload("room", 0, calls), "IO_FAULT_BYTES": str(free)})
            if free == least and (done.returncode != 0 or not (out / name).exists()):
                raise Lost(f"{name} fits into {free} bytes: exit {done.returncode}: {done.stderr}")
            said = f"at least {least:,} bytes, and {free:,} are free there"
            if free < least and (done.returncode != 1 or said not in done.stderr or any(out.iterdir()) or int(calls.read_text())):
                raise Lost(f"{name} into {free} bytes: exit {done.returncode}, {calls.read_text()} calls: {done.stderr}")
            tried["refused" if free < least else "done"] += 1
        for path in out.iterdir():
            path.unlink()
        out.rmdir()
    return tried


def pairs_of_writers(scene, n):
    """Two appends at the same moment: both get in, one after the other, or the later one is told who the first is."""
    found = {"refused": 0, "both": 0}
    for _ in range(n):
        scene.reset()
        both = [subprocess.Popen(scene.append_command(i), stderr=subprocess.PIPE, text=True) for i in (0, 1)]
        ends = [(process.communicate()[1], process.returncode, process.pid) for process in both]
        done = sum(code == 0 for _, code, _ in ends)
        scene.expect(OLD + done * NEW)
        scene.expect_only_database()
        for (text, code, _), other in zip(ends, reversed(ends)):
            named = f"is being written by process {other[2]} on host {os.uname().nodename} since " in text
            if code != 0 and not (code == 1 and named and "db append" in text):
                raise Lost(f"exit {code}: {text}")
        if done == 0:
            raise Lost("both were refused")
        found["both" if done == 2 else "refused"] += 1
    if n >= 10 and not found["refused"]:
        raise Lost("no two ever met")
    return {"pairs": n, **found}


def writer_and_append(scene, n, verb):
    """A command and an append at the same moment: both get in, or one is told who the other is, or that the database has
    changed since it looked; what was done by those that got in is there. (A merge that comes after an append takes
    its place.)"""
    command, after = scene.command(verb)
    found = {"both": 0, "command alone": 0, "append alone": 0}
    for _ in range(n):
        scene.reset()
        ends = [(process.communicate()[1], process.returncode) for process in
                [subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)
                 for arguments in (whole(command), scene.append_command(1))]]
        (_, changed), (_, appended) = ends
        for text, code in ends:
            if code != 0 and not (code == 1 and ("is being written by process" in text or "meanwhile" in text)):
                raise Lost(f"exit {code}: {text}")
        if changed and appended:
            raise Lost(f"both were refused: {ends}")
        counts = [OLD + (after - OLD) * (changed == 0) + NEW * (appended == 0)]
        scene.expect(*counts, *[after] * (verb == "merge" and not changed))
        scene.expect_only_database()
        found["both" if changed == appended else "command alone" if appended else "append alone"] += 1
    return {"pairs": n, **found}


def readers_meanwhile(scene, n):
    """Searches while appends run one after the other: each gives the answer of a database before or after one."""
    scene.reset()
    answers, searches = set(), []
    search = [FASTID, "search", "-q", scene.query, scene.database, "--device", "cpu", "--format", "json", "-k", "5"]
    take = lambda: subprocess.run(search, capture_output=True, text=True)
    problems, stop = [], threading.Event()

    def read():
        while not stop.is_set():
            done = take()
            if done.returncode != 0:
                problems.append(done.stderr)
            answers.add(done.stdout)
            searches.append(done.returncode)

    threads = [threading.Thread(target=read) for _ in range(2)]
    right = [take().stdout]
    for thread in threads:
        thread.start()
    for _ in range(n):
        scene.put_back()
        fastid(*scene.append_command()[1:])
        right.append(take().stdout)
    stop.set()
    for thread in threads:
        thread.join()
    if problems or not answers <= set(right):
        raise Lost(f"{len(problems)} searches failed: {problems[:1]}; {len(answers - set(right))} other answers")
    return {"appends": n, "searches": len(searches), "different answers": len(answers), "right answers": len(set(right))}


def long_commands(scene):
    """Commands that run long enough to be stopped, in a folder that holds what they read; {name: arguments}."""
    place = scene.folder / "long"
    if not place.exists():
        place.mkdir()
        fastid("db", "simulate", "-q", "-o", place / "big.h5", "--profiles", 400_000, "--sites", 512)
        fastid("db", "export", "-q", place / "big.h5", "-o", place / "panel.tsv", "--what", "panel")
        fastid("db", "simulate", "-q", "-o", place / "some.h5", "--profiles", 4000, "--panel", place / "panel.tsv",
               "--seed", 2, "--cases", 64, "--cases-dir", place / "cases")
        fastid("db", "export", "-q", place / "some.h5", "-o", place / "some.vcf", "--format", "vcf")
    queries = sorted((place / "cases").glob("identity-*.snp"))
    made = place / "made"
    made.mkdir(exist_ok=True)
    commands = {
        "simulate": ["db", "simulate", "-o", made / "x.h5", "--profiles", 20_000_000, "--sites", 512],
        "build": ["db", "build", "-o", made / "x.h5", "--panel", place / "panel.tsv", place / "some.vcf"],
        "verify": ["db", "verify", place / "big.h5", "--threads", 1],
        "export": ["db", "export", place / "big.h5", "-o", made / "x.vcf", "--format", "vcf"],
        "search": ["search", *queries, place / "big.h5", "-o", made / "x.tsv", "--device", "cpu", "--threads", 1],
        "reference": ["search", *queries, place / "big.h5", "-o", made / "x.tsv", "--device", "reference"],
        "opencl": ["search", *queries, place / "big.h5", "-o", made / "x.tsv", "--device", "opencl", "--tile-blocks", 12500],
    }
    return made, commands


def signals(scene, n):
    """SIGINT and SIGTERM at random moments of each command: it ends within a second with 130 or 143, and nothing
    half-written is left. An end that came by itself before is tried again, earlier."""
    made, commands = long_commands(scene)
    draw = random.Random(7)
    slowest, ends = ("", 0.0), 0
    for name, arguments in commands.items():
        latest = 1.5
        done = 0
        while done < n and latest > 0.01:
            wanted, status = draw.choice([(signal.SIGINT, 130), (signal.SIGTERM, 143)])
            process = subprocess.Popen([FASTID, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            time.sleep(draw.uniform(0.02, latest))
            process.send_signal(wanted)
            start = time.monotonic()
            process.communicate()
            took = time.monotonic() - start
            if process.returncode == 0:
                latest /= 2
                for path in made.iterdir():
                    path.unlink()
                continue
            if process.returncode == -wanted:
                continue  # it had not even begun
            left = [path.name for path in made.iterdir()]
            if process.returncode != status or left:
                raise Lost(f"{name}: exit {process.returncode} where {status} is due; left behind: {left}")
            slowest = max(slowest, (name, took), key=lambda pair: pair[1])
            done += 1
            ends += 1
    return {"signals": ends, "slowest end": f"{slowest[0]} {slowest[1]:.2f} s"}


ATTACKS = {
    "random-kills": (random_kills, 200, 4),
    "kills-at-calls": (kills_at_calls, 1, 13),
    "failing-writes": (failing_writes, 1, 17),
    "terminated": (terminated, 1, 17),
    "hung-up": (hung_up, 1, 29),
    "endless": (endless, 1, 17),
    "build-kills-at-calls": (lambda *scene: kills_at_calls(*scene, "build"), 1, 17),
    "build-failing-writes": (lambda *scene: failing_writes(*scene, "build"), 1, 25),
    "build-terminated": (lambda *scene: terminated(*scene, "build"), 1, 25),
    **{f"{verb}-{attack.__name__.replace('_', '-')}": (lambda *scene, attack=attack, verb=verb: attack(*scene, verb), full, quick)
       for verb, far in (("remove", 29), ("replace", 37), ("merge", 41), ("compact", 37))
       for attack, full, quick in ((random_kills, 200, 1), (kills_at_calls, 1, far), (failing_writes, 1, far),
                                   (terminated, 1, far), (writer_and_append, 50, 1))},
    **{f"{verb}-{attack.__name__.replace('_', '-')}": (lambda *scene, attack=attack, verb=verb: attack(*scene, verb), full, quick)
       for verb, far in (("tag", 41), ("policy", 41), ("simulate", 41))
       for attack, full, quick in ((random_kills, 200, 1), (kills_at_calls, 1, far), (failing_writes, 1, far))},
    "build-random-kills": (lambda *scene: random_kills(*scene, "build"), 200, 1),
    "size-limits": (size_limits, 100, 6),
    "full-disk": (full_disk, 60, 4),
    "no-room": (no_room, 1, 1),
    "pairs-of-writers": (pairs_of_writers, 50, 4),
    "readers": (readers_meanwhile, 50, 3),
    "signals": (signals, 20, 1),
}


def run(attacks):
    """Has each attack, a name and what is done to a scene, print what it counted; the exit code."""
    lost = 0
    with tempfile.TemporaryDirectory(prefix="fastid-trust-") as folder:
        scene = Scene(folder)
        for name, attack in attacks:
            try:
                counted = attack(scene)
                print(f"{name}: " + ", ".join(f"{what} {value}" for what, value in counted.items()), flush=True)
            except Lost as problem:
                lost += 1
                print(f"{name}: LOST: {problem}", flush=True)
    print("nothing lost" if not lost else f"{lost} attacks lost something")
    return 1 if lost else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attacks", nargs="*", choices=[*ATTACKS, []], metavar="ATTACK")
    parser.add_argument("--quick", action="store_true", help="a few of each, for every build")
    arguments = parser.parse_args()
    if not os.access(FASTID, os.X_OK) or not os.path.isfile(LIBRARY):
        parser.error("FASTID must name the program, FASTID_IO_FAULTS the library")
    def sized(attack, full, quick):
        return lambda scene: attack(scene, quick if arguments.quick else full)

    return run([(name, sized(*ATTACKS[name])) for name in arguments.attacks or ATTACKS])


if __name__ == "__main__":
    sys.exit(main())
