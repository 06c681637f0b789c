#!/bin/sh
# Completion of `kubectl flowcontrol`: kubectl runs this program, which must be in the PATH as kubectl_complete-flowcontrol.
exec kubectl-flowcontrol __complete -- "$@"
