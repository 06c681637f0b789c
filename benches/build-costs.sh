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

for crate in types rules; do
  rm -rf "${target:?}"/*
  printf 'k8s-flowcontrol-%s: ' "$crate"
  { time CARGO_TARGET_DIR=$target cargo build --quiet --release --locked --manifest-path ../Cargo.toml -p "k8s-flowcontrol-$crate"; } 2>"$target/time"
  printf '%s CPU seconds, %s crates\n' "$(seconds)" "$(crates --manifest-path ../Cargo.toml -p "k8s-flowcontrol-$crate")"
done
