"""The work of the example `tortured` with Python's client `kubernetes`, written as its documentation suggests."""

import sys
import threading
import time

from kubernetes import client, config, watch
from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError

SELECTOR = "example.com/tortured=yes"
LEVELS, UPDATES = 6, 2
PAUSE = 0.1

config.load_kube_config()
api = client.FlowcontrolApiserverV1Api()
seen = {}


def pause(error):
    if isinstance(error, ApiException):
        if error.status not in (0, 404, 409, 410, 429, 500, 503, 504):
            raise error
        seconds = (error.headers or {}).get("Retry-After")
        time.sleep(float(seconds) if seconds else PAUSE)
    else:
        time.sleep(PAUSE)


def patiently(call):
    while True:
        try:
            return call()
        except (ApiException, HTTPError, OSError) as error:
            pause(error)


def level(name):
    return {
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "PriorityLevelConfiguration",
        "metadata": {"name": name, "labels": {"example.com/tortured": "yes"}},
        "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
    }


def follow():
    while True:
        try:
            items = api.list_priority_level_configuration(label_selector=SELECTOR)
            seen.clear()
            seen.update({one.metadata.name: one.metadata.resource_version for one in items.items})
            stream = watch.Watch().stream(
                api.list_priority_level_configuration,
                label_selector=SELECTOR,
                resource_version=items.metadata.resource_version,
            )
            for event in stream:
                metadata = event["object"].metadata
                if event["type"] == "DELETED":
                    seen.pop(metadata.name, None)
                else:
                    seen[metadata.name] = metadata.resource_version
        except (ApiException, HTTPError, OSError, ValueError) as error:
            if isinstance(error, ValueError):
                time.sleep(PAUSE)
            else:
                pause(error)


def create(name):
    while True:
        try:
            return api.create_priority_level_configuration(level(name))
        except ApiException as error:
            if error.status == 409:
                return None
            pause(error)
        except (HTTPError, OSError) as error:
            pause(error)
        try:
            return api.read_priority_level_configuration(name)
        except (ApiException, HTTPError, OSError) as error:
            pause(error)


def list_pages():
    count, token = 0, None
    while True:
        page = api.list_priority_level_configuration(label_selector=SELECTOR, limit=2, _continue=token)
        count += len(page.items)
        token = page.metadata._continue
        if not token:
            return count


def write(writer):
    for number in range(UPDATES):

        def update():
            current = api.read_priority_level_configuration("tortured-0")
            annotations = current.metadata.annotations or {}
            annotations[f"example.com/{writer}-{number}"] = "done"
            current.metadata.annotations = annotations
            api.replace_priority_level_configuration("tortured-0", current)

        patiently(update)


def delete(name):
    try:
        api.delete_priority_level_configuration(name)
    except ApiException as error:
        if error.status != 404:
            raise


def check(holds, wrong):
    if not holds:
        sys.exit(wrong)


threading.Thread(target=follow, daemon=True).start()
names = [f"tortured-{number}" for number in range(LEVELS)]
for one in names:
    create(one)
check(patiently(list_pages) == LEVELS, "a list in pages is not complete")
writers = [threading.Thread(target=write, args=(writer,)) for writer in "abc"]
for one in writers:
    one.start()
for one in writers:
    one.join()
for one in names[LEVELS // 2 :]:
    patiently(lambda: delete(one))
truth = patiently(lambda: api.list_priority_level_configuration(label_selector=SELECTOR)).items
check(len(truth) == LEVELS // 2, "objects are missing or doubled")
done = [value for one in truth for value in (one.metadata.annotations or {}).values() if value == "done"]
check(len(done) == 3 * UPDATES, "an update was lost")
expected = {one.metadata.name: one.metadata.resource_version for one in truth}
while seen != expected:
    time.sleep(PAUSE)
print("done")
