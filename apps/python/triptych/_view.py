"""view(): points, capsules, skeletons, heads and landmarks in the viewer Rerun."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ._triptych import InvalidArgument, Unavailable

if TYPE_CHECKING:  # the stubs are made where there is no NumPy
    import numpy as np

_recordings: dict[str | None, Any] = {}


def _rerun() -> Any:
    try:
        import rerun
    except ImportError as problem:
        raise Unavailable("triptych.view needs the viewer Rerun: pip install 'triptych[view]'") from problem
    return rerun


def _recording(to: str | None) -> Any:
    """The recording of a file, or of the viewer's window (None); made at its first use."""
    if to not in _recordings:
        recording = _rerun().RecordingStream("triptych")
        if to is None:
            recording.spawn()
        else:
            recording.save(to)
        _recordings[to] = recording
    return _recordings[to]


def _quaternions(directions: np.ndarray) -> np.ndarray:
    """The rotations (x, y, z, w) that turn +z into unit vectors (n, 3)."""
    import numpy as np

    x, y, z = directions.T
    quaternions = np.stack([-y, x, np.zeros_like(x), 1 + z], axis=1)
    quaternions[z < -0.999999] = (1, 0, 0, 0)  # half a turn about x
    return quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)


def _capsules(rerun: Any, capsules: np.ndarray, colour: tuple[int, int, int]) -> Any:
    import numpy as np

    a, radius, b = capsules[:, :3], capsules[:, 3], capsules[:, 4:]
    lengths = np.linalg.norm(b - a, axis=1)
    directions = np.where(lengths[:, None] > 0, (b - a) / np.maximum(lengths, 1e-12)[:, None], (0, 0, 1))
    return rerun.Capsules3D(lengths=lengths, radii=radius, translations=a, quaternions=_quaternions(directions), colors=[colour] * len(radius))


def _bones(skeleton: Any, joints: np.ndarray) -> list[np.ndarray]:
    return [joints[[parent, i]] for i, parent in enumerate(skeleton.parents) if parent >= 0]


def _body(rerun: Any, recording: Any, skeleton: Any, body: Any) -> None:
    import numpy as np

    pose = np.asarray(getattr(body, "pose", body), np.float32)
    recording.log("world/body/capsules", _capsules(rerun, np.asarray(skeleton.capsules(pose)), (90, 160, 255)))
    recording.log("world/body/bones", rerun.LineStrips3D(_bones(skeleton, np.asarray(skeleton.joints(pose))), colors=[(255, 200, 60)]))


def _head(rerun: Any, recording: Any, head: Any) -> None:
    import numpy as np

    if not head.found:
        recording.log("image/head", rerun.Clear(recursive=True))
        return
    e = head.ellipse
    turns = np.linspace(0, 2 * np.pi, 100)
    cos, sin = np.cos(e.angle_rad), np.sin(e.angle_rad)
    along, across = e.semi_major_px * np.cos(turns), e.semi_minor_px * np.sin(turns)
    outline = np.stack([head.x_px + cos * along - sin * across, head.y_px + sin * along + cos * across], axis=1)
    recording.log("image/head", rerun.LineStrips2D([outline], colors=[(64, 255, 64)]))


def _landmarks(rerun: Any, recording: Any, landmarks: Any) -> None:
    import numpy as np

    points = np.asarray(getattr(landmarks, "landmarks", landmarks))
    recording.log("image/landmarks", rerun.Points2D(points, colors=[(64, 255, 64)], radii=[2.0]))


def view(
    *,
    image: Any = None,
    head: Any = None,
    landmarks: Any = None,
    points: Any = None,
    capsules: Any = None,
    skeleton: Any = None,
    body: Any = None,
    frame: int | None = None,
    to: str | os.PathLike | None = None,
) -> None:
    """Shows what is given in Rerun: in its window, or in a file for `rerun FILE`. Needs `pip install 'triptych[view]'`.

    image: (height, width), or (height, width, 3) uint8
    head: a TrackedHead, drawn as an ellipse over the image
    landmarks: a Fit or TrackedFace, or (n, 2) in pixels
    points: a cloud (n, 3), in metres
    capsules: (n, 7): one end, the radius, the other end
    skeleton, body: a Skeleton with an Estimate or a pose of it, drawn as capsules and bones
    frame: the number of the frame on the timeline
    to: a file (.rrd) instead of the window
    """
    import numpy as np

    if (skeleton is None) != (body is None):
        raise InvalidArgument("skeleton: it is given together with body, an Estimate or a pose of the skeleton")
    rerun = _rerun()
    recording = _recording(None if to is None else os.fspath(to))
    if frame is not None:
        recording.set_time("frame", sequence=frame)
    if image is not None:
        recording.log("image", rerun.Image(np.asarray(image)))
    if head is not None:
        _head(rerun, recording, head)
    if landmarks is not None:
        _landmarks(rerun, recording, landmarks)
    if points is not None:
        recording.log("world/points", rerun.Points3D(np.asarray(points), colors=[(200, 200, 200)], radii=[0.004]))
    if capsules is not None:
        recording.log("world/capsules", _capsules(rerun, np.asarray(capsules), (255, 160, 90)))
    if body is not None:
        _body(rerun, recording, skeleton, body)
    recording.flush()
