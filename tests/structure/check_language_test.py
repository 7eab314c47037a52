#!/usr/bin/env python3
"""check_language.py finds a replaced word where it counts, and only there: each case is the text of one file."""

import pathlib
import tempfile
import unittest

import check_language


def words(path, text):
    return [problem.split("'")[1] for problem in check_language.check_text(path, text) if "the file's name" not in problem]


class Language(unittest.TestCase):
    def test_plain_text_has_no_problem(self):
        self.assertEqual(check_language.check_text("core/src/a.cpp", "// Pinned memory.\nint max_points = 3;\n"), [])

    def test_the_sentence(self):
        self.assertEqual(check_language.check_text("core/src/a.cpp", "\nint most_points = 3;\n"),
                         ["core/src/a.cpp:2: 'most_points': write max_"])

    def test_a_planted_word_of_every_rule(self):
        planted = {
            "most_points": "core", "least_gain": "core", "blocks_a_row": "core", "Summer": "core", "SummerJoint": "core",
            "Sums": "skin_tracker", "sum_cpu": "skin_tracker", "OnGpu": "core", "gpu_side": "core", "Weighing": "core",
            "Deal": "core", "strips": "skin_tracker", "Whereabouts": "core", "page_locked": "core", "RangeDesk": "core",
            "desk": "core", "letters_": "reduction", "mail": "core", "Splitter": "core", "GpuClock": "core", "ask_ahead": "core",
            "flesh": "core", "yield_math": "core", "turn_math": "core", "Half3": "core", "Pieces": "core", "listing": "core",
            "macro_rays": "core", "Look": "core", "Form::literal": "aam_fit", "options_.around": "aam_fit",
            "together": "skin_tracker", "kappa": "core", "HostImage": "core", "GreyImage": "core", "Oval": "core", "Region": "core",
        }
        for word, module in planted.items():
            self.assertEqual(words(f"{module}/src/fitter/a.cpp", f"auto x = {word};\n"), [word], word)
        hit = {rule for rule in check_language.RULES for word, module in planted.items()
               if check_language.re.fullmatch(f"(?:{rule.word})_?", word)}
        self.assertEqual(set(check_language.RULES) - hit - {r for r in check_language.RULES if "at the ready" in r.word}, set())

    def test_phrases_in_comments_documents_and_messages(self):
        self.assertEqual(words("core/README.md", "Page-locked memory, kept at the ready.\n"), ["Page-locked", "at the ready"])
        self.assertEqual(words("core/src/a.cpp", '// It gives way.\nthrow Error("the desk is full");\n'), ["desk", "gives way"])

    def test_names_in_comments_and_strings_of_code_rules_are_left_alone(self):
        self.assertEqual(words("core/src/a.cpp", '// Regions of interest. Look there.\nauto key = "kappa"; /* Deal\nRegion */\n'), [])

    def test_code_after_a_comment_is_looked_at(self):
        self.assertEqual(words("core/src/a.cpp", '// "\nRegion r;  // it\'s\n'), ["Region"])

    def test_the_name_of_a_file(self):
        self.assertEqual(check_language.check_text("skin_tracker/src/strips.hpp", ""),
                         ["skin_tracker/src/strips.hpp: the file's name: write bands or row ranges"])

    def test_a_word_that_only_one_module_has_replaced(self):
        self.assertEqual(words("reduction/src/a.cpp", "double sum_cpu();\n"), [])

    def test_an_article_after_a_preposition(self):
        self.assertEqual(words("core/src/a.cpp", "int macros_at_a_time = in_a_row;\n"), [])

    def test_names_of_tests(self):
        self.assertEqual(words("tests/core/a.cpp", "TEST(File, reads_half_a_line) {}\n"), [])

    def test_exempt_files_and_build_folders(self):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for name in ("bench/results/h200/trials.md", "CHANGELOG.md", "build/a.md", "out/a.md", ".git/a.md", "core/README.md"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("A desk.\n")
            self.assertEqual(check_language.check(root), (["core/README.md:1: 'desk': write mapped ranges or flags"], 1))


if __name__ == "__main__":
    unittest.main()
