#!/usr/bin/env python3
"""Fails on C++ in a README that is not part of an example that is compiled and run.

A ```cpp block of README.md or <module>/README.md is a run of lines of one apps/examples/*.cpp, the common indentation taken away.
An example has at most 40 lines.

Usage: check_readme_code.py [ROOT]     ROOT: the checkout; default: the one this file lies in
"""

import pathlib
import sys
import textwrap

from markdown import ROOT, code_blocks, readmes, report

MAX_LINES = 40


def plain(lines):
    """The lines without common indentation and without blanks at their ends."""
    return textwrap.dedent("\n".join(line.rstrip() for line in lines)).split("\n")


def contains(lines, block):
    """Whether the block is a run of the lines."""
    return any(plain(lines[i:i + len(block)]) == block for i in range(len(lines) - len(block) + 1))


def check(root):
    examples = {path: path.read_text().rstrip("\n").split("\n") for path in sorted((root / "apps/examples").glob("*.cpp"))}
    problems = [f"{path.relative_to(root)}: {len(lines)} lines; an example has at most {MAX_LINES}"
                for path, lines in examples.items() if len(lines) > MAX_LINES]
    count = 0
    for readme in readmes(root):
        for line, text in code_blocks(readme.read_text(), "cpp"):
            count += 1
            block = plain(text.rstrip("\n").split("\n"))
            if not any(contains(lines, block) for lines in examples.values()):
                problems.append(f"{readme.relative_to(root)}:{line}: this code is not a run of lines of an apps/examples/*.cpp")
    return problems, f"{count} blocks of code are parts of the {len(examples)} examples"


if __name__ == "__main__":
    sys.exit(report(*check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT)))
