"""The cases of the confidence of bodies: clouds without a person, wrong starts, and a small run when the Python module is built."""

import json
import math
import pathlib
import tempfile
import unittest

import numpy as np

import accuracy
import body_confidence
import body_negatives

try:
    import triptych as tp
except ImportError:
    tp = None


class Clouds(unittest.TestCase):
    def test_they_depend_on_the_seed_alone(self):
        first, again, other = (list(body_negatives.clouds(seed, 2, 700)) for seed in (1, 1, 2))
        self.assertEqual([kind for kind, _ in first], [kind for kind in body_negatives.KINDS for _ in range(2)])
        for (_, a), (_, b), (_, c) in zip(first, again, other):
            self.assertEqual((a.dtype, a.shape[1]), (np.float32, 3))
            self.assertTrue(500 <= len(a) <= 700 and np.isfinite(a).all())
            self.assertTrue(np.array_equal(a, b))
            self.assertFalse(np.array_equal(a, c))

    def test_hidden_points_are_left_out(self):
        seen = body_negatives.visible(np.array([[0, 0, 2.0], [0, 0, 3.0], [1, 0, 3.0], [0, 0, -1.0]]))
        self.assertEqual(sorted(seen[:, 2].tolist()), [2, 3])
        self.assertEqual(sorted(seen[:, 0].tolist()), [0, 1])


class Starts(unittest.TestCase):
    def test_a_turned_root_faces_backwards(self):
        pose = np.array([1, 2, 3, 1, 0, 0, 0, 0.5], np.float32)
        turned = body_confidence.rotated(pose, math.pi)
        self.assertTrue(np.allclose(turned, [1, 2, 3, 0, 0, 1, 0, 0.5], atol=1e-6))
        self.assertTrue(np.allclose(body_confidence.rotated(body_confidence.rotated(turned, 0.3), -0.3), turned, atol=1e-6))

    @unittest.skipUnless(tp, "needs the Python module")
    def test_swapped_limbs_swap_angles(self):
        human = tp.capsule.human()
        pose = np.arange(human.pose_size, dtype=np.float32)
        swapped = body_confidence.swapped(human, pose)
        self.assertFalse(np.array_equal(swapped, pose))
        self.assertEqual(sorted(swapped), sorted(pose))
        self.assertTrue(np.array_equal(body_confidence.swapped(human, swapped), pose))


@unittest.skipUnless(tp, "needs the Python module")
class Run(unittest.TestCase):
    def test_bodies_are_found_and_furniture_is_not(self):
        with tempfile.TemporaryDirectory() as folder:
            empty = pathlib.Path(folder, "data")
            empty.mkdir()
            status = accuracy.main(["--data", str(empty), "--out", folder, "--only", "body_confidence", "--calibrate", "--quick", "--device", "cpu"])
            self.assertEqual(status, 0)
            result = json.loads(pathlib.Path(folder, "body_confidence.json").read_text())
        rows = {row["data"]: row for row in result["rows"]}
        self.assertEqual(set(rows), {"walk, true start", *(f"{kind}, no person" for kind in body_negatives.KINDS)})
        self.assertEqual((rows["walk, true start"]["found"], rows["walk, true start"]["right"]), (100, 100))
        for kind in body_negatives.KINDS:
            self.assertEqual(rows[f"{kind}, no person"]["found"], 0)
        for case in result["cases"]:
            self.assertEqual(case["found"], case["confidence"] >= 0.5)
            self.assertEqual(len(case["features"]), 3)


if __name__ == "__main__":
    unittest.main()
