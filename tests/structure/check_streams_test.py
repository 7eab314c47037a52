#!/usr/bin/env python3
"""check_streams.py finds uses of the default stream, and passes over calls with a stream."""

import unittest

import check_streams


def found(text):
    return [what for _, what in check_streams.problems_of(check_streams.without_comments(text))]


class DefaultStream(unittest.TestCase):
    def test_launches(self):
        self.assertEqual(len(found("kernel<<<1, 32>>>(x);")), 1)
        self.assertEqual(found("launch(kernel, {1, 32}, stream, x);"), [])

    def test_calls_that_use_it(self):
        for call in ("cudaMemcpy(a, b, n, kind)", "cudaMemset(a, 0, n)", "cudaDeviceSynchronize()", "cudaMemcpyToSymbol(a, b, n)",
                     "cudaMemcpyAsync(a, b, n, kind)", "cudaMemsetAsync(a, 0, n, 0)", "cudaMemcpyAsync(a, f(b, c), n, kind, nullptr)",
                     "cudaStreamCreate(&s)"):
            self.assertEqual(len(found(f"CHECK({call});")), 1, call)

    def test_names_of_it(self):
        self.assertEqual(len(found("launch(kernel, shape, StreamRef(static_cast<cudaStream_t>(nullptr)), x);")), 1)
        self.assertEqual(len(found("cudaGraphLaunch(graph, cudaStreamLegacy);")), 1)

    def test_calls_with_a_stream_and_comments_are_allowed(self):
        for text in ("cudaMemcpyAsync(a, b, n, kind, stream);", "cudaMemsetAsync(a, 0, n, to_cuda(stream));", "cudaFree(a);",
                     "cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);", "// a <<<1, 2>>> launch", "cudaGetDevice(&device);",
                     'throw_error("cudaMemcpy(x)");', "cudaStreamSynchronize(stream);"):
            self.assertEqual(found(text), [], text)


if __name__ == "__main__":
    unittest.main()
