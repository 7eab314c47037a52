// Model and its levels.
#include <triptych/aam_fit/appearance.hpp>
#include <triptych/aam_fit/model_file.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/vector.h>

#include <filesystem>

#include "../compute.hpp"
#include "aam.hpp"

namespace triptych::python {

using aam_fit::Level;
using aam_fit::Model;

namespace {

// A read-only array over the model's own memory.
nb::object view_of(const SharedArray<float>& array, std::int64_t rows, std::int64_t columns) {
  auto* const kept = new SharedArray<float>(array);
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<SharedArray<float>*>(p); });
  const std::size_t shape[] = {static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)};
  const std::size_t first = columns < 0 ? static_cast<std::size_t>(array.size()) : shape[0];
  const std::size_t sizes[] = {first, shape[1]};
  return nb::cast(nb::ndarray<nb::numpy, const float>(kept->data(), columns < 0 ? 1 : 2, sizes, owner));
}
nb::object view_of(const SharedArray<float>& array) { return view_of(array, 0, -1); }

std::string level_text(const Level& level) {
  return std::to_string(level.pixels()) + " pixels of " + to_string(level.features.kind) + ", " +
         std::to_string(level.modes) + " modes";
}

nb::bytes bytes_of(const Model& model) {
  const std::string bytes = compute([&] { return aam_fit::encode_model(model); });
  return nb::bytes(bytes.data(), bytes.size());
}

void bind_level(nb::module_& m) {
  nb::class_<Level>(
      m, "Level",
      "One level of a Model: sizes, and its matrices as read-only float32 arrays over the model's "
      "memory.\n\n"
      "A shape is s = s0 + Qs c, a texture g = g0 + Qg.T c; the residual r of a texture gives the step\n"
      "-R r of the parameters (c, sx, sy, tx, ty).")
      .def_ro("points", &Level::points, "Landmarks.")
      .def_ro("modes", &Level::modes, "Parameters c.")
      .def_prop_ro("pixels", &Level::pixels, "Pixels of the reference frame.")
      .def_prop_ro("samples", &Level::samples, "Samples of a texture: channels times pixels.")
      .def_prop_ro(
          "size", [](const Level& self) { return nb::make_tuple(self.frame.width, self.frame.height); },
          nb::sig("def size(self) -> tuple[int, int]"), "Width and height of the reference frame's raster.")
      .def_ro("features", &Level::features, "What is compared, a Features.")
      .def_prop_ro(
          "normalisation",
          [](const Level& self) {
            return std::string(normalisation_names[static_cast<int>(self.normalisation)]);
          },
          "How textures are scaled: \"projection\", \"length\" or \"floored\".")
      .def_ro("face_size_px", &Level::face_size_px, "Size of the mean face in this level's image, in pixels.")
      .def_ro("iterations", &Level::iterations, "The largest number of steps.")
      .def_prop_ro(
          "s0", [](const Level& l) { return view_of(l.s0, l.points, 2); },
          nb::sig("def s0(self) -> numpy.typing.NDArray[numpy.float32]"), "The mean shape, (points, 2).")
      .def_prop_ro(
          "Qs", [](const Level& l) { return view_of(l.Qs, 2 * l.points, l.modes); },
          nb::sig("def Qs(self) -> numpy.typing.NDArray[numpy.float32]"), "(2 points, modes).")
      .def_prop_ro(
          "Ks", [](const Level& l) { return view_of(l.Ks, l.modes, 2 * l.points); },
          nb::sig("def Ks(self) -> numpy.typing.NDArray[numpy.float32]"), "(modes, 2 points).")
      .def_prop_ro(
          "g0", [](const Level& l) { return view_of(l.g0); },
          nb::sig("def g0(self) -> numpy.typing.NDArray[numpy.float32]"), "The mean texture, (samples,).")
      .def_prop_ro(
          "Qg", [](const Level& l) { return view_of(l.Qg, l.modes, l.samples()); },
          nb::sig("def Qg(self) -> numpy.typing.NDArray[numpy.float32]"), "(modes, samples).")
      .def_prop_ro(
          "R", [](const Level& l) { return view_of(l.R, l.R.empty() ? 0 : l.modes + 4, l.samples()); },
          nb::sig("def R(self) -> numpy.typing.NDArray[numpy.float32]"), "The update, (modes + 4, samples).")
      .def_prop_ro(
          "sigma", [](const Level& l) { return view_of(l.sigma); },
          nb::sig("def sigma(self) -> numpy.typing.NDArray[numpy.float32]"),
          "Standard deviation of each c over the training set, (modes,).")
      .def("__repr__", [](const Level& self) { return "<Level: " + level_text(self) + ">"; });
}

void bind_appearance(nb::class_<Model>& model) {
  model
      .def_prop_ro(
          "has_appearance", [](const Model& self) { return has_appearance(self); },
          "Whether the model has grey pictures of faces to show.")
      .def(
          "appearance_of",
          [](const Model& self, nb::handle image, nb::handle landmarks) {
            const Array frame(image, "image");
            const auto view = host_image(frame);
            const aam_fit::Shape shape = shape_of(landmarks, "landmarks");
            auto c = compute([&] { return aam_fit::appearance_of(self, view, shape); });
            const std::size_t count = c.size();
            return to_numpy(std::move(c), {count});
          },
          nb::arg("image"), nb::arg("landmarks"),
          nb::sig(
              "def appearance_of(self, image: numpy.typing.ArrayLike, landmarks: numpy.typing.ArrayLike) -> "
              "numpy.typing.NDArray[numpy.float32]"),
          "The parameters of the appearance that come closest to a face whose landmarks are known.\n\n"
          "image: uint8 of shape (height, width) on the host. landmarks: (points, 2), in pixels. Returns "
          "float32.\n"
          "InvalidArgument when the model has no appearance or another number of landmarks.")
      .def(
          "appearance_picture",
          [](const Model& self, nb::handle c) {
            const std::vector<float> values = floats_of(c, "c");
            return to_numpy(compute([&] { return aam_fit::appearance_picture(self, values); }));
          },
          nb::arg("c"),
          nb::sig(
              "def appearance_picture(self, c: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.uint8]"),
          "A grey picture of the face with these parameters, uint8 of shape (height, width), 0 around it.");
}

}  // namespace

void bind_aam_model(nb::module_& m) {
  bind_level(m);
  nb::class_<Model> model(
      m, "Model",
      "A trained active appearance model: landmarks, triangles, and levels from coarse to fine. "
      "It does not change;\ntrain() and load() make one. Pickled by the bytes of its file.");
  model
      .def_static(
          "load",
          [](const std::filesystem::path& path) {
            return compute([&] { return aam_fit::load_model(path); });
          },
          nb::arg("path"), nb::sig("def load(path: str | os.PathLike[str]) -> Model"),
          "Reads a model file. ParseError with the reason when it is no model, truncated or damaged.")
      .def(
          "save",
          [](const Model& self, const std::filesystem::path& path) {
            compute([&] { save_model(path, self); });
          },
          nb::arg("path"), nb::sig("def save(self, path: str | os.PathLike[str]) -> None"),
          "Writes the model as one file; a failed write leaves no half file.")
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) {
            const std::string_view text(bytes.c_str(), bytes.size());
            return compute([&] { return aam_fit::parse_model(text, "bytes"); });
          },
          nb::arg("bytes"), "The model of the bytes of a model file.")
      .def("to_bytes", &bytes_of, "The bytes of the model's file.")
      .def_ro("name", &Model::name, "Its name.")
      .def_ro("points", &Model::points, "The number of landmarks.")
      .def_ro("images", &Model::images, "Images it was trained on; mirrored ones are not counted.")
      .def_prop_ro(
          "calibration",
          [](const Model& self) {
            return nb::make_tuple(self.calibration.face, self.calibration.background);
          },
          nb::sig("def calibration(self) -> tuple[float, float]"),
          "The median correlation of textures with the model's, on training faces and beside them: what\n"
          "Fit.confidence compares with. (0, 0) for models of older files.")
      .def_prop_ro(
          "levels", [](const Model& self) { return self.levels; }, "The levels, from coarse to fine.")
      .def_prop_ro(
          "mean", [](const Model& self) { return to_numpy(self.mean); },
          nb::sig("def mean(self) -> numpy.typing.NDArray[numpy.float64]"),
          "The mean shape, (points, 2), centred, of face size 1.")
      .def_prop_ro(
          "triangles", [](const Model& self) { return to_numpy(self.triangles); },
          nb::sig("def triangles(self) -> numpy.typing.NDArray[numpy.int32]"),
          "Indices of landmarks, (t, 3), counter-clockwise as seen.")
      .def("__getstate__", &bytes_of)
      .def("__setstate__",
           [](Model& self, const nb::bytes& bytes) {
             const std::string_view text(bytes.c_str(), bytes.size());
             new (&self) Model(aam_fit::parse_model(text, "pickle"));
           })
      .def(
          "__eq__",
          [](const Model& self, nb::handle other) {
            if (!nb::isinstance<Model>(other)) return false;
            const auto& that = nb::cast<const Model&>(other);
            return compute([&] { return aam_fit::encode_model(self) == aam_fit::encode_model(that); });
          },
          nb::arg("other").none())
      .def("__repr__", [](const Model& self) {
        std::string text = "<Model" + (self.name.empty() ? "" : " '" + self.name + "'") + ": " +
                           std::to_string(self.points) + " landmarks, " + std::to_string(self.images) +
                           " images, " + std::to_string(self.levels.size()) + " levels; the finest: ";
        return text + (self.levels.empty() ? "none" : level_text(self.levels.back())) + ">";
      });
  bind_appearance(model);
}

}  // namespace triptych::python
