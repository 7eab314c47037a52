#!/usr/bin/env python3
"""check_collectives.py finds a reduction by hand, and passes over votes and comments."""

import pathlib
import tempfile
import unittest

import check_collectives


class ReductionsByHand(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        for workload in check_collectives.WORKLOADS:
            self.write(f"{workload}/src/uses.cu", "#include <triptych/reduction/collective/warp.cuh>\n")

    def write(self, file, text):
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def problems_with(self, text):
        self.write("aam_fit/src/fit/kernel.cu", text)
        return check_collectives.check(self.root)[0]

    def expect(self, text, what):
        self.assertEqual(self.problems_with(f"\n{text}\n"),
                         [f"aam_fit/src/fit/kernel.cu:2: {what}; use triptych/reduction/collective"])

    def test_shuffle(self):
        self.expect("sum += __shfl_xor_sync(~0u, sum, 16);", "a shuffle")

    def test_warp_reduction(self):
        self.expect("sum = __reduce_add_sync(~0u, sum);", "a warp reduction")

    def test_flagged_words(self):
        self.expect('asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p));', "a flagged word")
        self.expect('asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v));', "a flagged word")

    def test_votes_and_comments_are_allowed(self):
        self.assertEqual(self.problems_with("// not __shfl_sync\n/* nor\n__reduce_add_sync */\n__ballot_sync(~0u, p);\n"), [])

    def test_a_workload_without_collectives(self):
        (self.root / "skin_tracker/src/uses.cu").unlink()
        self.assertEqual(check_collectives.check(self.root)[0], ["skin_tracker: no file uses a collective"])


if __name__ == "__main__":
    unittest.main()
