// Landmark files, grey images, and folders of both.
#include <triptych/aam_fit/landmark_file.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <optional>

#include "../compute.hpp"
#include "aam.hpp"

namespace triptych::python {

using aam_fit::AsfFile;
using std::filesystem::path;

namespace {

void bind_landmark_files(nb::module_& m) {
  m.def(
      "read_pts",
      [](const path& file, bool one_based) { return to_numpy(aam_fit::read_pts(file, one_based)); },
      nb::arg("path"), nb::kw_only(), nb::arg("one_based") = false,
      nb::sig("def read_pts(path: str | os.PathLike[str], *, one_based: bool = False) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "The landmarks of a .pts file (iBUG, 300-W), (n, 2) float64.\n\n"
      "one_based: coordinates count from 1, as in 300-W; takes that 1 off. ParseError with the line and the "
      "reason.");
  m.def(
      "write_pts",
      [](const path& file, nb::handle shape) { aam_fit::write_pts(file, shape_of(shape, "shape")); },
      nb::arg("path"), nb::arg("shape"),
      nb::sig("def write_pts(path: str | os.PathLike[str], shape: numpy.typing.ArrayLike) -> None"),
      "Writes landmarks (n, 2) as a .pts file; read_pts() gives the same bits back.");
  nb::class_<AsfFile>(m, "AsfFile", "The contents of an .asf file.")
      .def_prop_ro(
          "relative", [](const AsfFile& self) { return to_numpy(self.relative); },
          nb::sig("def relative(self) -> numpy.typing.NDArray[numpy.float64]"),
          "The landmarks as shares of the image's width and height, (n, 2).")
      .def_ro("image", &AsfFile::image, "The name of the image; may be empty.")
      .def("__repr__", [](const AsfFile& self) {
        return "<AsfFile: " + std::to_string(self.relative.size()) + " landmarks of '" + self.image + "'>";
      });
  m.def(
      "read_asf", [](const path& file) { return aam_fit::read_asf(file); }, nb::arg("path"),
      nb::sig("def read_asf(path: str | os.PathLike[str]) -> AsfFile"),
      "The landmarks of an .asf file (IMM), an AsfFile. ParseError with the line and the reason.");
}

void bind_images(nb::module_& m) {
  m.def(
      "read_pnm", [](const path& file) { return to_numpy(compute([&] { return aam_fit::read_pnm(file); })); },
      nb::arg("path"),
      nb::sig("def read_pnm(path: str | os.PathLike[str]) -> numpy.typing.NDArray[numpy.uint8]"),
      "A binary PGM or PPM image of 8 bits as grey, uint8 of shape (height, width); colour by the weights of "
      "Rec. 601.");
  m.def(
      "write_pgm",
      [](const path& file, nb::handle image) {
        const Array array(image, "image");
        const Image<Grey8> copy(host_image(array));
        compute([&] { aam_fit::write_pgm(file, copy); });
      },
      nb::arg("path"), nb::arg("image"),
      nb::sig("def write_pgm(path: str | os.PathLike[str], image: numpy.typing.ArrayLike) -> None"),
      "Writes a grey image, uint8 of shape (height, width), as a PGM file.");
}

// Reads images by a Python callable.
aam_fit::ImageReader reader_of(nb::handle reader) {
  if (reader.is_none()) return aam_fit::read_pnm;
  require(nb::isinstance<nb::callable>(reader), "reader: a ", type_text(reader), " cannot be called");
  return [reader](const path& file) {
    const nb::gil_scoped_acquire gil;
    const nb::object image = reader(nb::cast(file));
    const Array array(image, "the image that reader returned");
    return Image<Grey8>(host_image(array));
  };
}

nb::tuple load_examples(const std::vector<std::pair<path, path>>& pairs, nb::handle reader,
                        nb::handle progress) {
  std::vector<aam_fit::Pair> files;
  files.reserve(pairs.size());
  for (const auto& [image, landmarks] : pairs) files.push_back({image, landmarks});
  const aam_fit::ImageReader read = reader_of(reader);
  const aam_fit::Progress report = progress_of(progress);
  std::vector<aam_fit::Example> examples =
      compute([&] { return aam_fit::load_examples(files, read, report); });
  nb::list images, names;
  std::vector<aam_fit::Shape> shapes;
  for (aam_fit::Example& example : examples) {
    images.append(to_numpy(std::move(example.image)));
    names.append(nb::cast(example.name));
    shapes.push_back(std::move(example.landmarks));
  }
  return nb::make_tuple(images, to_numpy(shapes, shapes.empty() ? 0 : shapes.front().size()), names);
}

}  // namespace

void bind_aam_files(nb::module_& m) {
  bind_landmark_files(m);
  bind_images(m);
  m.def(
      "find_pairs",
      [](const path& images, const std::optional<path>& landmarks,
         const std::vector<std::string>& extensions) {
        std::vector<std::pair<path, path>> pairs;
        for (aam_fit::Pair& pair : aam_fit::find_pairs(images, landmarks.value_or(path()), extensions))
          pairs.emplace_back(std::move(pair.image), std::move(pair.landmarks));
        return pairs;
      },
      nb::arg("images"), nb::arg("landmarks") = nb::none(), nb::kw_only(),
      nb::arg("extensions") = std::vector<std::string>{".pgm", ".ppm", ".pnm"},
      nb::sig(
          "def find_pairs(images: str | os.PathLike[str], landmarks: str | os.PathLike[str] | None = None, "
          "*, "
          "extensions: collections.abc.Sequence[str] = ('.pgm', '.ppm', '.pnm')) -> list[tuple[pathlib.Path, "
          "pathlib.Path]]"),
      "The images of a folder with their landmark files (.pts or .asf), in the order of their names.\n\n"
      "landmarks: another folder; None: the same, or its subfolder pts or asf. extensions: of the images, "
      "with dots, in\n"
      "lower case. Error, naming the file, when there is none, or an image has no landmarks or the other way "
      "round.");
  m.def(
      "_load_examples", &load_examples, nb::arg("pairs"), nb::arg("reader").none(),
      nb::arg("progress").none(),
      nb::sig("def _load_examples(pairs: collections.abc.Sequence[tuple[str | os.PathLike[str], str | "
              "os.PathLike[str]]], "
              "reader: "
              "collections.abc.Callable[[pathlib.Path], numpy.typing.ArrayLike] | None, progress: "
              "collections.abc.Callable[[str, int, int], "
              "object] | "
              "None) -> tuple[list[numpy.typing.NDArray[numpy.uint8]], numpy.typing.NDArray[numpy.float64], "
              "list[str]]"),
      "See triptych.aam.load_examples().");
}

}  // namespace triptych::python
