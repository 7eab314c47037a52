"""The measures and splits of the bench of accuracy, on cases whose answer is known."""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

import numpy as np

import bodies
import common
import faces
import heads

PROGRAM = pathlib.Path(common.__file__).with_name("accuracy.py")


class Faces(unittest.TestCase):
    def test_the_error_is_in_units_of_the_distance_of_the_outer_eye_corners(self):
        for points, (left, right) in ((68, (36, 45)), (73, (16, 24))):
            truth = np.random.default_rng(1).uniform(0, 100, (points, 2))
            truth[left], truth[right] = (10, 10), (40, 50)  # 50 apart
            self.assertAlmostEqual(faces.interocular_error(truth + (3, 4), truth), 5 / 50)
            self.assertEqual(faces.interocular_error(truth, truth), 0)
        self.assertIsNone(faces.interocular_error(np.zeros((20, 2)), np.ones((20, 2))))

    def test_no_person_is_in_training_and_test(self):
        groups = [f"{person:02}" for person in range(12) for _ in range(10)]
        for folds in (2, 5, 6, 12):
            tests = common.fold_tests(groups, folds)
            self.assertEqual(sorted(i for test in tests for i in test), list(range(120)))  # each face is tested once
            for test in tests:
                tested = {groups[i] for i in test}
                trained = {groups[i] for i in set(range(120)) - set(test)}
                self.assertTrue(tested and trained)
                self.assertEqual(tested & trained, set())

    def test_the_last_of_four_folds_is_the_last_quarter(self):
        self.assertEqual(common.fold_tests([f"image_{i}" for i in range(200)], 4)[-1], list(range(150, 200)))

    def test_a_person_with_faces_apart_is_in_one_fold(self):
        self.assertEqual(common.fold_tests(["a", "b", "a", "c", "b", "d"], 2), [[0, 1, 2, 4], [3, 5]])

    def test_too_many_folds_are_refused(self):
        for folds in (1, 4):
            with self.assertRaisesRegex(common.Unusable, f"{folds} folds of 3 people"):
                common.fold_tests(["a", "b", "c", "a"], folds)

    def test_a_summary_counts_fits_not_faces(self):
        cases = [{"errors": [0.01, 0.03], "start_errors": [0.1, 0.1], "interocular": [2.0, 9.0], "found": 2, "ms": [1, 3], "unrefined_errors": [0.02, 0.04], "unrefined_ms": [1, 1]},
                 {"errors": [0.05, 0.07], "start_errors": [0.1, 0.3], "interocular": [4.0, 9.0], "found": 1, "ms": [2, 2], "unrefined_errors": [0.06, 0.08], "unrefined_ms": [2, 2]}]
        row = faces.summary("x", 1, 1, cases, [2.0, 4.0], [1.5, 0.5])
        self.assertEqual([row[key] for key in ("fits", "mean", "median", "worst", "below_005", "interocular", "interocular_below_8", "lost", "train_s", "offset_px")],
                         [4, 0.04, 0.04, 0.07, 50.0, 6.0, 50.0, 1, 3.0, 1.0])
        self.assertEqual([row["unrefined_" + key] for key in ("mean", "median", "below_005", "fit_ms")], [0.05, 0.05, 50.0, 1.5])


class Context(unittest.TestCase):
    def test_a_result_says_how_its_models_were_trained(self):
        module = types.SimpleNamespace(__version__="0", describe_device=lambda device: device)
        job = common.Job(module, None, None, "cpu", train_options={"mirror": False})
        self.assertEqual(common.context(job, {"starts": 5}, [])["options"], {"starts": 5, "mirror": False})


class Heads(unittest.TestCase):
    def test_overlap_of_boxes(self):
        self.assertEqual(heads.overlap((0, 0, 4, 4), (0, 0, 4, 4)), 1)
        self.assertEqual(heads.overlap((0, 0, 4, 4), (4, 0, 4, 4)), 0)
        self.assertEqual(heads.overlap((0, 0, 4, 4), (9, 9, 1, 1)), 0)
        self.assertAlmostEqual(heads.overlap((0, 0, 4, 4), (2, 0, 4, 4)), 8 / 24)
        self.assertAlmostEqual(heads.overlap((0, 0, 4, 4), (1, 1, 2, 2)), 4 / 16)

    def test_half_a_box(self):
        box = (10, 20, 8, 4)
        self.assertTrue(heads.within_half_a_box(10, 20, box))  # a corner is exactly half a box away
        self.assertTrue(heads.within_half_a_box(14, 22, box))
        self.assertFalse(heads.within_half_a_box(9.9, 22, box))
        self.assertFalse(heads.within_half_a_box(14, 24.1, box))

    def test_box_of_an_ellipse_is_that_of_its_points(self):
        for angle in (0, 0.4, math.pi / 2, 2.5):
            turn = np.linspace(0, 2 * np.pi, 100001)
            x = 7 + 5 * np.cos(turn) * np.cos(angle) - 2 * np.sin(turn) * np.sin(angle)
            y = 3 + 5 * np.cos(turn) * np.sin(angle) + 2 * np.sin(turn) * np.cos(angle)
            expected = (x.min(), y.min(), np.ptp(x), np.ptp(y))
            np.testing.assert_allclose(heads.box_of_ellipse(7, 3, 5, 2, angle), expected, atol=1e-6)

    def test_starts(self):
        self.assertEqual(heads.start_frames(500, 25, 75), list(range(0, 426, 25)))  # 18
        self.assertEqual(heads.start_frames(60, 25, 75), [0])
        self.assertEqual(heads.start_frames(100, 25, 75), [0, 25])

    def test_a_video_that_cannot_be_calibrated_counts_as_lost(self):
        row = heads.measure(None, [(0, 0, 4, 4)] * 3)
        self.assertEqual((row["within"], row["overlap"], row["missing"], row["centre_px"], row["frames"]), (0, 0, 100, None, 3))

    def test_frames_without_a_true_box_do_not_count(self):
        class Found:
            found, x_px, y_px = True, 2, 2

            class ellipse:
                semi_major_px = semi_minor_px = 2
                angle_rad = 0

        row = heads.measure([Found] * 4, [(0, 0, 4, 4), (math.nan,) * 4, (0, 0, 0, 0), (10, 10, 4, 4)])
        self.assertEqual((row["frames"], row["within"], row["overlap"], row["missing"]), (2, 50, 0.5, 0))
        self.assertAlmostEqual(row["worst_px"], round(math.hypot(10, 10), 2))

    def test_conditions_move_the_truth_with_the_picture(self):
        frames = [np.zeros((64, 80, 3), np.uint8) for _ in range(20)]
        for frame in frames:
            frame[30:34, 40:44] = 200
        boxes = np.array([(40.0, 30, 4, 4)] * 20)
        for name, change in heads.CONDITIONS.items():
            changed, moved = change(frames, boxes)
            self.assertEqual(len(changed), len(moved), name)
            for frame, box in zip(changed, moved):
                x, y = (box[:2] + box[2:] / 2).astype(int)
                self.assertEqual((frame.shape, frame.dtype), ((64, 80, 3), np.uint8), name)
                self.assertGreater(frame[y, x].max(), frame.mean() + 20, name)
        shaken = heads.CONDITIONS["shaken by 12 pixels"](frames, boxes)[1]
        self.assertTrue((shaken[0] == boxes[0]).all() and np.ptp(shaken[:, 0]) > 5)

    def test_boxes_of_any_separator_and_none_else(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "groundtruth_rect.txt")
            path.write_text("1\t2\t3\t4\r\n5,6,7,8\n\n9 10 11 12\n")
            self.assertEqual(heads.read_truth(path).tolist(), [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]])
            for text in ("1 2 3\n", "1 2 3 4\n5 6 7\n", "a b c d\n", ""):
                path.write_text(text)
                with self.assertRaisesRegex(common.Unusable, "groundtruth_rect"):
                    heads.read_truth(path)


class Bodies(unittest.TestCase):
    def test_errors_are_distances_in_millimetres(self):
        truth = np.zeros((2, 3, 3))
        found = truth + (0.003, 0, 0.004)
        truth[1, 2] = np.nan
        errors = bodies.joint_errors_mm(found, truth)
        np.testing.assert_allclose(errors[0], 5)
        self.assertTrue(np.isnan(errors[1, 2]))
        self.assertEqual(bodies.summary("x", 30, "given", 1, errors, [])["mean_mm"], 5)  # what is not known does not count

    def test_a_joint_is_lost_after_more_than_ten_frames_on_end(self):
        errors = np.zeros((40, 4))
        errors[:10, 0] = 151  # ten frames: not yet
        errors[5:16, 1] = 151  # eleven: lost
        errors[::2, 2] = 500  # never two on end
        errors[:, 3] = 150  # not more than 150 mm
        self.assertEqual(bodies.lost_joints(errors), 1)

    def test_an_added_pose_is_a_jump_that_does_not_come_again(self):
        still = np.zeros((3, 5, 3))
        jump = still.copy()
        jump[0, 2] = 0.7
        self.assertTrue(bodies.begins_with_added_pose(jump, 120))
        self.assertFalse(bodies.begins_with_added_pose(still, 120))
        jump[2, 2] = 0.7  # comes again: a fast motion
        self.assertFalse(bodies.begins_with_added_pose(jump, 120))
        self.assertFalse(bodies.begins_with_added_pose(jump[:2], 120))


class Results(unittest.TestCase):
    def test_best_median_and_worst(self):
        self.assertEqual(common.extremes([5, 1, 4, 2, 3], lambda x: x), [("best", 1), ("median", 3), ("worst", 5)])
        self.assertEqual(common.extremes([2, 1], lambda x: x), [("best", 1), ("median", 1), ("worst", 2)])
        self.assertEqual(common.extremes([], lambda x: x), [])

    def test_what_is_no_number_is_null(self):
        self.assertEqual([common.rounded(v, 1) for v in (math.nan, math.inf, None, 1.26)], [None, None, None, 1.3])
        self.assertEqual(str(common.rounded(34.2, 0)), "34")

    def test_json_reads_back(self):
        result = {"task": "x", "context": {"seed": 1}, "rows": [{"a": 1, "b": None}, {"a": 2, "b": "|"}], "cases": [], "pictures": []}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "x.json")
            common.write_json(path, result)
            self.assertEqual(json.loads(path.read_text()), result)
            self.assertEqual(os.listdir(folder), ["x.json"])
            with self.assertRaises(ValueError):
                common.write_json(path, {"rows": [{"a": math.nan}]})
            self.assertEqual(json.loads(path.read_text()), result)

    def test_a_table_has_a_line_for_each_row(self):
        text = common.table([common.column("a", "name"), common.column("b", "error", "mm")], [{"a": "x", "b": 1.5}, {"a": "y", "b": None}])
        self.assertEqual(text.splitlines(), ["| name | error, mm |", "| ---- | --------: |", "| x    |       1.5 |", "| y    |         - |"])


class Program(unittest.TestCase):
    def run_program(self, *arguments, **environment):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "triptych.py").write_text("raise ImportError(\"No module named 'triptych'\")")
            return subprocess.run([sys.executable, PROGRAM, *arguments], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": folder, **environment})

    def test_without_the_module_it_says_how_to_install_it(self):
        result = self.run_program("--quick")
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertIn("pip install .", result.stderr)

    def test_help_names_the_folders(self):
        result = self.run_program("--help")
        self.assertEqual(result.returncode, 0)
        for word in ("faces_imm", "faces_wild", "head_*", "mocap_cmu", "depth_mhad", "skin_uci", "--quick", "--seeds", "--folds"):
            self.assertIn(word, result.stdout)


if __name__ == "__main__":
    unittest.main()
