"""The task face_confidence: its features are the library's, and its tables count what they say. Needs the Python module."""

import json
import pathlib
import tempfile
import unittest

import numpy as np

import accuracy
import calibration
import face_confidence

try:
    import PIL.Image  # noqa: F401
    import triptych as tp
except ImportError as problem:
    raise SystemExit(f"{problem}: these tests need the built Python module and Pillow")

COEFFICIENTS = np.array([-6.2, 17.2, -1.4])  # of src/fitter/confidence.cpp


class Features(unittest.TestCase):
    def test_the_library_computes_the_same_confidence(self):
        images, landmarks = zip(*[tp.aam.render_face(tp.aam.random_face(1, i), 256, 256) for i in range(12)])
        model = tp.aam.train(images, landmarks, seed=1, mirror_points=tp.aam.mirror_of_68())
        fitter, features = tp.aam.Fitter(model, device="cpu"), face_confidence.Features(model)
        noise = np.random.default_rng(1).integers(0, 256, (256, 256), np.uint8)
        for image in (*images[:3], noise):
            fit = fitter(image, (60, 60, 130, 130))
            self.assertAlmostEqual(fit.confidence, calibration.probability(COEFFICIENTS, np.array([features.of(fit)]))[0], places=9)

    def test_correlations_of_errors(self):
        for normalisation in ("projection", "length", "floored"):
            self.assertEqual(face_confidence.correlation(0, 1, 1, normalisation), 1)
        self.assertEqual(face_confidence.correlation(3, 1, 1, "floored"), 0.5)
        self.assertEqual(face_confidence.correlation(5, 1, 1, "floored"), 0)


class Tables(unittest.TestCase):
    def cases(self):
        """Right fits of confidence 0.9, wrong ones of 0.1, in two kinds of data; a tenth of either is the other way round."""
        made = []
        for name in ("a", "b"):
            for i in range(100):
                right = i < 40
                sure = right != (i % 10 == 0)
                made.append({"data": name, "kind": "faces" if right else "noise", "features": [0.9 if sure else 0.1, 1.0 + 0.001 * i], "confidence": 0.9 if sure else 0.1,
                             "before": True, "found": sure, "error": 0.01 if right else None, "right": right})
        return made

    def test_shares(self):
        cases = self.cases()
        for case, confidence in zip(cases, face_confidence.left_out(cases)):
            case["left_out"] = float(confidence)
        rows = {row["data"]: row for row in face_confidence.rows_of(cases) if row["bin"] is None}
        self.assertEqual((rows["all: right fits"]["count"], rows["all: right fits"]["found"], rows["all: right fits"]["before"]), (80, 90.0, 100.0))
        self.assertEqual((rows["all: no face"]["count"], rows["all: no face"]["found"]), (120, 10.0))
        even = face_confidence.balanced(cases)
        self.assertEqual(sum(case["right"] for case in even), len(even) / 2)
        self.assertAlmostEqual(face_confidence.weights_of(cases).sum(), len(cases))

    def test_boxes_share_an_area(self):
        self.assertEqual(face_confidence.shared_area((0, 0, 2, 2), (1, 1, 5, 5)), 1)
        self.assertEqual(face_confidence.shared_area((0, 0, 2, 2), (3, 0, 5, 5)), 0)


class Task(unittest.TestCase):
    def test_runs_on_synthetic_faces_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(accuracy.main(["--data", folder, "--out", folder + "/out", "--only", "face_confidence", "--quick", "--device", "cpu"]), 0)
            result = json.loads(pathlib.Path(folder, "out", "face_confidence.json").read_text())
        rows = {row["data"]: row for row in result["rows"] if row["bin"] is None}
        self.assertGreaterEqual(rows["synthetic: faces"]["right"], 95)
        self.assertLess(rows["synthetic: no face"]["found"], 5)

    def test_searches_find_pasted_faces(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(accuracy.main(["--data", folder, "--out", folder + "/out", "--only", "face_search", "--quick", "--device", "cpu"]), 0)
            rows = json.loads(pathlib.Path(folder, "out", "face_search.json").read_text())["rows"]
        self.assertEqual(sum(row["faces"] for row in rows), 9)
        self.assertGreaterEqual(sum(row["faces"] * row["found"] for row in rows if row["faces"]), 700)  # of 900
        self.assertLess(np.mean([row["false"] for row in rows]), 1)


if __name__ == "__main__":
    unittest.main()
