#!/usr/bin/env python3
"""Fails on a README that is too long to be read first: more words than allowed, code included, as wc -w counts them; comments, which
nobody sees, are not counted.

Usage: check_length.py [ROOT]     ROOT: the checkout; default: the one this file lies in
"""

import pathlib
import re
import sys

from markdown import ROOT, readmes, report

MAX_WORDS, MAX_WORDS_TOP = 500, 550


def check(root):
    problems = []
    for readme in readmes(root):
        words = len(re.sub(r"<!--.*?-->", " ", readme.read_text(), flags=re.S).split())
        limit = MAX_WORDS_TOP if readme.parent == root else MAX_WORDS
        if words > limit:
            problems.append(f"{readme.relative_to(root)}: {words} words; at most {limit}: move the rest to docs/")
    return problems, f"{len(readmes(root))} READMEs are short enough"


if __name__ == "__main__":
    sys.exit(report(*check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT)))
