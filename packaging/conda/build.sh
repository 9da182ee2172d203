#!/usr/bin/env bash
# Called by conda build: compiles fastid against conda's libraries and installs it into its prefix.
set -euo pipefail

# conda-forge's HDF5 comes without a file for pkg-config.
if ! pkg-config --exists hdf5; then
  version=$(sed -n 's/.*H5_VERS_INFO.*version: \([0-9.]*\).*/\1/p' "$PREFIX/include/H5public.h")
  mkdir -p build/pkgconfig
  printf '%s\n' "Name: HDF5" "Description: Hierarchical Data Format 5" "Version: $version" \
    "Cflags: -I$PREFIX/include" "Libs: -L$PREFIX/lib -lhdf5" >build/pkgconfig/hdf5.pc
  export PKG_CONFIG_PATH=$PWD/build/pkgconfig:${PKG_CONFIG_PATH:-}
fi

read -ra platform <<<"${CMAKE_ARGS:-}" # what conda's compilers ask of CMake
cmake --preset release "${platform[@]}" -DFASTID_TESTS=OFF -DCMAKE_PREFIX_PATH="$PREFIX" \
  -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib
cmake --build --preset release --parallel "${CPU_COUNT:-1}" --target fastid fastid_manual
cmake --install build/release
