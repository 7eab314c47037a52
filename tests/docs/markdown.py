"""What the checks of this folder need to know about Markdown files."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ("core", "reduction", "capsule_likelihood", "skin_tracker", "aam_fit")
FENCE = re.compile(r"^ *(```+)(\w*)[^\n]*\n(.*?)^ *\1 *$", re.M | re.S)


def readmes(root):
    """The README of the project and those of its modules, where they exist."""
    return [path for path in (root / "README.md", *(root / m / "README.md" for m in MODULES)) if path.exists()]


def documents(root):
    """Every Markdown file of the checkout; build folders and results of runs left out."""
    for path in sorted(root.rglob("*.md")):
        top = path.relative_to(root).parts[0]
        if top != "out" and not top.startswith((".", "build")):
            yield path


def code_blocks(text, language):
    """(number of the first line, content) of each fenced block of that language."""
    return [(text.count("\n", 0, m.start(3)) + 1, m[3]) for m in FENCE.finditer(text) if m[2] == language]


def without_code(text):
    """The text with fenced blocks and code spans blanked, line numbers kept."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    return re.sub(r"`[^`\n]*`", blank, FENCE.sub(blank, text))


def report(problems, good):
    """Prints the problems, or the good news; the exit code."""
    print("\n".join(problems) if problems else good)
    return 1 if problems else 0
