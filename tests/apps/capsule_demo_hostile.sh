#!/usr/bin/env bash
# What a hostile user tries, beyond capsule_demo_errors.sh: one sentence that names the option or the file, the exit code, no file
# left behind. Usage: capsule_demo_hostile.sh <capsule_demo> <scratch folder>
set -u
# shellcheck source=tests/apps/expect.sh
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
mkdir -p in/folder.bvh in/folder.ply in/eight
quick=(--device cpu --frames 1 --points 200 --samples 20 --layers 1 --headless)
"$program" --device cpu --frames 2 --points 200 --samples 20 --layers 1 --no-pictures --out good >/dev/null 2>&1 || complain "a small run fails"
sed '$ s/[^ ]*$/1e30/' good/poses.bvh >in/angle.bvh
sed '/^Frame Time/,$ { /^Frame Time/! s/^[^ ]*/1e30/ }' good/poses.bvh >in/place.bvh
sed '$ s/[^ ]*$/nan/' good/poses.bvh >in/nan.bvh
sed 's/^Frames:.*/Frames: 1000000000000/' good/poses.bvh >in/frames.bvh
sed 's/^Frame Time:.*/Frame Time: 0/' good/poses.bvh >in/time.bvh
for i in 1 2 3 4 5 6 7 8; do echo "0.$i 0.$i -$i"; done >in/behind.xyz
for i in 1 2 3 4 5 6 7 8; do echo "0.$i 0.$i ${i}500"; done >in/far.xyz
for i in 1 2 3 4 5 6 7 8; do echo "nan nan nan"; done >in/nan.xyz
for i in 1 2 3 4 5 6 7 8; do echo "0.$i 0.$i 1e300"; done >in/infinite.xyz
for i in 1 2 3 4 5 6 7 8; do echo "0.$i 0.$i 3"; done >in/few.xyz
head -c 3000 /dev/urandom >in/noise.xyz
printf 'ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 1\n' >in/many.ply
printf 'P5 8 8 255\n%64s' ' ' >in/eight/0.pgm
echo '{"place_m": [0, 0, 1e39]}' >in/away.json
echo '{"joints": []}' >in/no_joints.json
camera=(--intrinsics "285.6,285.6,160,120")

expect 2 "--points wants a whole number from 100 to 10000000, not '1000000000000'" --points 1000000000000
expect 2 "--points" --points -4
expect 2 "--points" --points 1e4
expect 2 "--samples" --samples 99999999999999999999
expect 2 "--layers" --layers nan
expect 2 "--seed" --seed -1
expect 2 "--sigma" --sigma inf
expect 2 "--tau" --tau nan
expect 2 "--turn" --motion ../good/poses.bvh --turn 1e30
expect 2 "--every" --motion ../good/poses.bvh --every 0
expect 2 "--first" --motion ../good/poses.bvh --first -2
expect 2 "--rate" --cloud ../in/few.xyz --rate 0
expect 2 "--unit" --cloud ../in/few.xyz --unit -1
expect 2 "--unit" --cloud ../in/few.xyz --unit inch
expect 2 "--axes" --cloud ../in/few.xyz --axes x-up
expect 2 "--axes" --cloud ../in/few.xyz --axes y-up --y-down
expect 2 "--axes is for --cloud alone" --axes y-up
expect 2 "--person" --cloud ../in/few.xyz --person 1
expect 2 "--person" --cloud ../in/few.xyz --person nan,0
expect 2 "--keep-background" --keep-background
expect 2 "--min-confidence" --min-confidence 2
expect 2 "--range" --cloud ../in/few.xyz --range nan,nan
expect 2 "--frames" --frames 1 --frames 2
expect 2 "--frames 1000000" --frames 1000000
expect 2 "--device" --device
expect 2 "--intrinsics" --depth ../in/eight --intrinsics nan,1,1,1
expect 1 "degrees" --motion ../in/angle.bvh "${quick[@]}"
expect 1 "place.bvh" --motion ../in/place.bvh "${quick[@]}"
expect 1 "nan.bvh" --motion ../in/nan.bvh "${quick[@]}"
expect 1 "frames.bvh" --motion ../in/frames.bvh "${quick[@]}"
expect 1 "time.bvh" --motion ../in/time.bvh "${quick[@]}"
expect 1 "folder.bvh" --motion ../in/folder.bvh "${quick[@]}"
expect 1 "angle.bvh" "${quick[@]}" --start ../in/angle.bvh
expect 1 "angle.bvh" "${quick[@]}" --skeleton ../in/angle.bvh
expect 1 "behind.xyz: all of its 8 points lie behind the camera" "${quick[@]}" --cloud ../in/behind.xyz
expect 1 "far.xyz: 8 of its points lie more than 1000 m from the camera" "${quick[@]}" --cloud ../in/far.xyz
expect 1 "nan.xyz" "${quick[@]}" --cloud ../in/nan.xyz
expect 1 "infinite.xyz" "${quick[@]}" --cloud ../in/infinite.xyz
expect 1 "few.xyz" "${quick[@]}" --cloud ../in/few.xyz --range 10,20
expect 1 "noise.xyz" "${quick[@]}" --cloud ../in/noise.xyz
expect 1 "many.ply" "${quick[@]}" --cloud ../in/many.ply
expect 1 "folder.ply" "${quick[@]}" --cloud ../in/folder.ply
expect 1 "0.pgm" "${quick[@]}" --depth ../in/eight "${camera[@]}"
expect 1 "away.json" "${quick[@]}" --start ../in/away.json
expect 1 "no_joints.json" "${quick[@]}" --skeleton ../in/no_joints.json
expect 1 "/dev/null" "${quick[@]}" --cloud /dev/null

# Names that are not UTF-8, and with spaces.
cp good/poses.bvh $'in/caf\xe9 au lait.bvh'
rm -rf run && mkdir run
(cd run && exec "$program" "${quick[@]}" --motion $'../in/caf\xe9 au lait.bvh' --out $'o\xe9' >../stdout 2>../stderr </dev/null) ||
  complain "a name that is not UTF-8: $(cat stderr)"
grep -q '"complete": true' run/o*/summary.json || complain "no summary for a name that is not UTF-8"

((failures == 0)) || { echo "$failures failures" >&2; exit 1; }
echo "all hostile inputs are answered"
