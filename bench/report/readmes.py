"""The figures of the documentation, from the committed results.

A figure in a Markdown file stands in a block: a comment with a template, what the template gives, and an end mark.
  <!-- figures: h200
  It takes {us sum/float/automatic/rotating/1048576} us, CUB {us sum/float/peer_cub/rotating/1048576}.
  -->
  It takes 3.19 us, CUB 4.49.
  <!-- /figures -->
The first line names the machine: a folder of bench/results. {function words...} stands for a figure (FUNCTIONS), {function@machine words...}
for one of another machine. The name of an entry may have * and ? in it: then the fastest that matches is meant. A figure that the results
do not have is a dash, or what stands behind the word else, and report.py says so."""

import fnmatch
import functools
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


def figure(value):
    """Three digits, thousands apart where there are more than four."""
    text = three_digits(value)
    return f"{int(text):,}" if text.isdigit() and len(text) > 4 else text


class Machine:
    """All that is known of one machine: its results, in its folder and in folders with a report below it, and its accuracy tables."""

    def __init__(self, folder):
        self.folder = str(folder)

    @functools.cached_property
    def paths(self):
        return [os.path.join(where, name) for where, _, names in sorted(os.walk(self.folder)) for name in sorted(names)
                if name.endswith(".json") and (where == self.folder or "comparison.md" in names or os.path.basename(where) == "accuracy")]

    @functools.cached_property
    def tables(self):
        return [table for table in map(accuracy.read, self.paths) if table]

    @functools.cached_property
    def entries(self):
        return {entry.text: entry for entry in load([path for path in self.paths if is_results(path)]).entries}

    def entry(self, name):
        found = [entry for text, entry in self.entries.items() if fnmatch.fnmatchcase(text, name)]
        if not found:
            raise Missing(name)
        return min(found, key=lambda entry: entry.us)

    def us(self, name):
        return figure(self.entry(name).us)

    def ms(self, name):
        return figure(self.entry(name).us / 1e3)

    def per(self, name, count):
        return figure(self.entry(name).us / float(count))

    def times(self, other, ours):
        """How many times as fast as the other ours is."""
        return figure(self.entry(other).us / self.entry(ours).us)

    def limit_us(self, name, limit):
        """The time that a limit of the same file allows for the bytes of an entry; a limit without bytes is a time."""
        entry = self.entry(name)
        if limit not in entry.limits or (entry.bytes is None and limit.startswith("read")):
            raise Missing(f"{limit} beside {name}")
        return entry.bytes / entry.limits[limit] / 1e3 if limit.startswith("read") else entry.limits[limit]

    def limit(self, name, limit):
        return figure(self.limit_us(name, limit))

    def floor(self, name):
        """The larger of an empty launch and of reading the bytes once from the GPU's memory, in us."""
        return figure(max(self.limit_us(name, "read/gpu"), self.limit_us(name, "launch/gpu")))

    def share(self, name, limit="read/gpu"):
        share = self.entry(name).share_of(limit)
        if share is None:
            raise Missing(f"share of {name}")
        return f"{share * 100:.0f} %"

    def rate(self, name, limit):
        """A limit of the file of an entry, in GB/s."""
        if limit not in self.entry(name).limits:
            raise Missing(f"{limit} beside {name}")
        return figure(self.entry(name).limits[limit])

    def largest(self, counter, name):
        found = [e.counters[counter] for text, e in self.entries.items() if fnmatch.fnmatchcase(text, name) and counter in e.counters]
        if not found:
            raise Missing(f"{counter} of {name}")
        return max(found)

    def counter(self, counter, name):
        """A counter of an entry; the largest of those that match."""
        return figure(self.largest(counter, name))

    def percent(self, counter, name):
        return f"{100 * self.largest(counter, name):.0f} %"

    def accuracy(self, task, column, *wanted):
        """The mean of a column over the rows of an accuracy table in which every key=value holds; values may have * and ? for a space."""
        numbers = accuracy.values(self.tables, task, column, dict(word.split("=", 1) for word in wanted))
        if not numbers:
            raise Missing(f"accuracy of {task}: {column} {' '.join(wanted)}")
        return f"{sum(numbers) / len(numbers):.3g}"


    def reports(self):
        """The rows of a table of all reports in the folder."""
        rows = []
        for where, _, names in sorted(os.walk(self.folder)):
            results = [os.path.join(where, name) for name in sorted(names) if name.endswith(".json") and is_results(os.path.join(where, name))]
            if "comparison.md" in names and results:
                known, name = load(results), os.path.relpath(where, self.folder).replace(os.sep, "/")
                machine = " and ".join(known.machine(key, "") for key in ("gpu", "cpu") if key in known.facts)
                rows.append(f"| [`{name}`]({name}/comparison.md) | {machine} | {known.facts.get('commit', DASH)} | {known.facts.get('date', DASH)} | "
                            + ", ".join(f"`{os.path.basename(path)}`" for path in results) + " |")
        return "\n".join(rows)


FUNCTIONS = ["us", "ms", "per", "times", "limit", "floor", "share", "rate", "counter", "percent", "accuracy", "reports"]


def filled(template, machine, machine_of, missing):
    """The template with its figures; machine_of(name) gives another machine."""
    def filled_in(match):
        words, _, instead = match[1].partition(" else ")
        function, *words = words.split()
        function, _, other = function.partition("@")
        try:
            if function not in FUNCTIONS:
                raise Missing(f"{function}, which is none of {', '.join(FUNCTIONS)}")
            return getattr(machine_of(other) if other else machine, function)(*words)
        except Missing as error:
            missing.append(f"not measured: {error}" + (f"; {instead} stays" if instead else ""))
            return instead or DASH
    return re.sub(r"\{([^{}\n]+)\}", filled_in, template)


def documents(root):
    for path in sorted(root.rglob("*.md")):
        top = path.relative_to(root).parts[0]
        if top not in ("out", "build") and not top.startswith((".", "build-")) and "<!-- figures: " in path.read_text():
            yield path


def run(check, root=ROOT):
    """Writes every block again, or with check says where it would change; the exit code."""
    machines, wrong, blocks = {}, [], 0

    def machine_of(name):
        if name not in machines:
            machines[name] = Machine(root / "bench" / "results" / name)
        return machines[name]

    for path in documents(root):
        name, text = path.relative_to(root), path.read_text()

        def block(match):
            nonlocal blocks
            blocks += 1
            head, machine, template, old, end = match.groups()
            missing = []
            new = filled(template, machine_of(machine), machine_of, missing) + ("\n" if head.endswith("\n") else "")
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


if __name__ == "__main__":
    sys.exit(run("--check" in sys.argv[1:]))
