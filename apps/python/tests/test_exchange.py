"""Filters that several ranks share, and several cameras: threads, an exchange written in Python, and MPI."""

import concurrent.futures
import pathlib
import pickle
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

import triptych as tp

capsule = tp.capsule
FRAMES = 3


def camera_from_world(yaw_rad, centre):
    """A camera that stands as far from the centre as the origin does, turned about it."""
    c, s = np.cos(yaw_rad), np.sin(yaw_rad)
    rotation = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation, centre - rotation @ centre
    return matrix


class Room:
    """A walking human, as two cameras see it."""

    def __init__(self, points=400):
        self.skeleton = capsule.human()
        self.motion = capsule.place_in_view(self.skeleton, capsule.make_walk(self.skeleton, frames=FRAMES))
        centre = np.asarray(self.skeleton.joints(self.motion[0])).mean(axis=0)
        self.cameras = [camera_from_world(0, centre), camera_from_world(2.0, centre)]
        self.clouds = [[self.cloud(pose, camera, points, 10 * i + k) for k, camera in enumerate(self.cameras)]
                       for i, pose in enumerate(self.motion)]

    def cloud(self, pose, camera, points, seed):
        body = np.array(self.skeleton.capsules(pose))
        for part in (slice(0, 3), slice(4, 7)):
            body[:, part] = body[:, part] @ camera[:3, :3].T + camera[:3, 3]
        return capsule.render_points(body.astype(np.float32), points=points, seed=seed)

    def filter(self, **options):
        made = capsule.ParticleFilter(self.skeleton, **{"samples": 90, "device": "cpu:1", **options})
        made.start(self.motion[0])
        return made


@pytest.fixture(scope="module")
def room():
    return Room()


def on_threads(exchanges, work):
    """What work(rank, exchange) returns for each rank."""
    with concurrent.futures.ThreadPoolExecutor(len(exchanges)) as pool:
        return [future.result() for future in [pool.submit(work, i, e) for i, e in enumerate(exchanges)]]


class Shared:
    """What the ranks of PythonExchange have in common."""

    def __init__(self, size):
        self.barrier, self.parts = threading.Barrier(size, timeout=60), [None] * size


class PythonExchange:
    def __init__(self, rank, shared):
        self.rank, self.size, self.shared, self.sums = rank, len(shared.parts), shared, 0

    def all_parts(self, own):
        self.shared.parts[self.rank] = own
        self.shared.barrier.wait()
        parts = list(self.shared.parts)
        self.shared.barrier.wait()
        return parts

    def sum(self, values):
        assert values.dtype == np.int64
        self.sums += 1
        return np.sum(self.all_parts(values), axis=0)

    def gather(self, own):
        return self.all_parts(own)

    def broadcast(self, data, root):
        return self.all_parts(data)[root]


def poses_of(body, clouds):
    return np.array([body(cloud).pose for cloud in clouds])


@pytest.fixture(scope="module")
def alone(room):
    return poses_of(room.filter(), [clouds[0] for clouds in room.clouds])


@pytest.mark.parametrize("size", [1, 2, 3])
def test_threads_share_the_samples(room, alone, size):
    def work(rank, exchange):
        body = room.filter(exchange=exchange)
        # Only the cloud of rank 0 counts.
        return poses_of(body, [clouds[0] if rank == 0 else clouds[1][:5] for clouds in room.clouds])

    for poses in on_threads(tp.exchange.threads(size), work):
        assert np.array_equal(poses, alone)


def test_an_exchange_may_be_written_in_python(room, alone):
    shared = Shared(2)
    exchanges = [PythonExchange(rank, shared) for rank in range(2)]
    for poses in on_threads(exchanges, lambda rank, e: poses_of(room.filter(exchange=e), [c[0] for c in room.clouds])):
        assert np.array_equal(poses, alone)
    assert exchanges[0].sums == exchanges[1].sums > FRAMES


def test_cameras_in_one_filter_and_one_for_each_rank(room, alone):
    together = room.filter(cameras=room.cameras)
    estimates = [together.step_cameras(clouds) for clouds in room.clouds]
    poses = np.array([estimate.pose for estimate in estimates])
    assert not np.array_equal(poses, alone)
    assert estimates[0].points.used == sum(len(cloud) for cloud in room.clouds[0])

    def work(rank, exchange):
        body = room.filter(cameras=[room.cameras[rank]], exchange=exchange, split="cameras")
        return poses_of(body, [clouds[rank] for clouds in room.clouds])

    for shared in on_threads(tp.exchange.threads(2), work):
        assert np.array_equal(shared, poses)
    weighted = together.step_cameras(room.clouds[0], [np.full(len(c), 0.03, np.float32) for c in room.clouds[0]])
    assert weighted.status == "tracking"


def test_find_in_what_all_cameras_see(room):
    body = capsule.ParticleFilter(room.skeleton, samples=60, layers=2, device="cpu", cameras=room.cameras)
    found = body.find_cameras(room.clouds[0])
    middle = np.asarray(room.skeleton.joints(room.motion[0])).mean(axis=0)
    assert np.linalg.norm(np.asarray(found.joints).mean(axis=0) - middle) < 0.3
    fresh = capsule.ParticleFilter(room.skeleton, samples=60, layers=2, device="cpu", cameras=room.cameras)
    assert np.array_equal(fresh.step_cameras(room.clouds[0]).pose, body.step_cameras(room.clouds[0]).pose)


def test_options_tell_cameras_and_ranks(room):
    exchange = tp.exchange.threads(1)[0]
    assert (exchange.rank, exchange.size) == (0, 1) and "rank 0 of 1" in repr(exchange)
    body = room.filter(cameras=room.cameras, exchange=exchange, split="cameras")
    options = body.options
    assert np.allclose(options["cameras"], room.cameras, atol=1e-6)
    assert options["exchange"].size == 1 and options["split"] == "cameras"
    with pytest.raises(tp.InvalidArgument, match="^exchange: .*cannot be pickled"):
        pickle.dumps(body)
    copy = pickle.loads(pickle.dumps(room.filter(cameras=room.cameras)))
    assert np.array_equal(copy.options["cameras"], options["cameras"])
    own = PythonExchange(0, Shared(1))
    assert room.filter(exchange=own).options["exchange"] is own
    assert room.filter().options["exchange"] is None and room.filter().options["cameras"] is None


def test_a_rank_that_fails_or_is_late(room):
    def work(rank, exchange):
        body = room.filter(exchange=exchange, split="cameras")
        with pytest.raises(tp.Error) as raised:
            body(room.clouds[0][0], None if rank == 0 else np.ones(3, np.float32))
        return type(raised.value), str(raised.value)

    # Rank 1 is refused before its filter is asked, and goes: rank 0 waits for it until the time-out.
    (kind, sentence), (refused, _) = on_threads(tp.exchange.threads(2, timeout_s=0.3), work)
    assert refused is tp.InvalidArgument and kind is tp.Error and "rank" in sentence
    with pytest.raises(tp.Error, match="rank"):
        room.filter(exchange=tp.exchange.threads(2, timeout_s=0.05)[0])


class Broken(PythonExchange):
    def gather(self, own):
        raise OSError("the network is down")


class Short(PythonExchange):
    def sum(self, values):
        return values[:1]

    def gather(self, own):
        return [own] * (self.size + 1)


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda: "mpi", "^exchange: expected an object with rank, size"),
        (lambda: object(), "^exchange: expected an object with rank, size"),
        (lambda: Broken(0, Shared(1)), "the network is down"),
        (lambda: Short(0, Shared(1)), "exchange.gather\\(\\) returned 2 parts for 1 ranks"),
        (lambda: PythonExchange(3, Shared(1)), "^exchange: rank 3 of 1"),
    ],
)
def test_exchanges_that_are_none(room, make, sentence):
    with pytest.raises(tp.Error, match=sentence):
        room.filter(exchange=make())


def test_bad_arguments(room):
    for cameras, sentence in [
        ("front", "^cameras: expected a list of matrices"),
        ([np.eye(3)], "^cameras: expected matrices"),
        ([2 * np.eye(4)], "^cameras: "),
        ([np.full((3, 4), np.nan)], "^cameras: "),
        ([np.diag([1, 1, 1, 2.0])], "^cameras: the last row"),
    ]:
        with pytest.raises(tp.InvalidArgument, match=sentence):
            room.filter(cameras=cameras)
    body = room.filter(cameras=room.cameras)
    for clouds, sigmas, sentence in [
        (room.clouds[0][:1], None, "^clouds: "),
        (3, None, "^clouds: expected a list"),
        (room.clouds[0], [None], "^sigmas: there are 1 for 2 clouds"),
        ([np.zeros((4, 2), np.float32)] * 2, None, "^cloud: "),
    ]:
        with pytest.raises(tp.InvalidArgument, match=sentence):
            body.step_cameras(clouds, sigmas)
    with pytest.raises(tp.InvalidArgument, match="^split: "):
        room.filter(split="persons")
    for size, timeout_s in [(0, 1), (5000, 1), (2, 0), (2, float("nan")), (2, 1e9)]:
        with pytest.raises(tp.InvalidArgument, match="size|timeout_s"):
            tp.exchange.threads(size, timeout_s=timeout_s)


def test_a_file_of_cameras(room, tmp_path):
    path = tmp_path / "cameras.json"
    capsule.write_cameras(path, {"front": room.cameras[0], "left": room.cameras[1][:3]})
    cameras = capsule.read_cameras(path)
    assert list(cameras) == ["front", "left"]
    assert np.array_equal(cameras["left"], room.cameras[1].astype(np.float32))
    assert len(capsule.ParticleFilter(room.skeleton, cameras=cameras.values(), device="cpu").options["cameras"]) == 2
    path.write_text("{}")
    with pytest.raises(tp.ParseError, match="cameras"):
        capsule.read_cameras(path)


MPI_PROGRAM = """
import numpy, pathlib, sys, triptych as tp
sys.path.insert(0, sys.argv[1])
from test_exchange import Room, poses_of
room, exchange = Room(), tp.exchange.mpi(timeout_s=30)
poses = poses_of(room.filter(exchange=exchange), [clouds[0] for clouds in room.clouds])
pathlib.Path(sys.argv[2], f"{exchange.rank}_of_{exchange.size}.npy").write_bytes(poses.tobytes())
"""


def test_processes_by_mpi(room, alone, tmp_path):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    launcher = shutil.which("mpirun")
    if launcher is None:
        pytest.skip("there is no mpirun")
    script = tmp_path / "shared.py"
    script.write_text(MPI_PROGRAM)
    tests = str(pathlib.Path(__file__).parent)
    done = subprocess.run([launcher, "--oversubscribe", "--allow-run-as-root", "-n", "2", sys.executable, str(script), tests, str(tmp_path)],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    written = {path.name: path.read_bytes() for path in tmp_path.glob("*.npy")}
    assert written == {"0_of_2.npy": alone.tobytes(), "1_of_2.npy": alone.tobytes()}


def test_mpi_without_mpi4py(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(tp.Unavailable, match="pip install mpi4py"):
        tp.exchange.mpi()
