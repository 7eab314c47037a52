"""Every task of the bench of accuracy on tiny synthetic data in the layout of the real ones; needs the Python module and Pillow."""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import numpy as np

import accuracy

try:
    import PIL.Image
    import triptych as tp
except ImportError as problem:
    raise SystemExit(f"{problem}: these tests need the built Python module and Pillow")

CAMERA = (285.6, 285.6, 157.6, 118.05)


def save(path, image):
    path.parent.mkdir(parents=True, exist_ok=True)
    PIL.Image.fromarray(image).save(path)


def make_faces(data):
    for i in range(12):
        image, landmarks = tp.aam.render_face(tp.aam.random_face(1, i), 256, 256)
        save(data / "faces_wild" / f"image_{i:04}.png", image)
        tp.aam.write_pts(data / "faces_wild" / f"image_{i:04}.pts", landmarks)
        name = f"{i // 2 + 1:02}_{i % 2 + 1:02}"  # six people, two faces each
        save(data / "faces_imm" / f"{name}.png", image)
        lines = [f"0 0 {x / 256:.8f} {y / 256:.8f} {k} 0 0 0 0 0" for k, (x, y) in enumerate(landmarks)]
        (data / "faces_imm" / "asf").mkdir(exist_ok=True)
        (data / "faces_imm" / "asf" / f"{name}.asf").write_text("\n".join(["68", *lines, f"{name}.png"]))


def make_heads(data):
    for video, hand in (("head_one", False), ("head_two", True)):
        scene = tp.skin.SyntheticScene(width=160, height=120, frames=12, distractor=hand)
        for i, frame in enumerate(scene):
            save(data / video / "img" / f"{i + 1:04}.png", frame)
        (data / video / "groundtruth_rect.txt").write_text("\n".join("\t".join(f"{v:.2f}" for v in scene.truth(i).box) for i in range(len(scene))))


def make_bodies(data):
    human = tp.capsule.human()
    walk = tp.capsule.place_in_view(human, tp.capsule.make_walk(human, frames=6))
    (data / "mocap_cmu").mkdir()
    tp.capsule.save_bvh(data / "mocap_cmu" / "walk.bvh", human, walk)
    names = [joint.kinect for joint in tp.capsule.kinect_joints()]
    rows = []
    for i, pose in enumerate(walk):
        x, y, z = np.asarray(tp.capsule.render_points(human.capsules(pose), points=8000, noise_m=0.002, seed=i + 1), float).T
        column, row = np.rint(CAMERA[0] * x / z + CAMERA[2]).astype(int), np.rint(CAMERA[3] - CAMERA[1] * y / z).astype(int)
        inside = (column >= 0) & (column < 320) & (row >= 0) & (row < 240)
        depth = np.zeros((240, 320), np.uint16)
        depth[row[inside], column[inside]] = np.rint(1000 * z[inside]).astype(np.uint16)
        save(data / "depth_mhad" / "walk" / "depth" / f"{i:04}.png", depth)
        positions = tp.capsule.positions_of(human, human.joints(pose), names)
        rows += [f"{i},{name},{p[0]:.5f},{p[1]:.5f},{p[2]:.5f}" for name, p in zip(names, positions)]
    (data / "depth_mhad" / "walk" / "joints.csv").write_text("\n".join(["frame,joint,x_m,y_m,z_m", *rows]) + "\n")


def make_skin(data):
    random = np.random.default_rng(1)
    skin, other = random.integers((60, 90, 170), (110, 140, 240), (4000, 3)), random.integers(0, 256, (6000, 3))
    lines = [f"{b},{g},{r},{label}" for colours, label in ((skin, 1), (other, 2)) for b, g, r in colours]
    (data / "skin_uci").mkdir()
    (data / "skin_uci" / "pixels.csv").write_text("\n".join(lines) + "\n")


def run(*arguments):
    """The exit status, what was printed, and what was said."""
    out, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        try:
            status = accuracy.main([str(word) for word in arguments])
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), said.getvalue()


class Tasks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.data = pathlib.Path(cls.folder.name, "data")
        cls.data.mkdir()
        for make in (make_faces, make_heads, make_bodies, make_skin):
            make(cls.data)

    def result(self, task, *options):
        """The checked JSON of a task."""
        with tempfile.TemporaryDirectory() as folder:
            status, printed, said = run("--data", self.data, "--out", folder, "--only", task, "--quick", "--device", "cpu", *options)
            self.assertEqual(status, 0, said)
            result = json.loads(pathlib.Path(folder, f"{task}.json").read_text())
            self.assertEqual(list(result), ["task", "context", "columns", "rows", "cases", "pictures"])
            keys = [column["key"] for column in result["columns"]]
            self.assertTrue(all(set(column) == {"key", "title", "unit"} for column in result["columns"]))
            self.assertTrue(result["rows"] and all(sorted(row) == sorted(keys) for row in result["rows"]))
            self.assertEqual([picture["kind"] for picture in result["pictures"]], ["best", "median", "worst"])
            for picture in result["pictures"]:
                with PIL.Image.open(pathlib.Path(folder, picture["file"])) as image:
                    self.assertLessEqual(max(image.size), 480)
                self.assertTrue(picture["caption"])
            self.assertTrue(result["cases"] and result["context"]["commit"] and result["context"]["data"]["files"])
            self.assertIn(str(result["rows"][0][keys[0]]), printed)
            self.assertIn("| " + str(result["rows"][-1][keys[0]]), pathlib.Path(folder, "accuracy.md").read_text())
            return result

    def test_faces(self):
        result = self.result("faces", "--folds", "3", "--no-photos")
        self.assertEqual([(row["faces"], row["fits"]) for row in result["rows"]], [("IMM", 20), ("wild", 20), ("synthetic", 25)])
        for row in result["rows"]:
            self.assertLess(row["mean"], row["start_mean"])
            self.assertLess(row["unrefined_mean"], row["start_mean"])
            self.assertNotEqual(row["unrefined_mean"], row["mean"])  # the refinement does something
            self.assertGreater(row["interocular"], 100 * row["mean"])  # the eyes are closer to each other than the face is large
        self.assertEqual({case["face"].split("_")[0] for case in result["cases"] if case["faces"] == "IMM"}, {"05", "06"})

    def test_body_search(self):
        with tempfile.TemporaryDirectory() as folder:
            status, printed, said = run("--out", folder, "--only", "body_search", "--quick", "--device", "cpu")
            self.assertEqual(status, 0, said)
            result = json.loads(pathlib.Path(folder, "body_search.json").read_text())
        self.assertEqual([row["pose"] for row in result["rows"]], ["standing", "arms up", "arms aside", "arms forward", "one arm up", "sitting",
                                                                   "lying on the back", "lying on the belly"])
        for row in result["rows"]:
            errors = [case["error_mm"] for case in result["cases"] if case["pose"] == row["pose"]]
            self.assertEqual((len(errors), max(errors) < 100), (row["searches"], row["right"] == 100))
        self.assertLess(result["rows"][0]["worst_mm"], 100)  # a person who stands
        self.assertIn("sitting", printed)

    def test_tasks_in_processes_of_their_own(self):
        names = ("body_search.json", "bodies.json", "accuracy.md")
        found = []
        for processes in ("1", "2"):
            with tempfile.TemporaryDirectory() as folder:
                status, printed, said = run("--data", self.data, "--out", folder, "--only", "bodies", "body_search", "--quick", "--device", "cpu", "--seeds", "3",
                                            "--samples", "30", "--points", "300", "--processes", processes)
                self.assertEqual(status, 0, said)
                self.assertTrue(all(pathlib.Path(folder, name).is_file() for name in names))
                self.assertIn("Bodies that are searched for", pathlib.Path(folder, "accuracy.md").read_text())
                found.append([json.loads(pathlib.Path(folder, name).read_text())["cases"] for name in names[:2]])
        self.assertEqual(found[0], found[1])

    def test_options_of_the_filter(self):
        of = lambda *options: [case["mean_mm"] for case in self.result("bodies", "--samples", "50", *options)["cases"]]
        plain = of()
        self.assertEqual(of("--filter", "max_loss_nats=100"), plain)  # the default
        self.assertNotEqual(of("--filter", "max_loss_nats=0", "mean_reversion=0"), plain)
        self.assertEqual(of("--filter", "recover_limbs=1", "partitioned=1"), plain)
        self.assertNotEqual(of("--filter", "recover_limbs=0", "partitioned=0"), plain)
        for words, sentence in ((["x=1"], "an option is none of a ParticleFilter: x"), (["x"], "x is not NAME=NUMBER"),
                                (["mean_reversion=2"], "mean_reversion")):
            for task in ("bodies", "body_search"):
                status, _, said = run("--only", task, "--quick", "--device", "cpu", "--out", self.folder.name, "--filter", *words)
                self.assertTrue(status)
                self.assertIn(sentence, said + str(status))

    def test_options_of_the_training(self):
        result = self.result("faces", "--folds", "3", "--no-photos", "--train", "refinement=0")
        self.assertEqual([case["errors"] for case in result["cases"]], [case["unrefined_errors"] for case in result["cases"]])
        self.assertEqual(result["context"]["options"]["refinement"], False)
        for words, sentence in ((["x=1"], "none of the training of faces"), (["x"], "x is not NAME=NUMBER"), (["ridge=-1"], "a ridge of -1")):
            status, _, said = run("--only", "faces", "--quick", "--device", "cpu", "--out", self.folder.name, "--train", *words)
            self.assertTrue(status)
            self.assertIn(sentence, said + str(status))

    def test_heads(self):
        result = self.result("heads")
        self.assertEqual({row["video"] for row in result["rows"]}, {"head_one", "head_two", "synthetic"})
        self.assertEqual({row["gate"] for row in result["rows"]}, {"colours", "weights", "none"})
        for row in result["rows"]:
            self.assertEqual(row["within"], 100)
            self.assertGreater(row["overlap"], 0.8)

    def test_head_confidence(self):
        with tempfile.TemporaryDirectory() as folder:
            status, printed, said = run("--data", self.data, "--out", folder, "--only", "head_confidence", "--quick", "--calibrate", "--device", "cpu")
            self.assertEqual(status, 0, said)
            result = json.loads(pathlib.Path(folder, "head_confidence.json").read_text())
        keys = sorted(column["key"] for column in result["columns"])
        self.assertTrue(all(sorted(row) == keys for row in result["rows"]))
        self.assertEqual({row["source"] for row in result["rows"] if row["bin"] is not None}, {"whole frame", "search", "start"})
        self.assertIn("start: constant ", printed)
        for row in result["rows"]:
            if row["bin"] is None and row["count"]:
                self.assertLessEqual(row["found"], row["found_before"], row)
                self.assertLessEqual(row["right"], row["right_before"], row)
                self.assertTrue(row["right_before"] == 0 or "no head" not in row["data"], row)

    def test_bodies(self):
        result = self.result("bodies", "--samples", 100, "--points", 800, "--seeds", 1)
        starts = [(row["motion"], row["start"]) for row in result["rows"]]
        self.assertEqual(starts, [("synthetic walk", "given"), ("synthetic walk, from the side", "given"), ("walk", "given"),
                                  ("walk, turned by 0.8 rad", "given"), ("walk twice as fast", "given"), ("rendered MHAD walk", "given"), ("MHAD walk", "given"),
                                  ("MHAD walk", "fitted to the joints"), ("MHAD walk", "found")])
        errors = dict(zip(starts, (row["mean_mm"] for row in result["rows"])))
        self.assertLess(errors["walk", "given"], 60)
        self.assertLess(errors["rendered MHAD walk", "given"], 60)
        self.assertLess(errors["MHAD walk", "fitted to the joints"], 5)  # the joints are those of such a body
        self.assertEqual(len(result["cases"][2]["frame_mm"]), 6)

    def test_skin(self):
        result = self.result("skin", "--seeds", 1, 2)
        self.assertEqual([row["classifier"] for row in result["rows"][::2]], tp.skin.classifier_names())
        self.assertEqual([row["seed"] for row in result["rows"][:2]], [1, 2])
        self.assertEqual(result["context"]["seeds"], [1, 2])
        for row, case in zip(sorted(result["rows"], key=lambda row: row["seed"]), result["cases"]):
            right, all_pixels = case["true_skin"] + case["true_other"], row["pixels"]
            self.assertAlmostEqual(row["accuracy"], right / all_pixels, places=6)
            self.assertAlmostEqual(row["precision"], case["true_skin"] / (case["true_skin"] + case["false_skin"]), places=6)
            self.assertAlmostEqual(row["recall"], case["true_skin"] / (case["true_skin"] + case["false_other"]), places=6)


class Mistakes(unittest.TestCase):
    def test_a_folder_that_is_not_there(self):
        status, _, _ = run("--data", "/nowhere/at/all")
        self.assertEqual(status, "--data: there is no folder /nowhere/at/all")

    def test_a_device_that_is_not_there(self):
        status, _, _ = run("--device", "cuda:77", "--only", "skin", "--out", tempfile.gettempdir())
        self.assertTrue(str(status).startswith("error: "))
        self.assertNotIn("\n", status)

    def test_missing_data_are_named_and_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            status, printed, said = run("--data", folder, "--out", pathlib.Path(folder, "out"), "--only", "skin", "--device", "cpu")
        self.assertEqual((status, printed), (0, ""))
        self.assertIn("no skin_uci/*.csv in", said)
        self.assertIn("skin: skipped", said)

    def test_a_broken_file_is_one_sentence_and_the_other_tasks_run(self):
        with tempfile.TemporaryDirectory() as folder:
            data = pathlib.Path(folder)
            (data / "head_x" / "img").mkdir(parents=True)
            (data / "head_x" / "img" / "1.jpg").write_text("no image")
            (data / "head_x" / "groundtruth_rect.txt").write_text("1 2 30 40\n")
            make_skin(data)
            status, printed, said = run("--data", data, "--out", data / "out", "--only", "heads", "skin", "--device", "cpu", "--quick")
        self.assertEqual(status, 1)
        self.assertIn("1.jpg cannot be read as an image", said)
        self.assertIn("Skin pixels", printed)


if __name__ == "__main__":
    unittest.main()
