#!/usr/bin/env python3
"""Fails on words that the project has replaced by the field's own, in names, comments, documentation and messages.

A rule looks at the whole text of every file, or at C++ code alone: identifiers, without comments and string literals. A rule for
identifiers also looks at the names of files.

Usage: check_language.py [ROOT]     ROOT: the checkout; default: the one this file lies in
"""

import pathlib
import re
import sys
from typing import NamedTuple

from program import run

CODE = {".hpp", ".cpp", ".cu", ".cuh", ".inl"}
TEXT = CODE | {".py", ".sh", ".md", ".txt", ".cmake", ".in", ""}


class Rule(NamedTuple):
    word: str        # a regular expression; its ends are ends of words
    instead: str     # what to write
    where: str = ""  # only below these folders, a regular expression for the path's beginning
    code: bool = False


SKIN = "skin_tracker/|tests/skin_tracker/|apps/skin_demo/|bench/skin_tracker/"
AAM = "aam_fit/|tests/aam_fit/|apps/aam_demo/|bench/aam_fit/"
RULES = [
    Rule(r"most_[a-z]\w*", "max_"),
    Rule(r"least_[a-z]\w*", "min_"),
    Rule(r"[a-z]\w*_a_\w+", "_per_", code=True),
    Rule(r"Summer\w*", "the name of the sums: moments"),
    Rule(r"(?<!Dot::)Sums", "Moments", SKIN, code=True),
    Rule(r"sum_cpu", "a name with what is summed", SKIN, code=True),
    Rule(r"OnGpu|gpu_side|GpuSide", "the name of what is on the GPU"),
    Rule(r"Weighing", "weighting, or the name of the weights"),
    Rule(r"Deal", "a partition", code=True),
    Rule(r"[Ss]trips?", "bands or row ranges", SKIN),
    Rule(r"Whereabouts", "position or placement"),
    Rule(r"[Pp]age[-_ ]locked\w*", "pinned"),
    Rule(r"RangeDesk|(?i:range_desk|desk)", "mapped ranges or flags"),
    Rule(r"(?i:letters?)", "messages or results", "reduction/|tests/reduction/|" + SKIN),
    Rule(r"(?i:mail)", "host-mapped memory"),
    Rule(r"(?i:at the ready)", "resident or waiting"),
    Rule(r"Splitter", "the name of the split"),
    Rule(r"GpuClock", "the name of what is timed"),
    Rule(r"(?i:ask(?:ed|s|ing)?[_ ]ahead)", "prefetch"),
    Rule(r"(?i:flesh)", "capsules or body"),
    Rule(r"yield_math|(?i:giv(?:e|es|en|ing) way)", "annealing, rejection or what happens"),
    Rule(r"turn_math", "rotation"),
    Rule(r"Half3", "the name of the storage"),
    Rule(r"Pieces", "the name of the layout", code=True),
    Rule(r"listing", "the name of the method", code=True),
    Rule(r"macro_rays", "the name of the ray group"),
    Rule(r"Look", "evaluation", code=True),
    Rule(r"Form::literal|Literal\w+|literal_\w*", "sequential, or the steps' name", AAM, code=True),
    Rule(r"(?:double |\w+\.)around", "margin", "aam_fit/include/|aam_fit/src/crop/|aam_fit/src/fitter/|tests/aam_fit/fitter/", code=True),
    Rule(r"together", "batched, jointly or combined", AAM + "|" + SKIN, code=True),
    Rule(r"kappa", "the name of the offset", code=True),
    Rule(r"HostImage|GreyImage", "Image"),
    Rule(r"Oval", "Box", code=True),
    Rule(r"Region", "PixelBox", code=True),
]

# Path (a regular expression for its beginning) -> why its words may stay.
EXEMPT_FILES = {
    r"bench/results/": "recorded output: tables and charts of programs as they were then",
    r"tests/fuzz/seeds/": "inputs of parsers, not all of them text",
    r"CHANGELOG\.md": "says what was renamed",
    r"tests/structure/check_language(_test)?\.py": "the rules and their test",
}
# (path, the word as found; both regular expressions) -> why it may stay.
EXCEPTIONS = {
    (r"", r"(\w*_)?(at|by|for|from|in|into|of|on|to|with)_a_\w+"): "an article after a preposition, not 'per'",
    (r"", r"use_a_stream"): "the name of an example, which is a sentence",
}


def code_only(text):
    """C++ without comments, string literals and the names of tests; line numbers kept."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\bTEST(?:_[FP])?\([^)]*\)', re.S)
    return token.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def allowed(path, word):
    return any(re.match(place, path) and re.fullmatch(excepted, word) for place, excepted in EXCEPTIONS)


def check_text(path, text):
    """Sentences about the words of one file."""
    suffix = pathlib.PurePath(path).suffix
    code = code_only(text) if suffix in CODE else None
    problems = []
    for rule in RULES:
        if not re.match(rule.where, path):
            continue
        pattern = re.compile(rf"\b(?:{rule.word})_?\b")
        searched = code if rule.code else text
        if searched is not None:
            for match in pattern.finditer(searched):
                if not allowed(path, match[0]):
                    line = searched.count("\n", 0, match.start()) + 1
                    problems.append(f"{path}:{line}: '{match[0]}': write {rule.instead}")
        name = pathlib.PurePath(path).stem
        if pattern.fullmatch(name) and not allowed(path, name):
            problems.append(f"{path}: the file's name: write {rule.instead}")
    return problems


def files(root):
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        top = name.split("/")[0]
        if top == "out" or (top.startswith((".", "build")) and top != ".ci") or "__pycache__" in name:
            continue
        if path.is_file() and path.suffix in TEXT and not any(re.match(exempt, name) for exempt in EXEMPT_FILES):
            yield path, name


def check(root):
    problems = []
    count = 0
    for path, name in files(root):
        count += 1
        problems += check_text(name, path.read_text())
    return problems, count


if __name__ == "__main__":
    sys.exit(run(check, "{} words that the project does not use any more; an exception needs a reason in EXCEPTIONS",
                 f"{{}} files are free of the {len(RULES)} kinds of words that were replaced"))
