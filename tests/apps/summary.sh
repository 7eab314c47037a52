# For tests that read a demo's summary: source it first.
# shellcheck shell=bash
# shellcheck source=tests/apps/scratch.sh
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# value <file> <key>: of a summary, the first number after that key.
value() { awk -v key="\"$2\":" '$1 == key { gsub(/,/, "", $2); print $2; exit }' "$1"; }
# check <what> <value> <limit>
check() {
  echo "$1: $2, at most $3 wanted"
  awk -v v="$2" -v limit="$3" 'BEGIN { exit !(v != "" && v + 0 <= limit + 0) }' || fail "$1"
}
