#!/usr/bin/env bash
# What a user's build costs: processor seconds of a cold release build, crates, size of the stripped binary.
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

for side in ours peer; do
  rm -rf "${target:?}"/*
  printf '%s: ' "minimal-$side"
  { time CARGO_TARGET_DIR=$target cargo build --quiet --release --locked -p "bench-minimal-$side"; } 2>"$target/time"
  strip -o "$target/stripped" "$target/release/bench-minimal-$side"
  printf '%s CPU seconds, %s crates, %s bytes stripped\n' \
    "$(seconds)" \
    "$(crates -p "bench-minimal-$side")" \
    "$(wc -c <"$target/stripped")"
done

rm -rf "${target:?}"/*
printf 'types and rules only: '
{ time CARGO_TARGET_DIR=$target cargo build --quiet --release --locked --manifest-path ../Cargo.toml -p k8s-flowcontrol --no-default-features; } 2>"$target/time"
printf '%s CPU seconds, %s crates\n' "$(seconds)" \
  "$(crates --manifest-path ../Cargo.toml -p k8s-flowcontrol --no-default-features)"
