#!/usr/bin/env bash
# Follows the head of the sequence Girl, calibrated on the first frame's true box: in at least 75 % of the frames its middle
# must be within half a box of the truth. Usage: skin_demo_girl.sh <skin_demo> <scratch folder>
set -eu
program="$1"
scratch="$2"
sequence="${TRIPTYCH_DATA_DIR:-}/head_girl"
truth="$sequence/groundtruth_rect.txt"
if [[ -z "${TRIPTYCH_DATA_DIR:-}" || ! -f $truth ]]; then
  echo "skipped: TRIPTYCH_DATA_DIR does not lead to head_girl"
  exit 77
fi
mkdir -p "$scratch"
box=$(head -n 1 "$truth" | tr -d '\r' | tr '\t ' ',,')
"$program" --input "$sequence/img" --calibrate "$box" --gate --no-pictures --csv "$scratch/girl.csv" --json "$scratch/girl.json"

# Columns of the track: frame,x_px,y_px,area,found,distance,latency_us; of the truth: x y width height.
tail -n +2 "$scratch/girl.csv" | paste -d ',' - <(tr -d '\r' <"$truth" | tr '\t ' ',,') | awk -F ',' '
  function size(v) { return v < 0 ? -v : v }
  NF != 11 { print "line " NR " has " NF " columns instead of 11"; bad = 1; exit 1 }
  $5 == 1 && size($2 - $8 - $10 / 2) <= $10 / 2 && size($3 - $9 - $11 / 2) <= $11 / 2 { near++ }
  END {
    if (bad || NR == 0) exit 1
    printf "within half a box in %d of %d frames: %.1f %%, at least 75 %% wanted\n", near, NR, 100 * near / NR
    exit 100 * near < 75 * NR
  }'
