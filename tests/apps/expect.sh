# For the tests of what users get wrong: source it in a scratch folder, with the program in $program; at the end, $failures counts.
# shellcheck shell=bash
# shellcheck disable=SC2154  # program is set by the script that sources this one
failures=0
complain() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

# expect <exit code> <words on stderr> <arguments>...: runs the program in an empty folder.
expect() {
  local code="$1" words="$2" got lines left
  shift 2
  rm -rf run && mkdir run
  (cd run && exec "$program" "$@" >../stdout 2>../stderr </dev/null)
  got=$?
  lines=$(wc -l <stderr)
  left=$(find run -mindepth 1 | head -n 3 | tr '\n' ' ')
  [[ $got == "$code" ]] || complain "exit code $got instead of $code: $*"
  [[ $lines == 1 ]] || complain "$lines lines on stderr: $*: $(cat stderr)"
  grep -q "^$(basename "$program"): .*\.\$" stderr || complain "stderr is no sentence of $(basename "$program"): $*: $(cat stderr)"
  grep -qF -- "$words" stderr || complain "stderr lacks '$words': $*: $(cat stderr)"
  [[ -z $left ]] || complain "left behind: $left: $*"
  echo "$got  $(cat stderr)"
}
