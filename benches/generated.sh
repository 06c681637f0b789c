#!/usr/bin/env bash
# Types of the whole API from the generator, beside k8s-openapi: lines, build costs, decoding and memory of a list of 5,000 Pods.
#
#   generated.sh DOCUMENT...    OpenAPI documents of a server, such as `kubectl get --raw /openapi/v3/api/v1 > core.json`;
#                               among them those of `core/v1` and `apps/v1`
source "$(dirname "${BASH_SOURCE[0]}")/sides.sh"
cd "$work"

ours core_v1::PodList
package peer 'k8s-openapi = { version = "0.29", features = ["v1_36"] }'
echo 'pub use k8s_openapi as generated;' >peer/src/lib.rs
programs peer 'k8s_openapi::List<k8s_openapi::api::core::v1::Pod>' 'serde_json::from_str'

echo "lines, whole API: $(cat ours/src/generated/*.rs | wc -l)"
echo "lines, core and apps: $(cat ours/src/generated/{core_v1,apps_v1}.rs | wc -l)"
builds ours k8s-openapi

python3 - >pods.json <<'END'
import json
pods = []
for n in range(5000):
    name = f"web-{n:05}"
    mount = [{"name": v, "mountPath": f"/var/{v}", "readOnly": True} for v in ("config", "token", "cache")]
    container = lambda c: {
        "name": c, "image": f"registry.example.com/team/{c}:1.2.{n % 9}", "args": ["--listen=:8080", "--verbose"],
        "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
        "env": [{"name": "POD", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
                {"name": "LEVEL", "value": "info"}],
        "resources": {"limits": {"cpu": "500m", "memory": "256Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
        "volumeMounts": mount,
        "livenessProbe": {"httpGet": {"path": "/live", "port": "http", "scheme": "HTTP"}, "timeoutSeconds": 1,
                          "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3},
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}}
    condition = lambda t: {"type": t, "status": "True", "lastProbeTime": None, "lastTransitionTime": "2026-01-01T00:00:00Z"}
    state = lambda c: {"name": c, "ready": True, "started": True, "restartCount": 0,
                       "image": f"registry.example.com/team/{c}:1.2.{n % 9}",
                       "imageID": f"registry.example.com/team/{c}@sha256:{n:064x}", "containerID": f"containerd://{n:064x}",
                       "lastState": {}, "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}
    fields = {"f:metadata": {"f:labels": {".": {}, "f:app": {}, "f:tier": {}}, "f:ownerReferences": {".": {}}},
              "f:spec": {"f:containers": {f'k:{{"name":"{c}"}}': {".": {}, "f:args": {}, "f:env": {".": {}}, "f:image": {},
                         "f:livenessProbe": {".": {}, "f:httpGet": {}}, "f:name": {}, "f:ports": {".": {}},
                         "f:resources": {".": {}}} for c in ("app", "proxy")}, "f:dnsPolicy": {}, "f:restartPolicy": {}}}
    pods.append({
        "metadata": {"name": name, "generateName": "web-", "namespace": f"team-{n % 50}", "uid": f"{n:08x}-0000-4000-8000-000000000000",
                     "resourceVersion": str(100000 + n), "creationTimestamp": "2026-01-01T00:00:00Z",
                     "labels": {"app": "web", "tier": "front", "pod-template-hash": "5d4f8c7b9"},
                     "annotations": {"example.com/checksum": f"{n:040x}"},
                     "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": f"{n:036x}",
                                          "controller": True, "blockOwnerDeletion": True}],
                     "managedFields": [{"manager": m, "operation": "Update", "apiVersion": "v1", "time": "2026-01-01T00:00:00Z",
                                        "fieldsType": "FieldsV1", "fieldsV1": fields} for m in ("kube-controller-manager", "kubelet")]},
        "spec": {"volumes": [{"name": "config", "configMap": {"name": "web", "defaultMode": 420}},
                             {"name": "cache", "emptyDir": {}},
                             {"name": "token", "projected": {"defaultMode": 420, "sources": [
                                 {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                                 {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}]}}],
                 "containers": [container("app"), container("proxy")], "restartPolicy": "Always",
                 "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst", "serviceAccountName": "web",
                 "nodeName": f"node-{n % 100}", "schedulerName": "default-scheduler", "enableServiceLinks": True,
                 "tolerations": [{"key": f"node.kubernetes.io/{k}", "operator": "Exists", "effect": "NoExecute",
                                  "tolerationSeconds": 300} for k in ("not-ready", "unreachable")]},
        "status": {"phase": "Running", "conditions": [condition(t) for t in ("Initialized", "Ready", "ContainersReady", "PodScheduled")],
                   "hostIP": "10.0.0.1", "podIP": "10.1.0.1", "podIPs": [{"ip": "10.1.0.1"}],
                   "startTime": "2026-01-01T00:00:00Z", "containerStatuses": [state("app"), state("proxy")], "qosClass": "Burstable"}})
print(json.dumps({"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": pods}, separators=(",", ":")))
END
reads pods.json
