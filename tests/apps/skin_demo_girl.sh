#!/usr/bin/env bash
# Follows the head of the sequence Girl, calibrated on the first frame's true box: in at least 75 % of the frames its middle
# must be within half a box of the truth. Then without a box, on the face that OpenCV's detector finds: at least half of the frames,
# nine of ten of those in which a head is found; and none in a photo of a motorcycle.
# Usage: skin_demo_girl.sh <skin_demo> <scratch folder>; TRIPTYCH_CASCADE: the detector's file
set -eu
# shellcheck source=tests/apps/summary.sh
source "$(dirname "${BASH_SOURCE[0]}")/summary.sh"
sequence=$(data head_girl)
truth="$sequence/groundtruth_rect.txt"
box=$(head -n 1 "$truth" | tr -d '\r' | tr '\t ' ',,')

# right TRACK SHARE OF_FOUND: wants so many percent of the frames, and of those with a head found.
# Columns of the track: frame,x_px,y_px,area,found,distance,latency_us,confidence,reason; of the truth: x y width height.
right() {
  tail -n +2 "$1" | paste -d ',' - <(tr -d '\r' <"$truth" | tr '\t ' ',,') | awk -F ',' -v share="$2" -v of_found="$3" '
    function size(v) { return v < 0 ? -v : v }
    NF != 13 { print "line " NR " has " NF " columns instead of 13"; bad = 1; exit 1 }
    $5 == 1 { found++ }
    $5 == 1 && size($2 - $10 - $12 / 2) <= $12 / 2 && size($3 - $11 - $13 / 2) <= $13 / 2 { near++ }
    END {
      if (bad || NR == 0) exit 1
      printf "within half a box in %d of %d frames, at least %d %% wanted; found in %d, at least %d %% of these wanted\n", near, NR, share, found, of_found
      exit 100 * near < share * NR || 100 * near < of_found * found
    }'
}

"$program" --input "$sequence/img" --calibrate "$box" --gate --no-pictures --csv girl.csv --json girl.json
right girl.csv 75 90

cascade=${TRIPTYCH_CASCADE:-/usr/share/opencv4/haarcascades/haarcascade_frontalface_default.xml}
if [[ ! -e $cascade ]]; then
  echo "not tried without a box: there is no $cascade (package opencv-data)"
  exit 0
fi
"$program" --input "$sequence/img" --cascade "$cascade" --no-pictures --csv detected.csv | tee detected.txt
grep -q "the face that was detected" detected.txt || fail "no face was detected in the first frame"
right detected.csv 50 90
motorcycle=$(data stereo_middlebury)/im0.png
"$program" --input "$motorcycle" --cascade "$cascade" --no-pictures --json motorcycle.json | tee motorcycle.txt
grep -q "no face was detected" motorcycle.txt || fail "a motorcycle was taken for a face"
[[ $(value motorcycle.json found) == 0 ]] || fail "a head was found on a motorcycle"
