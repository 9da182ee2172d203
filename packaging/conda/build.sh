#!/usr/bin/env bash
# Called by conda build: compiles fastid against conda's libraries and installs it into its prefix.
set -euo pipefail
cmake --preset release -DFASTID_TESTS=OFF -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib
cmake --build --preset release --target fastid fastid_manual
cmake --install build/release
