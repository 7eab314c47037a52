"""The task shipped_model: landmarks of IMM and 300-W that correspond, and its table. Needs the Python module and Pillow."""

import json
import os
import pathlib
import tempfile
import unittest

import numpy as np

import accuracy
import common
import shipped_model

try:
    import PIL.Image
    import triptych as tp
except ImportError as problem:
    raise SystemExit(f"{problem}: these tests need the built Python module and Pillow")


class Correspondence(unittest.TestCase):
    def test_no_landmark_is_used_twice(self):
        ours = [i for indices, _ in shipped_model.IMM_POINTS for i in indices]
        theirs = [j for _, j in shipped_model.IMM_POINTS]
        self.assertEqual((len(set(ours)), len(set(theirs))), (len(ours), len(theirs)))
        self.assertTrue(max(ours) < 68 and max(theirs) < 73)

    def test_both_sides_of_the_face_are_there(self):
        mirror = tp.aam.mirror_of_68()
        ours = {i for indices, _ in shipped_model.IMM_POINTS for i in indices}
        self.assertEqual({mirror[i] for i in ours}, ours)

    def test_errors_are_those_of_the_library(self):
        face = tp.aam.render_face(tp.aam.random_face(1, 1)).landmarks
        moved = face + (3, 4)
        error, eyes = shipped_model.errors_of(tp.aam, moved, face)
        self.assertAlmostEqual(error, tp.aam.shape_error(moved, face), places=12)
        self.assertAlmostEqual(eyes, 5 / np.linalg.norm(face[36] - face[45]), places=12)

    def test_a_truth_of_imm_made_of_a_face_has_no_error(self):
        face = tp.aam.render_face(tp.aam.random_face(1, 1)).landmarks
        truth = np.zeros((73, 2))
        for ours, theirs in shipped_model.IMM_POINTS:
            truth[theirs] = face[list(ours)].mean(axis=0)
        self.assertAlmostEqual(shipped_model.errors_of(tp.aam, face, truth)[0], 0, places=12)
        self.assertGreater(shipped_model.errors_of(tp.aam, face + 5, truth)[0], 0.01)
        with self.assertRaises(common.Unusable):
            shipped_model.common_points(face, truth[:60])


class Task(unittest.TestCase):
    def test_figures_of_a_model_in_a_file(self):
        """With a small model in place of the one that ships."""
        with tempfile.TemporaryDirectory() as folder:
            data = pathlib.Path(folder, "faces_wild")
            data.mkdir()
            for i in range(6):
                image, landmarks = tp.aam.render_face(tp.aam.random_face(2, i))
                PIL.Image.fromarray(image).save(data / f"image_{i}.png")
                tp.aam.write_pts(data / f"image_{i}.pts", landmarks)
            images, landmarks = zip(*[tp.aam.render_face(tp.aam.random_face(1, i)) for i in range(16)])
            tp.aam.train(images, landmarks, deformations=0, mirror_points=tp.aam.mirror_of_68()).save(folder + "/small.aam")
            os.environ["TRIPTYCH_FACE_MODEL"] = folder + "/small.aam"
            try:
                words = ["--data", folder, "--out", folder + "/out", "--only", "shipped_model", "--device", "cpu"]
                self.assertEqual(accuracy.main(words), 0)
            finally:
                del os.environ["TRIPTYCH_FACE_MODEL"]
            result = json.loads(pathlib.Path(folder, "out", "shipped_model.json").read_text())
        self.assertEqual([row["fits"] for row in result["rows"]], [30, 15, 15])
        self.assertEqual({row["points"] for row in result["rows"]}, {68})
        self.assertGreater(result["rows"][0]["below_005"], 80)
        self.assertLess(result["rows"][0]["mean"], result["rows"][0]["start_mean"])


if __name__ == "__main__":
    unittest.main()
