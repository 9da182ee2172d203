#!/usr/bin/env python3
"""Checks that scripts/setup installs the programs which scripts and tests call and a minimal Debian lacks.

usage: check_programs.py [ROOT]      ROOT: the project's folder (default: the one this script is in)

A program is called where a command begins with its name: in bash and in cases of the command line at the start of a line,
after `|`, `;`, `&&`, `||`, `(` or the like; in Python as the first string of a list. PACKAGE_OF names the package of each
program; one of that list that nobody installs is a problem, and so is one that a Python test asks for and the list lacks.
"""

import re
import sys

from check_tools import run_check

# The Debian package of a program that is in no minimal system.
PACKAGE_OF = {
    "bcftools": "bcftools", "bc": "bc", "chromium": "chromium", "clang-format": "clang-format",
    "clang-tidy": "clang-tidy", "clinfo": "clinfo", "cmake": "cmake", "curl": "curl", "expect": "expect",
    "gdb": "gdb", "git": "git", "groff": "groff-base", "h5dump": "hdf5-tools",
    "hyperfine": "hyperfine", "jq": "jq", "man": "man-db", "mpirun": "openmpi-bin", "ninja": "ninja-build",
    "oclgrind": "oclgrind", "openssl": "openssl", "perf": "linux-perf", "plink1.9": "plink1.9", "plink2": "plink2",
    "rsvg-convert": "librsvg2-bin", "rsync": "rsync", "samtools": "samtools", "sbatch": "slurm-wlm",
    "setfacl": "acl", "snakemake": "snakemake", "socat": "socat", "sqlite3": "sqlite3", "srun": "slurm-wlm",
    "strace": "strace", "tabix": "tabix", "bgzip": "tabix", "unzip": "unzip", "wget": "wget", "xxd": "xxd",
    "xz": "xz-utils", "zip": "zip", "zstd": "zstd",
}
NAMES = "|".join(re.escape(name) for name in sorted(PACKAGE_OF, key=len, reverse=True))
IN_SHELL = re.compile(r"(?:^\s*(?:run: |prepare: )?|[|;&(]\s*|\b(?:then|do|else|quietly|env|exec|sudo)\s+)"
                      rf"({NAMES})(?=\s+[^\s=)]|$)")
IN_PYTHON = re.compile(rf"""(?:\[|\brun\(|\bPopen\()\s*["']({NAMES})(?=["' ])""")
ASKED_FOR = re.compile(r"""\bwhich\(["']([\w.+-]+)["']\)""")


def is_shell(path, text):
    return path.suffix in (".case", ".sh") or text.startswith(("#!/usr/bin/env bash", "#!/bin/bash", "#!/bin/sh"))


def calls(path, text):
    """(line number, program) of what a file calls."""
    pattern = IN_SHELL if is_shell(path, text) else IN_PYTHON
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith(("#", "|", "~")):
            continue
        for match in pattern.finditer(line):
            yield number, match[1]
        for match in ASKED_FOR.finditer(line):
            yield number, match[1]


def problems(root):
    setup = root / "scripts/setup"
    installed = set(re.findall(r"[\w.+-]+", re.sub(r"#.*", "", setup.read_text())))
    for folder in ("scripts", "tests"):
        for path in sorted((root / folder).rglob("*")):
            # What measures (scripts/bench and its programs) compares with peers that its own help names.
            measures = path.name.startswith("bench_") or (root / "scripts/bench") in path.parents
            if not path.is_file() or path == setup or measures:
                continue
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                continue
            if path.suffix != ".py" and not is_shell(path, text):
                continue
            for number, program in calls(path, text):
                package = PACKAGE_OF.get(program)
                if package is None:
                    yield f"{path}:{number}: {program}: name its package in PACKAGE_OF of scripts/python/check_programs.py"
                elif package not in installed:
                    yield f"{path}:{number}: it calls {program}; add {package} to scripts/setup"


if __name__ == "__main__":
    sys.exit(run_check(__doc__, problems))
