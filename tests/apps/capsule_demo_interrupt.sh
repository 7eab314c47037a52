#!/usr/bin/env bash
# Runs that end early: by SIGINT, by SIGTERM, by SIGKILL, in the search for the first pose, by a reader of stdout that has gone.
# Usage: capsule_demo_interrupt.sh <capsule_demo> <scratch folder>
set -u
# shellcheck source=tests/apps/interrupt.sh
source "$(dirname "${BASH_SOURCE[0]}")/interrupt.sh"
long=(--device cpu --points 300 --samples 30 --layers 1 --frames 5000 --headless --out out)

"$program" --device cpu --points 200 --samples 20 --layers 1 --frames 2 --no-pictures --out whole >/dev/null || complain "a small run fails"
is "complete of a whole run" "$(value whole/summary.json complete)" true

for case in "INT 130" "TERM 143"; do
  read -r signal code <<<"$case"
  start "${long[@]}"
  wait_for 60 has_rows "run/out/frames*.csv" 2
  stop "$signal" "$code" 5
  says "interrupted by SIG$signal: kept the results of"
  leaves_nothing
  is "complete after SIG$signal" "$(value run/out/summary.json complete)" false
  count=$(rows run/out/frames.csv)
  is "frames of the summary" "$(value run/out/summary.json frames)" "$count"
  joints=$(value run/out/summary.json joint_count)
  is "rows of poses.csv" "$(rows run/out/poses.csv)" "$((count * ${joints:-0}))"
  grep -q "^Frames: *$count\$" run/out/poses.bvh || complain "poses.bvh has not $count frames"
  for file in first.png last.png; do [[ -s run/out/$file ]] || complain "$file is missing after SIG$signal"; done
done

# Killed: the tables hold all but the last second or so.
start "${long[@]}"
wait_for 60 has_rows "run/out/frames*.csv" 2
sleep 4
kill -KILL "$job"
wait "$job" 2>/dev/null
has_rows "run/out/frames*.csv" 3 || complain "a killed run has lost frames.csv"
has_rows "run/out/poses*.csv" 3 || complain "a killed run has lost poses.csv"
[[ -n $(find run/out -name 'capsule*' -size +20k) ]] || complain "a killed run has lost its video"

# In the search, which takes the time of some 60 frames.
start --device cpu --points 10000 --samples 1000 --start find --frames 2 --no-pictures --out out
wait_for 60 grep -q "first pose searched for" stdout
wait_for 20 grep -q "searching for the first pose" stderr
stop INT 130 1
says "interrupted by SIGINT: nothing was written"
leaves_no_file

# A pipe without a writer.
mkfifo pipe.xyz
start --cloud ../pipe.xyz --out out
sleep 0.7
kill -0 "$job" 2>/dev/null && stop TERM 143 1
leaves_no_file

# Nobody reads what it says: the results are all there.
rm -rf run && mkdir run
(cd run && "$program" --device cpu --points 200 --samples 20 --layers 1 --frames 5 --headless --out out 2>../stderr) | head -n 0
is "exit code without a reader" "${PIPESTATUS[0]}" 0
is "rows without a reader" "$(rows run/out/frames.csv)" 5
leaves_nothing
finish
