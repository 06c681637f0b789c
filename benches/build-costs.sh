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

for crate in types rules; do
  rm -rf "${target:?}"/*
  printf 'k8s-flowcontrol-%s: ' "$crate"
  { time CARGO_TARGET_DIR=$target cargo build --quiet --release --locked --manifest-path ../Cargo.toml -p "k8s-flowcontrol-$crate"; } 2>"$target/time"
  printf '%s CPU seconds, %s crates\n' "$(seconds)" "$(crates --manifest-path ../Cargo.toml -p "k8s-flowcontrol-$crate")"
done
