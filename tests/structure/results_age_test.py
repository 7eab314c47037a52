#!/usr/bin/env python3
"""results_age.py names a result when the code of its kernels has changed, and not for comments or other files."""

import pathlib
import subprocess
import tempfile
import unittest

import results_age


class ResultsAge(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        self.commit({"src/a.cu": "int a;  // first\n", "src/b.cpp": "int b;\n"})
        self.commit({"result.json": "{}"})

    def commit(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        results_age.git(self.root, "add", "-A")
        results_age.git(self.root, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "x")

    def notes(self):
        return results_age.check(self.root, {"result.json": ["src"]})

    def test_a_result_newer_than_its_kernels(self):
        self.assertEqual(self.notes(), [])

    def test_a_result_that_moved_is_as_old_as_before(self):
        self.commit({"result.json": "{\n" + '"a": 1,\n' * 20 + "}"})
        self.commit({"src/a.cu": "int a = 1;\n"})
        (self.root / "result.json").rename(self.root / "moved.json")
        self.commit({})
        self.assertEqual(len(results_age.check(self.root, {"moved.json": ["src"]})), 1)

    def test_changed_code(self):
        self.commit({"src/a.cu": "int a = 1;\n"})
        self.assertEqual(self.notes(), ["result.json is older than 1 of its kernel sources: src/a.cu"])

    def test_changed_comments_and_host_code(self):
        self.commit({"src/a.cu": "int a;\n\n// second\n", "src/b.cpp": "int c;\n"})
        self.assertEqual(self.notes(), [])

    def test_a_new_kernel(self):
        self.commit({"src/c.cuh": "int c;\n"})
        self.assertEqual(len(self.notes()), 1)

    def test_measured_again(self):
        self.commit({"src/a.cu": "int a = 1;\n"})
        self.commit({"result.json": '{"again": 1}'})
        self.assertEqual(self.notes(), [])


if __name__ == "__main__":
    unittest.main()
