#!/usr/bin/env bash
# The costs of a user's build: CPU seconds of a cold release build, crates, size of the stripped binary.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
TIMEFORMAT='%U %S'

crates() {
  cargo tree --locked -e normal --prefix none --no-dedupe "$@" | awk '{ print $1, $2 }' | sort -u | wc -l
}

cargo fetch --quiet --locked
target=$(mktemp -d)
trap 'rm -rf "$target"' EXIT
seconds() { tail -n 1 "$target/time" | awk '{ printf "%.0f", $1 + $2 }'; }

# The name of a program's figures, its package, and arguments of cargo.
program() {
  local name=$1 package=$2
  shift 2
  rm -rf "${target:?}"/*
  { time CARGO_TARGET_DIR=$target cargo build --quiet --release --locked -p "$package" "$@"; } 2>"$target/time"
  strip -o "$target/stripped" "$target/release/$package"
  printf '%s: %s CPU seconds, %s crates, %s bytes stripped\n' \
    "$name" \
    "$(seconds)" \
    "$(crates -p "$package" "$@")" \
    "$(wc -c <"$target/stripped")"
}

program minimal-ours bench-minimal-ours
program minimal-smallest bench-minimal-ours --no-default-features
program minimal-peer bench-minimal-peer

# The name of a library, the manifest of its workspace.
library() {
  rm -rf "${target:?}"/*
  { time CARGO_TARGET_DIR=$target cargo build --quiet --release --locked --manifest-path "$2" -p "$1"; } 2>"$target/time"
  printf '%s: %s CPU seconds, %s crates\n' "$1" "$(seconds)" "$(crates --manifest-path "$2" -p "$1")"
}

library k8s-openapi Cargo.toml
library k8s-flowcontrol-types ../Cargo.toml
library k8s-flowcontrol-rules ../Cargo.toml
