#!/usr/bin/env python3
"""Checks that each module of src has a namespace of its own, and that no type is defined twice in one namespace.

What base, bits and panel define is everybody's: namespace fastid. main and cli are fastid::cli, import is fastid::imports.
Every other module's namespace has its name, a question's that of its folder. A module may declare what is another's ("class
ThreadPool;").

usage: check_names.py [ROOT]      ROOT: the project's folder (default: the one this script is in)

Compilers see one file at a time: of two definitions the linker takes one, and says nothing. Definitions are found by the
project's format: what stands in a namespace begins its line. Unnamed namespaces are left out, whose types are of their file.
"""

import collections
import itertools
import re
import sys

from check_tools import run_check

OPENED = re.compile(r"namespace ?([\w:]*) ?\{$")
CLOSED = re.compile(r"\}  // namespace")
TYPE = re.compile(r"(?:class|struct|union|enum(?: class)?) (?:alignas\([^)]*\) )?(\w+)\b(?!::)(?!<)")
COMMON = {"base", "bits", "panel"}
OTHERWISE = {"main": "cli", "import": "imports"}  # import is a word of C++
DECLARED = re.compile(r"(?:class|struct) \w+;|$|//")


def home_of(path):
    """The namespace of the module that a path below src lies in."""
    parts = path.parts
    module = parts[1] if parts[0] == "questions" else parts[0]
    return "fastid" if module in COMMON else f"fastid::{OTHERWISE.get(module, module)}"


def strays_of(text, home, modules):
    """Yields (line number, namespace) of each namespace opened at a line's start that is not the module's own, unless what
    stands in it is only declared."""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        opened = OPENED.match(line)
        if not opened or not re.match(r"fastid\b", opened[1]):
            continue
        name = opened[1]
        within = name.startswith(home + "::") and (home != "fastid" or name.split("::")[1] not in modules)
        inside = itertools.takewhile(lambda of: not CLOSED.match(of), lines[number:])
        if name != home and not within and not all(DECLARED.match(of) for of in inside):
            yield number, name


def types_of(text):
    """Yields (line number, name with its namespaces) of each type that is defined."""
    spaces, lines = [], text.splitlines()
    for number, line in enumerate(lines, 1):
        if opened := OPENED.match(line):
            spaces.append(opened[1])
        elif CLOSED.match(line):
            spaces.pop()
        elif (of := TYPE.match(line)) and "" not in spaces:
            head, brace, _ = " ".join(lines[number - 1 : number + 3]).partition("{")
            if brace and ";" not in head and "(" not in head.replace("alignas(", ""):
                yield number, "::".join([*spaces, of[1]])


def problems(root):
    places, src = collections.defaultdict(list), root / "src"
    modules = {folder.name for top in (src, src / "questions") for folder in top.glob("*/")}
    for path in sorted(src.rglob("*.[ch]pp")):
        text, home, shown = path.read_text(encoding="utf-8"), home_of(path.relative_to(src)), path.relative_to(root)
        for number, name in strays_of(text, home, modules):
            yield f"{shown}:{number}: namespace {name} is not that of its module: {home}"
        for number, name in types_of(text):
            places[name].append(f"{shown}:{number}")
    for name, of in places.items():
        if len(of) > 1:
            yield f"{of[1]}: {name} is also defined in {of[0]}: rename one"


if __name__ == "__main__":
    sys.exit(run_check(__doc__, problems))
