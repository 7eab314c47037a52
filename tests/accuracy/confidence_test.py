"""The calibration of confidences and the images without faces, on cases whose answer is known."""

import unittest

import numpy as np

import calibration
import common
import negatives


class Calibration(unittest.TestCase):
    def drawn(self, coefficients, count, seed=1):
        """Features, and right or wrong drawn with the probability that the coefficients give."""
        random = np.random.default_rng(seed)
        features = random.normal(0, 2, (count, len(coefficients) - 1)) + 3
        return features, random.random(count) < calibration.probability(np.array(coefficients), features)

    def test_the_coefficients_that_made_the_data_are_found(self):
        truth = [-1.0, 0.5, -0.25]
        features, right = self.drawn(truth, 40000)
        found = calibration.fit(features, right, ridge=0)
        p = calibration.probability(np.array(truth), features)
        x = np.column_stack([np.ones(len(features)), features])
        spread = np.sqrt(np.diag(np.linalg.inv((x * (p * (1 - p))[:, None]).T @ x)))  # of the estimate of largest likelihood
        self.assertTrue((np.abs(found - truth) < 5 * spread).all(), (found, spread))

    def test_data_that_can_be_separated_give_finite_coefficients(self):
        found = calibration.fit([[0.0], [1.0], [10.0], [11.0]], [False, False, True, True])
        self.assertTrue(np.isfinite(found).all())
        p = calibration.probability(found, np.array([[0.0], [11.0], [1e300], [-1e300]]))
        self.assertTrue(p[0] < 0.2 and p[1] > 0.8 and p[2] == 1 and p[3] < 1e-300, p)

    def test_a_calibrated_confidence_lies_on_the_diagonal(self):
        features, right = self.drawn([-1.0, 0.5], 20000, seed=2)
        groups = np.arange(len(features)) % 10
        rows = calibration.reliability("x", calibration.held_out(features, right, groups), right)
        self.assertEqual(sum(row["count"] for row in rows), 20000)
        for row in rows:
            self.assertLess(abs(row["predicted"] - row["observed"]), 5 * 0.5 / np.sqrt(row["count"]) + 0.02, row)

    def test_a_group_is_not_in_its_own_calibration(self):
        features, right = np.array([[0.0], [1.0], [0.1], [0.9], [5.0]]), np.array([False, True, False, True, False])
        groups = ["a", "a", "b", "b", "c"]
        confidence = calibration.held_out(features, right, groups, folds=3)
        expected = calibration.probability(calibration.fit(features[:4], right[:4]), features[4:])
        self.assertEqual(confidence[4], expected[0])

    def test_unusable_data_are_refused(self):
        for features, right in (([[1.0]], [True]), ([[1.0], [np.nan]], [True, False]), ([[1.0]], [True, False])):
            with self.assertRaises(common.Unusable):
                calibration.fit(features, right)

    def test_false_alarms_and_finds_are_counted(self):
        row = calibration.alarms("x", [0.9, 0.1, 0.8, 0.7], [True, False, True, True], [True, False, False, True])
        self.assertEqual((row["count"], row["found"], row["right"], row["confidence"]), (4, 75.0, 50.0, 0.75))
        self.assertIsNone(calibration.alarms("x", [0.1], [False])["right"])


class Negatives(unittest.TestCase):
    def test_images_depend_on_the_seed_alone(self):
        first, again, other = (list(negatives.procedural(seed, 2, 48, 64)) for seed in (1, 1, 2))
        self.assertEqual([kind for kind, _ in first], [kind for kind in negatives.KINDS for _ in range(2)])
        for (_, a), (_, b), (_, c) in zip(first, again, other):
            self.assertEqual((a.shape, a.dtype), ((48, 64, 3), np.uint8))
            self.assertTrue((a == b).all())
            self.assertFalse((a == c).all())

    def test_crops_leave_the_face_out(self):
        marked = np.zeros((100, 120), np.uint8)
        marked[30:70, 40:80] = 1  # the face
        some = list(negatives.crops(np.random.default_rng(1), marked, 30, avoid=(40, 30, 40, 40)))
        self.assertEqual(len(some), 30)
        for crop in some:
            self.assertLessEqual(crop.sum(), 0.1 * 1600)
            self.assertEqual(crop.shape[0], crop.shape[1])

    def test_a_face_that_fills_the_image_has_no_crops(self):
        self.assertEqual(list(negatives.crops(np.random.default_rng(1), np.zeros((50, 50)), 5, avoid=(-100, -100, 300, 300), smallest=0.9)), [])


if __name__ == "__main__":
    unittest.main()
