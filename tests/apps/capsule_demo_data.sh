#!/usr/bin/env bash
# Recorded data, a few frames of each kind: depth images with the sensor's joints and without, a motion that begins with an added
# pose, a stereo pair. Usage: capsule_demo_data.sh <capsule_demo> <scratch folder>
set -eu
# shellcheck source=tests/apps/summary.sh
source "$(dirname "${BASH_SOURCE[0]}")/summary.sh"
depth=$(data depth_mhad/a23_s1_t1)
motion=$(data mocap_cmu/02_01.bvh)
stereo=$(data stereo_middlebury)
quick=(--device cpu --no-pictures --points 2000 --samples 300 --layers 5)

camera=(--depth "$depth/depth" --intrinsics "285.6,285.6,160,120")
"$program" "${quick[@]}" "${camera[@]}" --truth "$depth/joints.csv" --frames 4 --out depth >/dev/null
check "mean difference from the sensor's joints in mm" "$(value depth/summary.json mean_error_mm)" 100
[[ $(grep -c '"largest"' depth/summary.json) == 20 ]] || fail "the summary has not 20 joints"

"$program" "${quick[@]}" "${camera[@]}" --frames 2 --out searched >/dev/null
grep -q "searched for" searched/summary.json || fail "the first pose was not searched for"
# The body stands where the points are: 2.6 to 3.2 m away.
awk -F ',' 'NR == 2 { exit !($5 > 2.6 && $5 < 3.2) }' searched/poses.csv || fail "the person was not found"

"$program" "${quick[@]}" --motion "$motion" --frames 3 --out motion >said
grep -q "starting with frame 1" said || fail "the added pose is not left out"
check "mean joint error in mm" "$(value motion/summary.json mean_error_mm)" 60
"$program" "${quick[@]}" --motion "$motion" --first 0 --frames 1 --out kept >said
! grep -q "starting with frame 1" said || fail "--first 0 does not keep the added pose"

"$program" "${quick[@]}" --stereo "$stereo/im0.png" "$stereo/im1.png" --calib "$stereo/calib.txt" --height 1 --out stereo >/dev/null
[[ $(value stereo/summary.json points) == 2000 ]] || fail "stereo gives too few points"
[[ $(value stereo/summary.json found_frames) == 0 ]] || fail "a motorcycle is taken for a body"
