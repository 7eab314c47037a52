#!/usr/bin/env bash
# The built-in video: the centroid within half a pixel of the truth, the head followed in every frame beside a distractor, and
# every picture written. Usage: skin_demo_synthetic.sh <skin_demo> <scratch folder>
set -eu
# shellcheck source=tests/apps/summary.sh
source "$(dirname "${BASH_SOURCE[0]}")/summary.sh"

"$program" --no-pictures --json plain.json
check "largest error in px without distractor" "$(value plain.json largest)" 0.5
check "frames without a head" "$(($(value plain.json frames) - $(value plain.json found)))" 0

"$program" --no-pictures --distractor --gate --json gated.json --csv gated.csv
check "largest error in px with a distractor, gated" "$(value gated.json largest)" 5
check "frames without a head" "$(($(value gated.json frames) - $(value gated.json found)))" 0
[[ $(head -n 1 gated.csv) == "frame,x_px,y_px,area,found,distance,latency_us,confidence,reason" ]]

"$program" --size 320x240 --frames 5 --hcp --smooth --headless --out pictures
for file in first.png last.png heat_map.png; do
  [[ -s pictures/$file ]]
done
[[ -s pictures/skin.mp4 || -s pictures/skin.avi ]]
[[ -z $(find . -name '*.part-*') ]]

# Where the time goes, and the distance that the first frame is taken to have.
"$program" --size 320x240 --frames 2 --no-pictures --reference-distance 1.2 --csv far.csv --json far.json >far.txt
grep -q "ms per frame: reading .*, tracking .*, drawing .*, encoding " far.txt
grep -q '"ms_per_frame"' far.json
awk -F ',' 'NR == 2 { exit !($6 > 1.15 && $6 < 1.25) }' far.csv

# A wall of skin colour is no head: no positions, a reason in each line, and a last line that says what to do. Exit code 0.
awk 'BEGIN { printf "P3 160 120 255\n"; for (i = 0; i < 160 * 120; ++i) print "220 170 140" }' >wall.ppm
"$program" --input wall.ppm --no-pictures --csv wall.csv --json wall.json >wall.txt
[[ $(value wall.json found) == 0 ]]
awk -F ',' 'NR == 2 { exit !(NF == 9 && $2 == "" && $3 == "" && $4 == "" && $5 == 0 && $6 == "" && $8 == "0.0000" && $9 != "") }' wall.csv
tail -n 1 wall.txt | grep -q "found in 0 of 1 frames.*--calibrate X,Y,W,H --gate"
"$program" --input wall.ppm --no-pictures --min-confidence 0 --csv any.csv >any.txt
awk -F ',' 'NR == 2 { exit !(NF == 9 && $2 != "" && $5 == 1 && $9 == "") }' any.csv
if grep -q "what to do\|--calibrate X,Y" any.txt; then exit 1; fi

# A start box with a filter that was given: the head beside the distractor is followed.
"$program" --frames 30 --no-pictures --distractor --filter 0.022,-0.016,-0.007,-0.35 --start 520,230,240,300 --json start.json >start.txt
check "frames without a head" "$(($(value start.json frames) - $(value start.json found)))" 0
check "largest error in px from a start box" "$(value start.json largest)" 30
