#!/usr/bin/env bash
# Disks that are full, read-only or limited, and a video that fails in the middle. Usage: skin_demo_disk.sh <skin_demo> <scratch
# folder>
set -u
# shellcheck source=tests/apps/disk.sh
source "$(dirname "${BASH_SOURCE[0]}")/disk.sh"
small=(--size 160x120 --headless --device cpu)
frames_in() {
  rm -f frames.json
  "$program" --input "$1" --no-pictures --device cpu --json frames.json >/dev/null 2>&1
  value frames.json frames
}

# No file may exceed 2 kB: the table reaches that after some 40 frames.
limited 2 "${small[@]}" --frames 400 --no-pictures --csv track.csv --json summary.json
failed "track.csv" "kept" "File too large"
[[ $(rows run/track.csv) -ge 10 ]] || complain "the rows before the failure are lost"
is "complete of a failed run" "$(value run/summary.json complete)" false
no_half_files run
# The video becomes larger than a picture.
rm -rf long
"$program" "${small[@]}" --frames 60 --out long >/dev/null 2>&1 || complain "a run of 60 frames fails"
picture_kb=$(($(wc -c <long/first.png) / 1024 + 20))
limited "$picture_kb" "${small[@]}" --frames 4000 --csv track.csv --out out
failed "skin.mp4" "kept"
no_half_files run
[[ $(frames_in run/out/skin.mp4) -ge 5 ]] || complain "the video up to the failure cannot be read"

if [[ $disk == yes ]]; then
  fresh_disk "size=$((picture_kb + 400))k"
  on_disk "${small[@]}" --frames 4000 --csv track.csv --json summary.json --out out
  is "exit code on a full disk" "$code" 1
  grep -q "No space left\|disk may be full" stderr || complain "stderr does not say that the disk is full: $(cat stderr)"
  no_half_files disk
  [[ $(rows disk/track.csv) -ge 5 ]] || complain "the rows before the disk was full are lost"
  [[ $(frames_in disk/out/skin.mp4) -ge 5 ]] || complain "the video up to the full disk cannot be read"
  fresh_disk ro,size=300k
  on_disk "${small[@]}" --frames 3 --csv track.csv
  failed "Read-only file system"
fi

# A video that is cut in the middle: what can be read is used, and that is said.
video=$(echo long/skin.*)
bytes=$(wc -c <"$video")
dd if=/dev/zero of="$video" bs=1 seek=$((bytes / 2)) count=$((bytes * 3 / 10)) conv=notrunc status=none
"$program" --input "$video" --no-pictures --csv cut.csv --json cut.json >stdout 2>stderr
is "exit code of a damaged video" "$?" 0
says "frames could be read and were used"
is "complete of a damaged video" "$(value cut.json complete)" false
is "rows of a damaged video" "$(rows cut.csv)" "$(value cut.json frames)"
finish
