#!/usr/bin/env python3
"""Fails on a link or picture in a Markdown file that leads nowhere: a relative path that does not exist, or an anchor that no
heading of the file has. Addresses on the web are not visited.

Usage: check_links.py [ROOT]     ROOT: the checkout; default: the one this file lies in
"""

import pathlib
import re
import sys
import urllib.parse

from markdown import ROOT, documents, report, without_code

LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\](?:\([^)]*\))?)*\]\(\s*<?([^)\s>]+)>?[^)]*\)"
                  r"|^\[[^\]]+\]:\s*<?([^\s>]+)"
                  r"|<(?:img|a|source|video)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"", re.M)
PICTURE = re.compile(r"!\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
WEB = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.I)


def anchors(text):
    """The anchors that GitHub gives the headings."""
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    count = {}
    for heading in re.findall(r"^#{1,6}\s+(.*?)\s*#*$", re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S), re.M):
        heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = count[slug] = count.get(slug, -1) + 1
        found.add(slug if number == 0 else f"{slug}-{number}")
    return found


def check_link(root, path, target):
    """What is wrong with one link; None when nothing is."""
    if WEB.match(target):
        return None
    place, _, anchor = urllib.parse.unquote(target).partition("#")
    goal = path if not place else root / place.lstrip("/") if place.startswith("/") else path.parent / place
    if not goal.exists():
        return "does not exist"
    if not goal.resolve().is_relative_to(root):
        return "lies outside the checkout"
    if not anchor:
        return None
    if goal.suffix != ".md":
        return None if re.fullmatch(r"L\d+(-L\d+)?", anchor) else "has an anchor, but is no Markdown file"
    return None if anchor in anchors(goal.read_text()) else "names a heading that is not there"


def check(root):
    problems = []
    files = count = 0
    for path in documents(root):
        files += 1
        text = without_code(path.read_text())
        for match in [*LINK.finditer(text), *PICTURE.finditer(text)]:
            target = next(group for group in match.groups() if group)
            count += 1
            problem = check_link(root, path, target)
            if problem:
                line = text.count("\n", 0, match.start()) + 1
                problems.append(f"{path.relative_to(root)}:{line}: {target} {problem}")
    return sorted(set(problems)), f"{count} links of {files} files lead somewhere"


if __name__ == "__main__":
    sys.exit(report(*check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT)))
