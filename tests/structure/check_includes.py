#!/usr/bin/env python3
"""Fails on an include that the tables of layers.py do not allow, and on a circle in the tables themselves.

Usage: check_includes.py [ROOT]     ROOT: the checkout; default: the one this file lies in
"""

import pathlib
import re
import sys

from layers import LAYERS, MODULES
from program import run

SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh", ".inl"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def allowed_folders(module, folder):
    return set(LAYERS[module][folder][0].split()) | {folder}


def owners(module):
    """Public header -> folder that owns it."""
    return {h: f for f, (_, headers) in LAYERS.get(module, {}).items() for h in headers.split()}


def check_tables():
    """The tables have no circle and name only folders that they define."""
    problems = []
    for module, folders in LAYERS.items():
        seen = {}

        def visit(folder, path):
            if folder in path:
                problems.append(f"layers.py: {module}: circle {' -> '.join([*path, folder])}")
                return
            if folder in seen:
                return
            for other in folders[folder][0].split():
                if other not in folders:
                    problems.append(f"layers.py: {module}/{folder} may include '{other}', which is no folder")
                else:
                    visit(other, [*path, folder])
            seen[folder] = True

        for folder in folders:
            visit(folder, [])
    return problems


def folder_of(module, relative):
    """The deepest folder of the table that holds a path below src/; None when it lies in none."""
    parts = relative.split("/")[:-1]
    name = "/".join(parts)
    return name if name in LAYERS[module] else None


def check_file(root, module, path):
    """Sentences about the forbidden includes of one file."""
    problems = []
    where = path.relative_to(root).as_posix()
    below_src = f"{module}/src/"
    folder = None
    if module in LAYERS:
        if where.startswith(below_src):
            folder = folder_of(module, where[len(below_src):])
        else:
            folder = owners(module).get(path.stem)
        if folder is None:
            return [f"{where}: belongs to no folder of layers.py"]
    owner = owners(module)
    modules = set(MODULES[module].split()) | {module}
    for match in INCLUDE.finditer(path.read_text()):
        bracket, target = match.groups()
        parts = target.split("/")
        other = None
        if parts[0] == "triptych":
            if parts[1] not in modules:
                problems.append(f"{where}: {module} may not include {target}")
            elif parts[1] == module and module in LAYERS:
                other = owner.get(parts[-1].removesuffix(".hpp"))
                if other is None:
                    problems.append(f"{where}: {target} is a public header that no folder of layers.py owns")
        elif bracket == '"' and module in LAYERS:
            other = folder_of(module, target)
            if other is None:
                problems.append(f'{where}: "{target}" is not written as a path from {module}/src')
        if other is not None and other not in allowed_folders(module, folder):
            problems.append(f"{where}: {folder} may not include {other} ({target})")
    return problems


def check(root):
    problems = check_tables()
    count = 0
    for module in MODULES:
        for top in ("include", "src"):
            for path in sorted((root / module / top).rglob("*")):
                if path.suffix in SUFFIXES:
                    count += 1
                    problems += check_file(root, module, path)
    return problems, count


if __name__ == "__main__":
    sys.exit(run(check, "{} forbidden includes; tests/structure/layers.py says what is allowed",
                 "the includes of {} files are those that layers.py allows"))
