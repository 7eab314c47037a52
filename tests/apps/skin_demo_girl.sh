#!/usr/bin/env bash
# Follows the head of the sequence Girl, calibrated on the first frame's true box: in at least 75 % of the frames its middle
# must be within half a box of the truth. Usage: skin_demo_girl.sh <skin_demo> <scratch folder>
set -eu
# shellcheck source=tests/apps/summary.sh
source "$(dirname "${BASH_SOURCE[0]}")/summary.sh"
sequence=$(data head_girl)
truth="$sequence/groundtruth_rect.txt"
box=$(head -n 1 "$truth" | tr -d '\r' | tr '\t ' ',,')
"$program" --input "$sequence/img" --calibrate "$box" --gate --no-pictures --csv girl.csv --json girl.json

# Columns of the track: frame,x_px,y_px,area,found,distance,latency_us,confidence,reason; of the truth: x y width height.
tail -n +2 girl.csv | paste -d ',' - <(tr -d '\r' <"$truth" | tr '\t ' ',,') | awk -F ',' '
  function size(v) { return v < 0 ? -v : v }
  NF != 13 { print "line " NR " has " NF " columns instead of 13"; bad = 1; exit 1 }
  $5 == 1 && size($2 - $10 - $12 / 2) <= $12 / 2 && size($3 - $11 - $13 / 2) <= $13 / 2 { near++ }
  END {
    if (bad || NR == 0) exit 1
    printf "within half a box in %d of %d frames: %.1f %%, at least 75 %% wanted\n", near, NR, 100 * near / NR
    exit 100 * near < 75 * NR
  }'
