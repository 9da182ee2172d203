#!/usr/bin/env python3
"""Runs command-line tests that are files: a command, and all that it must print, return and leave behind.

usage: run.py CASE...              runs cases; exit 1 where one fails, with a diff
       run.py --refresh CASE...    rewrites what they expect from what the program does now; read the diff before
                                   you keep it

FASTID names the program. Each case runs in an empty folder that holds a copy of fixtures/ (and what fixtures.py
derives from it). A case reads like a transcript:

    # Why this case is there.
    prepare: fastid -q db build -o people.h5 cohort.vcf       must exit with 0; what it prints does not matter
    run: fastid search suspect.snp people.h5 -o out.tsv       by bash, with pipefail; a line of four blanks goes on
    exit: 0
    changes: out.tsv                                          files made, changed or removed; no such line: none
    stdout:
    stderr:
    | fastid: a line as it is
    ~ fastid: a line that is a (regular )?expression
    file out.tsv:
    | as above

A case with a line `needs: terminal` is skipped, exit 77, where the system has no pseudo-terminals (as a bare chroot).

Each `run` says its exit, stdout and stderr. Files that nobody expects fail it, hidden ones (temporary files left
behind) above all. A last line without its newline is followed by a line `\\ no newline`.
"""

import argparse
import difflib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import fixtures

HERE = Path(__file__).resolve().parent
NO_NEWLINE = "\\ no newline"
NEEDS_TERMINAL = "needs: terminal"
TIMEOUT_SECONDS = 120
SKIPPED = 77


class CaseError(Exception):
    """The case file itself is wrong."""


@dataclass
class Step:
    """A command, and what is expected of it. Expected lines keep their mark: "| text", "~ expression"."""

    kind: str  # "prepare", "run"
    command: str
    comments: list = field(default_factory=list)  # lines above it
    exit: int = None
    changes: list = field(default_factory=list)
    streams: dict = field(default_factory=dict)  # "stdout", "stderr", "file NAME": expected lines


def parse(text):
    """Steps of a case, and the comment lines after the last one."""
    steps, comments, lines = [], [], None
    for number, line in enumerate(text.splitlines(), 1):
        step = steps[-1] if steps else None
        if line[:2] in ("| ", "~ ", "|", "~") or line == NO_NEWLINE:
            if lines is None:
                raise CaseError(f"line {number}: an expected line outside stdout:, stderr: or file:")
            lines.append(line)
            continue
        lines = None
        if not line.strip() or line.startswith("#") or line == NEEDS_TERMINAL:
            comments.append(line)
            continue
        if line.startswith("    ") and step and step.exit is None and not step.streams:
            step.command += "\n" + line[4:]
            continue
        key, colon, value = line.partition(":")
        value = value.strip()
        if key in ("prepare", "run"):
            steps.append(Step(key, value, comments))
            comments = []
        elif step is None or step.kind != "run" or not colon:
            raise CaseError(f"line {number}: {line!r} does not belong here")
        elif key == "exit":
            step.exit = int(value)
        elif key == "changes":
            step.changes = sorted(value.split())
        elif key in ("stdout", "stderr") or key.startswith("file "):
            if key in step.streams or value:
                raise CaseError(f"line {number}: {key} is given twice, or has text on its line")
            lines = step.streams[key] = []
        else:
            raise CaseError(f"line {number}: {key!r} is not known")
    return steps, comments


def check_complete(steps):
    """A case that expects nothing tests nothing."""
    if not any(step.kind == "run" for step in steps):
        raise CaseError("it runs nothing")
    for step in steps:
        if step.kind == "run" and (step.exit is None or not {"stdout", "stderr"} <= step.streams.keys()):
            raise CaseError(f"`{step.command}` does not say its exit, stdout and stderr")


def render(steps, comments):
    out = []
    for step in steps:
        out += step.comments
        out.append(f"{step.kind}: " + step.command.replace("\n", "\n    "))
        if step.kind == "prepare":
            continue
        out.append(f"exit: {step.exit}")
        if step.changes:
            out.append("changes: " + " ".join(step.changes))
        for name, lines in step.streams.items():
            out += [f"{name}:"] + lines
    return "\n".join(out + comments) + "\n"


def lines_of(text):
    """Marked lines of a real output."""
    if not text:
        return []
    lines = [("| " + line).rstrip() if not line else "| " + line for line in text.split("\n")]
    return lines[:-1] if text.endswith("\n") else lines + [NO_NEWLINE]


def matches(expected, actual):
    if expected.startswith("~"):
        return actual.startswith("|") and re.fullmatch(expected[2:], actual[2:]) is not None
    return expected.rstrip("\n") == actual


def align(expected, actual):
    """`actual`, with a line in its expected spelling where that matches: what is then equal is as expected."""
    aligned, rest = [], list(expected)
    for line in actual:
        at = next((i for i, wanted in enumerate(rest) if matches(wanted, line)), None)
        if at is None:
            aligned.append(line)
            continue
        aligned.append(rest[at])
        del rest[: at + 1]
    return aligned


def snapshot(folder):
    """{path: what it holds} of all files below a folder."""
    content = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            content[str(path.relative_to(folder))] = "-> " + os.readlink(path)
        elif path.is_file():
            content[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return content


def changed(before, after):
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def environment(folder):
    """The caller's, without what would change outputs."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "COLUMNS", "XDG_"))}
    env.update(LC_ALL="C", TZ="UTC", SOURCE_DATE_EPOCH="0", HOME=str(folder), PATH=f"{folder}/bin:{env['PATH']}")
    # What an OpenCL driver compiles in one case it need not compile in the next, whatever fastid itself remembers.
    env.setdefault("POCL_CACHE_DIR", str(Path.home() / ".cache/pocl/kcache"))
    return env


def run_command(command, work, env):
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=work, env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIMEOUT_SECONDS)
    return done.returncode, *(stream.decode("utf-8", "backslashreplace") for stream in (done.stdout, done.stderr))


def observe(step, work, env):
    """The step as it would have to be written for the program to pass."""
    before = snapshot(work)
    code, stdout, stderr = run_command(step.command, work, env)
    if step.kind == "prepare":
        if code != 0:
            raise CaseError(f"preparing failed with {code}: {step.command}\n{stdout}{stderr}")
        return step
    seen = Step("run", step.command, step.comments, code, changed(before, snapshot(work)))
    for name in {"stdout": 0, "stderr": 0, **step.streams}:
        if name.startswith("file "):
            path = work / name.removeprefix("file ").strip()
            text = path.read_text("utf-8", "backslashreplace") if path.is_file() else "(there is no such file)\n"
        else:
            text = stdout if name == "stdout" else stderr
        seen.streams[name] = align(step.streams.get(name, []), lines_of(text))
    return seen


def in_fresh_folder(steps, fastid):
    with tempfile.TemporaryDirectory(prefix="fastid-cli-") as name:
        folder = Path(name)
        (folder / "bin").mkdir()
        (folder / "bin" / "fastid").symlink_to(fastid)
        work = folder / "work"
        shutil.copytree(HERE / "fixtures", work)
        fixtures.derive(work)
        return [observe(step, work, environment(folder)) for step in steps]


def has_terminals():
    try:
        for end in os.openpty():
            os.close(end)
    except OSError:
        return False
    return True


def run_case(path, fastid, refresh):
    """An empty text where the case passes, else what is wrong."""
    text = path.read_text()
    steps, comments = parse(text)
    if not refresh:
        check_complete(steps)
    seen = render(in_fresh_folder(steps, fastid), comments)
    if refresh:
        path.write_text(seen)
        return ""
    expected = render(steps, comments)
    diff = difflib.unified_diff(expected.splitlines(), seen.splitlines(), "expected", "seen", lineterm="")
    return "\n".join(diff)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", type=Path, metavar="CASE")
    parser.add_argument("--refresh", action="store_true")
    arguments = parser.parse_args()
    fastid = Path(os.environ.get("FASTID", "")).resolve()
    if not os.environ.get("FASTID") or not os.access(fastid, os.X_OK):
        parser.error("FASTID must name the program")
    failed = skipped = 0
    for path in arguments.cases:
        if NEEDS_TERMINAL in path.read_text().splitlines() and not has_terminals():
            skipped += 1
            print(f"{path}: skipped: it needs a pseudo-terminal, and this system gives none")
            continue
        try:
            problem = run_case(path, fastid, arguments.refresh)
        except (CaseError, subprocess.TimeoutExpired) as error:
            problem = str(error)
        if problem:
            failed += 1
            print(f"{path}: FAILED\n{problem}\n")
    if failed:
        return 1
    return SKIPPED if skipped == len(arguments.cases) else 0


if __name__ == "__main__":
    sys.exit(main())
