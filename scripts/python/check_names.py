#!/usr/bin/env python3
"""Checks that no type of src is defined twice in one namespace.

usage: check_names.py [ROOT]      ROOT: the project's folder (default: the one this script is in)

Compilers see one file at a time: of two definitions the linker takes one, and says nothing. Definitions are found by the
project's format: what stands in a namespace begins its line. Unnamed namespaces are left out, whose types are of their file.
"""

import collections
import re
import sys

from check_tools import run_check

OPENED = re.compile(r"namespace ?([\w:]*) ?\{$")
CLOSED = re.compile(r"\}  // namespace")
TYPE = re.compile(r"(?:class|struct|union|enum(?: class)?) (?:alignas\([^)]*\) )?(\w+)\b(?!::)(?!<)")


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
    places = collections.defaultdict(list)
    for path in sorted((root / "src").rglob("*.[ch]pp")):
        for number, name in types_of(path.read_text(encoding="utf-8")):
            places[name].append(f"{path.relative_to(root)}:{number}")
    for name, of in places.items():
        if len(of) > 1:
            yield f"{of[1]}: {name} is also defined in {of[0]}: rename one"


if __name__ == "__main__":
    sys.exit(run_check(__doc__, problems))
