#!/usr/bin/env bash
# Whatever a user gets wrong: one sentence on stderr, exit code 2 for a command line that makes no sense and 1 for the rest,
# and no file left behind. Usage: aam_demo_errors.sh <aam_demo> <scratch folder>
set -u
# shellcheck source=tests/apps/expect.sh
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

mkdir -p in/empty
"$program" synth --out in/faces --count 6 --size 96 >/dev/null || complain "six small faces cannot be made"
"$program" train --images in/faces --out in/good.aam --pixels 400 --levels 1 --deformations 0 >/dev/null 2>&1 || complain "a small training fails"
image=../in/faces/face_00000.pgm
echo "this is no picture" >in/notes.txt
# copy_faces <folder> <count>
copy_faces() {
  mkdir -p "$1"
  for ((i = 0; i < $2; ++i)); do cp in/faces/face_0000$i.* "$1"; done
}
copy_faces in/no_landmarks 2 && rm in/no_landmarks/*.pts
copy_faces in/no_images 2 && rm in/no_images/*.pgm
copy_faces in/one_missing 3 && rm in/one_missing/face_00001.pts
copy_faces in/one_image 1
copy_faces in/mixed 3
printf 'version: 1\nn_points: 4\n{\n10 10\n80 10\n80 80\n10 80\n}\n' >in/mixed/face_00002.pts
copy_faces in/broken_image 3 && echo "P5 96 96 255 x" >in/broken_image/face_00001.pgm
copy_faces in/broken_landmarks 3 && head -n 9 in/faces/face_00001.pts >in/broken_landmarks/face_00001.pts
mkdir in/equal && for name in a b c; do
  for kind in pgm pts; do cp in/faces/face_00000.$kind in/equal/$name.$kind; done
done
copy_faces in/small_image 3 && printf 'P5 20 20 255\n%400s' ' ' >in/small_image/face_00001.pgm
copy_faces in/tiny_image 3 && printf 'P5 2 2 255\nabcd' >in/tiny_image/face_00001.pgm
printf 'P5 20 20 255\n%400s' ' ' >in/small.pgm
mkdir in/other_points && cp in/faces/face_00000.pgm in/other_points/a.pgm && cp in/mixed/face_00002.pts in/other_points/a.pts
head -c 5000 in/good.aam >in/cut.aam
{ head -c 5000 in/good.aam && printf 'X' && tail -c +5002 in/good.aam; } >in/damaged.aam
{ head -c 8 in/good.aam && printf '\x07' && tail -c +10 in/good.aam; } >in/future.aam
: >in/empty.aam

# What cannot be learnt from.
expect 2 "--images" train --out m.aam
expect 2 "--out" train --images ../in/faces
expect 1 "no folder" train --images ../in/none --out m.aam
expect 1 "no image" train --images ../in/empty --out m.aam
expect 1 "no landmarks" train --images ../in/no_landmarks --out m.aam
expect 1 "no image" train --images ../in/no_images --out m.aam
expect 1 "face_00001.pgm has no landmarks" train --images ../in/one_missing --out m.aam
expect 1 "no folder" train --images ../in/faces --landmarks ../in/none --out m.aam
expect 1 "no landmarks" train --images ../in/faces --landmarks ../in/empty --out m.aam
expect 1 "face_00002.pts has 4 points" train --images ../in/mixed --out m.aam
expect 1 "two" train --images ../in/one_image --out m.aam
expect 1 "equal" train --images ../in/equal --out m.aam
expect 1 "face_00001.pgm" train --images ../in/broken_image --out m.aam
expect 1 "face_00001.pts" train --images ../in/broken_landmarks --out m.aam
expect 1 "face_00001.pgm" train --images ../in/small_image --out m.aam
expect 1 "face_00001.pgm" train --images ../in/tiny_image --out m.aam
expect 1 "cannot write" train --images ../in/faces --out ../in/notes.txt/m.aam
expect 1 "folder" train --images ../in/faces --out ../in/empty
expect 2 "--pixels" train --images ../in/faces --out m.aam --pixels 0
expect 2 "--pixels" train --images ../in/faces --out m.aam --pixels many
expect 2 "--variance" train --images ../in/faces --out m.aam --variance 2
expect 2 "--levels" train --images ../in/faces --out m.aam --levels 0
expect 2 "--features" train --images ../in/faces --out m.aam --features smell
expect 2 "--update" train --images ../in/faces --out m.aam --update sometimes
expect 2 "--parameters" train --images ../in/faces --out m.aam --parameters none
expect 2 "--threads" train --images ../in/faces --out m.aam --threads -1
# What cannot be fitted.
fit=(fit --out fitted --headless)
TRIPTYCH_FACE_MODEL=../in/none.aam expect 1 "TRIPTYCH_FACE_MODEL" "${fit[@]}" --input "$image"
expect 1 "cascade" "${fit[@]}" --model ../in/good.aam --input "$image" --cascade ../in/notes.txt
expect 2 "--images" boxes
expect 2 "--input" "${fit[@]}" --model ../in/good.aam
expect 2 "--input" "${fit[@]}" --model ../in/good.aam --input ""
expect 1 "No such file" "${fit[@]}" --model ../in/none.aam --input "$image"
expect 1 "no model" "${fit[@]}" --model ../in/notes.txt --input "$image"
expect 1 "empty" "${fit[@]}" --model ../in/empty.aam --input "$image"
expect 1 "cut off" "${fit[@]}" --model ../in/cut.aam --input "$image"
expect 1 "damaged" "${fit[@]}" --model ../in/damaged.aam --input "$image"
expect 1 "version 7" "${fit[@]}" --model ../in/future.aam --input "$image"
expect 1 "directory" "${fit[@]}" --model ../in --input "$image"
expect 1 "No such file" "${fit[@]}" --model ../in/good.aam --input ../in/none.jpg
expect 1 "notes.txt" "${fit[@]}" --model ../in/good.aam --input ../in/notes.txt
expect 1 "no image" "${fit[@]}" --model ../in/good.aam --input ../in/empty
expect 1 "no frame" "${fit[@]}" --model ../in/good.aam --input ../in/broken_image/face_00001.pgm
expect 1 "camera 97" "${fit[@]}" --model ../in/good.aam --input camera:97
expect 2 "names no camera" "${fit[@]}" --model ../in/good.aam --input camera:front
expect 2 "--focal" "${fit[@]}" --model ../in/good.aam --input "$image" --focal 0
expect 2 "--focal" "${fit[@]}" --model ../in/good.aam --input "$image" --focal nan
expect 2 "--init" "${fit[@]}" --model ../in/good.aam --input "$image" --init 1,2,3
expect 2 "--init" "${fit[@]}" --model ../in/good.aam --input "$image" --init 1,2,0,5
expect 2 "--init" "${fit[@]}" --model ../in/good.aam --input "$image" --init a,b,c,d
expect 1 "box 500,500,50,50" "${fit[@]}" --model ../in/good.aam --input "$image" --init 500,500,50,50
expect 1 "image of 20 x 20" "${fit[@]}" --model ../in/good.aam --input ../in/small.pgm --init 0,0,60,60
expect 2 "--frames" "${fit[@]}" --model ../in/good.aam --input "$image" --frames 0
expect 2 "no device" "${fit[@]}" --model ../in/good.aam --input "$image" --device gpu
expect 1 "GPU" "${fit[@]}" --model ../in/good.aam --input "$image" --device cuda
expect 2 "--algorithm" "${fit[@]}" --model ../in/good.aam --input "$image" --algorithm best
expect 2 "--device" "${fit[@]}" --model ../in/good.aam --input "$image" --algorithm project_out --device cuda
expect 1 "cannot write" fit --out ../in/notes.txt --model ../in/good.aam --input "$image"
expect 1 "cannot write" fit --out /proc/no_such_place --model ../in/good.aam --input "$image"
# The other commands.
TRIPTYCH_FACE_MODEL=../in/none.aam expect 1 "TRIPTYCH_FACE_MODEL" evaluate --images ../in/faces
expect 2 "--images" evaluate --model ../in/good.aam
expect 1 "no landmarks" evaluate --model ../in/good.aam --images ../in/no_landmarks --json r.json
expect 1 "a.pgm has 4 landmarks" evaluate --model ../in/good.aam --images ../in/other_points --json r.json
expect 1 "damaged" evaluate --model ../in/damaged.aam --images ../in/faces
expect 1 "GPU" evaluate --model ../in/good.aam --images ../in/faces --device cuda
expect 1 "cannot write" evaluate --model ../in/good.aam --images ../in/faces --json ../in/notes.txt/r.json
expect 2 "model" info
expect 1 "cut off" info ../in/cut.aam
expect 1 "No such file" info ../in/none.aam
expect 2 "--out" modes ../in/good.aam
expect 1 "no model" modes ../in/notes.txt --out m
expect 2 "--modes" modes ../in/good.aam --out m --modes 0
expect 1 "cannot write" modes ../in/good.aam --out ../in/notes.txt
expect 2 "--out" synth --count 2
expect 2 "--count" synth --out s --count 0
expect 2 "--size" synth --out s --size 7
expect 1 "cannot write" synth --out ../in/notes.txt --count 1
expect 1 "cannot write" --out ../in/notes.txt
expect 1 "GPU" --device cuda
expect 2 "--frames" --frames 0
expect 2 "--nonsense" --nonsense
expect 2 "--help" surplus

for command in "" train fit evaluate info modes synth; do
  # shellcheck disable=SC2086  # no command is no argument
  "$program" $command --help >stdout 2>stderr || complain "$command --help fails"
  [[ -s stdout && ! -s stderr ]] || complain "$command --help does not help"
done

((failures == 0)) || { echo "$failures failures" >&2; exit 1; }
echo "all error cases are as they should be"
