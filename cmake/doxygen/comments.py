#!/usr/bin/env python3
"""Doxygen's input filter: turns the ordinary comments of a public header into documentation comments.

    // at the top of the file                    -> /// \\file
    // before a declaration                      -> ///
    declaration;  // behind it, and below that   -> ///<

Only at the scope of files, namespaces, classes and enumerations: comments inside functions stay as they are, as does a comment
that a blank line separates from what follows. Usage: comments.py FILE
"""

import re
import sys

COMMENT = re.compile(r"(\s*)// ?(.*)$")
TRAILING = re.compile(r'((?:[^"/]|"(?:\\.|[^"\\])*"|/(?!/))*\S)(\s+)// ?(.*)$')
LITERAL_OR_COMMENT = re.compile(r"//.*|'(?:\\.|[^'\\])'|\"(?:\\.|[^\"\\])*\"")
SCOPE = re.compile(r'(?:inline\s+)?(?:namespace|class|struct|union|enum)\b[^=()]*$|extern\s*$')
# What no comment documents, even right before or behind it.
UNDOCUMENTED = re.compile(r"\s*(?:$|#(?!\s*define)|static_assert|\}|(?:public|private|protected)\s*:|friend\b|extern template)")


def escaped(text):
    """Prose as doxygen shows it: nothing in it is a command, a tag or a link."""
    text = re.sub(r"([\\@<>&#%*|\[\]])", r"\\\1", text)
    return re.sub(r"\.(?=\.$)|(?<=\.)\.$|(?<=>)(?=::)", lambda match: "\\" + match[0], text)


def documentation(parts, opening=""):
    """The lines of a comment as documentation; columns and indented lines, as of code and tables, keep their form."""
    indent = parts[0][1]
    lines = [opening] if opening else []
    fixed = False
    for text in (part[2] for part in parts):
        if bool(re.match(r"  +(?!- )\S|.*\S {3,}\S|[{}]$", text)) != fixed:
            fixed = not fixed
            lines.append("\\verbatim" if fixed else "\\endverbatim")
        lines.append(text if fixed else escaped(text))
    if fixed:
        lines.append("\\endverbatim")
    if "\\verbatim" in lines:  # inside ///, verbatim text would show the slashes
        return [f"{indent}/*!", *lines, f"{indent}*/"]
    return [f"{indent}/// {line}" for line in lines]


def without_prefix(head):
    """A declaration's beginning without template headers, requirements, attributes and macros."""
    head = re.sub(r"\balignas\([^)]*\)|\[\[[^\]]*\]\]|\bTRIPTYCH_\w+", "", head).strip()
    while head.startswith("template"):
        depth = 0
        for at, c in enumerate(head):
            depth += {"<": 1, ">": -1}.get(c, 0)
            if c == ">" and depth == 0:
                break
        head = head[at + 1:].strip()
    return re.sub(r"^requires\b.*?(?=\b(?:class|struct)\b)", "", head)


class Scopes:
    """The braces around the line that comes next."""

    def __init__(self):
        self.inside = []  # of each open brace: whether declarations stand in it
        self.head = ""    # what was read since the last declaration

    def among_declarations(self):
        return all(self.inside) and not self.head.strip()

    def read(self, line):
        if line.lstrip().startswith("#"):
            return
        for c in LITERAL_OR_COMMENT.sub(lambda m: "" if m[0].startswith("//") else '""', line) + " ":
            if c == "{":
                head = re.split(r"(?<!:):(?!:)", without_prefix(self.head))[0]  # a class without its bases
                self.inside.append(bool(SCOPE.match(head.strip())))
                self.head = ""
            elif c == "}":
                self.inside = self.inside[:-1]
                self.head = ""
            elif c == ";" or (c == "," and re.fullmatch(r"\s*\w+(?:\s*=[^(<]*)?", self.head)):  # an enumerator
                self.head = ""
            else:
                self.head += c
        if re.fullmatch(r"\s*(?:public|private|protected)\s*:\s*", self.head):
            self.head = ""


def filtered(text):
    lines = text.split("\n")
    out, scopes = [], Scopes()
    i = 0
    while i < len(lines):
        if COMMENT.match(lines[i]):
            block = [i]
            while block[-1] + 1 < len(lines) and COMMENT.match(lines[block[-1] + 1]):
                block.append(block[-1] + 1)
            parts = [COMMENT.match(lines[k]) for k in block]
            after = lines[block[-1] + 1] if block[-1] + 1 < len(lines) else ""
            if i == 0:
                out += documentation(parts, "\\file")
            elif scopes.among_declarations() and not UNDOCUMENTED.match(after):
                out += documentation(parts)
            else:
                out += [lines[k] for k in block]
            i = block[-1] + 1
            continue
        line = lines[i]
        i += 1
        behind = TRAILING.match(line)
        whole = scopes.among_declarations()
        scopes.read(line)
        code = behind[1] if behind else ""
        last_enumerator = all(scopes.inside) and re.fullmatch(r"\s*\w+(?:\s*=[^(]*)?", code)
        if not behind or UNDOCUMENTED.match(line) or not all(scopes.inside) or not (code[-1] in ";," or last_enumerator):
            out.append(line)
            continue
        if not whole and code[-1] == ",":  # a parameter
            out.append(line)
            continue
        out.append(f"{code}{behind[2]}///< {escaped(behind[3])}")
        column = len(code) + len(behind[2])
        while i < len(lines) and (below := COMMENT.match(lines[i])) and len(below[1]) == column:
            out.append(f"{below[1]}///< {escaped(below[2])}")
            i += 1
    return "\n".join(out)


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        sys.stdout.write(filtered(file.read()))
