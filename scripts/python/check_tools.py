"""What the checks of the project's tree share."""

import sys
from pathlib import Path


def run_check(usage, problems):
    """Prints what problems(ROOT) yields, a line each, and returns 1 if there is any, else 0.

    ROOT is the only argument of the command line that is allowed: the project's folder, by default that of this file.
    """
    arguments = sys.argv[1:]
    if len(arguments) > 1:
        sys.exit(usage)
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2]
    found = list(problems(root))
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0
