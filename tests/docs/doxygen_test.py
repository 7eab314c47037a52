#!/usr/bin/env python3
"""The filters of cmake/doxygen turn comments into documentation and Markdown files into pages."""

import pathlib
import sys
import unittest

from markdown import ROOT

sys.path.insert(0, str(ROOT / "cmake/doxygen"))
import comments  # noqa: E402
import pages  # noqa: E402


class Comments(unittest.TestCase):
    def check(self, before, after):
        self.assertEqual(comments.filtered(before), after)

    def test_the_top_of_a_file(self):
        self.check("// What it owns.\n#pragma once\n", "/// \\file\n/// What it owns.\n#pragma once\n")

    def test_before_a_declaration(self):
        self.check("\nnamespace a {\n// One.\n// Two.\nvoid f();\n}  // namespace a\n",
                   "\nnamespace a {\n/// One.\n/// Two.\nvoid f();\n}  // namespace a\n")

    def test_behind_a_member_and_below(self):
        self.check("\nstruct A {\n  int n = 0;  // one\n              // more\n};\n",
                   "\nstruct A {\n  int n = 0;  ///< one\n              ///< more\n};\n")

    def test_enumerators(self):
        self.check("\nenum class K {\n  a,  // one\n  b = 2,  // two\n  c  // three\n};\n",
                   "\nenum class K {\n  a,  ///< one\n  b = 2,  ///< two\n  c  ///< three\n};\n")

    def test_inside_functions_nothing_changes(self):
        text = "\ntemplate <class T>\nvoid f(T t,  // a parameter\n       int n) {\n  // Inside.\n  int k = n;  // behind\n}\n"
        self.check(text, text)

    def test_after_a_class_template_with_bases(self):
        self.check("\ntemplate <class T>\nclass A : public B<T> {\n public:\n  // One.\n  A();\n};\n",
                   "\ntemplate <class T>\nclass A : public B<T> {\n public:\n  /// One.\n  A();\n};\n")

    def test_a_comment_that_stands_alone(self):
        self.check("\n// A heading.\n\nvoid f();\n", "\n// A heading.\n\nvoid f();\n")

    def test_what_doxygen_would_take_for_a_command(self):
        self.check("\n// a < b, 5 % of #3, A<T>::f, 0 ..\nvoid f();\n",
                   "\n/// a \\< b, 5 \\% of \\#3, A\\<T\\>\\::f, 0 \\.\\.\nvoid f();\n")

    def test_columns_keep_their_form(self):
        self.check("\n// Table:\n//   a    one\nvoid f();\n", "\n/*!\nTable:\n\\verbatim\n  a    one\n\\endverbatim\n*/\nvoid f();\n")


class Pages(unittest.TestCase):
    def test_a_flow_chart(self):
        drawn = pages.graph('flowchart LR\n  a["x<br>y"] --> b\n  b -->|next| a\n')
        for line in ('rankdir=LR', 'a [label="x\\ny"];', 'a -> b [label=""];', 'b -> a [label="next", constraint=false];'):
            self.assertIn(line, drawn)

    def test_a_line_that_cannot_be_drawn(self):
        with self.assertRaises(SystemExit):
            pages.graph("flowchart LR\n  a -.-> b\n")

    def test_a_gap_between_headings(self):
        page = pages.Page(ROOT / "README.md", {}, None)
        page.titled, page.level = False, 0
        self.assertEqual(page.prose("# A\n### B\n## C\n"), "# A {#README}\n## B {#README__b}\n## C {#README__c}\n")

    def test_every_page_is_made(self):
        known = {path.resolve(): path for path in pages.documents()}
        self.assertIn(ROOT / "README.md", known)
        page = pages.Page(ROOT / "CONTRIBUTING.md", known, pathlib.Path("/nowhere"))
        text = page.text()
        self.assertIn("{#CONTRIBUTING}", text)
        self.assertIn("{#CONTRIBUTING__build_and_test}", text)


if __name__ == "__main__":
    unittest.main()
