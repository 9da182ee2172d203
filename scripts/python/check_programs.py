#!/usr/bin/env python3
"""Checks that scripts/setup installs each program that scripts and tests call, so that they run on a fresh machine.

usage: check_programs.py [ROOT]      ROOT: the project's folder (default: the one this script is in)

Commands are read from shell scripts, from the cases of tests/cli and from the lists that Python gives to subprocess. A
program that is not known here is a finding: say which package has it, in PACKAGES, or that every Debian has it.
"""

import re
import subprocess
import sys

from check_tools import run_check

# What Debian's essential packages have, and bash itself.
ALWAYS = set("""
awk basename bash base64 cat chmod chown cmp comm cp cut date dd df diff dirname dpkg dpkg-deb dpkg-query apt-get du env expr find
fold grep egrep gzip gunzip zcat head hostname iconv id install join ln ls mkdir mkfifo mknod mktemp mv nice nproc od paste perl
printenv ps readlink realpath rm rmdir script sed seq sh sha256sum md5sum shuf sleep sort split stat stty su sum sync tac tail tar tee
timeout touch tr truncate tsort tty uname uniq unshare wc who xargs yes setpriv mount umount chroot flock getopt ldconfig mountpoint nohup taskset
ulimit alias bg break builtin case cd command compgen complete continue coproc declare dirs disown do done echo elif else
enable esac eval exec exit export false fi fg for function getopts hash help history if in jobs kill let local mapfile popd
printf pushd pwd read readarray readonly return select set shift shopt source test then time times trap true type typeset umask
unalias unset until wait while
""".split()) | {".", ":", "[", "[[", "{", "}", "!", "((", "fastid"}
PACKAGES = {
    "bcftools": "bcftools", "bgzip": "tabix", "chromium": "chromium", "clang-format": "clang-format",
    "clang-tidy": "clang-tidy", "cmake": "cmake", "cpack": "cmake", "ctest": "cmake", "clinfo": "clinfo", "git": "git",
    "groff": "groff-base", "man": "groff-base", "ninja": "ninja-build", "oclgrind": "oclgrind", "openssl": "openssl",
    "plink1.9": "plink1.9", "plink2": "plink2", "python3": "python3", "rsvg-convert": "librsvg2-bin", "tabix": "tabix",
    "xxd": "xxd", "xz": "xz-utils", "xzcat": "xz-utils", "zstd": "zstd", "zstdcat": "zstd", "mpirun": "openmpi-bin",
    "c++": "g++", "g++": "g++", "nm": "g++", "objdump": "g++", "readelf": "g++", "strip": "g++", "ar": "g++",
    "sbatch": "slurm-wlm", "srun": "slurm-wlm", "squeue": "slurm-wlm", "scontrol": "slurm-wlm", "sinfo": "slurm-wlm",
    "scancel": "slurm-wlm", "slurmctld": "slurm-wlm", "slurmd": "slurm-wlm", "munged": "munge", "munge": "munge",
    "mungekey": "munge", "snakemake": "snakemake", "pkg-config": "pkg-config",
}
# Called where they are there, or asked of the user by a script that is not part of the tests.
OPTIONAL = set("""
ccache sudo clang++ clang++-14 llvm-profdata lintian lscpu nvidia-smi perf java javac pip python numactl strace gdb buildah
hyperfine conda conda-build apptainer docker podman nextflow samtools debootstrap patchelf chrpath ldd file zsh fish
""".split())
QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"")
HERE_DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1.*?\n.*?\n\s*\2\n", re.DOTALL)
# A command stands where a line begins, or after what separates commands.
COMMAND = re.compile(r"(?:^|[;|&(`]|\$\(|\b(?:do|then|else|if|elif|while|until)\s|!\s)\s*(?:\w+=[^\s$(]*\s+)*"
                     r"(?!(?:do|then|else|if|elif|while|until)\b)([A-Za-z][\w.+-]*)(?=$|[\s;|&)<>`])", re.MULTILINE)
FUNCTION = re.compile(r"^\s*(?:run:\s*)?(?:function\s+)?([\w-]+)\s*\(\)", re.MULTILINE)
ANY_FUNCTION = re.compile(r"\b([\w-]+)\(\)\s*\{")
OF_PYTHON = re.compile(r"(?:run|Popen|check_output|check_call|call)\(\s*\[\s*\"([A-Za-z][\w.+-]*)\"|which\(\"([\w.+-]+)\"\)")


def commands_of_shell(text):
    text = HERE_DOCUMENT.sub("\n", text)
    own = set(FUNCTION.findall(text)) | set(ANY_FUNCTION.findall(text))
    text = re.sub(r"(^|\s)#.*", r"\1", text)
    text = re.sub(r"\\\n", " ", text)
    text = re.sub(r"\(\(.*?\)\)", "", text)
    # What stands in quotes is an argument, but for the commands of $(...) in double quotes.
    inner = "\n".join(m for q in QUOTED.findall(text) if q.startswith('"') for m in re.findall(r"\$\(([^()]*)\)", q))
    text = QUOTED.sub("''", text)
    text = re.sub(r"^\s*[\w|*. \-\"']+\)\s", "\n", text, flags=re.MULTILINE)  # a case's pattern
    text = re.sub(r"=\([^)]*\)", "=", text, flags=re.DOTALL)  # an array's words
    return {name for name in COMMAND.findall(text + "\n" + inner) if name not in own}


def commands_of_case(text):
    steps = re.findall(r"^(?:run|prepare):(.*(?:\n    .*)*)", text, re.MULTILINE)
    own = set(ANY_FUNCTION.findall(text))
    return {name for step in steps for name in commands_of_shell(step)} - own


def functions_of(path):
    return set(FUNCTION.findall(path.read_text()))


def called(root):
    """Each file and the programs that it calls."""
    shared = functions_of(root / "scripts/common.sh")
    for path in sorted((root / "tests/cli/cases").glob("*.case")):
        yield path, commands_of_case(path.read_text())
    for folder in ("scripts", "tests", ".ci"):
        for path in sorted((root / folder).rglob("*")):
            if not path.is_file() or path.suffix not in ("", ".sh", ".py"):
                continue
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                continue
            if path.suffix == ".py":
                yield path, {a or b for a, b in OF_PYTHON.findall(text)}
            elif re.match(r"#!.*\b(bash|sh)\b", text) or path.suffix == ".sh":
                yield path, commands_of_shell(text) - (shared if "common.sh" in text else set())


def problems(root):
    installed = set(subprocess.run([root / "scripts/setup", "--list", "build", "test", "check", "cluster"], text=True,
                                   check=True, capture_output=True).stdout.split())
    for path, names in called(root):
        for name in sorted(names - ALWAYS - OPTIONAL):
            if name not in PACKAGES:
                yield f"{path}: calls '{name}': scripts/python/check_programs.py does not know which package has it"
            elif PACKAGES[name] not in installed:
                yield f"{path}: calls '{name}' of {PACKAGES[name]}, which scripts/setup does not install"


if __name__ == "__main__":
    sys.exit(run_check(__doc__, problems))
