#!/usr/bin/env bash
# LFPW: learns the first 150 faces and finds the landmarks of the last 50, at least 60 % of the fits below an error of 0.05.
# Usage: aam_demo_wild.sh <aam_demo> <scratch folder>
set -eu
# shellcheck source=tests/apps/summary.sh
source "$(dirname "${BASH_SOURCE[0]}")/summary.sh"
faces=$(data faces_wild)
mkdir learn unseen
count=0
for file in "$faces"/*.pts; do
  folder=learn
  ((count < 150)) || folder=unseen
  count=$((count + 1))
  ln -s "$file" "${file%.pts}.jpg" "$folder/"
done
"$program" train --images learn --out wild.aam --deformations 2
"$program" evaluate --model wild.aam --images unseen --json unseen.json
[[ $(value unseen.json fits) == 250 ]] || fail "not five starts for each of 50 images"
check "share of errors above 0.05" "$(awk -v v="$(value unseen.json share_below_0.05)" 'BEGIN { print 1 - v }')" 0.4
