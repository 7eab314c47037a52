#!/usr/bin/env bash
# Runs that end early: by SIGINT, by SIGTERM, by SIGKILL, by a reader of stdout that has gone. Usage: skin_demo_interrupt.sh
# <skin_demo> <scratch folder>
set -u
# shellcheck source=tests/apps/interrupt.sh
source "$(dirname "${BASH_SOURCE[0]}")/interrupt.sh"
long=(--size 160x120 --frames 100000 --headless --device cpu --out out --csv track.csv --json summary.json)
# frames_in <video>: that can be read.
frames_in() {
  rm -f frames.json
  "$program" --input "$1" --no-pictures --device cpu --json frames.json >/dev/null 2>&1
  value frames.json frames
}

"$program" --size 96x64 --frames 3 --no-pictures --json whole.json >/dev/null || complain "a small run fails"
is "complete of a whole run" "$(value whole.json complete)" true

for case in "INT 130" "TERM 143"; do
  read -r signal code <<<"$case"
  start "${long[@]}"
  wait_for 60 has_rows "run/track*.csv" 5
  stop "$signal" "$code" 5
  says "interrupted by SIG$signal: kept the results of"
  leaves_nothing
  is "complete after SIG$signal" "$(value run/summary.json complete)" false
  count=$(rows run/track.csv)
  is "frames of the summary" "$(value run/summary.json frames)" "$count"
  is "frames of the video" "$(frames_in "$(echo run/out/skin.*)")" "$count"
  [[ -s run/out/last.png && -s run/out/heat_map.png ]] || complain "pictures are missing after SIG$signal"
done

# Killed: the table and the video hold all but the last second or so.
start "${long[@]}"
wait_for 60 has_rows "run/track*.csv" 5
sleep 1
before=$(rows "$(echo run/track*.csv)")
sleep 2.5
kill -KILL "$job"
wait "$job" 2>/dev/null
count=$(rows "$(echo run/track*.csv)")
video=$(find run/out -name '*skin*' ! -name '*.segment.*' | head -n 1)
readable=$(frames_in "${video:-none}")
echo "killed: $before rows 2.5 s before, then $count rows and ${readable:-no} frames in $video"
[[ $count -gt $before ]] || complain "a killed run has lost the rows of more than 2.5 s"
[[ ${readable:-0} -gt $before ]] || complain "a killed run has lost the frames of more than 2.5 s: ${readable:-none} of $before"
[[ $(tail -c 1 "$(echo run/track*.csv)" | od -An -c) == *'\n'* ]] || complain "the table does not end with a whole line"

# Before the first frame: a pipe without a writer, and one whose writer is silent.
mkfifo pipe
start --input ../pipe --csv track.csv
sleep 0.7
stop TERM 143 1
says "interrupted by SIGTERM: nothing was written"
leaves_no_file
sleep 30 >pipe &
writer=$!
start --input ../pipe --csv track.csv
sleep 0.7
stop INT 130 1
leaves_no_file
kill -- "-$writer" 2>/dev/null

# Nobody reads what it says: the results are all there.
rm -rf run && mkdir run
(cd run && "$program" --size 96x64 --frames 40 --headless --out out --csv track.csv --json summary.json 2>../stderr) | head -n 0
is "exit code without a reader" "${PIPESTATUS[0]}" 0
is "rows without a reader" "$(rows run/track.csv)" 40
is "complete without a reader" "$(value run/summary.json complete)" true
leaves_nothing
if [[ -c /dev/full ]]; then
  "$program" --help >/dev/full 2>stderr
  is "exit code when stdout cannot be written" "$?" 1
  says "stdout"
fi
finish
