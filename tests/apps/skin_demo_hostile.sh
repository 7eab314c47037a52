#!/usr/bin/env bash
# What a hostile user tries, beyond skin_demo_errors.sh: one sentence that names the option or the file, the exit code, no file left
# behind. Usage: skin_demo_hostile.sh <skin_demo> <scratch folder>
set -u
# shellcheck source=tests/apps/expect.sh
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
mkdir -p in/folder.png "in/with space"
odd=$'in/caf\xe9.png'  # not UTF-8
printf 'P5 0 0 255\n' >in/zero.pgm
printf 'P5 99999 99999 255\nabc' >in/huge.pgm
printf 'P5 4 4 255\n0123456789abcdef' >in/dot.pgm
echo "{\"kind\": \"linear\"}" >in/half.json
echo "[]" >in/list.json
printf '1,2,3\n' >in/columns.csv
printf '300,-1,nan,1\n1,2,3,2\n' >in/range.csv
"$program" --size 96x64 --frames 1 --headless --out good >/dev/null 2>&1 || complain "a small run fails"
cp good/first.png "in/with space/a b.png" && cp good/first.png "$odd"
quick=(--size 96x64 --frames 2 --headless)

expect 2 "--frames" --frames 99999999999999999999
expect 2 "--frames" --frames -5
expect 2 "--frames" --frames 1e3
expect 2 "--frames" --frames 2.5
expect 2 "--frames" --frames ""
expect 2 "--frames" --frames 3 --frames 4
expect 2 "--noise" --noise nan
expect 2 "--noise" --noise 1e308
expect 2 "--reference-distance" --reference-distance inf
expect 2 "--reference-distance" --reference-distance -1
expect 2 "--size" --size -640x480
expect 2 "--size" --size 1e9x1e9
expect 2 "--size" --size 64.5x64
expect 2 "--filter" --filter 1,2,3,inf
expect 2 "--calibrate" --calibrate nan,1,2,3
expect 2 "--calibrate" --calibrate 0,0,1e300,1
expect 1 "--calibrate 0,0,96,64" "${quick[@]}" --calibrate 0,0,96,64
expect 1 "--calibrate -60,-60,64,64" "${quick[@]}" --calibrate -60,-60,64,64
expect 1 "cannot calibrate" "${quick[@]}" --calibrate 30,20,1,1
expect 2 "camera" --input camera:-1
expect 2 "camera" --input camera:99999999999
expect 1 "folder.png" --input ../in/folder.png
expect 1 "zero.pgm" --input ../in/zero.pgm
expect 1 "huge.pgm" --input ../in/huge.pgm
expect 1 "/dev/null" --input /dev/null
expect 1 "half.json" "${quick[@]}" --model ../in/half.json
expect 1 "list.json" "${quick[@]}" --model ../in/list.json
expect 1 "in" "${quick[@]}" --model ../in
expect 1 "columns.csv" evaluate --pixels ../in/columns.csv --classifier linear
expect 1 "range.csv" evaluate --pixels ../in/range.csv --classifier linear
expect 2 "--seed" evaluate --pixels ../in/range.csv --classifier linear --seed -1
expect 2 "--seed" evaluate --pixels ../in/range.csv --classifier linear --seed 99999999999999999999999
expect 1 "cannot write" "${quick[@]}" --csv ""/proc/self/nothing/x.csv

# works <arguments>...: what looks odd and is not wrong.
works() {
  rm -rf run && mkdir run
  (cd run && exec "$program" "$@" >../stdout 2>../stderr </dev/null) || complain "exit code $?: $*: $(cat stderr)"
  grep -q '"complete": true' run/s.json || complain "the summary is not complete: $*"
}
works --input "../in/with space/a b.png" --no-pictures --json s.json
works --input "../$odd" --no-pictures --json s.json --csv $'caf\xe9.csv'
works --input ../in/dot.pgm --no-pictures --json s.json

# A file that is replaced while it is read.
"$program" --size 96x64 --frames 60 --headless --out movie >/dev/null 2>&1
video=$(echo movie/skin.*)
rm -rf run && mkdir run
(cd run && exec "$program" --input "../$video" --headless --out out --json s.json >../stdout 2>../stderr) &
reader=$!
sleep 0.3
: >"$video"
wait "$reader"
code=$?
[[ $code == 0 || $code == 1 ]] || complain "exit code $code when the video is replaced: $(cat stderr)"
[[ $(wc -l <stderr) -le 1 ]] || complain "more than a line when the video is replaced: $(cat stderr)"
[[ -z $(find run -name '*.part-*') ]] || complain "temporary files are left when the video is replaced"

((failures == 0)) || { echo "$failures failures" >&2; exit 1; }
echo "all hostile inputs are answered"
