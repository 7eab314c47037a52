# For the tests of runs that end early: source it first. Sources expect.sh.
# shellcheck shell=bash
# shellcheck disable=SC2034  # the scripts use it
# shellcheck source=tests/apps/expect.sh
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
set -m  # with job control, or the shell lets background jobs ignore SIGINT

# start <arguments>...: runs the program in the empty folder run, in the background; $job is its process. Returns when it catches signals.
start() {
  rm -rf run && mkdir run
  (cd run && exec "$program" "$@" >../stdout 2>../stderr </dev/null) &
  job=$!
  for ((i = 0; i < 300; ++i)); do
    catches_sigterm && break
    kill -0 "$job" 2>/dev/null || break
    sleep 0.1
  done
}
catches_sigterm() {
  local caught
  caught="$(awk '/^SigCgt/ { print $2 }' "/proc/$job/status" 2>/dev/null)"
  [[ -n $caught ]] && (((0x$caught >> 14) & 1))
}
# rows <file>: lines below the header; 0 when there is no such file.
rows() { if [[ -s $1 ]]; then echo $(($(wc -l <"$1") - 1)); else echo 0; fi; }
# wait_for <seconds> <command>...: until the command succeeds or the program has ended.
wait_for() {
  local limit=$((10 * $1))
  shift
  for ((i = 0; i < limit; ++i)); do
    "$@" && return 0
    kill -0 "$job" 2>/dev/null || break
    sleep 0.1
  done
  complain "in vain: $*: $(cat stderr)"
  return 1
}
# has_rows <pattern> <count>: a file of that name has so many lines below the header.
# shellcheck disable=SC2086,SC2012  # a pattern
has_rows() { [[ $(rows "$(ls $1 2>/dev/null | head -n 1)") -ge $2 ]]; }
# stop <signal> <exit code> <seconds>: the program ends with that code, at most so much later.
stop() {
  local from=$EPOCHREALTIME code
  kill -"$1" "$job" 2>/dev/null
  wait "$job" 2>/dev/null
  code=$?
  took=$(awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }')
  echo "$code after SIG$1 and $took s: $(tail -n 1 stderr)"
  [[ $code == "$2" ]] || complain "exit code $code instead of $2 after SIG$1: $(cat stderr)"
  awk -v t="$took" -v limit="$3" 'BEGIN { exit !(t <= limit) }' || complain "$took s until it ended after SIG$1"
}
# says <words>: they are in the last line on stderr.
says() { tail -n 1 stderr | grep -qF -- "$1" || complain "the last line on stderr lacks '$1': $(cat stderr)"; }
# leaves_nothing: no file under a temporary name.
leaves_nothing() {
  local left
  left=$(find run \( -name '*.part-*' -o -name '.*.tmp-*' \) | head -n 3 | tr '\n' ' ')
  [[ -z $left ]] || complain "temporary files are left: $left"
}
leaves_no_file() {
  local left
  left=$(find run -type f | head -n 3 | tr '\n' ' ')
  [[ -z $left ]] || complain "files are left: $left"
}
# value <file> <key>: of a summary.
value() { awk -v key="\"$2\":" '$1 == key { gsub(/,/, "", $2); print $2; exit }' "$1" 2>/dev/null; }
is() { [[ $2 == "$3" ]] || complain "$1: '$2' instead of '$3'"; }
finish() {
  ((failures == 0)) || { echo "$failures failures" >&2; exit 1; }
  echo "all as it should be"
}
