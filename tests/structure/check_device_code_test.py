#!/usr/bin/env python3
"""check_device_code.py finds bit counts in files with device code, and passes over others."""

import unittest

import check_device_code


class BitCounts(unittest.TestCase):
    def test_calls_in_device_code_are_found(self):
        for marker in ("TRIPTYCH_HD", "TRIPTYCH_INLINE_HD constexpr", "__device__", "__global__"):
            for call in ("bit_width", "countl_zero", "countr_zero", "popcount", "bit_ceil"):
                self.assertEqual([name for _, name in check_device_code.counts_in(f"{marker} int f(int v) {{ return std::{call}(v); }}")], [call])

    def test_others_are_allowed(self):
        for text in ("int f(unsigned v) { return std::bit_width(v); }", "TRIPTYCH_HD int f(); // not std::bit_width", "__device__ float g(int v) { return std::bit_cast<float>(v); }",
                     "__device__ int h(unsigned long long v) { return __clzll(v); }"):
            self.assertEqual(check_device_code.counts_in(text), [], text)


if __name__ == "__main__":
    unittest.main()
