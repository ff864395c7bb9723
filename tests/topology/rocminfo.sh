#!/bin/sh
# rocminfo.sh WAVELIFT ROCMINFO: AMD's rocminfo, as the distribution has it, tells our devices (two, for gfx90a).
set -eu
printed=$("$1" run "$2" 2>&1) || { echo "$printed"; exit 1; }
for wanted in 'ROCk module \(version .* \)\?is loaded' 'Name: *amdgcn-amd-amdhsa--gfx90a' 'Agent 3' 'Device Type: *GPU' 'Wavefront Size: *64(0x40)' 'SEGMENT\|Segment: *GLOBAL; FLAGS: COARSE GRAINED'; do
    echo "$printed" | grep -q "$wanted" || { echo "rocminfo does not print: $wanted"; echo "$printed"; exit 1; }
done
