"""triptych.view, into files; and the sentence when Rerun is missing."""

import subprocess
import sys

import numpy as np
import pytest

import triptych as tp


def test_a_recording(tmp_path):
    pytest.importorskip("rerun")
    scene = tp.skin.SyntheticScene(width=160, height=120, frames=2)
    tracker = tp.skin.Tracker.from_box(scene[0], scene.truth(0).box, max_width=160, max_height=120, device="cpu")
    human = tp.capsule.human()
    file = tmp_path / "all.rrd"
    for i, frame in enumerate(scene):
        pose = human.rest_pose()
        tp.view(
            image=frame,
            head=tracker(frame),
            landmarks=np.ones((68, 2)),
            points=np.ones((10, 3), np.float32),
            capsules=human.capsules(pose),
            skeleton=human,
            body=pose,
            frame=i,
            to=file,
        )
    assert file.stat().st_size > 10_000


def test_bad_arguments(tmp_path):
    with pytest.raises(tp.InvalidArgument, match="skeleton: it is given together with body"):
        tp.view(skeleton=tp.capsule.human(), to=tmp_path / "a.rrd")


def test_without_rerun():
    code = (
        "import sys; sys.modules['rerun'] = None\n"
        "import triptych\n"
        "try: triptych.view(points=[[0, 0, 1]])\n"
        "except triptych.Unavailable as e: print(e)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "triptych.view needs the viewer Rerun: pip install 'triptych[view]'\n", done.stderr


def test_rotations_turn_z_into_the_direction():
    from triptych._view import _quaternions

    directions = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, -1], [0.6, 0, 0.8], [-0.6, 0.48, -0.64]])
    for (x, y, z, w), direction in zip(_quaternions(directions), directions):
        turned = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
        assert np.allclose(turned, direction, atol=1e-12)


def test_the_import_needs_no_numpy():
    """As in the environment in which pip makes the stubs."""
    code = "import sys; sys.modules['numpy'] = None; import triptych, triptych.aam; print(triptych.__version__)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
