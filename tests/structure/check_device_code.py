#!/usr/bin/env python3
"""Fails where device code may call a bit-counting function of <bit>.

nvcc 13.0 compiles std::bit_width, std::countl_zero and std::popcount of 64-bit integers and std::countr_zero to constants in device code,
without a warning. Looked at: CUDA sources, and headers with a function for the device.

Usage: check_device_code.py [ROOT]
"""

import re
import sys

import program
from check_streams import without_comments

FOLDERS = ("core", "reduction", "capsule_likelihood", "skin_tracker", "aam_fit")
SUFFIXES = {".cu", ".cuh", ".hpp", ".inl"}
DEVICE = re.compile(r"\bTRIPTYCH_(?:INLINE_)?HD\b|\b__device__\b|\b__global__\b")
COUNTS = re.compile(r"\bstd::(bit_width|bit_ceil|bit_floor|count[lr]_(?:zero|one)|popcount|has_single_bit)\b")

# file -> why it may stay.
EXCEPTIONS = {"skin_tracker/src/moments/cuda/divisor.hpp": "in a constructor that only the host has"}


def counts_in(text):
    """(position, name) of every call in a text with device code."""
    text = without_comments(text)
    return [(match.start(), match.group(1)) for match in COUNTS.finditer(text)] if DEVICE.search(text) else []


def check(root):
    problems, files, met = [], 0, set()
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            files += 1
            where, text = path.relative_to(root).as_posix(), path.read_text()
            for at, name in counts_in(text):
                if where in EXCEPTIONS:
                    met.add(where)
                else:
                    problems.append(f"{where}:{text.count(chr(10), 0, at) + 1}: std::{name} in a file with device code; nvcc compiles some of them to constants")
    problems += [f"exception that nothing needs any more: {where}" for where in EXCEPTIONS.keys() - met]
    return problems, files


if __name__ == "__main__":
    sys.exit(program.run(check, "{} uses of <bit> in device code", "no device code in {} files counts bits by <bit>"))
