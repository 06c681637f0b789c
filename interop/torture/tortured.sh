#!/usr/bin/env bash
# The work of the example `tortured` with kubectl, as a script in a pipeline does it: each command is tried ten times.
set -uo pipefail
folder=$(mktemp -d)
trap 'kill $watching 2>/dev/null; rm -rf "$folder"' EXIT
export KUBECACHEDIR=$folder/cache
kubectl() { command kubectl --cache-dir "$folder/cache" "$@"; }
kind=prioritylevelconfigurations.flowcontrol.apiserver.k8s.io

patiently() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    # The output of a failed attempt does not count.
    if "$@" >"$folder/output.$BASHPID"; then
      cat "$folder/output.$BASHPID"
      return
    fi
    sleep 0.2
  done
  echo "gave up: $*" >&2
  exit 1
}
level() {
  printf '{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration","metadata":{"name":"%s","labels":{"example.com/tortured":"yes"}},"spec":{"type":"Limited","limited":{"limitResponse":{"type":"Reject"}}}}' "$1"
}
write() {
  for number in 0 1; do
    patiently kubectl annotate "$kind" tortured-0 --overwrite "example.com/$1-$number=done"
  done
}

kubectl get "$kind" -l example.com/tortured=yes -w -o name >"$folder/seen" &
watching=$!
for number in 0 1 2 3 4 5; do
  level "tortured-$number" >"$folder/level.json"
  patiently kubectl apply -f "$folder/level.json"
done
listed=$(patiently kubectl get "$kind" -l example.com/tortured=yes --chunk-size 2 -o name | wc -l)
[ "$listed" = 6 ] || { echo "a list in pages is not complete" >&2; exit 1; }
writers=()
for writer in a b c; do write "$writer" & writers+=($!); done
for writer in "${writers[@]}"; do wait "$writer" || exit 1; done
for number in 3 4 5; do
  patiently kubectl delete "$kind" "tortured-$number" --ignore-not-found --wait=false
done
left=$(patiently kubectl get "$kind" -l example.com/tortured=yes -o json)
[ "$(grep -c '"name": "tortured-' <<<"$left")" = 3 ] || { echo "objects are missing or doubled" >&2; exit 1; }
[ "$(grep -c '": "done"' <<<"$left")" = 6 ] || { echo "an update was lost" >&2; exit 1; }
echo done
