#!/usr/bin/env bash
# Synthetic faces all the way: made, learnt, found again in faces that were not learnt from, every file written as it should be.
# Usage: aam_demo_synthetic.sh <aam_demo> <scratch folder>
set -eu
# shellcheck source=tests/apps/summary.sh
source "$(dirname "${BASH_SOURCE[0]}")/summary.sh"

"$program" synth --out learn --count 100 --seed 1
"$program" synth --out unseen --count 20 --seed 2
[[ $(find learn -name '*.pgm' | wc -l) == 100 && $(find learn -name '*.pts' | wc -l) == 100 ]] || fail "100 faces"
cmp -s learn/face_00000.pgm unseen/face_00000.pgm && fail "other seeds make the same faces"
"$program" synth --out again --count 1 --seed 1 >/dev/null
{ cmp learn/face_00000.pgm again/face_00000.pgm && cmp learn/face_00000.pts again/face_00000.pts; } || fail "the same seed makes other faces"

"$program" train --images learn --out faces.aam --deformations 2
"$program" info faces.aam | tee info.txt
grep -q "68 landmarks" info.txt || fail "info does not say the landmarks"
"$program" evaluate --model faces.aam --images unseen --device cpu --json unseen.json --csv unseen.csv
[[ $(value unseen.json fits) == 100 ]] || fail "not five starts for each of 20 faces"
[[ $(wc -l <unseen.csv) == 101 ]] || fail "unseen.csv has not a line for each fit"
check "mean error on unseen faces" "$(value unseen.json end_mean)" 0.01
check "worst error on unseen faces" "$(value unseen.json end_worst)" 0.05
# A cascade completes its stages, or converges before: other fits are lost. Not all converge, since nothing asks them to.
ended=$(($(value unseen.json converged) + $(value unseen.json completed)))
check "fits that were lost" "$((100 - ended))" 0
[[ $(value unseen.json completed) -gt 0 ]] || fail "no fit of a cascade is called completed"
# The starts are what they should be: 6 % off.
check "0.03 against the starts' mean error" 0.03 "$(value unseen.json start_mean)"

# A model is the same whenever it is learnt from the same faces.
mkdir few && cp learn/face_0000?.* few
"$program" train --images few --out few.aam --pixels 2000 --deformations 1 >/dev/null
"$program" train --images few --landmarks few --out again/few.aam --pixels 2000 --deformations 1 >/dev/null
cmp few.aam again/few.aam || fail "the same faces give another model"

"$program" modes faces.aam --modes 3 --out modes
for file in mode_01.png mode_02.png mode_03.png modes.png; do [[ -s modes/$file ]] || fail "modes/$file is missing"; done

# Fits: a folder, an image, and landmarks that come out near the truth.
mkdir some && cp unseen/face_0000[0-3].pgm some
"$program" fit --model faces.aam --input some --init 66,66,124,124 --device cpu --headless --out fitted
for i in 0 1 2 3; do [[ -s fitted/face_0000$i.pts && -s fitted/face_0000$i.png ]] || fail "fitted/face_0000$i is missing"; done
pose="yaw_deg,pitch_deg,roll_deg,x_m,y_m,z_m,yaw_deg_sd,pitch_deg_sd,roll_deg_sd,x_m_sd,y_m_sd,z_m_sd"
[[ $(head -n 1 fitted/fits.csv) == "frame,name,found,status,residual,iterations,ms,confidence,reason,$pose" ]] || fail "the columns of fits.csv"
[[ $(wc -l <fitted/fits.csv) == 5 ]] || fail "fits.csv has not a line for each image"
[[ $(value fitted/summary.json found) == 4 ]] || fail "a face was not found"
# distance <a.pts> <b.pts>: mean distance of their points.
distance() {
  paste <(sed -n '/{/,/}/p' "$1" | grep -v '[{}]') <(sed -n '/{/,/}/p' "$2" | grep -v '[{}]') |
    awk '{ d += sqrt(($1 - $3) ^ 2 + ($2 - $4) ^ 2); n++ } END { print n == 68 ? d / n : "" }'
}
for i in 0 1 2 3; do
  check "px between truth and fit of face $i" "$(distance unseen/face_0000$i.pts fitted/face_0000$i.pts)" 2.5
done
# Poses: twice the focal length is, but for the perspective, twice the distance.
"$program" fit --model faces.aam --input some --init 66,66,124,124 --device cpu --no-pictures --focal 512 --smooth-pose --out focal
awk -F, 'FNR > 1 && FNR == NR { z[$1] = $15 } FNR > 1 && FNR != NR && ($15 < 1.9 * z[$1] || $15 > 2.1 * z[$1] || $21 <= 0) { bad = 1 }
  END { exit bad }' fitted/fits.csv focal/fits.csv || fail "--focal 512 does not double the distance"
[[ $(value focal/summary.json focal_px) == 512.0 ]] || fail "the summary does not have the focal length"
check "0.2 m against the distance" 0.2 "$(value fitted/summary.json z_m)"
"$program" fit --model faces.aam --input unseen/face_00004.pgm --device cpu --no-pictures --out searched
[[ ! -e searched/face_00004.png ]] || fail "pictures in spite of --no-pictures"
[[ $(value searched/summary.json searches) == 1 ]] || fail "a search is not counted"
check "ms of the fit against ms in all" "$(value searched/summary.json mean_ms)" "$(value searched/summary.json mean_total_ms)"
check "px between truth and fit after a search" "$(distance unseen/face_00004.pts searched/face_00004.pts)" 2.5
"$program" fit --model faces.aam --input unseen/face_00004.pgm --init 66,66,124,124 --algorithm simultaneous --no-pictures --out simultaneous
[[ $(value simultaneous/summary.json frames) == 1 ]] || fail "another algorithm does not fit"

# The model that a user's environment names is the default, and the image needs no option.
TRIPTYCH_FACE_MODEL=$PWD/faces.aam "$program" fit unseen/face_00004.pgm --device cpu --no-pictures --out by_default
cmp searched/face_00004.pts by_default/face_00004.pts || fail "the default model fits otherwise than the same model by name"
[[ $(value by_default/summary.json faces) == 1 ]] || fail "the faces are not counted"

# No face: no landmarks, a reason, and a last line that says what to do; whether the place is given or searched for.
mkdir none && { printf 'P5\n128 128\n255\n' && tail -c 16384 faces.aam; } >none/noise.pgm
for options in "--init 20,20,80,80" "" "--track"; do
  # shellcheck disable=SC2086
  "$program" fit --model faces.aam --input none $options --device cpu --headless --out nothing >said.txt || fail "no face is an error"
  [[ -z $(find nothing -name '*.pts') ]] || fail "landmarks of what is no face"
  [[ $(value nothing/summary.json found) == 0 ]] || fail "noise is a face with '$options'"
  tail -n 1 said.txt | grep -q "no face in 1 of 1 frames.*\(start on the face\|--init\)" || fail "the last line does not say what to do: $(tail -n 1 said.txt)"
  tail -n 1 nothing/fits.csv | grep -q '^0,noise,0,\(lost_no_face\|no_face\|lost_[a-z]*\),.*",,,,,,,,,,,,$' || fail "fits.csv: $(tail -n 1 nothing/fits.csv)"
  rm -r nothing
done

# Everything at once, briefly.
"$program" --out all --frames 20 --headless --device cpu
for file in faces.png faces.aam modes.png first.png last.png fits.csv summary.json; do [[ -s all/$file ]] || fail "all/$file is missing"; done
[[ -s all/aam.mp4 || -s all/aam.avi ]] || fail "there is no video"
[[ $(value all/summary.json found) == 20 ]] || fail "the face of the video was lost"
check "mean error in the video" "$(value all/summary.json mean_error)" 0.015
[[ -z $(find . -name '*.part-*') ]] || fail "temporary files are left"
