#!/usr/bin/env bash
# What generating the types of custom resources costs, beside kopium: processor time, memory and lines.
#
#   generation.sh MANIFEST...    CustomResourceDefinitions as JSON or YAML, also several in one file
#
# A call of the generator reads one manifest; a call of kopium (`cargo install kopium`) makes the types of one version of one definition. A peer that is
# not installed is left out. GENERATOR and KOPIUM are other programs than those of this build and of the path.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
generator=${GENERATOR:-${CARGO_TARGET_DIR:-$root/target}/release/k8s-flowcontrol-codegen}
if [[ -z ${GENERATOR:-} ]]; then
  cargo build --quiet --locked --release --manifest-path "$root/Cargo.toml" -p k8s-flowcontrol-codegen
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 - "$work" "$generator" "$(command -v "${KOPIUM:-kopium}" || true)" "$@" <<'END'
import json, os, re, shutil, sys

work, generator, kopium, *manifests = sys.argv[1:]


def definitions(path):
    """The definitions of a manifest."""
    with open(path) as file:
        text = file.read()
    if text.lstrip().startswith("{"):
        documents = [json.loads(text)]
    else:
        import yaml
        documents = list(yaml.load_all(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    for document in documents:
        for one in (document or {}).get("items", [document]):
            if (one or {}).get("kind") == "CustomResourceDefinition":
                yield one


def run(out, *command):
    """Whether the program ended well, its processor seconds, and its peak of memory in MB."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        os.dup2(os.open(out + ".err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        os.execv(command[0], command)
    _, status, usage = os.wait4(child, 0)
    return status == 0, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


class Side:
    def __init__(self, name):
        self.name, self.made, self.failed = name, 0, []
        self.seconds, self.peak, self.lines, self.code, self.types = 0.0, 0.0, 0, 0, 0

    def add(self, ran, count, name, files):
        ended, seconds, peak = ran
        self.seconds += seconds
        self.peak = max(self.peak, peak)
        if not ended:
            self.failed.append(name)
            return
        self.made += count
        for path in files:
            with open(path) as file:
                lines = file.read().splitlines()
            self.lines += len(lines)
            self.code += sum(1 for line in lines if line.strip() and not line.lstrip().startswith("//"))
            self.types += sum(1 for line in lines if re.match(r"pub (struct|enum) |.*open_enum!", line))

    def row(self):
        failed = f"{len(self.failed)} failed" if self.failed else "all"
        print(f"| {self.name} | {self.made:,} ({failed}) | {self.seconds:.1f} | {self.peak:.0f} | {self.lines:,} | {self.code:,} | {self.types:,} |")


ours, peer = Side("ours"), Side("kopium")
for manifest in manifests:
    found = list(definitions(manifest))
    versions = [(one, version["name"]) for one in found for version in one["spec"]["versions"]
                if version.get("served") and (version.get("schema") or {}).get("openAPIV3Schema")]
    out = os.path.join(work, "ours")
    shutil.rmtree(out, ignore_errors=True)
    ran = run(os.path.join(work, "log"), generator, "generate", "--spec", manifest, "--out", out)
    files = [os.path.join(out, name) for name in sorted(os.listdir(out))] if os.path.isdir(out) else []
    ours.add(ran, len(versions), manifest, files)
    for one, version in versions if kopium else []:
        definition, out = os.path.join(work, "crd.json"), os.path.join(work, "peer.rs")
        with open(definition, "w") as file:
            json.dump(one, file)
        ran = run(out, kopium, "--docs", "--api-version", version, "--filename", definition)
        peer.add(ran, 1, f"{one['metadata']['name']} {version}", [out])

print("| program | kinds and versions | CPU s | peak MB | lines | of these code | types |")
print("|---|---:|---:|---:|---:|---:|---:|")
for side in (ours, peer) if kopium else (ours,):
    side.row()
for side in (ours, peer):
    for name in side.failed[:20]:
        print(f"{side.name} failed: {name}", file=sys.stderr)
END
