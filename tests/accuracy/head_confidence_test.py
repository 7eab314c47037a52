"""The made videos of heads and the tables of their confidence, on cases whose answer is known; without the Python module."""

import unittest

import numpy as np

import head_confidence
import head_scenes
import heads


class Scenes(unittest.TestCase):
    def heads(self, count=3):
        random = np.random.default_rng(1)
        return [head_scenes.drawn_head(random, f"drawn {i}") for i in range(count)]

    def test_a_video_depends_on_the_seed_alone(self):
        first, again, other = (head_scenes.video(np.random.default_rng(seed), self.heads(), [], 6) for seed in (1, 1, 2))
        self.assertEqual(len(first[1]), 6)
        self.assertEqual(len(first[2]), len(first[3]))
        for a, b in zip(first[1], again[1]):
            self.assertEqual((a.dtype, a.shape[2]), (np.uint8, 3))
            self.assertTrue((a == b).all())
        self.assertFalse(first[1][0].shape == other[1][0].shape and (first[1][0] == other[1][0]).all())

    def test_the_box_is_where_the_head_was_pasted(self):
        frame = np.zeros((60, 80, 3))
        patch = head_scenes.Patch("x", np.full((20, 10, 3), 200, np.uint8), np.ones((20, 10)))
        self.assertEqual(head_scenes.paste(frame, patch, 30, 25, 20), (25, 15, 10, 20))
        self.assertTrue((frame[15:35, 25:35] == 200).all())
        self.assertEqual(frame.sum(), 3 * 200 * 200)
        x, y, w, h = head_scenes.paste(frame, patch, -2, 25, 20)  # partly outside: the box is whole
        self.assertEqual((x, w, h), (-7, 10, 20))

    def test_a_head_that_is_gone_has_no_box(self):
        gone = sum(not heads.is_box(box) for seed in range(20) for box in head_scenes.video(np.random.default_rng(seed), self.heads(), [], 10)[2])
        self.assertTrue(10 < gone < 100, gone)

    def test_a_head_that_is_mostly_outside_is_not_cut_out(self):
        image = np.zeros((50, 50, 3), np.uint8)
        self.assertIsNone(head_scenes.cut_out("x", image, (40, 10, 20, 20)))
        self.assertEqual(head_scenes.cut_out("x", image, (-1, 10, 20, 20)).rgb.shape, (20, 20, 3))


class Tables(unittest.TestCase):
    def test_a_start_box_is_inside_of_the_frame(self):
        self.assertEqual(head_confidence.start_box((-3.5, 2.2, 10, 10), (20, 30)), (0, 2, 7, 11))
        self.assertIsNone(head_confidence.start_box((40, 2, 10, 10), (20, 30)))

    def test_finds_before_and_with_the_threshold(self):
        case = lambda found, right, confidence: {"source": "start", "data": "x", "negative": False, "found": found, "right": right, "held_out": confidence}
        row = head_confidence.found_row("start", "x", [case(True, True, 0.9), case(True, True, 0.4), case(True, False, 0.6), case(False, False, 0)])
        self.assertEqual([row[key] for key in ("count", "found_before", "found", "right_before", "right")], [4, 75.0, 50.0, 50.0, 25.0])
        self.assertEqual(sorted(row), sorted(column["key"] for column in head_confidence.COLUMNS))

    def test_frames_without_a_head_weigh_more_where_no_box_was_given(self):
        cases = [{"source": source, "negative": negative} for source in ("search", "start") for negative in (False, False, False, True)]
        for source, expected in (("search", 15.0), ("start", 6.0)):  # three to one, and five times or twice as much
            known = [case for case in cases if case["source"] == source]
            self.assertEqual(head_confidence.weights_of(cases, source, known).tolist(), [1.0, 1.0, 1.0, expected])

    def test_skin_larger_than_the_frame_needs_no_coefficients(self):
        self.assertTrue(head_confidence.larger_than_the_frame({"source": "whole frame", "moments": [0.9, 1.1, 1]}))
        self.assertFalse(head_confidence.larger_than_the_frame({"source": "start", "moments": [0.9, 1.1, 1]}))

    def test_videos_with_changes_count_with_the_video_and_negatives_by_kind(self):
        cases = [{"data": data, "negative": "no head" in data} for data in ("head_x", "head_x, blurred", "no head: photograph", "no head: photograph, part")]
        counts = {kind: len(chosen) for kind, chosen in head_confidence.kinds(cases)}
        self.assertEqual(counts, {"head_x": 2, "no head: photograph": 1, "no head: photograph, part": 1, "all with a head": 2, "all without a head": 2})


if __name__ == "__main__":
    unittest.main()
