#!/usr/bin/env python3
"""check_readme_code.py finds code that no example holds: each case writes a small checkout and expects the sentence."""

import pathlib
import tempfile
import unittest

import check_readme_code

EXAMPLE = """#include <cstdio>

int main() {
  const int sum = 1 + 2;

  std::printf("%d\\n", sum);
}
"""


class ReadmeCode(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        (self.root / "apps/examples").mkdir(parents=True)
        (self.root / "core").mkdir()
        (self.root / "apps/examples/add.cpp").write_text(EXAMPLE)

    def problems_with(self, block, readme="README.md"):
        (self.root / readme).write_text(f"# Title\n\n```cpp\n{block}```\n")
        return check_readme_code.check(self.root)[0]

    def test_a_whole_example(self):
        self.assertEqual(self.problems_with(EXAMPLE), [])

    def test_lines_without_their_indentation(self):
        self.assertEqual(self.problems_with('const int sum = 1 + 2;\n\nstd::printf("%d\\n", sum);\n'), [])

    def test_a_line_that_differs(self):
        self.assertEqual(self.problems_with("const int sum = 1 + 3;\n", "core/README.md"),
                         ["core/README.md:4: this code is not a run of lines of an apps/examples/*.cpp"])

    def test_lines_that_do_not_follow_each_other(self):
        self.assertEqual(len(self.problems_with('const int sum = 1 + 2;\nstd::printf("%d\\n", sum);\n')), 1)

    def test_an_indentation_that_differs(self):
        self.assertEqual(len(self.problems_with("int main() {\n    const int sum = 1 + 2;\n")), 1)

    def test_a_second_block(self):
        self.assertEqual(self.problems_with("int main() {\n```\ntext\n```cpp\nint other;\n"),
                         ["README.md:8: this code is not a run of lines of an apps/examples/*.cpp"])

    def test_other_languages_are_not_looked_at(self):
        (self.root / "README.md").write_text("```sh\nls\n```\n")
        self.assertEqual(check_readme_code.check(self.root)[0], [])

    def test_a_long_example(self):
        (self.root / "apps/examples/add.cpp").write_text("//\n" * 41)
        self.assertEqual(check_readme_code.check(self.root)[0],
                         ["apps/examples/add.cpp: 41 lines; an example has at most 40"])


if __name__ == "__main__":
    unittest.main()
