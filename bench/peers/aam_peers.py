#!/usr/bin/env python3
"""What a user would write instead of aam_fit: the same fit in PyTorch, ten iterations in one CUDA graph, and eager.

Faces x modes x pixels as aam_fit_bench has them: 68 landmarks, a smooth textured image, an update matrix from the model's own
Jacobian. An iteration is shape, pose, piecewise-affine sampling (grid_sample), normalisation, model texture, residual, error,
step. Landmarks after ten iterations are first checked against double precision (NumPy). Beside them Triptych's Python module: it takes
images and trained models, not matrices, so python_triptych_trained is a fit of the same size by a model trained on synthetic faces, from
an image on the GPU to landmarks on the host. Writes JSON with the hardware in it; what is not installed is said and left out.
"""
import argparse
import sys

from peer_results import main_by_torch, timed, torch_context, triptych_with_gpu

SIZES = ((1, 60, 4096), (1, 60, 16384), (1, 60, 65536), (1, 20, 4096), (1, 20, 16384), (1, 20, 65536), (256, 60, 16384))
ITERATIONS = 10
COLUMNS, ROWS = 17, 4  # of landmarks
MOST_PX = 0.02  # off the landmarks in double precision


class Scene:
    """A model on a grid of triangles, one image, and starts for several faces; all in double precision."""

    def __init__(self, numpy, modes, pixels, faces=1):
        self.numpy, self.modes = numpy, modes
        random = numpy.random.default_rng(1)
        width = int(numpy.ceil(pixels**0.5))
        height = -(-pixels // width)
        face = ((width - 1) * (height - 1)) ** 0.5
        i = numpy.arange(COLUMNS * ROWS)
        self.s0 = numpy.stack([((i % COLUMNS) / (COLUMNS - 1) - 0.5) * (width - 1), ((i // COLUMNS) / (ROWS - 1) - 0.5) * (height - 1)], 1)
        self.triangle, self.weight = self.warp(pixels, width, height)
        scale = 0.01 * face / 0.1
        self.Qs = scale * random.standard_normal((len(i) * 2, modes))
        self.Qg = random.standard_normal((modes, pixels)) * (0.5 / pixels) ** 0.5
        self.image = self.waves(random, max(16, 2 * width), max(16, 2 * height), face)
        truth = numpy.zeros(modes + 4)
        truth[modes:] = 0.03, -0.05, 0.5 * (self.image.shape[1] - 1) + 0.3, 0.5 * (self.image.shape[0] - 1) - 0.2
        texture = self.sample(truth)
        texture = texture - texture.mean()
        self.g0 = texture / numpy.linalg.norm(texture)
        jacobian = self.jacobian(truth)
        normal = jacobian @ jacobian.T
        self.R = numpy.linalg.solve(normal + 1e-3 * numpy.diag(numpy.diag(normal)), jacobian)
        sigma = 0.1 / numpy.sqrt(1 + numpy.arange(modes))
        self.truth = truth
        self.starts = numpy.tile(truth, (faces, 1))
        self.starts[:, :modes] += 0.3 * sigma * random.standard_normal((faces, modes))
        self.starts[:, modes : modes + 2] += 0.01 * random.uniform(-1, 1, (faces, 2))
        self.starts[:, modes + 2 :] += 0.015 * face * random.uniform(-1, 1, (faces, 2))

    def warp(self, pixels, width, height):
        """Of every pixel the three landmarks around it and their weights."""
        numpy = self.numpy
        i = numpy.arange(pixels)
        u, v = (i % width) / (width - 1) * (COLUMNS - 1), (i // width) / (height - 1) * (ROWS - 1)
        column, row = numpy.minimum(u.astype(int), COLUMNS - 2), numpy.minimum(v.astype(int), ROWS - 2)
        p, q = u - column, v - row
        corner = lambda dx, dy: (row + dy) * COLUMNS + column + dx
        above = p >= q
        triangle = numpy.stack([numpy.where(above, corner(1, 0), corner(0, 1)), corner(1, 1), corner(0, 0)], 1)
        first, second = numpy.where(above, p - q, q - p), numpy.where(above, q, p)
        return triangle, numpy.stack([first, second, 1 - first - second], 1)

    def waves(self, random, width, height, face):
        numpy = self.numpy
        x, y = numpy.arange(width)[None, :], numpy.arange(height)[:, None]
        image = numpy.full((height, width), 120.0)
        for _ in range(10):
            angle, k, phase = random.uniform(0, 2 * numpy.pi), random.uniform(1, 12) * 2 * numpy.pi / face, random.uniform(0, 2 * numpy.pi)
            image += 12 * numpy.cos(k * (numpy.cos(angle) * x + numpy.sin(angle) * y) + phase)
        return image

    def shape(self, p):
        """Landmarks, 68 x 2."""
        s = self.s0 + (self.Qs @ p[: self.modes]).reshape(-1, 2)
        sx, sy, tx, ty = p[self.modes :]
        return self.numpy.stack([(1 + sx) * s[:, 0] - sy * s[:, 1] + tx, sy * s[:, 0] + (1 + sx) * s[:, 1] + ty], 1)

    def sample(self, p):
        numpy = self.numpy
        position = (self.shape(p)[self.triangle] * self.weight[..., None]).sum(1)
        height, width = self.image.shape
        x, y = numpy.clip(position[:, 0], 0, width - 1), numpy.clip(position[:, 1], 0, height - 1)
        ix, iy = numpy.minimum(x.astype(int), width - 2), numpy.minimum(y.astype(int), height - 2)
        u, v = x - ix, y - iy
        at = lambda dx, dy: self.image[iy + dy, ix + dx]
        return (1 - v) * ((1 - u) * at(0, 0) + u * at(1, 0)) + v * ((1 - u) * at(0, 1) + u * at(1, 1))

    def residual(self, p):
        x = self.sample(p)
        x = x - x.mean()
        return x / ((x @ self.g0) / (self.g0 @ self.g0)) - self.g0 - p[: self.modes] @ self.Qg

    def jacobian(self, p):
        """A row of central differences of the residual for each parameter."""
        rows = []
        for j in range(self.modes + 4):
            h = 0.01 if j < self.modes else 0.002 if j < self.modes + 2 else 0.2
            ahead, behind = p.copy(), p.copy()
            ahead[j] += h
            behind[j] -= h
            rows.append((self.residual(ahead) - self.residual(behind)) / (2 * h))
        return self.numpy.stack(rows)

    def fit(self, p):
        for _ in range(ITERATIONS):
            p = p - self.R @ self.residual(p)
        return p


def check_scene(numpy):
    """Ten iterations in double bring the landmarks closer to the truth, at every number of modes; needs no GPU."""
    for modes in sorted({modes for _, modes, _ in SIZES}):
        scene = Scene(numpy, modes, 4096)
        off = lambda p: numpy.linalg.norm(scene.shape(p) - scene.shape(scene.truth), axis=1).max()
        before, after = off(scene.starts[0]), off(scene.fit(scene.starts[0]))
        print(f"{modes} modes: landmarks off by {before:.3f} px at the start, {after:.2e} px after ten iterations")
        if not after < 0.1 * before:
            raise RuntimeError("the fit does not converge")
    try:
        import triptych
    except ImportError:
        return
    check_fit(numpy, *trained_fitter(triptych, numpy, 60, 4096, "cpu"))
    print("triptych's module fits a trained model of 60 modes and 4096 pixels")


class TorchFit:
    """The fit as PyTorch has it, for one face or many; the parameters' rows are faces. by_vector: one face alone, its
    products those of a matrix and a vector, not of two matrices."""

    def __init__(self, torch, scene, device, by_vector=False):
        self.by_vector = by_vector
        put = lambda array: torch.from_numpy(scene.numpy.ascontiguousarray(array, dtype=scene.numpy.float32)).to(device)
        self.torch, self.modes = torch, scene.modes
        self.s0, self.Qs = put(scene.s0.reshape(1, -1)), put(scene.Qs.T)
        self.triangle = torch.from_numpy(scene.triangle).to(device)
        self.weight = put(scene.weight)[None, :, :, None]
        self.g0, self.Qg, self.R = put(scene.g0), put(scene.Qg), put(scene.R)
        self.over_g0g0 = 1 / (self.g0 @ self.g0)
        faces = len(scene.starts)
        self.start = put(scene.starts)
        self.images = put(scene.image)[None, None].repeat(faces, 1, 1, 1)
        height, width = scene.image.shape
        self.to_grid = torch.tensor([2 / (width - 1), 2 / (height - 1)], device=device)

    def shape(self, p):
        torch, m = self.torch, self.modes
        s = torch.addmm(self.s0, p[:, :m], self.Qs).view(len(p), -1, 2)
        x, y = s[..., 0], s[..., 1]
        sx, sy, tx, ty = (p[:, m + k, None] for k in range(4))
        return torch.stack([(1 + sx) * x - sy * y + tx, sy * x + (1 + sx) * y + ty], -1)

    def texture(self, c):
        if self.by_vector:
            return self.torch.addmv(self.g0, self.Qg.T, c[0])[None]
        return self.torch.addmm(self.g0, c, self.Qg)

    def step(self, r):
        if self.by_vector:
            return self.torch.mv(self.R, r[0])[None]
        return r @ self.R.T

    def iterate(self, p):
        """The parameters after a whole step, and the error before it."""
        torch = self.torch
        position = (self.shape(p)[:, self.triangle] * self.weight).sum(2)
        grid = (position * self.to_grid - 1)[:, None]
        x = torch.nn.functional.grid_sample(self.images, grid, mode="bilinear", padding_mode="border", align_corners=True)[:, 0, 0]
        x = x - x.mean(1, keepdim=True)
        alpha = (x @ self.g0) * self.over_g0g0
        r = x / alpha[:, None] - self.texture(p[:, : self.modes])
        return p - self.step(r), (r * r).sum(1)

    def fit(self, iterate):
        p, errors = self.start, []
        for _ in range(ITERATIONS):
            p, error = iterate(p)
            errors.append(error)
        return p, errors

    def check(self, scene, p, who):
        found = self.shape(p).double().cpu().numpy()
        for face in range(min(3, len(scene.starts))):
            exact = scene.shape(scene.fit(scene.starts[face]))
            off = scene.numpy.linalg.norm(found[face] - exact, axis=1).max()
            if not off <= MOST_PX:
                raise RuntimeError(f"{who} puts a landmark {off} px off")


def trained_fitter(tp, numpy, modes, pixels, device):
    """A fitter of ten whole steps, an image that its model has not seen, a start, and the true landmarks."""

    def face(seed, number):
        drawn = tp.aam.random_face(seed, number)
        values = {name: getattr(drawn, name) for name in dir(drawn) if not name.startswith("_")}
        twice = {name: 2 * values[name] for name in ("x_px", "y_px", "size_px")}
        return tp.aam.render_face(tp.aam.FaceParameters(**{**values, **twice}), 512, 512)

    images, landmarks = zip(*(face(1, i) for i in range(82)))
    model = tp.aam.train(images, landmarks, levels=[{"pixels": pixels, "iterations": ITERATIONS}], parameters="combined", shape_modes=20,
                         texture_modes=modes, modes=modes, compositional=False, mirror=False, appearance_pixels=0)
    fitter = tp.aam.Fitter(model, always_step=True, max_iterations=ITERATIONS, max_width=512, max_height=512, device=device)
    image, truth = face(2, 0)
    return fitter, image, truth + numpy.array([3.0, -2.0]), truth


def check_fit(numpy, fitter, image, start, truth):
    off = lambda landmarks: numpy.linalg.norm(landmarks - truth, axis=1).mean()
    found = fitter(image, start=start).landmarks
    if not off(found) < 0.75 * off(start):
        raise RuntimeError(f"triptych puts landmarks {off(found):.2f} px off on average, the start {off(start):.2f} px")


def by_triptych(numpy, torch, modes, pixels, trials, results):
    tp = triptych_with_gpu()
    if tp is None:
        return
    fitter, image, start, truth = trained_fitter(tp, numpy, modes, pixels, "cuda:0")
    image = torch.from_numpy(numpy.ascontiguousarray(image)).to("cuda")
    check_fit(numpy, fitter, image, start, truth)
    times = timed(torch, trials, lambda: fitter(image, start=start))
    results.append({"name": f"aam/float/python_triptych_trained/resident/1x{modes}x{pixels}", **times})


def in_a_graph(torch, call):
    """A graph of the call, which has run once beside it, and what the call left."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = call()
    graph.replay()
    torch.cuda.synchronize()
    return graph, kept


def time_fit(torch, scene, fit, name, trials):
    """eager: calls one by one; graph: all iterations in one graph; compiled: the same of torch.compile's kernels."""
    iterate = torch.compile(fit.iterate, dynamic=False) if name == "compiled" else fit.iterate
    call = lambda: fit.fit(iterate)
    if name == "eager":
        fit.check(scene, call()[0], "torch eager")
        return timed(torch, min(trials, 20), call)
    graph, kept = in_a_graph(torch, call)
    fit.check(scene, kept[0], f"torch {name}")
    return timed(torch, trials, graph.replay)


def by_torch(numpy, torch, options, results):
    device = torch.device("cuda")
    torch.set_grad_enabled(False)
    for faces, modes, pixels in SIZES:
        scene = Scene(numpy, modes, pixels, faces)
        best = {}  # of both kinds of products
        for by_vector in (False, True) if faces == 1 else (False,):
            fit = TorchFit(torch, scene, device, by_vector)
            for name in ("eager", "graph", "compiled") if options.compiled else ("eager", "graph"):
                try:
                    times = time_fit(torch, scene, fit, name, options.trials)
                    if name not in best or times["us"] < best[name]["us"]:
                        best[name] = times
                except RuntimeError as error:
                    print(f"torch {name} at {faces} x {modes} x {pixels}: {str(error)[:300]}", file=sys.stderr)
        for name, times in best.items():
            results.append({"name": f"aam/float/peer_torch_{name}/resident/{faces}x{modes}x{pixels}", **times})
        if faces == 1:
            by_triptych(numpy, torch, modes, pixels, options.trials, results)
    return torch_context(torch, device)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiled", action="store_true", help="torch.compile of an iteration as well, in a graph too; takes minutes")
    parser.add_argument("--check", action="store_const", const=check_scene, help="only check that the fits converge; needs no GPU")
    return main_by_torch(parser, 100, by_torch)


if __name__ == "__main__":
    sys.exit(main())
