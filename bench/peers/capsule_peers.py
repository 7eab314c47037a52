#!/usr/bin/env python3
"""What a user would write instead of capsule_likelihood: the same likelihood in PyTorch, eager and compiled.

Samples x capsules x points of capsule_likelihood_bench: a body of capsules some 3 m away, points on a
grid of rays, jittered bodies. Samples are taken in chunks that fit into memory; all of them are timed together.
A few samples are first checked against double precision. Writes JSON with the hardware in it; what is not
installed is reported and skipped.
"""
import argparse
import sys

from peer_results import main_by_torch, timed, torch_context, triptych_with_gpu

SIZES = ((2000, 40, 50000), (3500, 48, 43000))
TAU, SIGMA = 0.2, 0.03


def make_scene(numpy, samples, capsules, points):
    """Ends and radii of the bodies, directions of the rays and the distances of their points."""
    random = numpy.random.default_rng(1)
    a = numpy.stack([0.3 * random.standard_normal(capsules), random.uniform(-0.8, 0.8, capsules), 3 + 0.15 * random.standard_normal(capsules)], 1)
    axis = random.standard_normal((capsules, 3)) * [1, 1, 0.4]
    b = a + axis * (random.uniform(0.1, 0.35, capsules) / numpy.linalg.norm(axis, axis=1))[:, None]
    radius = random.uniform(0.04, 0.12, capsules)
    width = int((points / 2.2) ** 0.5)
    height = -(-points // width)
    i = numpy.arange(points)
    x, y = ((i % width) / width - 0.5) * 0.6, ((i // width) / height - 0.5) * 0.75
    v = numpy.stack([x, y, numpy.ones(points)], 1)
    v /= numpy.linalg.norm(v, axis=1, keepdims=True)
    hit = first_hits(numpy, v, a, b, radius)
    distance = numpy.where(numpy.isfinite(hit), hit + 0.01 * random.standard_normal(points), 4 / v[:, 2] + 0.02 * random.standard_normal(points))
    shift = 0.03 * random.standard_normal((samples, 1, 3))
    bodies_a = a + shift + 0.02 * random.standard_normal((samples, capsules, 3))
    bodies_b = b + shift + 0.02 * random.standard_normal((samples, capsules, 3))
    return bodies_a, bodies_b, radius, v, distance


def capsule_hits(numpy, v, a, b, r):
    """Where rays v (unit, from the origin) hit one capsule, from the quadratic equations in double; inf: nowhere."""
    c = b - a
    long = numpy.linalg.norm(c)
    c = c / long
    with numpy.errstate(invalid="ignore", divide="ignore"):
        vc, ac = v @ c, a @ c
        v_across, a_across = v - vc[:, None] * c, a - ac * c
        qa, qb, qc = (v_across**2).sum(1), -(v_across @ a_across), a_across @ a_across - r * r
        t = (-qb - numpy.sqrt(qb * qb - qa * qc)) / qa
        along = t * vc - ac
        hit = numpy.where((along >= 0) & (along <= long), t, numpy.inf)
        for end in (a, b):
            sb, sc = -(v @ end), end @ end - r * r
            s = -sb - numpy.sqrt(sb * sb - sc)
            beyond = (along < 0) if end is a else (along > long)
            hit = numpy.where(beyond & numpy.isfinite(s), s, hit)
    return numpy.where(numpy.isfinite(hit), hit, numpy.inf)


def first_hits(numpy, v, a, b, radius):
    return numpy.min([capsule_hits(numpy, v, a[k], b[k], radius[k]) for k in range(len(a))], axis=0)


def exact_likelihood(numpy, a, b, radius, v, distance):
    best = numpy.full(len(v), TAU)
    for k in range(len(a)):
        best = numpy.minimum(best, numpy.abs(capsule_hits(numpy, v, a[k], b[k], radius[k]) - distance))
    return -(best**2).sum() / (2 * SIGMA**2)


def make_likelihood(torch):
    def likelihood(a, b, radius, v, distance):
        """a, b: samples x capsules x 3; v: points x 3. The stable form: no cancellation."""
        ab = b - a
        half = 0.5 * ab.norm(dim=-1)
        c = ab / (2 * half)[..., None]
        middle = (c * (a + b)).sum(-1) * 0.5
        m = 0.5 * (a + b) - middle[..., None] * c
        mu = m.norm(dim=-1)
        m = m / mu[..., None]
        e = torch.linalg.cross(c, m)
        dots = lambda u: (u[:, None, :, 0] * v[None, :, None, 0] + u[:, None, :, 1] * v[None, :, None, 1] + u[:, None, :, 2] * v[None, :, None, 2])
        each = lambda u: u[:, None, :]
        s, n, e = dots(c), dots(m), dots(e)
        r2, mu, middle, half = (radius * radius)[None, None, :], each(mu), each(middle), each(half)
        e2 = e * e
        q = r2 * (n * n + e2) - mu * mu * e2
        t = (mu * mu - r2) / (mu * n + torch.sqrt(q))
        y = t * s - middle
        yc = middle + torch.clamp(y, -half, half)
        z = yc * n - mu * s
        end = mu * n + yc * s - torch.sqrt(r2 - e2 * (mu * mu + yc * yc) - z * z)
        hit = torch.where(y.abs() <= half, t, torch.where(q >= 0, end, torch.nan))
        gap = torch.nan_to_num((hit - distance[None, :, None]).abs(), nan=TAU)
        best = gap.amin(-1).clamp_max(TAU)
        return (best * best).sum(-1) * (-0.5 / SIGMA**2)

    return likelihood


def by_triptych(torch, scene, exact, trials, size, results):
    """Triptych's own Python module on the same tensors."""
    tp = triptych_with_gpu()
    if tp is None:
        return
    a, b, radius, v, distance = scene
    bodies = torch.cat([a, radius[None, :, None].expand(*a.shape[:2], 1), b], dim=2).contiguous()
    points = (v * distance[:, None]).contiguous()
    run = lambda: tp.capsule.log_likelihood(points, bodies, sigma_m=SIGMA, tau_m=TAU)
    for mine, wanted in zip(torch.from_dlpack(run())[:3].cpu().tolist(), exact):
        if abs(mine / wanted - 1) > 1e-3:
            raise RuntimeError(f"triptych found {mine} instead of {wanted}")
    results.append({"name": f"capsule/squared/python_triptych/resident/{size}", **timed(torch, 10 * trials, run)})


def by_torch(numpy, torch, options, results):
    device = torch.device("cuda")
    torch.set_grad_enabled(False)
    likelihood = make_likelihood(torch)
    ways = [("eager", likelihood, 20)]
    try:
        compiled = torch.compile(likelihood)
        ways.append(("compiled", compiled, 250))
    except Exception as error:  # no compiler for its kernels, for example
        print(f"torch.compile does not work here: {str(error)[:200]}", file=sys.stderr)
    for samples, capsules, points in SIZES:
        scene = make_scene(numpy, samples, capsules, points)
        a, b, radius, v, distance = (torch.from_numpy(part.astype(numpy.float32)).to(device) for part in scene)
        exact = [exact_likelihood(numpy, scene[0][j], scene[1][j], scene[2], scene[3], scene[4]) for j in range(3)]
        for name, way, chunk in ways:
            try:
                run = lambda: [way(a[j : j + chunk], b[j : j + chunk], radius, v, distance) for j in range(0, samples, chunk)]
                found = run()[0][:3].double().cpu().tolist()
                for mine, wanted in zip(found, exact):
                    if abs(mine / wanted - 1) > 1e-3:
                        raise RuntimeError(f"torch {name} found {mine} instead of {wanted}")
                results.append({"name": f"capsule/squared/peer_torch_{name}/resident/{samples}x{capsules}x{points}", **timed(torch, options.trials, run)})
            except RuntimeError as error:
                print(f"torch {name} at {samples} x {capsules} x {points}: {str(error)[:300]}", file=sys.stderr)
        by_triptych(torch, (a, b, radius, v, distance), exact, options.trials, f"{samples}x{capsules}x{points}", results)
    return torch_context(torch, device)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    return main_by_torch(parser, 5, by_torch)


if __name__ == "__main__":
    sys.exit(main())
