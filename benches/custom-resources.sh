#!/usr/bin/env bash
# Types of custom resources from the generator, beside kopium: lines, types, build costs, decoding and memory of a list of 5,000
# HTTPRoutes.
#
#   custom-resources.sh HTTPROUTE [CRD...]    manifests of CRDs, the first one that of gateway.networking.k8s.io/v1beta1
#
# Needs kopium (`cargo install kopium`).
source "$(dirname "${BASH_SOURCE[0]}")/sides.sh"
cd "$work"

ours gateway_v1beta1::HttpRouteList
package peer 'k8s-openapi = { version = "0.29", features = ["v1_36"] }
kube = { version = "5", default-features = false, features = ["derive"] }
serde = { version = "1", features = ["derive"] }'
: >peer/src/lib.rs
for index in "${!files[@]}"; do
  kopium --docs --filename "${files[index]}" >"peer/src/types_$index.rs"
  echo "pub mod types_$index;" >>peer/src/lib.rs
done
programs peer 'kube::core::ObjectList<peer::types_0::HttpRoute>' 'serde_json::from_str'

for side in "${sides[@]}"; do
  text=$(find "$side/src" -name '*.rs' ! -name main.rs ! -name lib.rs -exec cat {} +)
  echo "$side: $(wc -l <<<"$text") lines, $(grep -cE '^pub (struct|enum)|open_enum!' <<<"$text") types"
done
builds ours peer

python3 - >routes.json <<'END'
import json
routes = []
for n in range(5000):
    header = lambda i: {"type": "Exact", "name": f"x-team-{i}", "value": f"team-{n % 50}"}
    rule = lambda i: {
        "matches": [{"path": {"type": "PathPrefix", "value": f"/api/v{i}/{n}"}, "headers": [header(0), header(1)], "method": "GET"}],
        "filters": [{"type": "RequestHeaderModifier",
                     "requestHeaderModifier": {"add": [{"name": "x-route", "value": f"{n}"}], "remove": ["x-debug"]}}],
        "backendRefs": [{"group": "", "kind": "Service", "name": f"web-{c}", "port": 8080, "weight": 50} for c in ("blue", "green")]}
    condition = lambda t: {"type": t, "status": "True", "reason": t, "message": "Route is accepted", "observedGeneration": 3,
                           "lastTransitionTime": "2026-01-01T00:00:00Z"}
    reference = {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "public", "namespace": "edge", "sectionName": "https"}
    routes.append({
        "apiVersion": "gateway.networking.k8s.io/v1beta1", "kind": "HTTPRoute",
        "metadata": {"name": f"web-{n:05}", "namespace": f"team-{n % 50}", "uid": f"{n:08x}-0000-4000-8000-000000000000",
                     "resourceVersion": str(100000 + n), "generation": 3, "creationTimestamp": "2026-01-01T00:00:00Z",
                     "labels": {"app": "web", "tier": "front"}, "annotations": {"example.com/checksum": f"{n:040x}"}},
        "spec": {"parentRefs": [reference], "hostnames": [f"web-{n}.example.com", f"www-{n}.example.com"],
                 "rules": [rule(i) for i in range(3)]},
        "status": {"parents": [{"parentRef": reference, "controllerName": "example.com/gateway",
                                "conditions": [condition(t) for t in ("Accepted", "ResolvedRefs")]}]}})
print(json.dumps({"kind": "HTTPRouteList", "apiVersion": "gateway.networking.k8s.io/v1beta1",
                  "metadata": {"resourceVersion": "1"}, "items": routes}, separators=(",", ":")))
END
reads routes.json
