#!/usr/bin/env bash
# Whatever a user gets wrong: one sentence on stderr, exit code 2 for a command line that makes no sense and 1 for the rest,
# and no file left behind. Usage: skin_demo_errors.sh <skin_demo> <scratch folder>
set -u
# shellcheck source=tests/apps/expect.sh
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

mkdir -p in/empty_folder in/folder/sub
echo "this is no picture" >in/notes.txt
: >in/empty.png
echo "broken" >in/folder/0001.jpg
echo "{" >in/model.json
echo '1,2,3,9' >in/pixels.csv
: >in/no_pixels.csv
"$program" --size 96x64 --frames 2 --headless --out good >/dev/null 2>&1 || complain "a small run fails"
head -c 200 good/first.png >in/cut.png
head -c 300 good/skin.* >in/cut.mp4
quick=(--size 96x64 --frames 2 --headless)

# What cannot be read.
expect 1 "No such file" --input ../in/there_is_no_such_file.mp4
expect 1 "no_such_folder" --input ../in/no_such_folder/
expect 1 "notes.txt" --input ../in/notes.txt
expect 1 "empty" --input ../in/empty.png
expect 1 "cut.png" --input ../in/cut.png
expect 1 "cut.mp4" --input ../in/cut.mp4
expect 1 "no image" --input ../in/empty_folder
expect 1 "no frame" --input ../in/folder
expect 1 "camera 97" --input camera:97
expect 2 "names no camera" --input camera:front
expect 2 "--input" --input ""
# Sizes.
expect 2 "--size" --size 0x0
expect 2 "--size" --size 640
expect 2 "--size" --size 99999x99999
expect 2 "--noise" --noise -1
expect 2 "--frames" --frames 0
expect 2 "--frames" --frames many
expect 2 "synthetic alone" --input ../in/empty.png --distractor
# What skin looks like.
expect 2 "--filter" --filter 1,2,3
expect 2 "--filter" --filter a,b,c,d
expect 2 "--filter" --filter 1,2,3,nan
expect 2 "--filter" --filter ""
expect 2 "--calibrate" --calibrate 1,2,3
expect 2 "--calibrate" --calibrate 10,10,0,20
expect 1 "cannot calibrate" "${quick[@]}" --calibrate 5000,5000,20,20
expect 2 "exclude" --calibrate 1,2,3,4 --filter 1,2,3,4
expect 2 "--cascade" --cascade ../in/notes.txt
expect 2 "--cascade" --input ../in/empty.png --start 1,2,3,4 --cascade ../in/notes.txt
expect 2 "--model" --classifier linear
expect 2 "no classifier" --classifier nonsense --model ../in/model.json
expect 1 "model.json" "${quick[@]}" --classifier linear --model ../in/model.json
expect 1 "missing.json" "${quick[@]}" --model ../in/missing.json
# How to follow.
expect 2 "no device" --device gpu
expect 1 "GPU" "${quick[@]}" --device cuda
expect 1 "GPU" "${quick[@]}" --device joint
expect 2 "no variant" --variant gpu9
expect 1 "GPU" "${quick[@]}" --variant gpu8
expect 2 "--gate" --variant cpu1 --gate
expect 2 "--reference-distance" --reference-distance 0
expect 2 "--reference-distance" --reference-distance far
expect 2 "--device" --variant cpu1 --device cuda
expect 2 "--nonsense" --nonsense
expect 2 "--help" surplus
# What cannot be written.
expect 1 "cannot write" "${quick[@]}" --out ../in/notes.txt
expect 1 "cannot write" "${quick[@]}" --out ../in/notes.txt/sub
expect 1 "cannot write" "${quick[@]}" --out /proc/no_such_place
expect 1 "folder" "${quick[@]}" --csv ../in/folder
expect 1 "cannot write" "${quick[@]}" --json ../in/notes.txt/a.json --out pictures
expect 1 "plain file" "${quick[@]}" --csv /dev/null --out a/b/c
# The evaluation.
expect 2 "--pixels" evaluate --classifier linear
expect 2 "--classifier" evaluate --pixels ../in/pixels.csv
expect 2 "no classifier" evaluate --pixels ../in/pixels.csv --classifier nonsense
expect 1 "pixels.csv" evaluate --pixels ../in/pixels.csv --classifier linear
expect 1 "no_pixels.csv" evaluate --pixels ../in/no_pixels.csv --classifier linear
expect 1 "missing.csv" evaluate --pixels ../in/missing.csv --classifier linear

# damaged <words> <arguments>...: uses what can be read, says so in one line, ends well.
damaged() {
  local words="$1"
  shift
  rm -rf run && mkdir run
  (cd run && exec "$program" "$@" --no-pictures --csv track.csv >../stdout 2>../stderr </dev/null) ||
    complain "exit code $?: $*: $(cat stderr)"
  [[ $(wc -l <stderr) == 1 ]] || complain "not one line on stderr: $*: $(cat stderr)"
  grep -qF "$words" stderr || complain "stderr lacks '$words': $*: $(cat stderr)"
  [[ $(wc -l <run/track.csv) -gt 1 ]] || complain "an empty track: $*"
  echo "0  $(cat stderr)"
}
mkdir in/some_broken
cp good/first.png in/some_broken/1.png
cp in/cut.png in/some_broken/2.png
cp good/last.png in/some_broken/10.png
damaged "1 of 3 images" --input ../in/some_broken
# Zeros over the second half of the pictures: a video whose frames end before its index says.
"$program" --size 96x64 --frames 40 --headless --out long >/dev/null 2>&1 || complain "a run of 40 frames fails"
video=$(echo long/skin.*)
bytes=$(wc -c <"$video")
cp "$video" "in/${video##*/}"
dd if=/dev/zero of="in/${video##*/}" bs=1 seek=$((bytes / 2)) count=$((bytes * 3 / 10)) conv=notrunc status=none
damaged "frames could be read" --input "../in/${video##*/}"

((failures == 0)) || { echo "$failures failures" >&2; exit 1; }
echo "all error cases are as they should be"
