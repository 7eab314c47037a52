#!/usr/bin/env bash
# IMM: learns ten people and finds the landmarks of two others, at least 80 % of the fits below an error of 0.05, the mean below
# 0.04. Usage: aam_demo_imm.sh <aam_demo> <scratch folder>
set -eu
# shellcheck source=tests/apps/summary.sh
source "$(dirname "${BASH_SOURCE[0]}")/summary.sh"
faces=$(data faces_imm)
mkdir -p learn/asf unseen/asf
for file in "$faces"/*.jpg; do
  name=$(basename "$file" .jpg)
  folder=learn
  [[ ${name%%_*} == 11 || ${name%%_*} == 12 ]] && folder=unseen
  ln -s "$file" "$folder/"
  ln -s "$faces/asf/$name.asf" "$folder/asf/"
done
"$program" train --images learn --out imm.aam --deformations 0
"$program" evaluate --model imm.aam --images unseen --json unseen.json
[[ $(value unseen.json fits) == 100 ]] || fail "not five starts for each of 20 images"
check "mean error on unseen people" "$(value unseen.json end_mean)" 0.04
check "share of errors above 0.05" "$(awk -v v="$(value unseen.json share_below_0.05)" 'BEGIN { print 1 - v }')" 0.2
