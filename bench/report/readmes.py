"""The figures of the documentation, from the committed results.

A figure in a Markdown file stands in a block: a comment with a template, what the template gives, and an end mark.
  <!-- figures: h200
  It takes {us sum/float/automatic/rotating/1048576} us, CUB {us sum/float/peer_cub/rotating/1048576}.
  -->
  It takes 3.19 us, CUB 4.49.
  <!-- /figures -->
The first line names the machine: a folder of bench/results. {function words...} stands for a figure (FUNCTIONS). The name of an entry may
have * in it: then the fastest that matches is meant. A figure that the results do not have is a dash, and report.py says so."""

import fnmatch
import json
import os
import pathlib
import re
import sys

import accuracy
from document import DASH, three_digits
from results import is_results, load

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(<!-- figures: (\S+)\n(.*?)\n-->\n?)(.*?)(<!-- /figures -->)", re.S)


class Missing(Exception):
    """A figure that the results do not have."""


class Machine:
    """All that is known of one machine: its results, in its folder and in folders with a report below it, and its accuracy tables."""

    def __init__(self, folder):
        self.folder, paths = folder, []
        for where, _, names in sorted(os.walk(folder)):
            if where == str(folder) or "comparison.md" in names or os.path.basename(where) == "accuracy":
                paths += [os.path.join(where, name) for name in sorted(names) if name.endswith(".json")]
        self.tables = [table for table in map(accuracy.read, paths) if table]
        self.entries = {entry.text: entry for entry in load([path for path in paths if is_results(path)]).entries}

    def entry(self, name):
        found = [entry for text, entry in self.entries.items() if fnmatch.fnmatchcase(text, name)]
        if not found:
            raise Missing(name)
        return min(found, key=lambda entry: entry.us)

    def us(self, name):
        return three_digits(self.entry(name).us)

    def ms(self, name):
        return three_digits(self.entry(name).us / 1e3)

    def time(self, name):
        """3.19 us, 0.236 ms"""
        us = self.entry(name).us
        return f"{three_digits(us)} us" if us < 100 else f"{three_digits(us / 1e3)} ms" if us < 1e6 else f"{three_digits(us / 1e6)} s"

    def per(self, name, count):
        return three_digits(self.entry(name).us / float(count))

    def times(self, other, ours):
        """How many times as fast as the other ours is."""
        return three_digits(self.entry(other).us / self.entry(ours).us)

    def limit(self, name, limit):
        """The time in us that a limit of the same file allows for the bytes of an entry; a limit without bytes is a time."""
        entry = self.entry(name)
        if limit not in entry.limits or (entry.bytes is None and limit.startswith("read")):
            raise Missing(f"{limit} beside {name}")
        return three_digits(entry.bytes / entry.limits[limit] / 1e3 if limit.startswith("read") else entry.limits[limit])

    def floor(self, name):
        """The larger of an empty launch and of reading the bytes once from the GPU's memory, in us."""
        return three_digits(max(float(self.limit(name, "read/gpu")), float(self.limit(name, "launch/gpu"))))

    def share(self, name, limit="read/gpu"):
        share = self.entry(name).share_of(limit)
        if share is None:
            raise Missing(f"share of {name}")
        return f"{share * 100:.0f} %"

    def rate(self, limit):
        """A measured limit in GB/s."""
        entry = self.entry("limit/" + limit)
        return three_digits(entry.gb_per_s or entry.us)

    def percent(self, counter, name):
        """A counter of an entry, as a share."""
        found = [e for text, e in self.entries.items() if fnmatch.fnmatchcase(text, name) and counter in e.counters]
        if not found:
            raise Missing(f"{counter} of {name}")
        return f"{100 * max(e.counters[counter] for e in found):.0f} %"

    def accuracy(self, task, column, *wanted):
        """The mean of a column over the rows of an accuracy table in which every key=value holds; values may have * and ? for a space."""
        numbers = accuracy.values(self.tables, task, column, dict(word.split("=", 1) for word in wanted))
        if not numbers:
            raise Missing(f"accuracy of {task}: {column} {' '.join(wanted)}")
        return f"{sum(numbers) / len(numbers):.3g}"

    def json(self, file, key, form=".3g"):
        """A number of any JSON file in the machine's folder."""
        try:
            return format(json.loads((pathlib.Path(self.folder) / file).read_text())[key], form).replace("%", " %")
        except (OSError, KeyError, ValueError) as error:
            raise Missing(f"{key} of {file}") from error


FUNCTIONS = ["us", "ms", "time", "per", "times", "limit", "floor", "share", "rate", "percent", "accuracy", "json"]


def filled(template, machine, missing):
    def figure(match):
        function, *words = match[1].split()
        if function not in FUNCTIONS:
            missing.append(f"{function} is none of {', '.join(FUNCTIONS)}")
            return DASH
        try:
            return getattr(machine, function)(*words)
        except Missing as error:
            missing.append(f"not measured: {error}")
            return DASH
    return re.sub(r"\{([^{}\n]+)\}", figure, template)


def documents(root):
    for path in sorted(root.rglob("*.md")):
        top = path.relative_to(root).parts[0]
        if top not in ("out", "build") and not top.startswith((".", "build-")) and "<!-- figures: " in path.read_text():
            yield path


def run(check, root=ROOT):
    """Writes every block again, or with check says where it would change; the exit code."""
    machines, wrong, blocks = {}, [], 0
    for path in documents(root):
        name, text = path.relative_to(root), path.read_text()

        def block(match):
            nonlocal blocks
            blocks += 1
            head, machine, template, old, end = match.groups()
            missing = []
            if machine not in machines:
                machines[machine] = Machine(root / "bench" / "results" / machine)
            new = filled(template, machines[machine], missing) + ("\n" if head.endswith("\n") else "")
            line = text.count("\n", 0, match.start()) + 1
            for words in missing:
                print(f"{name}:{line}: {words}", file=sys.stderr)
            if new != old:
                pairs = [(a, b) for a, b in zip(old.splitlines(), new.splitlines()) if a != b] or [(old, new)]
                wrong.append(f"{name}:{line}: the results say\n  {pairs[0][1].strip()}\nnot\n  {pairs[0][0].strip()}")
            return head + new + end
        made = BLOCK.sub(block, text)
        if made.count("<!-- figures: ") != len(BLOCK.findall(made)):
            wrong.append(f"{name}: a block of figures has no end mark <!-- /figures -->")
        elif not check and made != text:
            path.write_text(made)
            print(f"{name}: written")
    if check or any("no end mark" in line for line in wrong):
        print("\n".join(wrong + ["Run bench/report/report.py --readmes."]) if wrong else f"{blocks} blocks of figures are those of the results")
        return 1 if wrong else 0
    return 0
