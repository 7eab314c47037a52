"""The examples run, and give what the direct calls give. Each is skipped without the library that it shows."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import triptych as tp

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


@pytest.fixture(autouse=True)
def examples_on_the_path(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(EXAMPLES), *sys.path]))


@pytest.fixture
def videos(tmp_path):
    """Two short videos of a synthetic head, as files."""
    imageio = pytest.importorskip("imageio.v3")
    pytest.importorskip("imageio_ffmpeg")
    videos = []
    for seed in (1, 2):
        scene = tp.skin.SyntheticScene(width=160, height=128, frames=12, seed=seed)
        path = tmp_path / f"{seed}.mp4"
        imageio.imwrite(path, np.stack(list(scene)), fps=30, macro_block_size=16)
        videos.append({"video": str(path), "face": [float(number) for number in scene.truth(0).box]})
    return videos


def assert_same_bits(table, video):
    direct = importlib.import_module("heads_of_video").heads_of_video(video["video"], video["face"], device="cpu:1")
    assert len(table["frame"]) == 12
    assert direct["found"].all()
    for column in ("frame", "found", "x_px", "y_px", "distance_m"):
        assert np.array_equal(np.asarray(table[column]), direct[column]), column


def test_dask(videos):
    pytest.importorskip("dask")
    tables = importlib.import_module("dask_videos").track(videos)
    for table, video in zip(tables, videos):
        assert_same_bits(table, video)


def test_ray(videos):
    ray = pytest.importorskip("ray")
    pytest.importorskip("pyarrow")
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    ray.init(num_cpus=2, num_gpus=0, include_dashboard=False, log_to_driver=False, object_store_memory=100_000_000,
             runtime_env={"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"]}})
    try:
        rows = importlib.import_module("ray_videos").track(videos).to_pandas() if importlib.util.find_spec("pandas") else None
        if rows is None:
            pytest.skip("pandas is not installed")
        for video in videos:
            assert_same_bits(rows[rows["video"] == video["video"]].sort_values("frame"), video)
    finally:
        ray.shutdown()


def test_webcam(videos):
    cv2 = pytest.importorskip("cv2")
    heads = importlib.import_module("webcam_head").track(cv2.VideoCapture(videos[0]["video"]), tuple(videos[0]["face"]), show=False)
    assert len(heads) == 12 and all(head.found for head in heads)


def test_faces(tmp_path):
    imageio = pytest.importorskip("imageio.v3")
    faces = [tp.aam.render_face(tp.aam.random_face(1, i), 256, 256) for i in range(30)]
    model = tp.aam.train(*zip(*faces), deformations=0)
    model.save(tmp_path / "model.aam")
    (tmp_path / "photos").mkdir()
    imageio.imwrite(tmp_path / "photos" / "a.png", faces[0][0])
    importlib.import_module("faces_to_csv").main(tmp_path / "photos", tmp_path / "model.aam", tmp_path / "faces.csv")
    rows = (tmp_path / "faces.csv").read_text().splitlines()
    assert rows[0] == "image,face,score,landmark,x_px,y_px" and len(rows) >= 1 + 68


def test_body(tmp_path):
    """Depth images of a synthetic walk: the walker is found, and followed within a few centimetres."""
    human = tp.capsule.human(height=1.75)
    walk = tp.capsule.place_in_view(human, tp.capsule.make_walk(human, frames=3))
    fx, fy, cx, cy = camera = (130.0, 130.0, 79.5, 99.5)
    for i, pose in enumerate(walk):
        points = tp.capsule.render_points(human.capsules(pose), points=60_000, noise_m=0.0)
        depth = np.zeros((200, 160), ">u2")
        x = np.rint(cx + fx * points[:, 0] / points[:, 2]).astype(int)
        y = np.rint(cy - fy * points[:, 1] / points[:, 2]).astype(int)
        inside = (x >= 0) & (x < 160) & (y >= 0) & (y < 200)
        depth[y[inside], x[inside]] = np.rint(points[inside, 2] * 1000)
        (tmp_path / f"{i}.pgm").write_bytes(b"P5\n160 200\n65535\n" + depth.tobytes())
    example = importlib.import_module("body_from_depth")
    skeleton, estimates = example.track(sorted(tmp_path.glob("*.pgm")), camera, points=1500, samples=300)
    assert all(estimate.found for estimate in estimates)
    assert len(skeleton) == 24
    errors = np.linalg.norm(estimates[-1].joints - human.joints(walk[2]), axis=1)
    assert np.median(errors) < 0.15


def test_reduce_torch(capsys):
    pytest.importorskip("torch")
    importlib.import_module("reduce_torch").main("cpu")
    assert "mean and deviation" in capsys.readouterr().out


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "triptych", *map(str, arguments)], capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def small_model(tmp_path_factory):
    faces = [tp.aam.render_face(tp.aam.random_face(1, i), 256, 256) for i in range(4)]
    path = tmp_path_factory.mktemp("model") / "model.aam"
    tp.aam.train(*zip(*faces), levels=[{"pixels": 64, "iterations": 1}]).save(path)
    return path


@pytest.mark.parametrize("command", ["head", "body", "face"])
@pytest.mark.parametrize("name", ["missing.mp4", "empty.mp4", "folder", "text.mp4", "text.ply", "empty.npy", "text.npy", "text.png"])
def test_a_bad_input_is_one_sentence_and_writes_nothing(tmp_path, small_model, command, name):
    path = tmp_path / name
    if name == "folder":
        path.mkdir()
    elif not name.startswith("missing"):
        path.write_text("" if name.startswith("empty") else "hello\n")
    options = {"head": ["--face", "1,1,5,5"], "body": [], "face": ["--model", small_model]}[command]
    done = run(command, path, *options, "--out", tmp_path / "out")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1, done.stderr
    assert not (tmp_path / "out").exists()


def test_the_commands(tmp_path):
    info = run("info")
    assert info.returncode == 0 and tp.__version__ in info.stdout
    head = run("head", "--out", tmp_path)
    assert head.returncode == 0, head.stderr
    assert "found in 90 of 90 frames" in head.stdout
    assert (tmp_path / "head.png").read_bytes().startswith(b"\x89PNG")
    assert len((tmp_path / "head.csv").read_text().splitlines()) == 91
    missing = run("head", tmp_path / "nowhere.mp4", "--face", "1,2,3,4", "--out", tmp_path)
    assert missing.returncode == 2 and missing.stderr == f"error: input: there is no {tmp_path / 'nowhere.mp4'}\n"
    assert run("head", "--face", "1,2").returncode == 2
    assert "example: " in run("body", "--help").stdout
