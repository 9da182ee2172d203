#!/usr/bin/env python3
"""Enforces src/LAYERS: a module includes modules of lower levels only, and foreign headers stay in their cages.

usage: check_layers.py [ROOT]      ROOT: the project's folder (default: the one this script is in)

Prints one line for each include that breaks a rule (file, line, rule, cure) and exits 1; silent and 0 where all is well.
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
SOURCES = {".cpp", ".hpp", ".h", ".in"}


def parse_layers(path):
    """The levels {module: level} and the cages [(header prefix, modules)] of a LAYERS file."""
    levels, cages = {}, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "cage" and len(words) >= 3:
            cages.append((words[1], set(words[2:])))
        elif words[0].isdigit() and len(words) >= 2 and words[1] not in levels:
            levels[words[1]] = int(words[0])
        else:
            sys.exit(f"{path}:{number}: neither 'LEVEL MODULE what it is' (once each) nor 'cage PREFIX MODULE...'")
    for prefix, modules in cages:
        for module in sorted(modules - levels.keys()):
            sys.exit(f"{path}: the cage of {prefix} names {module}, which is no module")
    return levels, cages


def include_problem(module, header, levels, cages, src):
    """What is wrong with `module` including `header`, or None."""
    for prefix, modules in cages:
        if header.startswith(prefix) and module not in modules:
            return f"<{header}> is for {', '.join(sorted(modules))} only; ask that module for what you need"
    target = header.split("/")[0]
    if target not in levels or not (src / header).is_file():
        return None
    if target == module or levels[target] < levels[module]:
        return None
    where = "a sibling" if levels[target] == levels[module] else "of a higher level"
    return f"{module} (level {levels[module]}) may not include {target} (level {levels[target]}), {where}"


def quoted_problem(header, src, cages):
    """What is wrong with the path of a quoted include, or None: it starts at src/, so that its module can be seen."""
    if (src / header).is_file() and ".." not in header.split("/"):
        return None
    if any(header.startswith(prefix) for prefix, _ in cages):
        return None
    return f'"{header}" is no file under src/; write the path from there'


def file_problems(path, module, levels, cages, src):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quoted, angled = match.groups()
        problem = include_problem(module, quoted or angled, levels, cages, src)
        if not problem and quoted:
            problem = quoted_problem(quoted, src, cages)
        if problem:
            yield f"{path}:{number}: {problem}"


def problems(root):
    src = root / "src"
    levels, cages = parse_layers(src / "LAYERS")
    for module in sorted(levels):
        if not (src / module).is_dir():
            yield f"{src / 'LAYERS'}: there is no module {module}; remove its line"
    for path in sorted(p for p in src.rglob("*") if p.suffix in SOURCES):
        module = path.relative_to(src).parts[0]
        if module not in levels:
            yield f"{path}: src/LAYERS gives no level for {module}; add it there"
        else:
            yield from file_problems(path, module, levels, cages, src)


def main(arguments):
    if len(arguments) > 1:
        sys.exit(__doc__)
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    found = list(problems(root))
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
