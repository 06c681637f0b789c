#!/bin/sh
# Fetches the logs of this pod. The logs in order of their names are cut into as many shares as the Job has completions: logs
# of one share are neighbours, so that most requests begin and end in the same share.
set -eu
rclone lsf --recursive --files-only "$STORE/logs" | LC_ALL=C sort > "$WORK/all"
all=$(wc -l < "$WORK/all")
first=$((JOB_COMPLETION_INDEX * all / COMPLETIONS + 1))
last=$(((JOB_COMPLETION_INDEX + 1) * all / COMPLETIONS))
awk -v first="$first" -v last="$last" 'NR >= first && NR <= last' "$WORK/all" > "$WORK/share"
echo "share $JOB_COMPLETION_INDEX of $COMPLETIONS: logs $first to $last of $all"
rclone copy --files-from "$WORK/share" "$STORE/logs" "$WORK/logs"
