// Labelled colours: training, evaluation, weights.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "../compute.hpp"
#include "skin.hpp"
#include "values.hpp"

namespace triptych::python {

namespace {

using namespace skin_tracker;

[[noreturn]] void refuse_colours(const std::string& what) {
  throw InvalidArgument("colours: expected uint8 of shape (n, 3), or whole numbers from 0 to 255, not " +
                        what);
}

// RGB colours of an array of uint8, with any strides, or of a sequence of whole numbers.
std::vector<Rgb8> colours_of(nb::handle object) {
  const bool sequence = nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object);
  const Array array = sequence ? host_array<double>(object, "colours") : Array(object, "colours");
  array.require_on_host();
  if (array.ndim() != 2 || array.shape(1) != 3) refuse_colours(array.describe());
  const auto read = [&]<class T>(const T* data) {
    std::vector<Rgb8> colours(static_cast<std::size_t>(array.shape(0)));
    for (std::int64_t i = 0; i < array.shape(0); ++i) {
      const auto channel = [&](int c) {
        const T value = data[i * array.stride(0) + c * array.stride(1)];
        if constexpr (!std::is_same_v<T, std::uint8_t>)
          if (!(value >= 0 && value <= 255 && value == std::floor(value))) refuse_colours(text_of(value));
        return static_cast<std::uint8_t>(value);
      };
      colours[static_cast<std::size_t>(i)] = {channel(0), channel(1), channel(2)};
    }
    return colours;
  };
  if (sequence) return read(array.contiguous<double>());
  if (!array.is<std::uint8_t>()) refuse_colours(array.describe());
  return read(static_cast<const std::uint8_t*>(array.data()));
}

std::vector<LabelledPixel> pixels_of(nb::handle colours, nb::handle labels) {
  const std::vector<Rgb8> values = colours_of(colours);
  const bool sequence = nb::isinstance<nb::list>(labels) || nb::isinstance<nb::tuple>(labels);
  const nb::object object =
      sequence ? nb::module_::import_("numpy").attr("asarray")(labels) : nb::borrow(labels);
  const Array array(object, "labels");
  array.require_on_host();
  require(array.is<bool>() && array.ndim() == 1 && array.size() == static_cast<std::int64_t>(values.size()),
          "labels: expected bool of shape (", values.size(), ",), one for each colour, not ",
          array.describe());
  const auto* const skin = static_cast<const std::uint8_t*>(array.data());
  std::vector<LabelledPixel> pixels(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    pixels[i] = {values[i], skin[static_cast<std::int64_t>(i) * array.stride(0)] != 0};
  return pixels;
}

nb::tuple arrays_of(const std::vector<LabelledPixel>& pixels) {
  std::vector<std::uint8_t> colours;
  colours.reserve(3 * pixels.size());
  nb::object labels = nb::module_::import_("numpy").attr("empty")(pixels.size(), "bool");
  auto* const skin = nb::cast<nb::ndarray<bool, nb::c_contig>>(labels).data();
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const Rgb8 c = pixels[i].colour;
    colours.insert(colours.end(), {c.r, c.g, c.b});
    skin[i] = pixels[i].skin;
  }
  return nb::make_tuple(to_numpy(std::move(colours), {pixels.size(), 3}), labels);
}

void bind_evaluation(nb::module_& m) {
  auto type = nb::class_<Evaluation>(m, "Evaluation", "How many pixels a classifier gets right.");
  bind_values(type, "Evaluation",
              Field{"true_skin", &Evaluation::true_skin, "Skin that is classified as skin."},
              Field{"false_skin", &Evaluation::false_skin, "Other pixels that are classified as skin."},
              Field{"true_other", &Evaluation::true_other, "Other pixels that are classified as such."},
              Field{"false_other", &Evaluation::false_other, "Skin that is not classified as skin."});
  type.def_prop_ro("accuracy", &Evaluation::accuracy, "True ones / all.")
      .def_prop_ro("precision", &Evaluation::precision, "True skin / all that is classified as skin.")
      .def_prop_ro("recall", &Evaluation::recall, "True skin / all skin.")
      .def_prop_ro("f1", &Evaluation::f1, "The harmonic mean of precision and recall.");
}

}  // namespace

void bind_training(nb::module_& m) {
  bind_evaluation(m);
  m.def(
      "weight",
      [](nb::handle classifier, nb::handle colours) {
        const Classifier by = classifier_of(classifier, "classifier");
        const std::vector<Rgb8> values = colours_of(colours);
        std::vector<float> weights(values.size());
        compute([&] {
          for (std::size_t i = 0; i < values.size(); ++i) weights[i] = weight(by, values[i]);
        });
        return to_numpy(std::move(weights), {values.size()});
      },
      nb::arg("classifier").none(), nb::arg("colours").none(),
      nb::sig("def weight(classifier: Classifier | Calibration, colours: numpy.typing.ArrayLike) -> "
              "numpy.ndarray"),
      "The weight of each colour, 0 .. 1.\n\n"
      "colours: (n, 3) uint8, red, green and blue; an array of any strides on the host, or a sequence.\n"
      "Returns (n,) float32.");
  m.def(
      "classifier_names",
      [] {
        const auto names = classifier_names();
        return std::vector<std::string>(names.begin(), names.end());
      },
      "The names for train_classifier().");
  m.def(
      "train_classifier",
      [](std::string_view name, nb::handle colours, nb::handle labels) {
        const std::vector<LabelledPixel> pixels = pixels_of(colours, labels);
        return compute([&] { return train_classifier(name, pixels); });
      },
      nb::arg("name"), nb::arg("colours").none(), nb::arg("labels").none(),
      nb::sig("def train_classifier(name: str, colours: numpy.typing.ArrayLike, labels: "
              "numpy.typing.ArrayLike) -> Classifier"),
      "Trains a classifier from labelled pixels.\n\n"
      "name: one of classifier_names(). colours: (n, 3) uint8, red, green and blue. labels: (n,) bool, True "
      "for skin.\n"
      "InvalidArgument when the name is unknown or one of the classes has too few pixels.");
  m.def(
      "evaluate",
      [](nb::handle classifier, nb::handle colours, nb::handle labels) {
        const Classifier by = classifier_of(classifier, "classifier");
        const std::vector<LabelledPixel> pixels = pixels_of(colours, labels);
        return compute([&] { return evaluate(by, pixels); });
      },
      nb::arg("classifier").none(), nb::arg("colours").none(), nb::arg("labels").none(),
      nb::sig("def evaluate(classifier: Classifier | Calibration, colours: numpy.typing.ArrayLike, labels: "
              "numpy.typing.ArrayLike) -> Evaluation"),
      "Counts the pixels that a classifier gets right: it calls a pixel skin when its weight is at least "
      "1/2.\n\nSee train_classifier() for colours and labels.");
  m.def(
      "read_labelled_pixels",
      [](const std::filesystem::path& csv) {
        return arrays_of(compute([&] { return read_labelled_pixels(csv); }));
      },
      nb::arg("csv"),
      nb::sig("def read_labelled_pixels(csv: str | os.PathLike) -> tuple[numpy.ndarray, numpy.ndarray]"),
      "Colours, (n, 3) uint8 RGB, and labels, (n,) bool, of a file with rows \"B,G,R,label\", label 1 = "
      "skin, "
      "2 = not.\n\nParseError with the line.");
  m.def(
      "split_in_halves",
      [](nb::handle colours, nb::handle labels, Whole<"seed", std::uint64_t> seed) {
        const std::vector<LabelledPixel> pixels = pixels_of(colours, labels);
        const PixelSplit split = compute([&] { return split_in_halves(pixels, seed); });
        return nb::make_tuple(arrays_of(split.train), arrays_of(split.test));
      },
      nb::arg("colours").none(), nb::arg("labels").none(), nb::arg("seed"),
      nb::sig(
          "def split_in_halves(colours: numpy.typing.ArrayLike, labels: numpy.typing.ArrayLike, seed: int) "
          "-> tuple[tuple[numpy.ndarray, numpy.ndarray], tuple[numpy.ndarray, numpy.ndarray]]"),
      "Two random halves of labelled pixels, (colours, labels) to train and (colours, labels) to test; the "
      "same for the same seed.");
}

}  // namespace triptych::python
