"""The training of the face classifier: from end to end on few faces, and the table that is in the library on faces that it has not seen."""

import contextlib
import io
import re
import unittest

import numpy as np

import train_face_classifier as training
import triptych as tp


def weights_of(table: str) -> np.ndarray:
    """The weights and the constant of a face_weights.hpp."""
    step, constant = (float(re.search(rf"{name} = ([-0-9.e]+)", table)[1]) for name in ("step", "constant"))
    numbers = table[table.index("table{") :].split("};")[0][len("table{") :]
    return np.append(step * np.array([int(v) for v in re.findall(r"-?\d+", numbers)]), constant)


def train(*words: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
        assert training.main(["--faces", "20", "--scenes", "4", "--rounds", "1", *words]) == 0
    return out.getvalue()


class Training(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        random = np.random.default_rng(77)
        cls.faces = training.middle_place(training.features([window for number in range(9000, 9030) for window in training.face_rasters(tp, random, number)[0]]))
        cls.scenes = training.places(training.features([window for _ in range(10) for window in training.scene_rasters(random)]))

    def scores(self, weights):
        """Of new faces in their places, and of all places of new scenes."""
        return self.faces @ weights[:-1] + weights[-1], self.scenes @ weights[:-1] + weights[-1]

    def test_few_faces_give_a_table_that_tells_faces_from_scenes(self):
        table = train()
        self.assertEqual(table, train())
        weights = weights_of(table)
        self.assertEqual(len(weights), 401)
        faces, scenes = self.scores(weights)
        self.assertGreater(np.mean(faces > np.quantile(scenes, 0.9)), 0.5)

    def test_the_table_of_the_library_is_in_the_program_s_own_terms(self):
        table = training.TABLE.read_text(encoding="utf-8")
        weights = weights_of(table)
        self.assertEqual(training.table(weights).split("table{")[1], table.split("table{")[1])
        faces, scenes = self.scores(weights)
        self.assertGreater(np.mean(faces > np.quantile(scenes, 0.99)), 0.9)
        self.assertLess(np.mean(scenes > 1.75), 0.01)  # min_face of face_classifier.hpp


if __name__ == "__main__":
    unittest.main()
