# Sourced by the scripts beside it: the same work with generated types of ours and of a peer, in packages of their own.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
sides=(ours peer)

# The script's arguments as absolute paths, and as options of the generator.
files=() specs=()
for file in "$@"; do
  files+=("$(realpath "$file")")
  specs+=(--spec "${files[-1]}")
done

# A folder for the packages, which goes when the script ends.
work=$root/benches/target/sides
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

package() { # name dependencies
  mkdir -p "$1/src"
  cp "$root/benches/Cargo.lock" "$1/Cargo.lock"
  cat >"$1/Cargo.toml" <<END
[package]
name = "$1"
version = "0.0.0"
edition = "2024"
[lib]
[[bin]]
name = "$1-list"
path = "src/main.rs"
[[bin]]
name = "$1-heap"
path = "src/heap.rs"
[dependencies]
$2
serde_json = "1"
stats_alloc = "0.1"
[workspace]
END
}

# The programs of a side: one that reads a list ("reading" ends with the list, and "dropping" counts what follows, too), and one that counts
# its allocations.
programs() { # side list decode
  heap "$2" "$3" >"$1/src/heap.rs"
  program "$2" "$3" >"$1/src/main.rs"
}

heap() { # list decode
  cat <<END
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static HEAP: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let region = Region::new(HEAP);
    let list: $1 = $2(&text).unwrap();
    let heap = region.change();
    let each = |number: usize| number as f64 / list.items.len() as f64;
    println!(
        "each object: {:.1} allocations, {:.1} changes of a size, {:.0} bytes allocated, {:.0} held",
        each(heap.allocations), each(heap.reallocations), each(heap.bytes_allocated),
        each(heap.bytes_allocated - heap.bytes_deallocated)
    );
}
END
}

program() { # list decode
  cat <<END
fn status(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Hundredths of CPU seconds of this process.
fn ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let megabytes = text.len() as f64 / 1e6;
    let before = status("VmRSS");
    let list: $1 = $2(&text).unwrap();
    let held = status("VmRSS") - before;
    assert_eq!(list.items.len(), 5000);
    drop(list);
    let (start, mut best) = (ticks(), f64::MAX);
    for _ in 0..10 {
        let start = std::time::Instant::now();
        let list: $1 = $2(&text).unwrap();
        best = best.min(start.elapsed().as_secs_f64());
        assert_eq!(list.items.len(), 5000);
    }
    let seconds = (ticks() - start) as f64 / 100.0 / 10.0;
    println!(
        "reading {:.0} MB/s at best, reading and dropping {:.0} MB per CPU second, {:.1} MB held",
        megabytes / best, megabytes / seconds, held as f64 / 1e3
    );
}
END
}

# Our package: the types of the files, and a program that reads a list.
ours() { # list
  package ours "k8s-flowcontrol-types = { path = \"$root/types\" }"
  cargo build --quiet --locked --manifest-path "$root/Cargo.toml" -p k8s-flowcontrol-codegen
  "${CARGO_TARGET_DIR:-$root/target}/debug/k8s-flowcontrol-codegen" generate "${specs[@]}" --out ours/src/generated >/dev/null
  echo 'pub mod generated;' >ours/src/lib.rs
  programs ours "ours::generated::$1" 'k8s_flowcontrol_types::json::from_str'
}

cpu() { # directory cargo-arguments...
  local directory=$1
  shift
  (cd "$directory" && CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$work/$directory/target \
    /usr/bin/time -f '%U %S' -o time cargo "$@" --quiet && awk '{ printf "%.1f CPU seconds\n", $1 + $2 }' time)
}

# Builds both sides: the types with all that they depend on, the types alone, and a program on the built types.
builds() { # package-of-ours package-of-the-peer
  local packages=("$1" "$2") profile index side
  for profile in dev release; do
    for index in 0 1; do
      side=${sides[index]}
      printf '%s, %s, types with their dependencies: ' "$side" "$profile"
      cpu "$side" build --profile "$profile" --lib
      printf '%s, %s, types alone: ' "$side" "$profile"
      (cd "$side" && CARGO_TARGET_DIR=$work/$side/target cargo clean --quiet --profile "$profile" -p "${packages[index]}")
      cpu "$side" build --profile "$profile" --lib
      printf '%s, %s, program on the built types: ' "$side" "$profile"
      cpu "$side" build --profile "$profile" --bin "$side-list"
    done
  done
  for side in "${sides[@]}"; do
    printf '%s, program: %s bytes\n' "$side" "$(stat -c %s "$side/target/release/$side-list")"
  done
}

# Reads a list of 5,000 objects with both programs in turns.
reads() { # file
  echo "list of 5,000 objects: $(wc -c <"$1") bytes"
  for side in "${sides[@]}"; do
    (cd "$side" && CARGO_TARGET_DIR=$work/$side/target cargo build --quiet --release --bin "$side-heap")
    printf '%s: ' "$side"
    "$side/target/release/$side-heap" "$1"
  done
  for _ in 1 2 3 4 5; do
    for side in "${sides[@]}"; do
      printf '%s: ' "$side"
      "$side/target/release/$side-list" "$1"
    done
  done
}
