#!/bin/sh
# Adds up the partial results of a run, and stores the report as JSON and as a web page.
set -eu
rclone copy "$STORE/partial/$RUN" "$WORK/partial"
set -- "$WORK"/partial/*.json
if [ ! -e "$1" ]; then
    echo "the run $RUN has no partial results in $STORE/partial/$RUN" >&2
    exit 1
fi
mkdir -p "$WORK/report"
kubectl-flowcontrol traffic merge "$@" --output json --html "$WORK/report/traffic.html" --force > "$WORK/report/traffic.json"
rclone copy "$WORK/report" "$STORE/report/$RUN"
