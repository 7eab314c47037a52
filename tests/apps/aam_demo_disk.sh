#!/usr/bin/env bash
# Disks that are full, read-only or limited. Usage: aam_demo_disk.sh <aam_demo> <scratch folder>
set -u
# shellcheck source=tests/apps/disk.sh
source "$(dirname "${BASH_SOURCE[0]}")/disk.sh"
"$program" synth --out faces --count 12 --size 96 >/dev/null || complain "small faces cannot be made"
"$program" train --images faces --out good.aam --pixels 400 --levels 1 >/dev/null 2>&1 || complain "a small training fails"
mkdir many && for ((i = 0; i < 400; ++i)); do ln -s ../faces/face_0000$((i % 10)).pgm "many/$i.pgm"; done
fit=(fit --model ../good.aam --input ../many --init "20,20,56,56" --device cpu --headless --out out)
limited 10 "${fit[@]}" --no-pictures
failed "fits.csv" "kept" "File too large"
[[ $(rows run/out/fits.csv) -ge 10 ]] || complain "the rows before the failure are lost"
is "complete of a failed run" "$(value run/out/summary.json complete)" false
no_half_files run
limited 10 train --images ../faces --out model.aam --pixels 400 --levels 1
is "exit code of a training" "$code" 1
leaves_no_file
if [[ $disk == yes ]]; then
  on_disk "${fit[@]}"
  is "exit code on a full disk" "$code" 1
  grep -q "No space left\|disk may be full" stderr || complain "stderr does not say that the disk is full: $(cat stderr)"
  no_half_files disk
  [[ $(find disk/out -name '*.png' | wc -l) -ge 1 ]] || complain "the pictures before the disk was full are lost"
  fresh_disk size=100k
  on_disk synth --out out --count 1000 --size 96
  is "exit code of synth on a full disk" "$code" 1
  no_half_files disk
  [[ $(find disk/out -name '*.pgm' | wc -l) -ge 3 ]] || complain "the faces before the disk was full are lost"
  fresh_disk ro,size=300k
  on_disk "${fit[@]}"
  failed "Read-only file system"
fi
finish
