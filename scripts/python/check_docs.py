#!/usr/bin/env python3
"""Checks the documents against the project: every relative link leads somewhere, to a heading that is there where it names
one, every script that is named exists, code stands between fence lines, and no document is longer than its kind may be.

usage: check_docs.py [ROOT]      ROOT: the project's folder (default: the one this script is in)
"""

import re
import sys
from fnmatch import fnmatch

from check_tools import run_check

LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
SCRIPT = re.compile(r"(?<![\w/.])(?:scripts|\.ci)/[\w./-]*\w")
# The most words of a document, by the first pattern that it matches.
MOST_WORDS = {"README.md": 1300, "CHANGELOG.md": 1200, "docs/commands/*.md": 1500, "*.md": 4000}
FENCE = re.compile(r" *```")
FENCE_LINE = re.compile(r" *```[\w+-]*$")
SKIPPED = {"build", ".git", ".cache", ".venv"}


def anchors(text):
    """What a link may name of a document: its headings as GitHub and GitLab write them."""
    headings = re.findall(r"^#+ +(.+?) *$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def fence_problems(path, lines):
    """A fence line has only the language behind its mark, if anything, and each fence that opens is closed."""
    opened = None
    for number, line in enumerate(lines, 1):
        if FENCE.match(line) and not FENCE_LINE.match(line):
            yield f"{path}:{number}: text behind a fence; put it into the next line, and the closing ``` into one of its own"
        elif FENCE_LINE.match(line):
            opened = None if opened else number
        elif "```" in line:
            yield f"{path}:{number}: a fence within a line; put ``` into a line of its own"
    if opened:
        yield f"{path}:{opened}: the fence is not closed; add a line of ```"


def problems(root):
    for path in sorted(root.rglob("*.md")):
        name = path.relative_to(root)
        if SKIPPED & set(name.parts):
            continue
        text = path.read_text(encoding="utf-8")
        words, most = len(text.split()), next(n for kind, n in MOST_WORDS.items() if fnmatch(str(name), kind))
        if words > most:
            yield f"{path}: {words} words, where {most} are the most: move what is not needed at first into another document"
        yield from fence_problems(path, text.splitlines())
        for number, line in enumerate(text.splitlines(), 1):
            for target, anchor in LINK.findall(line):
                if ":" in target:
                    continue
                other = path.parent / target if target else path
                if not other.exists():
                    yield f"{path}:{number}: the link to {target} leads nowhere"
                elif anchor and other.suffix == ".md" and anchor not in anchors(other.read_text(encoding="utf-8")):
                    yield f"{path}:{number}: {target or name} has no heading #{anchor}"
            for script in SCRIPT.findall(line):
                if not (root / script).exists():
                    yield f"{path}:{number}: there is no {script}"


if __name__ == "__main__":
    sys.exit(run_check(__doc__, problems))
