# For the tests of disks that are full or read-only: source it first. Sources interrupt.sh.
# shellcheck shell=bash
# shellcheck source=tests/apps/interrupt.sh
source "$(dirname "${BASH_SOURCE[0]}")/interrupt.sh"

# Mounts a small disk at the folder disk, which mounting needs root for; else "no".
# shellcheck disable=SC2034  # the scripts use it
disk=no
mkdir -p disk
unmount() { mountpoint -q disk && umount -l disk; }
trap unmount EXIT
# shellcheck disable=SC2034  # the scripts use it
if mount -t tmpfs -o size=300k none disk 2>/dev/null; then disk=yes; else echo "part of it is skipped: no disk can be mounted here" >&2; fi
# fresh_disk <options>
fresh_disk() {
  unmount
  mount -t tmpfs -o "$1" none disk
}
# limited <blocks of 1 kB> <arguments>...: runs the program in the empty folder run where no file may be larger.
limited() {
  local blocks="$1"
  shift
  rm -rf run && mkdir run
  (cd run && ulimit -f "$blocks" && exec "$program" "$@" >../stdout 2>../stderr </dev/null)
  code=$?
}
# on_disk <arguments>...: runs the program in the folder disk.
on_disk() {
  (cd disk && exec "$program" "$@" >../stdout 2>../stderr </dev/null)
  code=$?
}
# failed <words>...: exit code 1, the error said once and with these words.
failed() {
  is "exit code" "$code" 1
  local count
  count=$(grep -c "cannot write" stderr)
  is "lines with the error" "$count" 1
  for words in "$@"; do grep -qF -- "$words" stderr || complain "stderr lacks '$words': $(cat stderr)"; done
  echo "$code  $(tail -n 1 stderr)"
}
# no_half_files <folder>: none under a temporary name, none empty, JSON files and pictures with their ends.
no_half_files() {
  local bad
  bad=$(find "$1" \( -name '*.part-*' -o -name '.*.tmp-*' -o -type f -empty \) | head -n 3 | tr '\n' ' ')
  [[ -z $bad ]] || complain "half files: $bad"
  while read -r file; do tail -c 3 "$file" | grep -q '}' || complain "$file is cut off"; done < <(find "$1" -name '*.json')
  while read -r file; do tail -c 8 "$file" | grep -qa IEND || complain "$file is cut off"; done < <(find "$1" -name '*.png')
  while read -r file; do [[ $(tail -c 1 "$file" | od -An -c) == *'\n'* ]] || complain "$file ends within a line"; done < <(find "$1" -name '*.csv')
}
