// Marks functions that run on the host and, when compiled by a CUDA compiler, on the device as well.
#pragma once

#if defined(__CUDACC__)
#define TRIPTYCH_HD __host__ __device__
#else
#define TRIPTYCH_HD
#endif

#define TRIPTYCH_INLINE_HD TRIPTYCH_HD inline

// Before a loop with constant bounds: unrolls it in device code, where an array in registers cannot be
// indexed at run time.
#if defined(__CUDA_ARCH__)
#define TRIPTYCH_UNROLL _Pragma("unroll")
#else
#define TRIPTYCH_UNROLL
#endif
