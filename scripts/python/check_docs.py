#!/usr/bin/env python3
"""Checks the documents against the project: every relative link leads somewhere, every script that is named exists, and
what is to be short is short.

usage: check_docs.py [ROOT]      ROOT: the project's folder (default: the one this script is in)
"""

import re
import sys

from check_tools import run_check

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
SCRIPT = re.compile(r"(?<![\w/.])(?:scripts|\.ci)/[\w./-]*\w")
MOST_WORDS = {"README.md": 1300}
SKIPPED = {"build", ".git", ".cache", ".venv"}


def problems(root):
    for path in sorted(root.rglob("*.md")):
        if SKIPPED & set(path.relative_to(root).parts):
            continue
        text = path.read_text()
        words, most = len(text.split()), MOST_WORDS.get(str(path.relative_to(root)), sys.maxsize)
        if words > most:
            yield f"{path}: {words} words, where {most} are the most: move what is not needed at first into docs"
        for number, line in enumerate(text.splitlines(), 1):
            for target in LINK.findall(line):
                if "://" not in target and not (path.parent / target).exists():
                    yield f"{path}:{number}: the link to {target} leads nowhere"
            for script in SCRIPT.findall(line):
                if not (root / script).exists():
                    yield f"{path}:{number}: there is no {script}"


if __name__ == "__main__":
    sys.exit(run_check(__doc__, problems))
