# shellcheck shell=bash
# What the scripts share: where the project is, messages, quiet steps that are loud when they fail, the build.
# Sourced, never run.
if [[ " $* " == *" --help "* ]]; then  # the comment that the script begins with
  sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"
  exit
fi
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$ROOT" || exit 1

say() { printf '%s: %s\n' "${0##*scripts/}" "$*" >&2; }
die() {
  say "$@"
  exit 1
}

# quietly LOG COMMAND...: runs a command with its output in LOG, and shows the end of LOG where it fails.
quietly() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 </dev/null && return
  local status=$?
  tail -n 60 "$log" >&2
  say "failed with status $status: $* (all of its output: $log)"
  return "$status"
}

cpus() { nproc 2>/dev/null || echo 1; }

# configure PRESET [CMAKE-OPTION...]: into build/PRESET, through ccache where that is installed. It takes what another
# clone of the project has compiled (paths below the clone count relatively), and keeps what includes precompiled headers
# where it is told that no source asks for the time.
configure() {
  local preset=$1
  shift
  local launcher=()
  if command -v ccache >/dev/null; then
    local settings="CCACHE_BASEDIR=$ROOT;CCACHE_NOHASHDIR=1;CCACHE_SLOPPINESS=pch_defines,time_macros"
    launcher=("-DCMAKE_CXX_COMPILER_LAUNCHER=env;$settings;ccache")
  fi
  quietly "$ROOT/build/$preset-configure.log" cmake --preset "$preset" "${launcher[@]}" "$@"
}

# ON where a JDK's headers are, else OFF: for -DFASTID_JNI.
has_jdk() {
  if compgen -G "${JAVA_HOME:-/usr/lib/jvm/*}/include/jni.h" >/dev/null; then echo ON; else echo OFF; fi
}

# compile PRESET [TARGET...]: on a terminal with ninja's progress line, elsewhere with a line for each tenth of its steps;
# the end of what it said where it fails.
compile() {
  local preset=$1
  shift
  local log="$ROOT/build/$preset-compile.log"
  if [[ -t 1 ]]; then
    ninja -C "$ROOT/build/$preset" "$@"
    return
  fi
  local status=0
  NINJA_STATUS='[%f/%t] ' ninja -C "$ROOT/build/$preset" "$@" </dev/null 2>&1 | tee "$log" | tenths ||
    status=${PIPESTATUS[0]}
  if [[ $status == 0 ]]; then return; fi
  tail -n 60 "$log" >&2
  say "failed with status $status: ninja -C build/$preset $* (all of its output: $log)"
  return "$status"
}

# tenths: of ninja's lines "[done/all] ..." one for each tenth that is done, on stderr.
tenths() {
  local line shown=0
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]] && ((BASH_REMATCH[1] * 10 / BASH_REMATCH[2] > shown)); then
      shown=$((BASH_REMATCH[1] * 10 / BASH_REMATCH[2]))
      say "built ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
    fi
  done
}

# with_fastid OPTION...: sets `options` to these, and to --fastid with the release build, made first, where none is named.
with_fastid() {
  options=("$@")
  if [[ " $* " == *" --fastid "* ]]; then return; fi
  scripts/setup
  say "building into build/release"
  configure release
  compile release fastid
  options+=(--fastid "$ROOT/build/release/fastid")
}
