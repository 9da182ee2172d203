#!/usr/bin/env python3
"""Checks that conda's recipe names each dependency of cmake/Dependencies.cmake, since no test builds the recipe.

usage: check_packages.py [ROOT]      ROOT: the project's folder (default: the one this script is in)
"""

import re
import sys

from check_tools import run_check

DEPENDENCY = re.compile(r"^fastid_require_\w+\((?:\w+ )?(\S+)\)", re.MULTILINE)
HOST = re.compile(r"^  host:\n((?:    .*\n)+)", re.MULTILINE)
# What conda calls otherwise than CMake or pkg-config do.
OF_CONDA = {"OpenCL": "ocl-icd", "liblzma": "liblzma-devel", "libzstd": "zstd", "libxxhash": "xxhash"}


def problems(root):
    dependencies = DEPENDENCY.findall((root / "cmake/Dependencies.cmake").read_text())
    recipe = root / "packaging/conda/meta.yaml"
    host = re.findall(r"- (\S+)", HOST.search(recipe.read_text())[1])
    for dependency in dependencies:
        package = OF_CONDA.get(dependency, dependency.lower())
        if package not in host:
            yield f"{recipe}: requirements/host lacks {package}, which cmake/Dependencies.cmake requires as {dependency}"


if __name__ == "__main__":
    sys.exit(run_check(__doc__, problems))
