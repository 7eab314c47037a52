#!/usr/bin/env bash
# What a hostile user tries, beyond aam_demo_errors.sh: one sentence that names the option or the file, the exit code, no file left
# behind. Usage: aam_demo_hostile.sh <aam_demo> <scratch folder>
set -u
# shellcheck source=tests/apps/expect.sh
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
mkdir in
"$program" synth --out in/faces --count 6 --size 96 >/dev/null || complain "six small faces cannot be made"
"$program" train --images in/faces --out in/good.aam --pixels 400 --levels 1 --deformations 0 >/dev/null 2>&1 || complain "a small training fails"
image=../in/faces/face_00000.pgm
{ printf 'P5 20000 10 255\n' && head -c 200000 /dev/zero; } >in/long.pgm
{ printf 'P5 6 6 255\n' && head -c 36 /dev/zero; } >in/tiny.pgm
mkdir in/nan in/folder.aam && for i in 0 1 2; do cp in/faces/face_0000$i.* in/nan; done
sed -i '4 s/.*/nan nan/' in/nan/face_00001.pts
fit=(fit --out fitted --headless --device cpu --model ../in/good.aam)

expect 2 "--pixels wants a whole number from 64 to 1048576, not '-4'" train --images ../in/faces --out m.aam --pixels -4
expect 2 "--pixels" train --images ../in/faces --out m.aam --pixels 1e6
expect 2 "--variance" train --images ../in/faces --out m.aam --variance nan
expect 2 "--levels" train --images ../in/faces --out m.aam --levels 99999999999999999999
expect 2 "--seed" train --images ../in/faces --out m.aam --seed -1
expect 2 "--out" train --images ../in/faces --out a.aam --out b.aam
expect 1 "face_00001.pts" train --images ../in/nan --out m.aam
expect 1 "face_00000.pgm" train --images "$image" --out m.aam
expect 2 "--init 10,10,1,1" "${fit[@]}" --input "$image" --init 10,10,1,1
expect 2 "--init" "${fit[@]}" --input "$image" --init nan,1,50,50
expect 2 "--init" "${fit[@]}" --input "$image" --init 1,1,1e300,50
expect 1 "-90,-90,96,96" "${fit[@]}" --input "$image" --init -90,-90,96,96
expect 2 "--frames" "${fit[@]}" --input "$image" --frames 99999999999
expect 2 "--threads" "${fit[@]}" --input "$image" --threads 100000
expect 1 "20000 x 10" "${fit[@]}" --input ../in/long.pgm
expect 1 "6 x 6" "${fit[@]}" --input ../in/tiny.pgm
expect 1 "folder.aam" fit --out fitted --model ../in/folder.aam --input "$image"
expect 1 "/dev/null" fit --out fitted --model /dev/null --input "$image"
expect 1 "/dev/null" "${fit[@]}" --input /dev/null
expect 1 "folder.aam" info ../in/folder.aam
expect 2 "--modes" modes ../in/good.aam --out m --modes 1000000000000
expect 2 "--count" synth --out s --count -1
expect 2 "--count" synth --out s --count 1e3
expect 2 "--size" synth --out s --size nan
expect 2 "--frames" --frames 99999999

# Names that are not UTF-8, and with spaces.
cp in/faces/face_00000.pgm $'in/caf\xe9 au lait.pgm'
rm -rf run && mkdir run
(cd run && exec "$program" "${fit[@]}" --input $'../in/caf\xe9 au lait.pgm' --init 20,20,56,56 >../stdout 2>../stderr </dev/null) ||
  complain "a name that is not UTF-8: $(cat stderr)"
grep -q '"complete": true' run/fitted/summary.json || complain "no summary for a name that is not UTF-8"

((failures == 0)) || { echo "$failures failures" >&2; exit 1; }
echo "all hostile inputs are answered"
