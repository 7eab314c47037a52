#!/usr/bin/env bash
# Disks that are full, read-only or limited. Usage: capsule_demo_disk.sh <capsule_demo> <scratch folder>
set -u
# shellcheck source=tests/apps/disk.sh
source "$(dirname "${BASH_SOURCE[0]}")/disk.sh"
small=(--device cpu --points 200 --samples 20 --layers 1 --out out)
limited 20 "${small[@]}" --frames 400 --no-pictures
failed "poses.csv" "kept" "File too large"
[[ $(rows run/out/frames.csv) -ge 5 ]] || complain "the rows before the failure are lost"
is "complete of a failed run" "$(value run/out/summary.json complete)" false
no_half_files run
if [[ $disk == yes ]]; then
  on_disk "${small[@]}" --frames 4000 --no-pictures
  failed "No space left" "kept"
  no_half_files disk
  [[ $(rows disk/out/poses.csv) -ge 5 ]] || complain "the rows before the disk was full are lost"
  fresh_disk ro,size=300k
  on_disk "${small[@]}" --frames 2 --no-pictures
  failed "Read-only file system"
fi
finish
