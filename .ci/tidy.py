#!/usr/bin/env python3
"""clang-tidy over what a build tree compiles, unity sources included, so that headers are parsed once for several sources.

A unit is skipped while it, all it includes and clang-tidy are those of a clean run before. Of the others at least a sixth
of all units is looked at: those first whose sources changed lately, then those that have waited longest. With a cache that
stays, every unit is seen in six runs, whatever changed; without one, each commit has units of its own.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import hashlib
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = "core|reduction|capsule_likelihood|skin_tracker|aam_fit|apps|bench|tests"
INCLUDE = re.compile(rb'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
# A unity source includes sources. g++ has warnings that clang does not know, and libstdc++ 12 uses what it deprecates.
OPTIONS = ["--quiet", "--checks=-bugprone-suspicious-include", f"--header-filter={ROOT}/({FOLDERS})/.*[.](hpp|cpp)$",
           "--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-deprecated-declarations"]


@functools.cache
def read(path: str) -> tuple[str, tuple[str, ...]]:
    """The hash of a file, and the names that it includes."""
    content = pathlib.Path(path).read_bytes().replace(os.fsencode(ROOT), b"")
    return hashlib.sha256(content).hexdigest(), tuple(name.decode() for name in INCLUDE.findall(content))


class Unit:
    """A source that a compiler is called for."""

    def __init__(self, tree: pathlib.Path, entry: dict):
        self.tree, self.file = tree, entry["file"]
        words = shlex.split(entry["command"])
        # What is outside of the project changes with the packages that are installed; clang-tidy's version stands for them.
        self.folders = [word[2:] for word in words if word.startswith(f"-I{ROOT}")]
        self.flags = [word.replace(str(ROOT), "") for word in words
                      if word.startswith(("-D", "-I", "-std", "-W", "-f", "-m")) and not word.startswith("-fmacro-prefix-map")]
        unity = "/Unity/unity_" in self.file
        text = pathlib.Path(self.file).read_text(encoding="utf-8", errors="replace") if unity else ""
        self.sources = re.findall(r'^#include "([^"]+)"$', text, re.MULTILINE) if unity else [self.file]

    def known(self) -> bool:
        """Whether it is written here: sources that CMake writes for headers, and those of other projects, are not looked at."""
        return any(re.match(f"{re.escape(str(ROOT))}/({FOLDERS})/.*[.]cpp$", source) for source in self.sources)

    def included(self) -> list[str]:
        """All files of the project that it includes, and itself."""
        files, waiting = set(), list(self.sources)
        while waiting:
            path = waiting.pop()
            if path in files:
                continue
            files.add(path)
            for name in read(path)[1]:
                for folder in (os.path.dirname(path), *self.folders):
                    candidate = os.path.normpath(os.path.join(folder, name))
                    if candidate not in files and os.path.isfile(candidate) and candidate.startswith(f"{ROOT}/"):
                        waiting.append(candidate)
        return sorted(files)

    def name(self) -> str:
        return hashlib.sha256(" ".join(source.replace(str(ROOT), "") for source in self.sources).encode()).hexdigest()

    def stamp(self, tool: str) -> str:
        parts = [tool, *self.flags, *(f"{path.replace(str(ROOT), '')} {read(path)[0]}" for path in self.included())]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def git(*words: str) -> list[str]:
    """The lines that git prints; none outside a repository."""
    run = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return run.stdout.split("\n") if run.returncode == 0 else []


def changed_lately() -> set[str]:
    """The files of the last ten commits, and those that are not committed."""
    names = [*git("log", "-n", "10", "--name-only", "--format="), *git("diff", "--name-only", "HEAD")]
    return {str(ROOT / name) for name in names if name}


def units_of(tree: pathlib.Path) -> list[Unit]:
    entries = json.loads((tree / "compile_commands.json").read_text(encoding="utf-8"))
    return [unit for entry in entries if entry["file"].endswith((".cpp", ".cxx")) and (unit := Unit(tree, entry)).known()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=pathlib.Path, help="a build tree with compile_commands.json")
    parser.add_argument("--without", type=pathlib.Path, help="another tree: the sources that it compiles, too, are left out")
    parser.add_argument("--minutes", type=float, default=1, help="to go on for after a sixth was looked at in less (default 1)")
    parser.add_argument("--clang-tidy", default="clang-tidy", help="the program")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    options = parser.parse_args()

    version = subprocess.run([options.clang_tidy, "--version"], capture_output=True, text=True, check=True).stdout
    # omp.h, which not every clang-tidy brings along, from the compiler; after all other folders, so that nothing else of it is taken.
    headers = subprocess.run(["g++", "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()
    arguments = [*OPTIONS, "--extra-arg=-idirafter", f"--extra-arg={headers}"]
    tool = version + (ROOT / ".clang-tidy").read_text(encoding="utf-8") + " ".join(OPTIONS).replace(str(ROOT), "")
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "triptych-tidy"
    (cache / "seen").mkdir(parents=True, exist_ok=True)
    month_ago = time.time() - 30 * 24 * 3600
    for old in [path for path in cache.rglob("*") if path.is_file() and path.stat().st_mtime < month_ago]:
        old.unlink()

    units = units_of(options.tree.resolve())
    if options.without:
        others = {source for unit in units_of(options.without.resolve()) for source in unit.sources}
        units = [unit for unit in units if not set(unit.sources) <= others]
    changed, commit = changed_lately(), "".join(git("rev-parse", "HEAD"))
    waiting = []
    for unit in units:
        clean, seen = cache / unit.stamp(tool), cache / "seen" / unit.name()
        if clean.exists():
            clean.touch()
            seen.touch()
        else:
            order = (changed.isdisjoint(unit.sources), seen.stat().st_mtime if seen.exists() else 0,
                     hashlib.sha256(f"{commit} {unit.name()}".encode()).hexdigest())
            waiting.append((order, unit, clean, seen))
    waiting.sort(key=lambda entry: entry[0])
    wanted = math.ceil(len(units) / 6)
    until = time.monotonic() + 60 * options.minutes
    print(f"clang-tidy: {len(units)} units with {sum(len(unit.sources) for unit in units)} sources, {len(waiting)} not seen as they are now", flush=True)

    lock, failed, looked = threading.Lock(), [], 0

    def look(number: int) -> None:
        nonlocal looked
        _, unit, clean, seen = waiting[number]
        if number >= wanted and time.monotonic() > until:
            return
        run = subprocess.run([options.clang_tidy, "-p", str(unit.tree), *arguments, unit.file], capture_output=True, text=True, check=False)
        with lock:
            looked += 1
            if run.returncode == 0:
                clean.touch()
                seen.touch()
            else:
                failed.append(unit)
                print(run.stdout, run.stderr, sep="\n", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(look, range(len(waiting))))
    print(f"clang-tidy: looked at {looked} of them, {len(failed)} with something to mend" +
          (f"; {len(waiting) - looked} are left for the next run" if looked < len(waiting) else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
