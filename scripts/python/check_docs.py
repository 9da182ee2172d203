#!/usr/bin/env python3
"""Checks the documents against the project: every relative link leads somewhere, to a heading that is there where it names
one, every script that is named exists, and no document is longer than its kind may be.

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
SKIPPED = {"build", ".git", ".cache", ".venv"}


def anchors(text):
    """What a link may name of a document: its headings as GitHub and GitLab write them."""
    headings = re.findall(r"^#+ +(.+?) *$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def problems(root):
    for path in sorted(root.rglob("*.md")):
        name = path.relative_to(root)
        if SKIPPED & set(name.parts):
            continue
        text = path.read_text(encoding="utf-8")
        words, most = len(text.split()), next(n for kind, n in MOST_WORDS.items() if fnmatch(str(name), kind))
        if words > most:
            yield f"{path}: {words} words, where {most} are the most: move what is not needed at first into another document"
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
