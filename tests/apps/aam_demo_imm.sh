#!/usr/bin/env bash
# IMM: learns ten people and finds the landmarks of two others, at least 80 % of the fits below an error of 0.05, the mean below
# 0.04. Usage: aam_demo_imm.sh <aam_demo> <scratch folder>
set -eu
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
program="$1"
scratch="$2"
faces="${TRIPTYCH_DATA_DIR:-}/faces_imm"
if [[ -z "${TRIPTYCH_DATA_DIR:-}" || ! -d $faces/asf ]]; then
  echo "skipped: TRIPTYCH_DATA_DIR does not lead to faces_imm"
  exit 77
fi
rm -rf "$scratch"
mkdir -p "$scratch/learn/asf" "$scratch/unseen/asf"
cd "$scratch"
# shellcheck source=tests/apps/summary.sh
source "$here/summary.sh"
for file in "$faces"/*.jpg; do
  name=$(basename "$file" .jpg)
  folder=learn
  [[ ${name%%_*} == 11 || ${name%%_*} == 12 ]] && folder=unseen
  ln -s "$file" "$folder/"
  ln -s "$faces/asf/$name.asf" "$folder/asf/"
done
"$program" train --images learn --out imm.aam
"$program" evaluate --model imm.aam --images unseen --json unseen.json
[[ $(value unseen.json fits) == 100 ]] || fail "not five starts for each of 20 images"
check "mean error on unseen people" "$(value unseen.json end_mean)" 0.04
check "share of errors above 0.05" "$(awk -v v="$(value unseen.json share_below_0.05)" 'BEGIN { print 1 - v }')" 0.2
