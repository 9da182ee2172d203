#!/usr/bin/env python3
"""Enforces src/LAYERS: a module includes modules of lower levels only, and foreign headers stay in their cages.

A module's own folder holds the headers that other modules include; those of its subfolders are for the module alone. Each
folder of src/questions is a module of its own; which of its headers are for others it need not show.

usage: check_layers.py [ROOT]      ROOT: the project's folder (default: the one this script is in)

Prints one line for each include that breaks a rule (file, line, rule, cure) and exits 1; silent and 0 where all is well.
"""

import re
import sys

from check_tools import run_check

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


def module_of(path):
    """The module of a path below src: its first folder, or the folder of a question."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "questions" else parts[0]


def include_problem(module, header, levels, cages, src):
    """What is wrong with `module` including `header`, or None."""
    level_of = lambda of: levels.get(of.split("/")[0])
    for prefix, modules in cages:
        if header.startswith(prefix) and module not in modules:
            return f"<{header}> is for {', '.join(sorted(modules))} only; ask that module for what you need"
    target = module_of(header)
    if level_of(target) is None or not (src / header).is_file():
        return None
    if target == module:
        return None
    if level_of(target) < level_of(module):
        if header.count("/") == target.count("/") + 1:
            return None
        return f'"{header}" is for {target} only; include a header of its own folder, or move this one there'
    where = "a sibling" if level_of(target) == level_of(module) else "of a higher level"
    return f"{module} (level {level_of(module)}) may not include {target} (level {level_of(target)}), {where}"


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


def included_by_others(src):
    """The headers of modules' own folders that another module includes."""
    found = set()
    for path in src.rglob("*"):
        if path.suffix not in SOURCES:
            continue
        module = module_of(path.relative_to(src).as_posix())
        for line in path.read_text().splitlines():
            match = INCLUDE.match(line)
            if match and match.group(1) and module_of(match.group(1)) != module:
                found.add(match.group(1))
    return found


def header_problems(src, levels):
    """Headers that lie beside those for other modules and are for none; the top level's are nobody's."""
    shared, top = included_by_others(src), max(levels.values())
    for path in sorted(src.glob("*/*.hpp")):
        header = path.relative_to(src).as_posix()
        if header not in shared and levels.get(header.split("/")[0], top) < top:
            yield f"{path}: no other module includes it; move it to a subfolder of its module"


def problems(root):
    src = root / "src"
    levels, cages = parse_layers(src / "LAYERS")
    yield from header_problems(src, levels)
    for module in sorted(levels):
        if not (src / module).is_dir():
            yield f"{src / 'LAYERS'}: there is no module {module}; remove its line"
    for path in sorted(p for p in src.rglob("*") if p.suffix in SOURCES):
        module = module_of(path.relative_to(src).as_posix())
        if module.split("/")[0] not in levels:
            yield f"{path}: src/LAYERS gives no level for {module}; add it there"
        else:
            yield from file_problems(path, module, levels, cages, src)


if __name__ == "__main__":
    sys.exit(run_check(__doc__, problems))
