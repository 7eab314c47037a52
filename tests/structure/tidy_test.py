"""Tests of .ci/tidy.py with a clang-tidy that finds the word "bad" and writes down what it was shown."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TIDY = pathlib.Path(__file__).resolve().parents[2] / ".ci" / "tidy.py"
FAKE = """#!/usr/bin/env python3
import pathlib, sys
if "--version" in sys.argv:
    print("version 1")
    sys.exit()
unit = pathlib.Path(sys.argv[-1])
with open(pathlib.Path(__file__).with_name("shown"), "a") as shown:
    shown.write(unit.stem + "\\n")
sys.exit("bad" in unit.read_text() and print("something bad in", unit.name) is None)
"""


class Tidy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve() / "project"
        for name in (".ci", "core", "build"):
            (self.root / name).mkdir(parents=True)
        shutil.copy(TIDY, self.root / ".ci")
        (self.root / ".clang-tidy").write_text("Checks: none")
        self.tool = self.root / "clang-tidy"
        self.tool.write_text(FAKE)
        self.tool.chmod(0o755)
        (self.root / "core" / "shared.hpp").write_text("int shared;")
        for i in range(9):
            self.write(f"unit{i}", '#include "shared.hpp"\n' if i < 4 else "")
        self.commands(range(9))

    def write(self, name, text):
        (self.root / "core" / f"{name}.cpp").write_text(text)

    def commands(self, numbers, tree="build"):
        (self.root / tree).mkdir(exist_ok=True)
        files = [str(self.root / "core" / f"unit{i}.cpp") for i in numbers]
        entries = [{"directory": "", "file": file, "command": f"c++ -I{self.root}/core -c {file}"} for file in files]
        (self.root / tree / "compile_commands.json").write_text(json.dumps(entries))

    def run_tidy(self, *options, tree="build"):
        """The exit status and the units that clang-tidy was shown."""
        shown = self.root / "shown"
        shown.unlink(missing_ok=True)
        run = subprocess.run([sys.executable, self.root / ".ci" / "tidy.py", self.root / tree, "--clang-tidy", self.tool, "--jobs", "1", *options],
                             env={**os.environ, "XDG_CACHE_HOME": str(self.root / "cache")}, capture_output=True, text=True, check=False)
        self.assertEqual(run.stderr, "")
        return run.returncode, sorted(shown.read_text().split()) if shown.exists() else []

    def test_sees_everything_in_six_runs_however_little_time_there_is(self):
        seen = []
        for count in (2, 2, 2, 2, 1, 0):
            status, shown = self.run_tidy("--minutes", "0")
            self.assertEqual((status, len(shown)), (0, count))
            seen += shown
        self.assertEqual(sorted(seen), [f"unit{i}" for i in range(9)])
        self.assertEqual(self.run_tidy(), (0, []))

    def test_looks_first_at_what_changed_lately(self):
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(self.root)]
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "add", "core"], check=True)
        for _ in range(11):
            subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "."], check=True)
        self.write("unit3", "int changed;")
        subprocess.run([*git, "commit", "-q", "-am", "."], check=True)
        self.write("unit8", "int changed;")
        self.assertEqual(self.run_tidy("--minutes", "0"), (0, ["unit3", "unit8"]))

    def test_looks_again_at_what_includes_a_header_that_changed(self):
        self.run_tidy()
        (self.root / "core" / "shared.hpp").write_text("long shared;")
        self.assertEqual(self.run_tidy(), (0, [f"unit{i}" for i in range(4)]))

    def test_fails_until_what_is_bad_is_mended(self):
        self.write("unit7", "bad")
        self.assertEqual(self.run_tidy()[0], 1)
        self.assertEqual(self.run_tidy(), (1, ["unit7"]))
        self.write("unit7", "good")
        self.assertEqual(self.run_tidy(), (0, ["unit7"]))

    def test_leaves_out_what_another_tree_compiles(self):
        self.commands(range(7), tree="other")
        self.assertEqual(self.run_tidy("--without", self.root / "other"), (0, ["unit7", "unit8"]))

    def test_looks_at_the_sources_of_a_unity_source(self):
        unity = self.root / "build" / "Unity" / "unity_0_cxx.cxx"
        unity.parent.mkdir()
        unity.write_text("".join(f'#include "{self.root}/core/unit{i}.cpp"\n' for i in range(2)))
        (self.root / "build" / "compile_commands.json").write_text(json.dumps([{"directory": "", "file": str(unity), "command": f"c++ -c {unity}"}]))
        self.assertEqual(self.run_tidy(), (0, ["unity_0_cxx"]))
        self.write("unit1", "int changed;")
        self.assertEqual(self.run_tidy(), (0, ["unity_0_cxx"]))
        self.assertEqual(self.run_tidy(), (0, []))


if __name__ == "__main__":
    unittest.main()
