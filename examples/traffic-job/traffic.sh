#!/bin/sh
# Makes the partial result of this pod's share, and stores it.
set -eu
cd "$WORK/logs" 2>/dev/null || cd "$WORK"
set --
while IFS= read -r log; do
    set -- "$@" "$log"
done < "$WORK/share"
if [ "$#" -eq 0 ]; then
    echo "the share $JOB_COMPLETION_INDEX is empty: there are more completions than logs"
    exit 0
fi
# The words for redacted names are the same in all pods, because the key is.
kubectl-flowcontrol traffic --audit-log "$@" -f "$OBJECTS" --kubernetes "$RELEASE" ${REDACT_KEY:+"--redact=$REDACT_KEY"} \
    --partial "$WORK/partial.json" --force
rclone copyto "$WORK/partial.json" "$STORE/partial/$RUN/$JOB_COMPLETION_INDEX.json"
