# For the tests of what users get wrong: source it first; at the end, $failures counts.
# shellcheck shell=bash
# shellcheck source=tests/apps/scratch.sh
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"
export CUDA_VISIBLE_DEVICES=  # as on a machine without a GPU

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
