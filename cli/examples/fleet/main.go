package main

import _ "k8s.io/api/flowcontrol/v1beta2"
