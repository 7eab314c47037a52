"""triptych.capsule with arrays in GPU memory: torch and CuPy, streams, CUDA graphs."""

import pickle

import numpy as np
import pytest

import triptych as tp

capsule = tp.capsule


class Scene:
    """A walking human as points, on the host and as tensors."""

    def __init__(self, torch, frames=6, points=800):
        self.skeleton = capsule.human()
        self.motion = capsule.place_in_view(self.skeleton, capsule.make_walk(self.skeleton, frames=frames))
        self.clouds = [
            capsule.render_points(self.skeleton.capsules(pose), points=points, outliers=0.1, seed=i + 1)
            for i, pose in enumerate(self.motion)
        ]
        self.tensors = [torch.from_numpy(cloud).cuda() for cloud in self.clouds]
        self.poses = np.repeat(self.motion.poses, 10, axis=0)
        self.poses[:, 7:] += np.random.default_rng(1).normal(0, 0.02, self.poses[:, 7:].shape)
        self.bodies = self.skeleton.capsules(self.poses)
        torch.cuda.synchronize()

    def filter(self, device, **options):
        made = capsule.ParticleFilter(self.skeleton, **{"samples": 200, "device": device, **options})
        made.start(self.motion[0])
        return made


@pytest.fixture(scope="module")
def scene(cuda):
    return Scene(cuda)


# ---- kinematics

def test_kinematics_have_the_bits_of_the_cpu(cuda, scene):
    poses = cuda.from_numpy(scene.poses).cuda()
    for method in (scene.skeleton.joints, scene.skeleton.capsules):
        wanted = method(scene.poses)
        result = method(poses)
        assert isinstance(result, tp.DeviceArray) and result.shape == wanted.shape and result.device == "cuda:0"
        assert np.array_equal(cuda.from_dlpack(result).cpu().numpy(), wanted)
        assert np.array_equal(method(poses[3]).numpy(), wanted[3])
        assert method(poses[:0]).shape == (0, *wanted.shape[1:])
    with pytest.raises(tp.InvalidArgument, match="^pose: expected float32, not float64"):
        scene.skeleton.joints(poses.double())
    with pytest.raises(tp.InvalidArgument, match="^pose: the array must be contiguous"):
        scene.skeleton.joints(poses[::2])
    with pytest.raises(tp.InvalidArgument, match="^pose: expected float32 of shape"):
        scene.skeleton.joints(poses[:, :40].contiguous())
    with pytest.raises(tp.InvalidArgument, match="^pose: the array is on cuda:0"):
        scene.skeleton.clamp(poses)


def test_skeletons_with_a_copy_on_the_gpu_are_pickled(cuda, scene):
    scene.skeleton.joints(cuda.from_numpy(scene.poses).cuda())
    assert pickle.loads(pickle.dumps(scene.skeleton)) == scene.skeleton


# ---- likelihoods

@pytest.mark.parametrize("method", ["culled", "brute", "tiled"])
def test_likelihoods_have_the_bits_of_the_cpu(cuda, scene, method):
    bodies = cuda.from_numpy(scene.bodies).cuda()
    sigma = np.linspace(0.02, 0.08, len(scene.clouds[0])).astype(np.float32)
    for options in ({}, {"loss": "absolute", "tau_m": 0.2}, {"surface": "first", "camera": (0.01, 0, 0.1)}):
        for given in (None, sigma):
            wanted = capsule.log_likelihood(scene.clouds[0], scene.bodies, given, **options)
            on_gpu = None if given is None else cuda.from_numpy(given).cuda()
            result = capsule.log_likelihood(scene.tensors[0], bodies, on_gpu, method=method, **options)
            assert isinstance(result, tp.DeviceArray) and result.shape == (len(bodies),)
            assert np.array_equal(result.numpy(), wanted)


def test_rays_on_the_gpu(cuda, scene):
    bodies = cuda.from_numpy(scene.bodies).cuda()
    rays = capsule.Rays(scene.tensors[0][:100], max_points=1000)
    assert rays.device == "cuda:0" and rays.points.used == 100 and len(rays) == 100
    assert rays.max_loss == capsule.Rays(scene.clouds[0][:100]).max_loss
    out = cuda.empty(len(bodies), dtype=cuda.float64, device="cuda")
    for tensor, cloud in zip(scene.tensors, scene.clouds):
        rays.set(tensor)
        assert rays.log_likelihood(bodies, out=out) is out
        assert np.array_equal(out.cpu().numpy(), capsule.log_likelihood(cloud, scene.bodies))
    wide = cuda.zeros(len(bodies), 50, 7, device="cuda")
    wide[:, :40] = bodies
    assert np.array_equal(rays.log_likelihood(wide[:, :40]).numpy(), out.cpu().numpy())
    rays.set(scene.clouds[0])  # and back to the host
    assert rays.device == "cpu"
    assert np.array_equal(rays.log_likelihood(scene.bodies), capsule.log_likelihood(scene.clouds[0], scene.bodies))


def test_from_poses_to_likelihoods_on_the_gpu(cuda, scene):
    poses = cuda.from_numpy(scene.poses).cuda()
    posed = scene.skeleton.capsules(poses)  # a DeviceArray goes in as it came out
    wanted = capsule.log_likelihood(scene.clouds[0], scene.bodies)
    assert np.array_equal(capsule.log_likelihood(scene.tensors[0], posed).numpy(), wanted)
    side = cuda.cuda.Stream()
    rays = capsule.Rays(scene.tensors[0])
    cuda.cuda.synchronize()
    for _ in range(100):  # filled late, on a stream of its own
        with cuda.cuda.stream(side):
            cuda.cuda._sleep(20_000)
            posed = scene.skeleton.capsules(poses)
        assert np.array_equal(rays.log_likelihood(posed).numpy(), wanted)
        assert np.array_equal(capsule.log_likelihood(scene.tensors[0], posed).numpy(), wanted)


def test_capsules_that_are_not_finite(cuda, scene):
    bodies = cuda.from_numpy(scene.bodies).cuda()
    bodies[3, 5, 2] = float("nan")
    values = capsule.log_likelihood(scene.tensors[0], bodies).numpy()
    assert np.isnan(values[3]) and np.isfinite(np.delete(values, 3)).all()


def test_likelihoods_of_cupy_arrays(cupy, scene):
    points, bodies = cupy.asarray(scene.clouds[0]), cupy.asarray(scene.bodies)
    wanted = capsule.log_likelihood(scene.clouds[0], scene.bodies)
    assert np.array_equal(cupy.asnumpy(cupy.from_dlpack(capsule.log_likelihood(points, bodies))), wanted)
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()
    assert np.array_equal(capsule.log_likelihood(points, bodies, stream=stream).numpy(), wanted)
    joints = cupy.from_dlpack(scene.skeleton.joints(cupy.asarray(scene.poses)))
    assert np.array_equal(cupy.asnumpy(joints), scene.skeleton.joints(scene.poses))


def test_bodies_that_are_still_being_written(cuda, scene):
    """1000 times: a slow kernel, then the values, on a stream of their own."""
    sources = [cuda.from_numpy(scene.bodies[10 * i : 10 * i + 10].copy()).cuda() for i in range(6)]
    wanted = [capsule.log_likelihood(scene.clouds[0], scene.bodies[10 * i : 10 * i + 10]) for i in range(6)]
    bodies, side = cuda.zeros_like(sources[0]), cuda.cuda.Stream()
    rays = capsule.Rays(scene.tensors[0])
    cuda.cuda.synchronize()
    for i in range(1000):
        with cuda.cuda.stream(side):
            cuda.cuda._sleep(20_000)
            bodies.copy_(sources[i % 6])
            result = rays.log_likelihood(bodies)  # on torch's current stream
        if i % 2:
            got = result.numpy()
        else:
            got = cuda.from_dlpack(result).cpu().numpy()  # on another stream, which waits
        assert np.array_equal(got, wanted[i % 6]), i


def test_calls_on_several_streams_take_turns(cuda, scene):
    """The memory of Rays serves one stream at a time."""
    bodies = cuda.from_numpy(scene.bodies).cuda()
    wanted = [capsule.log_likelihood(cloud, scene.bodies) for cloud in scene.clouds]
    streams = [cuda.cuda.Stream() for _ in range(3)]
    cuda.cuda.synchronize()
    results = []
    for i in range(60):
        with cuda.cuda.stream(streams[i % 3]):
            results.append(capsule.log_likelihood(scene.tensors[i % 6], bodies))
    for i, result in enumerate(results):
        assert np.array_equal(result.numpy(), wanted[i % 6]), i


def test_a_graph_around_a_likelihood(cuda, scene):
    points, bodies = scene.tensors[0].clone(), cuda.from_numpy(scene.bodies).cuda()
    out = cuda.empty(len(bodies), dtype=cuda.float64, device="cuda")
    rays = capsule.Rays(points)
    side = cuda.cuda.Stream()
    side.wait_stream(cuda.cuda.current_stream())
    with cuda.cuda.stream(side):  # the scratch memory grows here, not in the capture
        rays.set(points)
        rays.log_likelihood(bodies, out=out)
    cuda.cuda.current_stream().wait_stream(side)
    cuda.cuda.synchronize()
    graph = cuda.cuda.CUDAGraph()
    with cuda.cuda.graph(graph):
        rays.set(points)
        rays.log_likelihood(bodies, out=out)
    for tensor, cloud in zip(scene.tensors, scene.clouds):
        points.copy_(tensor)
        graph.replay()
        assert np.array_equal(out.cpu().numpy(), capsule.log_likelihood(cloud, scene.bodies))


def test_bad_likelihoods(cuda, scene):
    bodies = cuda.from_numpy(scene.bodies).cuda()
    points = scene.tensors[0]
    out = cuda.empty(len(bodies), dtype=cuda.float64, device="cuda")
    for call, message in [
        (lambda: capsule.log_likelihood(points, scene.bodies), "^bodies: .*both must be in the same memory"),
        (lambda: capsule.log_likelihood(scene.clouds[0], bodies), "^bodies: .*both must be in the same memory"),
        (lambda: capsule.log_likelihood(points.double(), bodies), "^points: expected float32"),
        (lambda: capsule.log_likelihood(points[::2], bodies), "^points: the array must be contiguous"),
        (lambda: capsule.log_likelihood(points, bodies[..., :6]), "^bodies: expected float32 of shape"),
        (
            lambda: capsule.log_likelihood(points, bodies, np.ones(800, np.float32)),
            "^sigma: both arrays must be in the same memory",
        ),
        (lambda: capsule.log_likelihood(points, bodies, out=out[:3]), "^out: expected one element for each body"),
        (lambda: capsule.log_likelihood(points, bodies, out=out.float()), "^out: expected float64"),
        (lambda: capsule.log_likelihood(points, bodies, out=out.cpu()), "^out: expected an array on cuda:0"),
        (lambda: capsule.Rays(points).log_likelihood(scene.bodies), "^bodies: .*both must be in the same memory"),
        (lambda: capsule.Rays(scene.clouds[0]).log_likelihood(bodies), "^bodies: .*both must be in the same memory"),
        (lambda: capsule.log_likelihood(points, bodies, stream="s"), "^stream: "),
        (lambda: capsule.subsample(points, 3), "^points: the array is on cuda:0"),
        (lambda: capsule.temper(out), "^log_likelihoods: the array is on cuda:0"),
    ]:
        with pytest.raises(tp.InvalidArgument, match=message):
            call()


# ---- the filter

def test_clouds_on_the_gpu_have_the_bits_of_the_cpu(cuda, scene):
    on_cpu, from_host, from_gpu = scene.filter("cpu"), scene.filter("cuda:0"), scene.filter("cuda:0")
    sigma = np.full(800, 0.04, np.float32)
    for i, (cloud, tensor) in enumerate(zip(scene.clouds, scene.tensors)):
        given = (sigma, cuda.from_numpy(sigma).cuda()) if i % 2 else (None, None)
        wanted = on_cpu(cloud, given[0])
        assert from_host(cloud, given[0]) == wanted
        assert from_gpu(tensor, given[1]) == wanted
    assert np.array_equal(from_gpu.samples(), on_cpu.samples())
    assert from_gpu.device == "cuda:0"


def test_submitted_clouds_on_the_gpu(cuda, scene):
    called, submitted = scene.filter("cuda:0"), scene.filter("cuda:0")
    wanted = [called(tensor) for tensor in scene.tensors]
    got = []
    for i, cloud in enumerate(scene.clouds):
        if submitted.in_flight == 3:
            got.append(submitted.next())
        if i % 2:
            submitted.submit(cloud)
        else:
            submitted.submit(cuda.from_numpy(cloud).cuda())  # the filter keeps the tensor
            cuda.full((800, 3), 7.0, device="cuda")  # would take the memory of one that was freed
    while submitted.in_flight:
        got.append(submitted.next())
    assert got == wanted


def test_a_search_on_the_gpu(cuda, scene):
    options = {"samples": 60, "layers": 3}
    found = capsule.ParticleFilter(scene.skeleton, device="cpu", **options).find(scene.clouds[0])
    assert capsule.ParticleFilter(scene.skeleton, device="cuda:0", **options).find(scene.tensors[0]) == found
    host = capsule.ParticleFilter(scene.skeleton, device="cpu", **options)
    gpu = capsule.ParticleFilter(scene.skeleton, device="cuda:0", **options)
    assert [gpu(tensor) for tensor in scene.tensors[:2]] == [host(cloud) for cloud in scene.clouds[:2]]


def test_clouds_of_cupy(cupy, scene):
    on_cpu, on_gpu = scene.filter("cpu"), scene.filter("cuda:0")
    for cloud in scene.clouds:
        assert on_gpu(cupy.asarray(cloud)) == on_cpu(cloud)


def test_a_cloud_that_is_still_being_written(cuda, scene):
    """1000 times: a slow kernel, then the points, on a stream of their own."""
    options = {"samples": 32, "layers": 1, "start_spread": 0.5}
    side = cuda.cuda.Stream()
    cloud = cuda.zeros_like(scene.tensors[0])
    wanted = []
    for tensor in scene.tensors:
        body = scene.filter("cuda:0", **options)
        wanted.append(body(tensor))
    body = scene.filter("cuda:0", **options)
    cuda.cuda.synchronize()
    for i in range(1000):
        body.start(scene.motion[0])
        with cuda.cuda.stream(side):
            cuda.cuda._sleep(20_000)
            cloud.copy_(scene.tensors[i % 6])
            estimate = body(cloud)  # torch's current stream is asked
        assert estimate == wanted[i % 6], i
        if i % 4 == 0:
            body.start(scene.motion[0])
            with cuda.cuda.stream(side):
                cuda.cuda._sleep(20_000)
                cloud.copy_(scene.tensors[(i + 1) % 6])
            estimate = body(cloud, stream=side)  # the stream is named
            assert estimate == wanted[(i + 1) % 6], i


def test_bad_clouds(cuda, scene):
    body, host = scene.filter("cuda:0"), scene.filter("cpu")
    tensor = scene.tensors[0]
    for call, message in [
        (lambda: host(tensor), "^cloud: the array is on cuda:0, but this object runs on the CPU"),
        (lambda: host.find(tensor), "^cloud: the array is on cuda:0"),
        (lambda: body(tensor.double()), "^cloud: expected float32 of shape"),
        (lambda: body(tensor[::2]), "^cloud: the array must be contiguous"),
        (lambda: body(tensor, np.ones(800, np.float32)), "^sigma: both arrays must be in the same memory"),
        (lambda: body.start(cuda.zeros(45, device="cuda")), "^pose: the array is on cuda:0"),
    ]:
        with pytest.raises(tp.InvalidArgument, match=message):
            call()


def test_pickles_keep_the_device(scene):
    body = scene.filter("cuda:0")
    body(scene.clouds[0])
    copy = pickle.loads(pickle.dumps(body))
    assert copy.device == "cuda:0" and np.array_equal(copy.pose, body.pose)
