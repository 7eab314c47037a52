#!/usr/bin/env bash
# Lists of inputs in shards: any number of shards gives the same results; a run that was stopped goes on; what fails is named and
# tried again. Usage: demo_batch.sh <folder of the demos> <scratch folder>
set -u
# shellcheck source=tests/apps/expect.sh
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
bin="$program"
[[ -x "$bin/skin_demo" || -x "$bin/capsule_demo" || -x "$bin/aam_demo" ]] || { echo "skipped: no demo was built" >&2; exit 77; }

# results FILE: what must not depend on the shards.
results() {
  python3 - "$1" <<'PYTHON'
import json, sys
def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if not any(w in k for w in ("ms", "_us", "_s", "time", "rate", "second", "json", "csv", "out"))}
    return [plain(v) for v in value] if isinstance(value, list) else value
merged = json.load(open(sys.argv[1]))
print(merged["complete"], merged["failed"], merged["missing"])
for entry in merged["results"]:
    print(entry["input"], entry["name"], json.dumps(plain(entry.get("result", entry.get("error"))), sort_keys=True))
PYTHON
}

# same DEMO WORDS...: list.txt in one shard and in three, the second of which is interrupted by a full stop of its file.
same() {
  local demo="$1"
  shift
  "$bin/$demo" batch list.txt --out one "$@" >/dev/null 2>stderr || complain "$demo batch: $(cat stderr)"
  for shard in 1/3 2/3 3/3; do "$bin/$demo" batch list.txt --out three --shard $shard "$@" >/dev/null 2>stderr || complain "$demo batch $shard: $(cat stderr)"; done
  # A killed run: half a line at the end. The input before it is not run again.
  local file=three/shard-2-of-3.jsonl
  printf '{"input": 4, "na' >>"$file"
  "$bin/$demo" batch list.txt --out three --shard 2/3 "$@" >stdout 2>stderr || complain "$demo batch again: $(cat stderr)"
  grep -q ': input ' stdout && complain "$demo batch runs again what is done: $(cat stdout)"
  head -n 1 "$file" >"$file.new" && mv "$file.new" "$file"
  "$bin/$demo" merge three >stdout 2>stderr && complain "$demo merge accepts missing results"
  grep -qF "run the shards 2/3" stderr || complain "$demo merge does not name the missing shard: $(cat stderr)"
  "$bin/$demo" batch list.txt --out three --shard 2/3 "$@" >/dev/null 2>stderr || complain "$demo batch once more: $(cat stderr)"
  for folder in one three; do "$bin/$demo" merge $folder >/dev/null 2>stderr || complain "$demo merge $folder: $(cat stderr)"; done
  results one/results.json >one.txt
  results three/results.json >three.txt
  [[ "$(head -n 1 one.txt)" == "True 0 0" ]] || complain "$demo: not all inputs have a result: $(head -n 1 one.txt)"
  cmp one.txt three.txt || complain "$demo: three shards give other results than one"
  [[ "$(wc -l <one/results.csv)" == $(($(wc -l <one.txt))) ]] || complain "$demo: results.csv has not a row for each input"
  rm -rf one three
}

if [[ -x "$bin/skin_demo" ]]; then
  program="$bin/skin_demo"
  printf '# five videos\n\nsynthetic --frames 3\n--frames 4 --noise 5\nsynthetic --frames 2 --distractor --gate\n--frames 3 --noise 9\n--frames 5\n' >list.txt
  same skin_demo -- --size 96x64 --no-pictures --device cpu
  # A line that fails leaves the others alone, and is tried again.
  printf 'missing.png\nsynthetic --frames 2 --size 96x64\n' >list.txt
  "$program" batch list.txt --out failing -- --no-pictures >/dev/null 2>stderr && complain "a missing video is no failure"
  grep -qF "1 of 2 inputs failed" stderr || complain "batch does not count failures: $(cat stderr)"
  "$program" merge failing >/dev/null 2>stderr && complain "merge hides a failure"
  grep -q '^missing.png,.*No such file' failing/results.csv || complain "results.csv does not name the input that failed"
  "$program" --size 96x64 --frames 1 --headless --out good >/dev/null 2>&1 && cp good/first.png missing.png
  "$program" batch list.txt --out failing -- --no-pictures >stdout 2>stderr || complain "the input is not tried again: $(cat stderr)"
  [[ "$(grep -c ': input ' stdout)" == 1 ]] || complain "not the failed input alone is run again: $(cat stdout)"
  # Two processes on one shard.
  (exec 9>>failing/shard-1-of-1.jsonl && flock 9 && "$program" batch list.txt --out failing -- --no-pictures >/dev/null 2>stderr) && complain "two processes work on one shard"
  grep -qF "another process" stderr || complain "no word of the other process: $(cat stderr)"
  # Ctrl-C: what is finished stays, and is not run again.
  printf 'synthetic --frames 2 --size 96x64\nsynthetic --frames 1000000 --size 96x64\n' >list.txt
  "$program" batch list.txt --out stopped -- --no-pictures >stdout 2>stderr &
  for _ in $(seq 600); do grep -q 'input 2 of 2' stdout && break; sleep 0.1; done
  sleep 1
  kill -INT $!
  wait $!
  code=$?
  [[ $code == 130 ]] || complain "exit code $code instead of 130 after SIGINT"
  grep -qF "kept the results of 1 inputs" stderr || complain "no word of what is kept: $(cat stderr)"
  [[ "$(wc -l <stopped/shard-1-of-1.jsonl)" == 2 ]] || complain "the shard's file has not the finished input alone"
  mkdir -p in
  printf 'synthetic\n' >in/list.txt
  printf '"synthetic\n' >in/quote.txt
  printf -- '--size 3x3\n' >in/size.txt
  printf -- '--out here\n' >in/out.txt
  printf -- 'evaluate --pixels a --classifier linear\n' >in/evaluate.txt
  printf '# nothing\n' >in/none.txt
  mkdir in/folder
  printf 'no shard\n' >in/folder/shard-1-of-1.jsonl
  expect 2 "list is required" batch --out results
  expect 2 "--out" batch ../in/list.txt
  expect 2 "--shard" batch ../in/list.txt --out results --shard 3/2
  expect 2 "--shard" batch ../in/list.txt --out results --shard 0/2
  expect 2 "--shard" batch ../in/list.txt --out results --shard 1
  expect 2 "line 1: a double quote" batch ../in/quote.txt --out results
  expect 2 "size.txt, line 1: --size" batch ../in/size.txt --out results
  expect 2 "--out is set by batch" batch ../in/out.txt --out results
  expect 2 "line 1" batch ../in/evaluate.txt --out results
  expect 2 "--nonsense" batch ../in/list.txt --out results -- --nonsense
  expect 1 "lists no input" batch ../in/none.txt --out results
  expect 1 "missing.txt" batch ../in/missing.txt --out results
  expect 1 "cannot write" batch ../in/list.txt --out ../in/none.txt
  expect 1 "no shard" merge ../in
  expect 1 "shard-1-of-1.jsonl, line 1" merge ../in/folder
  expect 1 "missing" merge ../in/missing
fi

if [[ -x "$bin/capsule_demo" ]]; then
  printf -- '--seed 1\n--seed 2\n--noise 0.02\n--seed 3\n' >list.txt
  same capsule_demo -- --frames 2 --samples 60 --points 500 --no-pictures --device cpu
fi

if [[ -x "$bin/aam_demo" ]]; then
  "$bin/aam_demo" synth --out faces --count 7 --size 128 >/dev/null || complain "aam_demo synth fails"
  "$bin/aam_demo" train --images faces --out faces.aam --pixels 400 --levels 1 --deformations 0 >/dev/null 2>stderr || complain "aam_demo train: $(cat stderr)"
  evaluate=("$bin/aam_demo" evaluate --model faces.aam --images faces --device cpu)
  "${evaluate[@]}" --csv all.csv >/dev/null 2>stderr || complain "aam_demo evaluate: $(cat stderr)"
  for shard in 3/3 1/3 2/3; do "${evaluate[@]}" --out shards --shard $shard >/dev/null 2>stderr || complain "aam_demo evaluate --shard $shard: $(cat stderr)"; done
  "$bin/aam_demo" merge shards >stdout 2>stderr || complain "aam_demo merge: $(cat stderr)"
  grep -q '^end error' stdout || complain "aam_demo merge prints no table"
  cmp <(cut -d, -f1-6 all.csv) <(cut -d, -f1-6 shards/fits.csv) || complain "the fits of three shards differ from those of one run"
  first="$(find faces -name '*.pgm' | sort | head -n 1)"
  printf '%s --init 24,20,80,90\n"%s" --init 24,20,80,90\nevaluate --images faces\nfit %s --init 20,20,80,90\n' "$first" "$first" "$first" >list.txt
  same aam_demo -- --model faces.aam --device cpu
fi

((failures == 0)) || { echo "$failures failures" >&2; exit 1; }
echo "any number of shards gives the same results"
