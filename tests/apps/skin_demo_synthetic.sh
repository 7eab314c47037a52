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
[[ $(head -n 1 gated.csv) == "frame,x_px,y_px,area,found,distance,latency_us" ]]

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
