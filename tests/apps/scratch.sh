# For every test of a demo, by way of summary.sh or expect.sh: the script's first argument is the program, kept in $program, its second
# a scratch folder, in which the script goes on; it is empty.
# shellcheck shell=bash
# shellcheck disable=SC2034  # the scripts use it
program="$1"
rm -rf "$2"
mkdir -p "$2"
cd "$2" || exit 1

# data <path>: where recorded data are; a script that takes them by `x=$(data ...)` under `set -e` ends as skipped when they are not there.
data() {
  if [[ -z ${TRIPTYCH_DATA_DIR:-} || ! -e $TRIPTYCH_DATA_DIR/$1 ]]; then
    echo "skipped: TRIPTYCH_DATA_DIR does not lead to $1" >&2
    exit 77
  fi
  echo "$TRIPTYCH_DATA_DIR/$1"
}
