"""Head poses: against a projection written in NumPy, and what is refused."""

import pickle

import numpy as np
import pytest

import triptych as tp

FOCAL, CENTRE = 800.0, np.array([320.0, 240.0])
NAN = float("nan")


def rotation(yaw, pitch, roll):
    """Rz(roll) Rx(-pitch) Ry(-yaw)."""
    c, s = np.cos([yaw, pitch, roll]), np.sin([yaw, pitch, roll])
    about_y = np.array([[c[0], 0, -s[0]], [0, 1, 0], [s[0], 0, c[0]]])
    about_x = np.array([[1, 0, 0], [0, c[1], s[1]], [0, -s[1], c[1]]])
    about_z = np.array([[c[2], -s[2], 0], [s[2], c[2], 0], [0, 0, 1]])
    return about_z @ about_x @ about_y


def project(points, turn, translation):
    at = points @ turn.T + translation
    return FOCAL * at[:, :2] / at[:, 2:] + CENTRE


def estimate(landmarks, **options):
    return tp.aam.head_pose(landmarks, **{"focal": FOCAL, "centre": CENTRE, **options})


@pytest.mark.parametrize("yaw, pitch, roll", [(0, 0, 0), (0.5, -0.2, 0.3), (-0.8, 0.4, -0.1)])
def test_a_projection_is_recovered(yaw, pitch, roll):
    turn, translation = rotation(yaw, pitch, roll), np.array([0.05, -0.02, 0.7])
    pose = estimate(project(tp.aam.mean_face_68(), turn, translation))
    assert pose.converged
    np.testing.assert_allclose(pose.rotation, turn, atol=1e-7)
    np.testing.assert_allclose(pose.translation, translation, atol=1e-7)
    np.testing.assert_allclose([pose.yaw, pose.pitch, pose.roll], [yaw, pitch, roll], atol=1e-7)
    assert abs(pose.length_factor - 1) < 1e-7 and pose.error_px < 1e-4


def test_shapes_and_types():
    pose = estimate(tp.aam.render_face(tp.aam.random_face(3, 1)).landmarks)
    shapes = {"rotation": (3, 3), "translation": (3,), "quaternion": (4,), "covariance": (6, 6)}
    for name, shape in shapes.items():
        assert getattr(pose, name).shape == shape and getattr(pose, name).dtype == np.float64
    np.testing.assert_allclose(pose.rotation @ pose.rotation.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(pose.covariance, pose.covariance.T, rtol=1e-9)
    assert np.linalg.eigvalsh(pose.covariance)[0] > 0
    w, x, y, z = pose.quaternion
    assert pose.rotation[2, 1] == pytest.approx(2 * (y * z + w * x))
    assert 0 < pose.error < 0.1 and pose.error_px > pose.error
    assert tp.aam.mean_face_68().shape == (68, 3)


def test_the_angles_of_procedural_faces():
    for number in range(10):
        face = tp.aam.random_face(5, number)
        pose = tp.aam.head_pose(tp.aam.render_face(face, 16, 16).landmarks, focal=1e5, centre=(128, 128))
        np.testing.assert_allclose([pose.yaw, pose.roll], [face.yaw, face.roll], atol=np.radians(3))
        assert abs(pose.pitch - face.pitch) < np.radians(9)


def test_other_landmarks_with_a_reference():
    reference = tp.aam.mean_face_68()[17:]
    turn, translation = rotation(0.2, 0.1, 0), np.array([0, 0, 0.5])
    landmarks = project(reference, turn, translation)
    pose = estimate(landmarks.tolist(), reference=reference, weights=np.ones(51), length_deviation=0)
    np.testing.assert_allclose(pose.rotation, turn, atol=1e-7)
    with pytest.raises(tp.InvalidArgument, match="^landmarks: .*51"):
        estimate(landmarks)


def test_equality_pickle_and_text():
    landmarks = tp.aam.render_face(tp.aam.random_face(3, 1)).landmarks
    pose = estimate(landmarks)
    assert pose == estimate(landmarks) and pose != estimate(landmarks + 1) and pose != 3
    assert pickle.loads(pickle.dumps(pose)) == pose
    assert repr(pose).startswith("HeadPose(yaw=")


def test_smoothing_steadies_a_still_head_and_follows_a_jump():
    random, smooth = np.random.default_rng(2), tp.aam.PoseSmoother()
    still = project(tp.aam.mean_face_68(), rotation(0.2, 0, 0), np.array([0, 0, 0.6]))
    raw = [estimate(still + random.normal(0, 0.05, still.shape)) for _ in range(200)]
    smoothed = [smooth(pose, seconds=1 / 30) for pose in raw]
    np.testing.assert_allclose(smoothed[0].translation, raw[0].translation, rtol=1e-12)
    assert np.std([p.yaw for p in smoothed[50:]]) < 0.5 * np.std([p.yaw for p in raw[50:]])
    assert np.std([p.translation[0] for p in smoothed[50:]]) < 0.5 * np.std([p.translation[0] for p in raw[50:]])
    moved = estimate(project(tp.aam.mean_face_68(), rotation(0.5, 0, 0), np.array([0.1, 0, 0.6])))
    for _ in range(30):
        last = smooth(moved)
    assert abs(last.yaw - moved.yaw) < 0.01 and abs(last.translation[0] - 0.1) < 0.002
    smooth.reset()
    np.testing.assert_allclose(smooth(raw[0]).rotation, raw[0].rotation, atol=1e-12)


@pytest.mark.parametrize(
    "argument, value",
    [
        ("landmarks", np.zeros((58, 2))),
        ("landmarks", np.zeros((68, 3))),
        ("landmarks", np.full((68, 2), NAN)),
        ("landmarks", np.zeros((68, 2))),
        ("landmarks", np.stack([np.arange(68.0)] * 2, axis=1)),
        ("landmarks", None),
        ("centre", None),
        ("focal", 0),
        ("focal", NAN),
        ("centre", (1, 2, 3)),
        ("centre", (NAN, 0)),
        ("centre", "here"),
        ("reference", np.zeros((68, 2))),
        ("reference", np.zeros((68, 3))),
        ("reference", np.full((68, 3), NAN)),
        ("weights", np.ones(67)),
        ("weights", -np.ones(68)),
        ("weights", []),
        ("length_deviation", -1),
    ],
)
def test_what_is_refused_is_named(argument, value):
    good = {"landmarks": tp.aam.render_face(tp.aam.random_face(3, 1)).landmarks, "focal": FOCAL, "centre": CENTRE}
    with pytest.raises(tp.InvalidArgument, match=f"^{argument}"):
        tp.aam.head_pose(**{**good, argument: value})
