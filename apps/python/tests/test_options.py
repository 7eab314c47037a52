"""Options out of range: the InvalidArgument has the keyword in it as Python writes it. Every keyword that is a number or a
name is in the table below, or in the list of those that take every value."""

import functools
import inspect
import re
import types

import numpy as np
import pytest

import triptych as tp

NAN, INF = float("nan"), float("inf")
NOT_FINITE = (NAN, INF, -INF)
NEGATIVE = (-1.0, *NOT_FINITE)
POSITIVE = (0.0, *NEGATIVE)
INT = (2**31, 2**40, 2**70, -(2**31) - 1)
LONG = (2**63, -(2**63) - 1, 2**70)
SEED = (-1, 2**64)
COUNT = (-1, *INT)
NAME = ("nonsense", "")

FRAME = np.zeros((48, 64, 3), np.uint8)
FILTER = tp.skin.generic_skin_filter
COLOURS, LABELS = np.zeros((4, 3), np.uint8), np.zeros(4, bool)
BODY = tp.capsule.human()
WALK = tp.capsule.place_in_view(BODY, tp.capsule.make_walk(BODY, frames=2))
CAPSULES = BODY.capsules(WALK[0])
POINTS = tp.capsule.render_points(CAPSULES, points=50)
VECTOR, MATRIX = np.ones(9, np.float32), np.ones((3, 4), np.float32)
DEPTH = np.ones((4, 4), np.uint16)
INTRINSICS = (10.0, 10.0, 2.0, 2.0)


@functools.cache
def faces():
    made = [tp.aam.render_face(tp.aam.random_face(1, i)) for i in range(3)]
    return [face.image for face in made], np.stack([face.landmarks for face in made])


@functools.cache
def model():
    return tp.aam.train(*faces(), levels=[{"pixels": 300}], displacements={"per_face": 1})


def pose():
    return tp.aam.head_pose(faces()[1][0], focal=256, centre=(127.5, 127.5))


def train(**options):
    return tp.aam.train(*faces(), **options)


def level(**options):
    return train(levels=[tp.aam.LevelOptions(**options)])


def scene():
    return tp.skin.SyntheticScene(width=64, height=64, frames=2)


def boxed_tracker(**options):
    one = tp.skin.SyntheticScene(width=160, height=120, frames=1)
    return tp.skin.Tracker.from_box(one[0], one.truth(0).box, device="cpu", **options)


def smooth_tracker():
    return tp.skin.Tracker(FILTER, device="cpu", smooth=True)


def skeleton(joint=None, capsule=None):
    joint = joint or tp.capsule.Joint("a")
    return tp.capsule.Skeleton([joint], [capsule or tp.capsule.BodyCapsule(0, (0, 0, 0), (0, 0, 1), 0.1)])


def capsule_of(**parts):
    wanted = {"joint": 0, "a_m": (0, 0, 0), "b_m": (0, 0, 1), "radius_m": 0.1, **parts}
    return skeleton(capsule=tp.capsule.BodyCapsule(**wanted))


def joint_of(**parts):
    return skeleton(joint=tp.capsule.Joint("a", **parts))


def rotation_of(axis="x", **limits):
    return joint_of(rotations=[tp.capsule.Rotation(axis, **limits)])


def stereo_cloud(**parts):
    wanted = {"intrinsics": INTRINSICS, "baseline_m": 0.1, **parts}
    return tp.capsule.cloud_from_disparity(DEPTH.astype(np.float32), tp.capsule.StereoCalibration(**wanted))


def one_eye(**parts):
    wanted = {"x_px": 1, "y_px": 1, "distance_m": 1, "width_px": 64, "height_px": 48, **parts}
    return tp.skin.eye_of(**wanted)


def frustum(**parts):
    wanted = {"left": 0, "right": 1, "bottom": 0, "top": 1, "near": 1, "far": 2, **parts}
    return tp.skin.projection_matrix(tp.skin.Frustum(**wanted))


def off_axis(**parts):
    return tp.skin.off_axis_frustum((0, 0, 1), **{"screen_width_m": 1, "screen_height_m": 1, "near_m": 0.1, "far_m": 1, **parts})


def save_bvh(poses=WALK, **options):
    return tp.capsule.save_bvh("unused.bvh", BODY, poses, **options)


def load_bvh(path, **options):
    tp.capsule.save_bvh(path, BODY, WALK)
    return tp.capsule.load_bvh(path, **options)


def read_cloud(path, **options):
    tp.capsule.write_ply(path, POINTS)
    return tp.capsule.read_cloud(path, **options)


THREADS = {"threads": INT}
REDUCTION = {"strategy": NAME}
SAME_SUM = {**REDUCTION, "determinism": NAME}
SMOOTHING = {"min_cutoff_hz": POSITIVE, "beta": NEGATIVE, "speed_cutoff_hz": POSITIVE}
SIZE = {"max_width": (0, -1, 10**6, *INT), "max_height": (0, -1, 10**6, *INT)}
TRACKER = {"format": NAME, **SIZE, **SMOOTHING, "reference_distance_m": POSITIVE, "lost_below_area": (1.0, *NEGATIVE),
           "min_confidence": (1.1, *NEGATIVE)}
RANGE = {"nearest_m": (-1.0, NAN), "farthest_m": (-1.0, NAN), "y": NAME, "step": (0, *COUNT)}
SENSOR = {"loss": NAME, "surface": NAME, "inside": NAME, "sigma_m": POSITIVE, "tau_m": POSITIVE, "camera": ((NAN, 0, 0),)}
LAUNCH = {"method": NAME, "samples_per_launch": INT, "points_per_block": INT}
SPREADS = "position_spread_m rotation_spread_rad limb_spread_m max_angle_spread_rad start_spread".split()
SHARES = "min_spread shrink velocity_follow velocity_damp mean_reversion".split()
FITTER = {
    "algorithm": NAME,
    "form": NAME,
    "storage": NAME,
    "max_iterations": (10**6, *COUNT),
    "steps": (0, 17, *COUNT),
    "min_relative_gain": (-1.0, NAN),
    "min_move_px": (-1.0, NAN),
    "max_outside_fraction": (1.5, *NEGATIVE),
    "max_width": (0, *COUNT),
    "max_height": (0, *COUNT),
    "max_faces": (0, 10**6, *COUNT),
    "starts": (0, 10, *COUNT),
    "refinement_steps": (11, *COUNT),
    "crop_margin": (11.0, *NEGATIVE),
    "min_confidence": (1.5, *NEGATIVE),
}

# name: what calls it with one more keyword, and the values that each keyword does not take.
TABLE = {
    "describe_device": (tp.describe_device, {"device": ("gpu", "")}),
    "reduce.sum": (functools.partial(tp.reduce.sum, VECTOR), SAME_SUM),
    "reduce.dot": (functools.partial(tp.reduce.dot, VECTOR, VECTOR), SAME_SUM),
    "reduce.min": (functools.partial(tp.reduce.min, VECTOR), REDUCTION),
    "reduce.max": (functools.partial(tp.reduce.max, VECTOR), REDUCTION),
    "reduce.argmin": (functools.partial(tp.reduce.argmin, VECTOR), REDUCTION),
    "reduce.argmax": (functools.partial(tp.reduce.argmax, VECTOR), REDUCTION),
    "reduce.moments": (functools.partial(tp.reduce.moments, VECTOR), SAME_SUM),
    "reduce.row_sums": (functools.partial(tp.reduce.row_sums, MATRIX), {"threads": COUNT}),
    "reduce.matvec": (functools.partial(tp.reduce.matvec, MATRIX, np.ones(4, np.float32)), {"threads": COUNT}),
    "reduce.Reducer": (tp.reduce.Reducer, {"device": NAME, **SAME_SUM, **THREADS}),
    "reduce.Reducer.reserve": (lambda **k: tp.reduce.Reducer("cpu").reserve(**k), {"count": (-1, *LONG)}),
    "skin.Moments": (
        tp.skin.Moments,
        {"weight": SEED, "x": LONG, "y": LONG, "xx": SEED, "xy": LONG, "yy": SEED},
    ),
    "skin.Moments.head": (
        lambda **k: tp.skin.Moments(1, 1, 1, 1, 1, 1).head(**{"width": 9, "height": 9, **k}),
        {"width": (0, *COUNT), "height": (0, *COUNT)},
    ),
    "skin.LinearFilter": (tp.skin.LinearFilter, dict.fromkeys("rgbd", NOT_FINITE)),
    "skin.GaussianPair.Normal": (
        lambda **k: tp.skin.GaussianPair.Normal(**{"mean": (1, 2, 3), "precision": np.eye(3), "log_scale": 0, **k}),
        {"mean": ((NAN, 1, 1),), "precision": (np.eye(3) * NAN,), "log_scale": NOT_FINITE},
    ),
    "skin.GaussianPair": (
        lambda space: tp.skin.GaussianPair(space, *[tp.skin.GaussianPair.Normal((1, 2, 3), np.eye(3), 0)] * 2),
        {"space": NAME},
    ),
    "skin.ChrominanceEllipse": (
        lambda **k: tp.skin.ChrominanceEllipse(**{"mean": (1, 2), "precision": (1, 0, 1), **k}),
        {"mean": ((NAN, 1),), "precision": ((NAN, 0, 1),), "edge": POSITIVE, "softness": POSITIVE},
    ),
    "skin.parse_filter": (tp.skin.parse_filter, {"text": NAME}),
    "skin.train_classifier": (lambda name: tp.skin.train_classifier(name, COLOURS, LABELS), {"name": NAME}),
    "skin.split_in_halves": (functools.partial(tp.skin.split_in_halves, COLOURS, LABELS), {"seed": SEED}),
    "skin.calibrate": (
        functools.partial(tp.skin.calibrate, FRAME, (9, 9, 9, 9)),
        {"format": NAME, **THREADS},
    ),
    "skin.WeightTable": (functools.partial(tp.skin.WeightTable, FILTER), THREADS),
    "skin.moments": (functools.partial(tp.skin.moments, FRAME, FILTER), {"format": NAME, **THREADS}),
    "skin.locate": (functools.partial(tp.skin.locate, FRAME, FILTER), {"format": NAME, **THREADS}),
    "skin.moments_batch": (functools.partial(tp.skin.moments_batch, [FRAME], FILTER), {"format": NAME, **THREADS}),
    "skin.Tracker": (
        lambda **k: tp.skin.Tracker(FILTER, **{"device": "cpu", "smooth": True, **k}),
        {**TRACKER, "reference_area": (1.5, *POSITIVE), "device": NAME},
    ),
    "skin.Tracker.from_box": (boxed_tracker, TRACKER),
    "skin.Tracker.__call__": (lambda **k: smooth_tracker()(FRAME, **k), {"seconds": POSITIVE, "format": NAME}),
    "skin.Tracker.submit": (lambda **k: smooth_tracker().submit(FRAME, **k), {"seconds": POSITIVE, "format": NAME}),
    "skin.OneEuro": (tp.skin.OneEuro, SMOOTHING),
    "skin.OneEuro.__call__": (
        lambda **k: [euro := tp.skin.OneEuro(), euro(1.0), euro(**{"value": 1.0, **k})],
        {"value": NOT_FINITE, "seconds": POSITIVE},
    ),
    "skin.Frustum": (frustum, dict.fromkeys(("left", "right", "bottom", "top", "near", "far"), (NAN,))),
    "skin.off_axis_frustum": (
        off_axis,
        dict.fromkeys(("screen_width_m", "screen_height_m", "near_m", "far_m"), POSITIVE),
    ),
    "skin.eye_of": (
        one_eye,
        {
            "x_px": NOT_FINITE,
            "y_px": NOT_FINITE,
            "distance_m": POSITIVE,
            "width_px": (0, *COUNT),
            "height_px": (0, *COUNT),
            "angle_of_view_rad": (4.0, *POSITIVE),
            "above_screen_middle_m": NOT_FINITE,
        },
    ),
    "skin.SyntheticScene": (
        tp.skin.SyntheticScene,
        {"width": (63, 9000, *COUNT), "height": (63, 9000, *COUNT), "frames": (0, *COUNT), "noise": (65.0, *NEGATIVE), "seed": SEED},
    ),
    "skin.SyntheticScene.render": (lambda **k: scene().render(**{"frame": 0, **k}), {"frame": LONG, **THREADS}),
    "skin.SyntheticScene.truth": (lambda **k: scene().truth(**k), {"frame": LONG}),
    "capsule.Rotation": (rotation_of, {"axis": NAME, "lower_rad": NOT_FINITE, "upper_rad": NOT_FINITE}),
    "capsule.Joint": (joint_of, {"offset_m": ((NAN, 0, 0),)}),
    "capsule.BodyCapsule": (
        capsule_of,
        {"joint": (3, *COUNT), "a_m": ((NAN, 0, 0),), "b_m": ((NAN, 0, 0),), "radius_m": NEGATIVE},
    ),
    "capsule.Skeleton.joints": (functools.partial(BODY.joints, WALK[0]), THREADS),
    "capsule.Skeleton.capsules": (functools.partial(BODY.capsules, WALK[0]), THREADS),
    "capsule.human": (
        tp.capsule.human,
        dict.fromkeys("height thigh shin upper_arm forearm torso shoulders hips girth".split(), POSITIVE),
    ),
    "capsule.Motion": (lambda **k: save_bvh(tp.capsule.Motion([WALK[0]], **k)), {"frame_time_s": POSITIVE}),
    "capsule.make_walk": (
        functools.partial(tp.capsule.make_walk, BODY),
        {
            "frames": (10**7, *COUNT),
            "rate_hz": POSITIVE,
            **dict.fromkeys(("speed_mps", "stride_hz", "heading_rad", "turn_rad_per_s"), NOT_FINITE),
        },
    ),
    "capsule.place_in_view": (
        functools.partial(tp.capsule.place_in_view, BODY, WALK),
        dict.fromkeys(("distance_m", "nearest_m", "yaw_rad"), NOT_FINITE),
    ),
    "capsule.load_bvh": (load_bvh, {"metres_per_unit": NEGATIVE, "fixed_at_frame": (9, *INT)}),
    "capsule.save_bvh": (save_bvh, {"metres_per_unit": POSITIVE, "frame_time_s": POSITIVE}),
    "capsule.write_poses_csv": (
        functools.partial(tp.capsule.write_poses_csv, "unused.csv", BODY, WALK),
        {"first_frame": LONG},
    ),
    "capsule.read_cloud": (read_cloud, {"metres_per_unit": POSITIVE}),
    "capsule.subsample": (
        lambda **k: tp.capsule.subsample(POINTS, **{"count": 1, **k}),
        {"count": (-1, *LONG), "seed": SEED},
    ),
    "capsule.remove_planes": (
        functools.partial(tp.capsule.remove_planes, POINTS),
        {
            "max_planes": (-1, 65, *COUNT),
            "tolerance_m": POSITIVE,
            "min_area_m2": NEGATIVE,
            "min_share": (1.5, *NEGATIVE),
            "seed": SEED,
        },
    ),
    "capsule.choose_person": (
        functools.partial(tp.capsule.choose_person, POINTS),
        {"near": ((NAN, 0, 0),), "gap_m": (2.0, *POSITIVE), "min_share": (1.5, *NEGATIVE)},
    ),
    "capsule.StereoCalibration": (
        stereo_cloud,
        {"intrinsics": ((NAN, 1, 1, 1),), "baseline_m": POSITIVE, "offset_px": NOT_FINITE, "width": INT, "height": INT},
    ),
    "capsule.cloud_from_depth": (
        lambda **k: tp.capsule.cloud_from_depth(DEPTH, **{"intrinsics": INTRINSICS, **k}),
        {"intrinsics": ((0, 1, 1, 1),), "metres_per_unit": POSITIVE, **RANGE},
    ),
    "capsule.cloud_from_disparity": (
        functools.partial(
            tp.capsule.cloud_from_disparity, DEPTH.astype(np.float32), tp.capsule.StereoCalibration(INTRINSICS, 0.1)
        ),
        RANGE,
    ),
    "capsule.render_points": (
        functools.partial(tp.capsule.render_points, CAPSULES),
        {
            "points": (-1, 2**40, *LONG),
            "noise_m": NEGATIVE,
            "noise_reference_m": NEGATIVE,
            "outliers": (1.0, *NEGATIVE),
            "background": (1.0, *NEGATIVE),
            "seed": SEED,
            "camera": ((NAN, 0, 0),),
            **THREADS,
        },
    ),
    "capsule.temper": (
        functools.partial(tp.capsule.temper, np.zeros(9)),
        {"target_effective_samples": (-1.0, NAN), "max_loss": (-1.0, NAN)},
    ),
    "capsule.resample": (
        lambda **k: tp.capsule.resample(np.ones(4, np.uint32), **{"bits": 1, **k}),
        {"bits": (-1, 2**32), "count": (-1, *LONG)},
    ),
    "capsule.Rays": (functools.partial(tp.capsule.Rays, POINTS), {**SENSOR, "max_points": LONG, **THREADS}),
    "capsule.Rays.log_likelihood": (
        lambda **k: tp.capsule.Rays(POINTS).log_likelihood(CAPSULES[None], **k),
        LAUNCH,
    ),
    "capsule.log_likelihood": (
        functools.partial(tp.capsule.log_likelihood, POINTS, CAPSULES[None]),
        {**SENSOR, **LAUNCH, **THREADS},
    ),
    "exchange.threads": (
        lambda **k: tp.exchange.threads(**{"size": 1, **k}),
        {"size": (0, 5000, *COUNT), "timeout_s": (1e9, *POSITIVE)},
    ),
    "capsule.ParticleFilter": (
        lambda **k: tp.capsule.ParticleFilter(BODY, **{"device": "cpu", **k}),
        {
            **SENSOR,
            **dict.fromkeys(SPREADS, (2000.0, *NEGATIVE)),
            **dict.fromkeys(SHARES, (1.5, *NEGATIVE)),
            "effective_share": (1.0, *NEGATIVE),
            "max_loss_nats": (-1.0, NAN),
            "samples": (2**30, *COUNT),
            "layers": (0, 65, *COUNT),
            "seed": SEED,
            "motion": NAME,
            "max_points": (0, -1, 2**40, *LONG),
            "min_score": (1.5, *NEGATIVE),
            "min_confidence": (1.5, *NEGATIVE),
            "search_after_frames": COUNT,
            "fit_steps": COUNT,
            "split": NAME,
            "device": NAME,
        },
    ),
    "capsule.default_samples": (tp.capsule.default_samples, {"device": NAME}),
    "aam.Features": (
        tp.aam.Features,
        {"kind": NAME, "bins": (1, 17, *COUNT), **dict.fromkeys(("smooth_px", "local_px", "pool_px"), (101.0, *NEGATIVE))},
    ),
    "aam.LevelOptions": (
        level,
        {
            "pixels": (15, 2**23, -1, *LONG),
            "pitch_px": (0.01, 17.0, *POSITIVE),
            "margin": (1.5, *NEGATIVE),
            "features": NAME,
            "iterations": (10**6, *COUNT),
            "stages": (0, 65, *COUNT),
            "patch_samples": (65, *COUNT),
            "patch_size": (1.5, *POSITIVE),
        },
    ),
    "aam.Displacements": (
        lambda **k: train(displacements=tp.aam.Displacements(**k)),
        {"per_face": (0, 1001, *COUNT), **dict.fromkeys(("shift", "scale", "rotation_rad"), NEGATIVE)},
    ),
    "aam.default_levels": (
        tp.aam.default_levels,
        {"pixels": (15, -1, *LONG), "count": (0, 9, *COUNT), "features": NAME, "update": NAME},
    ),
    "aam.estimate_landmark_offset_px": (lambda **k: tp.aam.estimate_landmark_offset_px(*faces(), **k), {**THREADS}),
    "aam.train": (
        train,
        {
            "levels": ([], [{}] * 65),
            "parameters": NAME,
            "update": NAME,
            **dict.fromkeys(("shape_variance", "texture_variance", "combined_variance"), (1.5, *POSITIVE)),
            **dict.fromkeys(("shape_modes", "texture_modes", "modes"), COUNT),
            "landmark_offset_px": (-5.0, 5.0, NAN),
            "deformations": (-2, 1001, *INT),
            "ridge": POSITIVE,
            "appearance_pixels": (15, 2**40, *LONG),
            "seed": SEED,
            **THREADS,
        },
    ),
    "aam.Fitter": (lambda **k: tp.aam.Fitter(model(), **{"device": "cpu", **k}), {**FITTER, "device": NAME}),
    "aam.FaceTracker": (
        lambda **k: tp.aam.FaceTracker(model(), **{"device": "cpu", **k}),
        {**FITTER, "lost_error": (-1.0, NAN), "device": NAME},
    ),
    "aam.find_faces": (
        lambda **k: tp.aam.find_faces(tp.aam.Fitter(model(), device="cpu"), faces()[0][0], **k),
        {
            "min_size": (1.5, *POSITIVE),
            "max_size": (1.5, *POSITIVE),
            "max_overlap": (1.5, *NEGATIVE),
            "max_faces": COUNT,
            "max_candidates": (0, *COUNT),
            "min_confidence": (1.5, *NEGATIVE),
        },
    ),
    "aam.check_face": (
        lambda **k: tp.aam.check_face(model(), faces()[0][0], tp.aam.Fitter(model(), device="cpu")(faces()[0][0], start=faces()[1][0]), **k),
        {"min_confidence": (1.5, *NEGATIVE)},
    ),
    "aam.head_pose": (
        lambda **k: tp.aam.head_pose(faces()[1][0], **{"focal": 256, "centre": (127.5, 127.5), **k}),
        {"focal": (0.5, 1e7, *POSITIVE), "length_deviation": (1.5, *NEGATIVE)},
    ),
    "aam.PoseSmoother": (
        tp.aam.PoseSmoother,
        {
            **dict.fromkeys(("min_cutoff_hz", "speed_cutoff_hz"), POSITIVE),
            **dict.fromkeys(("direction_beta", "distance_beta", "rotation_beta"), NEGATIVE),
        },
    ),
    "aam.PoseSmoother.__call__": (
        lambda **k: [smooth := tp.aam.PoseSmoother(), smooth(pose()), smooth(pose(), **k)],
        {"seconds": POSITIVE},
    ),
    "aam.Similarity": (tp.aam.Similarity, dict.fromkeys(("sx", "sy", "tx", "ty"), NOT_FINITE)),
    "aam.start_in_box": (
        lambda **k: tp.aam.start_in_box(model(), (9, 9, 99, 99), **{"width": 256, "height": 256, **k}),
        {"width": (0, -1, *LONG), "height": (0, -1, *LONG)},
    ),
    "aam.FaceParameters": (
        lambda **k: tp.aam.render_face(tp.aam.FaceParameters(**k)),
        {
            **dict.fromkeys("yaw pitch roll x_px y_px light_x light_y skin contrast noise".split(), (1e300, *NOT_FINITE)),
            "size_px": POSITIVE,
            "seed": SEED,
        },
    ),
    "aam.render_face": (
        functools.partial(tp.aam.render_face, tp.aam.FaceParameters()),
        {"width": (15, 9000, *COUNT), "height": (15, 9000, *COUNT)},
    ),
    "aam.random_face": (lambda **k: tp.aam.random_face(**{"seed": 1, "number": 1, **k}), {"seed": SEED, "number": LONG}),
    "aam.varied_face": (lambda **k: tp.aam.varied_face(**{"seed": 1, "number": 1, **k}), {"seed": SEED, "number": LONG}),
    "aam.background_scene": (
        lambda **k: tp.aam.background_scene(**{"seed": 1, "number": 1, **k}),
        {"seed": SEED, "number": LONG, "width": (8193, 0, *COUNT), "height": (8193, 0, *COUNT)},
    ),
    "aam.face_in_motion": (
        lambda **k: tp.aam.face_in_motion(**{"seed": 1, "seconds": 1, **k}),
        {"seed": SEED, "seconds": NOT_FINITE},
    ),
}

# Keywords that are a number or a name, and take every value: checked where they are used, or by another kind of error.
ANY_VALUE = {
    "skin.Eye": {"x_m", "y_m", "z_m"},  # off_axis_frustum() refuses the eye
    "capsule.Joint": {"name", "parent"},  # Skeleton() refuses what does not belong together
    "capsule.Skeleton.find": {"name"},
    "capsule.Skeleton.first_angle": {"joint"},  # KeyError and IndexError
    "capsule.Skeleton.from_json": {"text"},  # ParseError
    "capsule.Skeleton.adjust": {"changes"},
    "capsule.JointTable.find": {"name"},
    "aam.train": {"name"},
}

CASES = [(name, keyword, value) for name, (_, table) in TABLE.items() for keyword, values in table.items() for value in values]


@pytest.mark.parametrize("name, keyword", dict.fromkeys((name, keyword) for name, keyword, _ in CASES))
def test_the_keyword_is_named(name, keyword, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, table = TABLE[name]
    if name in ("capsule.load_bvh", "capsule.read_cloud"):
        call = functools.partial(call, tmp_path / "file.ply")
    for value in table[keyword]:
        with pytest.raises(tp.InvalidArgument) as refusal:
            call(**{keyword: value})
        assert re.search(rf"(?<!\w){keyword}(?!\w)", str(refusal.value)), f"{keyword}={value}: {refusal.value}"


def signatures(holder, prefix=""):
    """Names and texts of the signatures of everything that is bound."""
    for name, member in vars(holder).items():
        full = prefix + name
        if isinstance(member, types.ModuleType):
            yield from signatures(member, full + ".")
        elif inspect.isclass(member):
            yield from signatures(member, full + ".")
        else:
            member = getattr(member, "__func__", member)
            for text, *_ in getattr(member, "__nb_signature__", ()):
                yield full.removesuffix(".__init__").replace("_render_face", "render_face"), text


def test_every_keyword_is_in_the_table():
    seen = 0
    for name, text in signatures(tp._triptych):
        if name.split(".")[-1] in ("__getitem__", "__array__", "_bind"):
            continue
        for keyword in re.findall(r"(\w+): (?:int|float|str)\b(?! \| os)", text):
            seen += 1
            known = set(TABLE.get(name, (None, {}))[1]) | ANY_VALUE.get(name, set())
            assert keyword in known, f"{name}({keyword}=...) is not tried"
    assert seen > 200
