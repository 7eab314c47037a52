#!/usr/bin/env bash
# Whatever a user gets wrong: one sentence on stderr, exit code 2 for a command line that makes no sense and 1 for the rest,
# and no file left behind. Usage: capsule_demo_errors.sh <capsule_demo> <scratch folder>
set -u
# shellcheck source=tests/apps/expect.sh
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

mkdir -p in/empty_folder in/folder/sub in/broken_depth
quick=(--device cpu --frames 1 --points 200 --samples 20 --layers 1 --headless)
echo "HIERARCHY" >in/cut.bvh
echo "nothing useful" >in/notes.txt
echo "{" >in/broken.json
echo '{"joints": {"no_such_joint": {"radius_m": 0.1}}}' >in/other.json
echo '{"place_m": [0, 0]}' >in/no_place.json
echo '{"place_m": [0, 0, 3], "angles_deg": {"tail": {"x": 1}}}' >in/tail.json
: >in/empty.xyz
printf 'ply\nformat ascii 1.0\nelement vertex 5\nend_header\n' >in/cut.ply
echo "broken" >in/broken_depth/0000.png
printf 'frame,joint,x_m,y_m,z_m\n0,head,zero,0,3\n' >in/joints.csv
echo "cam0=[1 0" >in/calib.txt
camera=(--intrinsics "285.6,285.6,160,120")
"$program" "${quick[@]}" --out good >/dev/null 2>&1 || complain "a small run fails"

# What makes no sense.
expect 2 "--nonsense" --nonsense
expect 2 "--help" surplus
expect 2 "exclude" --motion synthetic --cloud ../in/empty.xyz
expect 2 "--intrinsics" --depth ../in/broken_depth
expect 2 "--intrinsics" --depth ../in/broken_depth --intrinsics 1,2,3
expect 2 "--intrinsics" --depth ../in/broken_depth --intrinsics 0,1,2,3
expect 2 "--calib" --stereo left.png right.png
expect 2 "--stereo" --stereo left.png
expect 2 "--motion alone" --cloud ../in/empty.xyz --noise 0.1
expect 2 "BVH file alone" --every 2
expect 2 "not for --motion" --range 1,2
expect 2 "--truth" --truth ../in/joints.csv
expect 2 "--range" --cloud ../in/empty.xyz --range 3,1
expect 2 "--points" --points 0
expect 2 "--points" --points many
expect 2 "--samples" --samples 1
expect 2 "--layers" --layers 0
expect 2 "--frames" --frames 0
expect 2 "--noise" --noise -1
expect 2 "--outliers" --outliers 1.5
expect 2 "--sigma" --sigma 0
expect 2 "--surface" --surface
expect 2 "no surface" --surface inside
expect 2 "--height" --height 9
expect 2 "no device" --device gpu
expect 2 "names no GPUs" --device cuda:
expect 2 "names no GPUs" --device cuda:first
expect 2 "--motion" --motion ""
expect 2 "--start" --start ""
# What cannot be read.
expect 1 "missing.bvh" --motion ../in/missing.bvh
expect 1 "cut.bvh" --motion ../in/cut.bvh
expect 1 "notes.txt" --motion ../in/notes.txt
expect 1 "beyond" --motion ../good/poses.bvh --first 99 "${quick[@]}"
expect 1 "no_such_folder" --depth ../in/no_such_folder "${camera[@]}"
expect 1 "no image" --depth ../in/empty_folder "${camera[@]}"
expect 1 "0000.png" --depth ../in/broken_depth "${camera[@]}"
expect 1 "joints.csv" --depth ../in/broken_depth "${camera[@]}" --truth ../in/joints.csv
expect 1 "missing.csv" --depth ../in/broken_depth "${camera[@]}" --truth ../in/missing.csv
expect 1 "calib.txt" --stereo ../good/first.png ../good/first.png --calib ../in/calib.txt
expect 1 "missing.ply" --cloud ../in/missing.ply
expect 1 "cut.ply" --cloud ../in/cut.ply
expect 1 "empty.xyz" --cloud ../in/empty.xyz
expect 1 "no cloud" --cloud ../in/empty_folder
# Whom to follow.
expect 1 "missing.json" "${quick[@]}" --skeleton ../in/missing.json
expect 1 "broken.json" "${quick[@]}" --skeleton ../in/broken.json
expect 1 "other.json" "${quick[@]}" --skeleton ../in/other.json
expect 1 "missing.json" "${quick[@]}" --start ../in/missing.json
expect 1 "place_m" "${quick[@]}" --start ../in/no_place.json
expect 1 "tail" "${quick[@]}" --start ../in/tail.json
expect 1 "cut.bvh" "${quick[@]}" --start ../in/cut.bvh
# Where.
expect 1 "GPU" --frames 1 --points 200 --samples 20 --device cuda
expect 1 "GPU" --frames 1 --points 200 --samples 20 --device cuda:0,1
# What cannot be written.
expect 1 "cannot write" "${quick[@]}" --out ../in/notes.txt
expect 1 "cannot write" "${quick[@]}" --out ../in/notes.txt/sub
expect 1 "cannot write" "${quick[@]}" --out /proc/no_such_place
expect 1 "folder" "${quick[@]}" --csv ../in/folder
expect 1 "plain file" "${quick[@]}" --json /dev/null --out a/b/c

"$program" --help >stdout 2>stderr || complain "--help fails"
grep -q "Examples:" stdout || complain "--help has no examples"
[[ ! -s stderr ]] || complain "--help writes to stderr"

((failures == 0)) || { echo "$failures failures" >&2; exit 1; }
echo "all error cases are as they should be"
