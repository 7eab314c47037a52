#!/usr/bin/env bash
# Runs that end early: by SIGINT, by SIGTERM, by SIGKILL, in a training, by a reader of stdout that has gone. Usage:
# aam_demo_interrupt.sh <aam_demo> <scratch folder>
set -u
# shellcheck source=tests/apps/interrupt.sh
source "$(dirname "${BASH_SOURCE[0]}")/interrupt.sh"
"$program" synth --out faces --count 60 --size 96 >/dev/null || complain "small faces cannot be made"
"$program" train --images faces --out good.aam --pixels 400 --levels 1 --deformations 0 >/dev/null 2>&1 || complain "a small training fails"
mkdir many && for ((i = 0; i < 1500; ++i)); do ln -s ../faces/face_000$((10 + i % 50)).pgm "many/$i.pgm"; done
fit=(fit --model ../good.aam --input ../many --init "20,20,56,56" --device cpu --headless --out out)

"$program" fit --model good.aam --input faces/face_00000.pgm --init 20,20,56,56 --device cpu --no-pictures --out whole >/dev/null ||
  complain "a fit fails"
is "complete of a whole run" "$(value whole/summary.json complete)" true

for case in "INT 130" "TERM 143"; do
  read -r signal code <<<"$case"
  start "${fit[@]}" --track
  wait_for 60 has_rows "run/out/fits*.csv" 5
  stop "$signal" "$code" 5
  says "interrupted by SIG$signal: kept the results of"
  leaves_nothing
  is "complete after SIG$signal" "$(value run/out/summary.json complete)" false
  count=$(rows run/out/fits.csv)
  is "frames of the summary" "$(value run/out/summary.json frames)" "$count"
  is "files of landmarks" "$(find run/out -name '*.pts' | wc -l)" "$(value run/out/summary.json found)"
  [[ -s run/out/last.png ]] || complain "last.png is missing after SIG$signal"
done

# Killed.
start "${fit[@]}" --track
wait_for 60 has_rows "run/out/fits*.csv" 5
sleep 3
kill -KILL "$job"
wait "$job" 2>/dev/null
has_rows "run/out/fits*.csv" 6 || complain "a killed run has lost fits.csv"
video=$(find run/out -name 'aam*' ! -name '*.segment.*' | head -n 1)
rm -rf seen
"$program" fit --model good.aam --input "${video:-none}" --init 20,20,56,56 --device cpu --no-pictures --frames 20 --out seen >/dev/null 2>&1
[[ $(value seen/summary.json frames) -ge 5 ]] || complain "the video of a killed run cannot be read"

# The other commands.
start train --images ../faces --out model.aam --pixels 4000 --levels 3
sleep 1
stop INT 130 1
says "interrupted by SIGINT: nothing was written"
leaves_no_file
start synth --out out --count 100000
sleep 1
stop TERM 143 3
says "interrupted by SIGTERM: kept"
leaves_nothing
is "landmarks of the faces that were kept" "$(find run/out -name '*.pts' | wc -l)" "$(find run/out -name '*.pgm' | wc -l)"
[[ $(find run/out -name '*.pts' | wc -l) -gt 0 ]] || complain "no face was kept"
mkdir known && for ((i = 0; i < 1500; ++i)); do
  for kind in pgm pts; do ln -s ../faces/face_000$((10 + i % 50)).$kind "known/$i.$kind"; done
done
start evaluate --model ../good.aam --images ../known --device cpu --json r.json --csv r.csv
begun() { [[ -n $(find run -type f) ]]; }
wait_for 60 begun
sleep 0.5
stop INT 130 3
is "complete of an evaluation" "$(value run/r.json complete)" false
is "fits of the summary" "$(value run/r.json fits)" "$(rows run/r.csv)"
leaves_nothing

# Nobody reads what it says: the results are all there.
rm -rf run && mkdir run
(cd run && "$program" "${fit[@]}" --frames 5 2>../stderr) | head -n 0
is "exit code without a reader" "${PIPESTATUS[0]}" 0
is "rows without a reader" "$(rows run/out/fits.csv)" 5
leaves_nothing
finish
