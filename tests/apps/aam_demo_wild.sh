#!/usr/bin/env bash
# LFPW: learns the first 150 faces and finds the landmarks of the last 50, at least 60 % of the fits below an error of 0.05.
# Usage: aam_demo_wild.sh <aam_demo> <scratch folder>
set -eu
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
program="$1"
scratch="$2"
faces="${TRIPTYCH_DATA_DIR:-}/faces_wild"
if [[ -z "${TRIPTYCH_DATA_DIR:-}" || ! -d $faces ]]; then
  echo "skipped: TRIPTYCH_DATA_DIR does not lead to faces_wild"
  exit 77
fi
rm -rf "$scratch"
mkdir -p "$scratch/learn" "$scratch/unseen"
cd "$scratch"
# shellcheck source=tests/apps/summary.sh
source "$here/summary.sh"
count=0
for file in "$faces"/*.pts; do
  folder=learn
  ((count < 150)) || folder=unseen
  count=$((count + 1))
  ln -s "$file" "${file%.pts}.jpg" "$folder/"
done
"$program" train --images learn --out wild.aam
"$program" evaluate --model wild.aam --images unseen --json unseen.json
[[ $(value unseen.json fits) == 250 ]] || fail "not five starts for each of 50 images"
check "share of errors above 0.05" "$(awk -v v="$(value unseen.json share_below_0.05)" 'BEGIN { print 1 - v }')" 0.4
