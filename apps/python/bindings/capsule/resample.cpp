// From log-likelihoods to weights, and from weights to the surviving samples.
#include <triptych/capsule_likelihood/resample.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "../compute.hpp"
#include "capsule.hpp"
#include "values.hpp"

namespace triptych::python::capsule {

namespace {

// Weights with what is known about them.
struct Tempered : cl::Tempering {
  std::vector<std::uint32_t> weights;
};

bool same(const Tempered& a, const Tempered& b) {
  return a.beta == b.beta && a.effective_samples == b.effective_samples && a.highest == b.highest &&
         a.best == b.best && a.total == b.total && a.weights == b.weights;
}

}  // namespace

void bind_resample(nb::module_& m) {
  auto type = nb::class_<Tempered>(m, "Tempering", "Weights of samples, and the exponent that gave them.");
  type.def_ro("beta", &Tempered::beta, "The exponent of the likelihood, 0 to 1.")
      .def_ro("effective_samples", &Tempered::effective_samples, "(sum w)^2 / sum w^2.")
      .def_ro("highest", &Tempered::highest, "The best log-likelihood; -inf when no sample has one.")
      .def_ro("best", &Tempered::best, "The first sample that has it.")
      .def_ro("total", &Tempered::total, "The sum of the weights.")
      .def_prop_ro(
          "weights",
          [](const Tempered& self) { return UintArray(to_numpy(self.weights, {self.weights.size()})); },
          "(n,) uint32, in units of 2^-24 of the best sample's weight.")
      .def("__len__", [](const Tempered& self) { return self.weights.size(); })
      .def("__getstate__",
           [](const Tempered& self) {
             return nb::make_tuple(self.beta, self.effective_samples, self.highest, self.best, self.total,
                                   to_bytes(self.weights));
           })
      .def("__setstate__",
           [](Tempered& self, const nb::tuple& state) {
             Tempered made{
                 {nb::cast<double>(state[0]), nb::cast<double>(state[1]), nb::cast<double>(state[2]),
                  nb::cast<std::int64_t>(state[3]), nb::cast<std::uint64_t>(state[4])},
                 from_bytes<std::uint32_t>(state[5])};
             new (&self) Tempered(std::move(made));
           })
      .def("__repr__", [](const Tempered& self) {
        return "<Tempering: " + std::to_string(self.weights.size()) + " weights, beta=" + text_of(self.beta) +
               ", effective_samples=" + text_of(self.effective_samples) + ">";
      });
  bind_equality(type, [](const Tempered& a, const Tempered& b) { return same(a, b); });
  m.def(
      "temper",
      [](ArrayLike log_likelihoods, double target_effective_samples, double max_loss) {
        const Array array = host_array<double>(log_likelihoods, "log_likelihoods");
        array.require_shape({-1}, "numbers of shape (n,)");
        const std::span<const double> values(array.contiguous<double>(),
                                             static_cast<std::size_t>(array.size()));
        require(target_effective_samples >= 0, "target_effective_samples: cannot be ",
                target_effective_samples);
        require(max_loss >= 0, "max_loss: must not be negative: ", max_loss);
        Tempered result;
        result.weights.resize(values.size());
        static_cast<cl::Tempering&>(result) = compute(
            [&] { return cl::temper_cpu(values, target_effective_samples, result.weights, max_loss); });
        return result;
      },
      nb::arg("log_likelihoods"), nb::arg("target_effective_samples") = 0.0, nb::arg("max_loss") = 0.0,
      "Weights exp(beta (l - highest)) of log-likelihoods l, (n,) float64, with the largest beta in\n"
      "0 to 1 that leaves the wanted number of samples effective;\n"
      "a target of 0 means beta = 1. max_loss: when above 0, beta is at most max_loss / -highest.\n"
      "A Tempering. NaN and -inf weigh 0; when all are, all weigh the\n"
      "same. InvalidArgument for more than 2^20 samples, or a target or max_loss that is negative or NaN.");
  m.def(
      "resample",
      [](ArrayLike weights, Whole<"bits", std::uint32_t> bits,
         std::optional<Whole<"count", std::int64_t>> count) {
        const Array array(weights, "weights");
        array.require_type<std::uint32_t>();
        array.require_shape({-1}, "uint32 of shape (n,)");
        array.require_on_host();
        const std::span<const std::uint32_t> values(array.contiguous<std::uint32_t>(),
                                                    static_cast<std::size_t>(array.size()));
        const std::uint32_t random = bits;
        const std::int64_t rows = count ? std::int64_t{*count} : array.size();
        require(rows >= 0 && rows <= cl::max_weighed_samples, "count: expected 0 to ",
                cl::max_weighed_samples, ", not ", rows);
        std::vector<std::int32_t> ancestors(static_cast<std::size_t>(rows));
        naming("weights", [&] { compute([&] { cl::resample_cpu(values, random, ancestors); }); });
        return IntArray(to_numpy(std::move(ancestors), {static_cast<std::size_t>(rows)}));
      },
      nb::arg("weights"), nb::arg("bits"), nb::arg("count") = nb::none(),
      "(count,) int32: the sample that is drawn for each row by systematic resampling, in rising\n"
      "order.\n"
      "\n"
      "weights: (n,) uint32 up to 2^24, as of Tempering. bits: 32 random bits. count: None: as many\n"
      "as weights. InvalidArgument when all weights are 0.");
}

}  // namespace triptych::python::capsule
