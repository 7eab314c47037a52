#!/usr/bin/env python3
"""Makes the project's Markdown files ready for doxygen: pages.py PAGES HTML

Writes one page for each into the folder PAGES, README.md first among them, and the pictures into the folder HTML. Headings get
anchors that are unique in the project and links between the files become references to them; a link to a file that is no page
loses its target. A Mermaid flow chart becomes a graph of Graphviz, which doxygen draws.
"""

import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = {".svg", ".png", ".jpg", ".jpeg", ".gif"}
FENCE = re.compile(r"^( *```+)(\w*)[^\n]*\n(.*?)^\1 *$", re.M | re.S)
NODE = r"(\w+)(?:\[\"?([^\]\"]*)\"?\]|\(\[?\"?([^\]\)\"]*)\"?\]?\)|\{\"?([^}\"]*)\"?\})?"


def documents():
    for path in sorted(ROOT.rglob("*.md")):
        top = path.relative_to(ROOT).parts[0]
        if top != "out" and not top.startswith((".", "build")):
            yield path


def name_of(path):
    return re.sub(r"\W", "_", path.resolve().relative_to(ROOT).with_suffix("").as_posix())


def slug(heading):
    """The anchor that GitHub gives a heading."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchor(path, part):
    return f"{name_of(path)}__{re.sub(r'[^a-z0-9]', '_', part)}"


def graph(mermaid):
    """A flow chart of nodes a[text], edges a --> b and a -->|text| b, and chains of them, in Graphviz's language."""
    across = re.match(r"\s*(?:flowchart|graph)\s+(LR|RL)", mermaid)
    out = ["digraph {", f"rankdir={'LR' if across else 'TB'}; node [shape=box, style=rounded, fontname=Helvetica, fontsize=10];"
           " edge [fontname=Helvetica, fontsize=9];"]
    breaks, newline = re.compile("<br ?/?>"), "\\n"  # as Graphviz reads it
    for line in mermaid.strip().split("\n")[1:]:
        at, before, words = 0, None, ""
        line = line.strip()
        while match := re.compile(NODE).match(line, at):
            text = next((t for t in match.groups()[1:] if t is not None), None)
            if text is not None:
                out.append(f'{match[1]} [label="{breaks.sub(lambda _: newline, text)}"];')
            if before:
                back = ", constraint=false" if re.match("next|until", words) else ""  # to an earlier node
                out.append(f'{before} -> {match[1]} [label="{words}"{back}];')
            before, at = match[1], match.end()
            arrow = re.compile(r"\s*-->(?:\|\"?([^|\"]*)\"?\|)?\s*").match(line, at)
            if not arrow:
                break
            at, words = arrow.end(), arrow[1] or ""
        if line and at < len(line):
            sys.exit(f"pages.py cannot draw this line of a flow chart: {line}")
    return "\n".join(["\\dot", *out, "}", "\\enddot"])


class Page:
    def __init__(self, path, pages, html):
        self.path, self.pages, self.html = path, pages, html

    def target(self, link):
        """(file, anchor) of a relative link, None for an address on the web."""
        if re.match(r"[a-z][a-z0-9+.-]*:|//", link, re.I):
            return None
        place, _, part = link.partition("#")
        return ((self.path.parent / place) if place else self.path), part

    def picture(self, link):
        """The name of a picture beside the HTML pages, after a copy."""
        goal = self.target(link)
        if goal is None:
            return link
        name = name_of(goal[0]) + goal[0].suffix
        shutil.copyfile(goal[0], self.html / name)
        return name

    def link(self, match):
        words, goal = match[1].replace("`", ""), self.target(match[2])  # a reference shows its words as they are
        if goal is None:
            return match[0]
        if goal[0].resolve() in self.pages:
            return f"[{words}](@ref {anchor(goal[0], goal[1]) if goal[1] else name_of(goal[0])})"
        return match[1]

    def prose(self, text):
        """Everything outside fenced blocks."""
        text = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)[^)]*\)", lambda m: f"![{m[1]}](picture:{self.picture(m[2])})", text)
        text = re.sub(r'(<img\b[^>]*?src=")([^"]+)"', lambda m: f'{m[1]}{self.picture(m[2])}"', text)
        text = re.sub(r"(?<!!)\[((?:[^\[\]]|!\[[^\]]*\]\([^)]*\))+)\]\(([^)\s]+)\)", self.link, text)
        text = text.replace("](picture:", "](")
        seen = {}

        def heading(match):
            part = slug(match[2])
            number = seen[part] = seen.get(part, -1) + 1
            first = match[1] == "#" and not self.titled
            self.titled = self.titled or first
            mark = name_of(self.path) if first else anchor(self.path, part if number == 0 else f"{part}-{number}")
            self.level = min(len(match[1]), self.level + 1)  # doxygen allows no gap between levels
            return f"{'#' * self.level} {match[2]} {{#{mark}}}"
        return re.sub(r"^(#{1,6}) +(.*?) *#*$", heading, text, flags=re.M)

    def text(self):
        self.titled, self.level = False, 0
        source = self.path.read_text()
        blocks = []

        def keep(match):
            blocks.append(graph(match[3]) if match[2] == "mermaid" else match[0].replace("```sh", "```", 1))
            return f"\0{len(blocks) - 1}\0"

        def join(match):  # for doxygen the end of a line and, unless it is doubled, an apostrophe end a code span
            span = re.sub(r"\s+", " ", match[0])
            return f"`{span}`" if "'" in span else span
        text = self.prose(re.sub(r"(?<!`)`(?!`)[^`\0]+`", join, FENCE.sub(keep, source)))
        return re.sub("\0(\\d+)\0", lambda match: blocks[int(match[1])], text)


def main():
    folder, html = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    html.mkdir(parents=True, exist_ok=True)
    pages = {path.resolve(): path for path in documents()}
    for path in pages.values():
        (folder / f"{name_of(path)}.md").write_text(Page(path, pages, html).text())
    print(f"{len(pages)} pages are in {folder}")


if __name__ == "__main__":
    main()
