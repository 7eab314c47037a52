// Twin test: weights and ancestors on the GPU are the CPU's, bit for bit.
#include <triptych/capsule_likelihood/resample.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "testing/cuda_fixture.hpp"
#include "testing/random.hpp"

namespace triptych::capsule_likelihood {
namespace {

class ResampleCuda : public test::CudaFixture {
 protected:
  struct Weighed {
    Tempering tempering;
    std::vector<std::uint32_t> weights;
  };

  Weighed temper_on_cpu(const std::vector<double>& l, double target, double max_loss = 0) {
    Weighed result;
    result.weights.resize(l.size());
    result.tempering = temper_cpu(l, target, result.weights, max_loss);
    return result;
  }
  Weighed temper_on_gpu(const std::vector<double>& l, double target, double max_loss = 0) {
    const auto device = upload(l);
    test::GuardedDevice<std::uint32_t> weights(static_cast<std::int64_t>(l.size()), stream());
    Weighed result;
    result.tempering = result_of<Tempering>([&](Tempering* tempering) {
      temper_cuda(device.span(), target, weights.span(), tempering, stream(), max_loss);
    });
    result.weights = weights.to_host();
    EXPECT_TRUE(weights.intact());
    return result;
  }
  static bool same(const Weighed& a, const Weighed& b) {
    return a.weights == b.weights && a.tempering.beta == b.tempering.beta &&
           a.tempering.effective_samples == b.tempering.effective_samples &&
           a.tempering.highest == b.tempering.highest && a.tempering.best == b.tempering.best &&
           a.tempering.total == b.tempering.total;
  }
};

TEST_F(ResampleCuda, WeighsAsTheCpu) {
  for (const std::int64_t n : {1, 31, 32, 33, 1023, 1024, 1025, 4001, 70001}) {
    for (const double scale : {1.0, 1e4, 1e7}) {
      auto l = test::random_values<double>(n, -2 * scale, -scale, 7);
      if (n > 40) l[static_cast<std::size_t>(n / 3)] = std::nan("");
      for (const double share : {0.0, 0.02, 0.3}) {
        const double target = share * static_cast<double>(n);
        for (const double max_loss : {0.0, 1e-3 * scale, 1.0})
          EXPECT_TRUE(same(temper_on_cpu(l, target, max_loss), temper_on_gpu(l, target, max_loss)))
              << n << ' ' << scale << ' ' << share << ' ' << max_loss;
      }
    }
  }
}

TEST_F(ResampleCuda, WeighsNothingAndNans) {
  const std::vector<double> nans(100, std::nan(""));
  EXPECT_TRUE(same(temper_on_cpu(nans, 5), temper_on_gpu(nans, 5)));
}

TEST_F(ResampleCuda, WeighsAnEndlessLikelihoodAsTheCpu) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> l = {0, inf, -inf, std::nan(""), inf, 1e300};
  for (const double target : {0.0, 3.0}) {
    const Weighed weighed = temper_on_gpu(l, target);
    EXPECT_EQ(weighed.tempering.total, 2 * std::uint64_t{whole_weight});
    EXPECT_TRUE(same(temper_on_cpu(l, target), weighed));
  }
}

TEST_F(ResampleCuda, AnotherLikelihoodIsNoticed) {
  auto l = test::random_values<double>(1000, -10.0, 0.0, 8);
  const Weighed before = temper_on_cpu(l, 100);
  l[500] -= 0.5;
  EXPECT_FALSE(same(before, temper_on_gpu(l, 100)));
}

TEST_F(ResampleCuda, DrawsAsTheCpu) {
  for (const std::int64_t n : {1, 33, 1025, 4001}) {
    const Weighed weighed = temper_on_cpu(test::random_values<double>(n, -20.0, 0.0, 9), 0);
    const auto device = upload(weighed.weights);
    for (const std::int64_t draws : {1, 31, 4000}) {
      for (const std::uint32_t bits : {0u, 0x12345678u, 0xFFFFFFFFu}) {
        std::vector<std::int32_t> expected(static_cast<std::size_t>(draws));
        resample_cpu(weighed.weights, bits, expected);
        test::GuardedDevice<std::int32_t> found(draws, stream());
        resample_cuda(device.span(), bits, found.span(), workspace_, stream());
        EXPECT_EQ(found.to_host(), expected) << n << ' ' << draws << ' ' << bits;
        EXPECT_TRUE(found.intact());
      }
    }
  }
}

}  // namespace
}  // namespace triptych::capsule_likelihood
