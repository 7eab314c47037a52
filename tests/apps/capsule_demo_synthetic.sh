#!/usr/bin/env bash
# The synthetic walk, quickly: followed closely, every file written with its columns, the same poses for the same seed, and the
# poses that it wrote taken as input again. Usage: capsule_demo_synthetic.sh <capsule_demo> <scratch folder>
set -eu
# shellcheck source=tests/apps/summary.sh
source "$(dirname "${BASH_SOURCE[0]}")/summary.sh"
quick=(--device cpu --headless --points 2000 --samples 300 --layers 5)

"$program" "${quick[@]}" --frames 6 --out walk
for file in first.png last.png poses.csv poses.bvh frames.csv summary.json; do
  [[ -s walk/$file ]] || fail "walk/$file is missing"
done
[[ -s walk/capsule.mp4 || -s walk/capsule.avi ]] || fail "there is no video"
[[ -z $(find . -name '*.part-*') ]] || fail "temporary files are left"
[[ $(head -n 1 walk/poses.csv) == "frame,joint,x_m,y_m,z_m" ]] || fail "the columns of poses.csv"
[[ $(head -n 1 walk/frames.csv) == "frame,error_mm,worst_mm,worst_joint,effective_samples,points,tracking_ms,found,confidence,reason" ]] ||
  fail "the columns of frames.csv"
[[ $(wc -l <walk/frames.csv) == 7 ]] || fail "frames.csv has not a line for each of 6 frames"
joints=$(value walk/summary.json joint_count)
[[ $(wc -l <walk/poses.csv) == $((1 + 6 * joints)) ]] || fail "poses.csv has not a line for each joint of each frame"
awk -F ',' 'NF != 5 || (NR > 1 && ($3 $4 $5) !~ /^[-0-9.]+$/) { print "line " NR ": " $0; exit 1 }' walk/poses.csv
grep -q '^Frames: *6$' walk/poses.bvh || fail "poses.bvh has not 6 frames"
[[ $(value walk/summary.json frames) == 6 ]] || fail "the summary counts other frames"
[[ $(value walk/summary.json points) == 2000 ]] || fail "the summary counts other points"
[[ $(awk -F ',' 'NR > 1 && $8 == 1 && $9 > 0.5 && $10 == ""' walk/frames.csv | wc -l) == 6 ]] || fail "the walk is not found in every frame"
[[ $(value walk/summary.json found_frames) == 6 ]] || fail "the summary counts other frames as found"
for key in confidence reason mean_error_mm largest_error_mm joint_errors_mm effective_samples frames_per_second tracking_ms samples layers seed device; do
  grep -q "\"$key\"" walk/summary.json || fail "the summary lacks $key"
done
# A tenth of the samples and points of a real run: it must follow, not be exact.
check "mean joint error in mm" "$(value walk/summary.json mean_error_mm)" 60
check "less than 1 effective sample" "$(awk -v v="$(value walk/summary.json effective_samples)" 'BEGIN { print 1 - v }')" 0

# Seeds.
"$program" "${quick[@]}" --frames 2 --no-pictures --out once >/dev/null
"$program" "${quick[@]}" --frames 2 --no-pictures --out again --csv again.csv --json again.json >/dev/null
cmp once/poses.csv again.csv || fail "the same seed gives other poses"
[[ -s again.json && ! -e again/summary.json && ! -e again/poses.csv && ! -e again/first.png ]] || fail "files are elsewhere than asked"
"$program" "${quick[@]}" --frames 2 --no-pictures --seed 2 --out other >/dev/null
! cmp -s once/poses.csv other/poses.csv || fail "another seed gives the same poses"

# The motion it wrote, as a motion to be followed; and clouds about its joints, from its first pose on.
"$program" "${quick[@]}" --no-pictures --motion walk/poses.bvh --turn 0 --background --frames 2 --out motion >/dev/null
[[ $(value motion/summary.json frames) == 2 ]] || fail "a motion of its own is not followed"
for frame in 0 1; do
  awk -F ',' -v frame=$frame '
    BEGIN { srand(frame + 1) }
    NR > 1 && $1 == frame { for (i = 0; i < 60; ++i) print $3 + 0.1 * (rand() - 0.5), $4 + 0.1 * (rand() - 0.5), $5 + 0.05 * (rand() - 1) }
  ' walk/poses.csv >cloud$frame.xyz
done
# Balls of points about the joints are no body: poses of any confidence are wanted.
"$program" "${quick[@]}" --no-pictures --cloud cloud0.xyz cloud1.xyz --start walk/poses.bvh --min-confidence 0 --out clouds >/dev/null
[[ $(value clouds/summary.json frames) == 2 ]] || fail "clouds are not followed"
hips=$(awk -F ',' 'NR == 2 { print $5 }' walk/poses.csv)
check "metres between the given and the followed hips" \
  "$(awk -F ',' -v z="$hips" 'NR == 2 { d = $5 - z; print d < 0 ? -d : d }' clouds/poses.csv)" 0.3

# Units and axes are guessed and said, the floor is left out; options overrule the guess.
scene() { # scene <awk expression of the three numbers, of x y z in metres>
  awk -v low="$(awk -F ',' 'NR > 1 && $1 == 0 && (low == "" || $4 < low) { low = $4 } END { print low - 0.1 }' walk/poses.csv)" '
    { x = $1; y = $2; z = $3; print '"$1"' }
    END { srand(3); for (i = 0; i < 2500; ++i) { x = 4 * rand() - 2; y = low; z = 1.5 + 3 * rand(); print '"$1"' } }' cloud0.xyz
}
guess() { # guess <cloud> <arguments>
  "$program" "${quick[@]}" --no-pictures --start walk/poses.bvh --min-confidence 0 --out scene --cloud "$@" >said
}
guess cloud0.xyz
grep -q "guessed that a unit is 1 m.*axes are y up" said || fail "metres and y up are not guessed: $(cat said)"
scene '1000 * x, -1000 * y, 1000 * z' >room_mm.xyz
guess room_mm.xyz
grep -q "guessed that a unit is 0.001 m.*axes are y down, by the floor" said || fail "millimetres and y down are not guessed: $(cat said)"
grep -q "left out 1 large plane (floor, walls)" said || fail "the floor is not left out: $(cat said)"
hips_now() { awk -F ',' 'NR == 2 { print $3, $4, $5 }' scene/poses.csv; }
expected=$(hips_now)
scene 'x, z, y' >room_z.xyz
guess room_z.xyz
grep -q "axes are z up, by the floor" said || fail "z up is not guessed: $(cat said)"
echo "$expected $(hips_now)" | awk '{ exit !(($1 - $4) ^ 2 + ($2 - $5) ^ 2 + ($3 - $6) ^ 2 < 0.01) }' || fail "the same scene in other axes gives another pose"
guess room_z.xyz --unit m --axes z-up --keep-background
! grep -q "guessed\|left out" said || fail "what is given is guessed: $(cat said)"
[[ $(value scene/summary.json points) == 2000 ]] || fail "--keep-background leaves points out"
guess room_z.xyz --person 0,0
grep -q "left out" said || fail "--person keeps the background"

# A body that is not there: no positions, a reason, and a last line that says what to do.
awk 'BEGIN { srand(7); for (i = 0; i < 2000; ++i) print 2 * rand() - 1, 2 * rand() - 1, 2 + rand() }' >noise.xyz
"$program" "${quick[@]}" --cloud noise.xyz --start walk/poses.bvh --out nobody >said
[[ $(value nobody/summary.json found_frames) == 0 ]] || fail "a body is found in noise"
awk -F ',' 'NR > 1 && ($3 $4 $5) != "" { print; exit 1 }' nobody/poses.csv || fail "positions of a body that is not found are written"
awk -F ',' 'NR == 2 && ($8 != 0 || $9 > 0.5 || $10 == "") { print; exit 1 }' nobody/frames.csv || fail "the reason is missing"
[[ ! -e nobody/poses.bvh && -s nobody/first.png ]] || fail "the files of a body that is not found"
tail -n 1 said | grep -q "not found in 1 of 1 frames: .* of the points lie on the body" || fail "the last line does not say what to do: $(tail -n 1 said)"

echo '{"place_m": [0, 0, 3], "turn_deg": {"y": 10}, "angles_deg": {"left_shin": {"x": -20}}}' >pose.json
"$program" "${quick[@]}" --no-pictures --frames 1 --start pose.json --out json >/dev/null || fail "a pose of JSON is not taken"
