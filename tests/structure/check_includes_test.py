#!/usr/bin/env python3
"""check_includes.py finds a forbidden include: each case adds one to a copy of the sources and expects the sentence."""

import pathlib
import shutil
import tempfile
import unittest

import check_includes
from layers import MODULES

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ForbiddenIncludes(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        for module in MODULES:
            for top in ("include", "src"):
                shutil.copytree(ROOT / module / top, self.root / module / top)

    def problems_with(self, file, include):
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text() if path.exists() else ""
        path.write_text(f"#include {include}\n{text}")
        return check_includes.check(self.root)[0]

    def test_the_sources_as_they_are(self):
        self.assertEqual(check_includes.check(self.root)[0], [])

    def test_a_private_header_of_a_higher_folder(self):
        file = "capsule_likelihood/src/geometry/exact_math.hpp"
        self.assertEqual(self.problems_with(file, '"filter/filter_plan.hpp"'),
                         [f"{file}: geometry may not include filter (filter/filter_plan.hpp)"])

    def test_a_public_header_of_a_higher_folder(self):
        file = "skin_tracker/src/engine/in_flight.hpp"
        header = "triptych/skin_tracker/tracker.hpp"
        self.assertEqual(self.problems_with(file, f"<{header}>"),
                         [f"{file}: engine may not include tracker ({header})"])

    def test_a_public_header_that_includes_a_higher_one(self):
        file = "aam_fit/include/triptych/aam_fit/shape.hpp"
        header = "triptych/aam_fit/train.hpp"
        self.assertEqual(self.problems_with(file, f"<{header}>"),
                         [f"{file}: shape may not include train ({header})"])

    def test_another_workload(self):
        file = "aam_fit/src/shape/shape.cpp"
        header = "triptych/skin_tracker/frame.hpp"
        self.assertEqual(self.problems_with(file, f"<{header}>"), [f"{file}: aam_fit may not include {header}"])

    def test_a_module_above(self):
        file = "core/src/error.cpp"
        header = "triptych/reduction/reduce.hpp"
        self.assertEqual(self.problems_with(file, f"<{header}>"), [f"{file}: core may not include {header}"])

    def test_a_path_that_does_not_start_at_src(self):
        file = "aam_fit/src/shape/shape.cpp"
        self.assertEqual(self.problems_with(file, '"hull.hpp"'),
                         [f'{file}: "hull.hpp" is not written as a path from aam_fit/src'])

    def test_a_file_in_no_folder(self):
        file = "aam_fit/src/other/new.cpp"
        self.assertEqual(self.problems_with(file, "<vector>"), [f"{file}: belongs to no folder of layers.py"])


if __name__ == "__main__":
    unittest.main()
