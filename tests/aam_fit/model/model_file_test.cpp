// Model files: the same model comes back; whatever is changed in a file is noticed.
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "model/checksum.hpp"
#include "model/model_format.hpp"
#include "testing/aam_scene.hpp"
#include "testing/expect_error.hpp"
#include "testing/mutate.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::aam_fit {
namespace {

Model small_model() {
  Model model;
  model.name = "small \"quoted\" \xc3\xa4";
  model.images = 7;
  model.calibration = {0.75, 0.125};
  for (const int modes : {1, 2}) {
    test::AamSceneOptions options;
    options.pixels = 9 + modes;
    options.modes = modes;
    options.seed = static_cast<std::uint64_t>(modes);
    model.levels.push_back(test::make_aam_scene(options).level);
  }
  Level& last = model.levels.back();
  last.normalisation = Normalisation::length;
  last.features.smooth_px = 0.7F;
  last.texture_determines_c = false;
  last.iterations = 13;
  last.shape_modes = 1;
  last.texture_modes = 1;
  last.Ps = std::vector<float>(2 * 68, 0.1F);
  last.Pg = std::vector<float>(static_cast<std::size_t>(last.samples()), 0.2F);
  last.ps_sigma = std::vector<float>{3};
  model.points = 68;
  model.mean = Shape(68);
  for (std::size_t i = 0; i < 68; ++i) {
    const std::size_t row = i / 17;
    model.mean[i] = {0.1 * static_cast<double>(i % 17) / 3, static_cast<double>(row) / 7};
  }
  model.triangles = {{0, 1, 17}, {1, 18, 17}};
  model.face_classifier = {1, std::vector<float>(static_cast<std::size_t>(model.levels[1].samples()), 0.3F),
                           1.5};
  model.refinement.patch_samples = 2;
  model.refinement.pitch_px = 3.25;
  model.refinement.pixels = std::vector<WarpPixel>(4 * 68, {{1, 2, 3}, 0, 0.25F, 0.5F});
  model.refinement.g0 = std::vector<float>(4 * 68, 0.5F);
  model.refinement.basis = std::vector<float>(2 * 4 * 68, 0.125F);
  return model;
}

template <class T>
void expect_equal(const SharedArray<T>& a, const SharedArray<T>& b) {
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

void expect_equal(const Model& a, const Model& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.points, b.points);
  EXPECT_EQ(a.images, b.images);
  EXPECT_EQ(a.calibration.face, b.calibration.face);
  EXPECT_EQ(a.calibration.background, b.calibration.background);
  expect_equal(a.face_classifier.weights, b.face_classifier.weights);
  EXPECT_EQ(a.face_classifier.offset, b.face_classifier.offset);
  EXPECT_EQ(a.face_classifier.level, b.face_classifier.level);
  EXPECT_EQ(a.refinement.patch_samples, b.refinement.patch_samples);
  EXPECT_EQ(a.refinement.pitch_px, b.refinement.pitch_px);
  expect_equal(a.refinement.pixels, b.refinement.pixels);
  expect_equal(a.refinement.g0, b.refinement.g0);
  expect_equal(a.refinement.basis, b.refinement.basis);
  EXPECT_EQ(a.triangles, b.triangles);
  EXPECT_EQ(a.mean, b.mean);
  ASSERT_EQ(a.levels.size(), b.levels.size());
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    const Level &l = a.levels[i], &r = b.levels[i];
    EXPECT_EQ(l.features, r.features);
    EXPECT_EQ(l.normalisation, r.normalisation);
    EXPECT_EQ(l.face_size_px, r.face_size_px);
    EXPECT_EQ(l.frame.width, r.frame.width);
    EXPECT_EQ(l.frame.height, r.frame.height);
    EXPECT_EQ(l.frame.scale, r.frame.scale);
    EXPECT_EQ(l.points, r.points);
    EXPECT_EQ(l.modes, r.modes);
    EXPECT_EQ(l.shape_modes, r.shape_modes);
    EXPECT_EQ(l.texture_modes, r.texture_modes);
    EXPECT_EQ(l.texture_determines_c, r.texture_determines_c);
    EXPECT_EQ(l.sample_offset, r.sample_offset);
    EXPECT_EQ(l.iterations, r.iterations);
    expect_equal(l.frame.raster_indices, r.frame.raster_indices);
    expect_equal(l.frame.pixels, r.frame.pixels);
    expect_equal(l.s0, r.s0);
    expect_equal(l.Qs, r.Qs);
    expect_equal(l.Ks, r.Ks);
    expect_equal(l.g0, r.g0);
    expect_equal(l.Qg, r.Qg);
    expect_equal(l.R, r.R);
    expect_equal(l.sigma, r.sigma);
    expect_equal(l.Ps, r.Ps);
    expect_equal(l.Pg, r.Pg);
    expect_equal(l.ps_sigma, r.ps_sigma);
  }
}

// Bytes at a multiple of 64, as a mapping has them, and at their very end nothing that may be read.
Model decode(const std::string& bytes) {
  const std::shared_ptr<std::byte> owner(
      static_cast<std::byte*>(::operator new (std::max<std::size_t>(1, bytes.size()), std::align_val_t{64})),
      [](std::byte* p) { ::operator delete (p, std::align_val_t{64}); });
  std::memcpy(owner.get(), bytes.data(), bytes.size());
  return decode_model({owner.get(), bytes.size()}, owner, "fuzz");
}

bool refused(const std::string& bytes) {
  try {
    decode(bytes);
    return false;
  } catch (const ParseError& error) {
    EXPECT_EQ(error.file(), "fuzz");
    return true;
  }
}

TEST(ModelFile, gives_the_model_back) {
  const test::TemporaryDirectory folder;
  const Model model = small_model();
  save_model(folder / "m.aam", model);
  EXPECT_EQ(folder.entry_count(), 1);
  Model again = load_model(folder / "m.aam");
  expect_equal(again, model);
  std::filesystem::remove(folder / "m.aam");  // the arrays keep what they need
  const Level kept = again.levels[1];
  again = Model();
  expect_equal(kept.R, model.levels[1].R);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(kept.R.data()) % 64, 0U);
}

TEST(ModelFile, bytes_wherever_they_lie_give_the_model_back) {
  const Model model = small_model();
  const std::string shifted = " " + encode_model(model);  // the arrays in it are misaligned
  const Model parsed = parse_model(std::string_view(shifted).substr(1), "bytes");
  expect_equal(model, parsed);
  EXPECT_EQ(encode_model(parsed), std::string_view(shifted).substr(1));
  EXPECT_ERROR(parse_model(shifted, "bytes"), ParseError, "bytes: this is no model");
}

TEST(ModelFile, a_file_without_calibration_is_read) {
  Model model = small_model();
  model.calibration = {};
  const std::string bytes = encode_model(model);
  EXPECT_EQ(bytes.find("calibration"), std::string::npos);  // as files were before there was one
  expect_equal(decode(bytes), model);
  EXPECT_FALSE(decode(bytes).calibration.known());
}

TEST(ModelFile, a_file_without_a_face_classifier_is_read) {
  Model model = small_model();
  model.face_classifier = {};
  model.refinement = {};
  std::string bytes = encode_model(model);
  EXPECT_EQ(bytes.find("face_classifier"), std::string::npos);  // as in version 1
  bytes[8] = 1;
  expect_equal(decode(bytes), model);
  EXPECT_FALSE(decode(bytes).face_classifier.known());
}

TEST(ModelFile, a_file_without_a_refinement_is_read) {
  Model model = small_model();
  model.refinement = {};
  std::string bytes = encode_model(model);
  EXPECT_EQ(bytes.find("refinement"), std::string::npos);  // as in version 2
  bytes[8] = 2;
  expect_equal(decode(bytes), model);
  EXPECT_FALSE(decode(bytes).refinement.known());
}

TEST(ModelFile, a_face_classifier_fits_its_model) {
  Model model = small_model();
  model.face_classifier.weights = std::vector<float>(3, 1.0F);
  EXPECT_ERROR(encode_model(model), InvalidArgument, "face classifier has 3 weights");
  model = small_model();
  model.face_classifier.offset = std::numeric_limits<double>::infinity();
  EXPECT_ERROR(encode_model(model), InvalidArgument, "face classifier holds a number that is not finite");
}

TEST(ModelFile, a_face_classifier_is_of_a_level) {
  for (const int level : {-1, 2}) {
    Model model = small_model();
    model.face_classifier.level = level;
    EXPECT_ERROR(encode_model(model), InvalidArgument, "face classifier is of level");
  }
}

TEST(ModelFile, every_changed_byte_is_noticed) {
  const std::string bytes = encode_model(small_model());
  ASSERT_FALSE(refused(bytes));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    ASSERT_TRUE(refused(damaged)) << "byte " << i << " of " << bytes.size();
  }
}

TEST(ModelFile, every_truncation_and_any_addition_is_noticed) {
  const std::string bytes = encode_model(small_model());
  for (std::size_t i = 0; i < bytes.size(); ++i) ASSERT_TRUE(refused(bytes.substr(0, i))) << i;
  EXPECT_TRUE(refused(bytes + '\0'));
  EXPECT_TRUE(refused(bytes + bytes));
}

TEST(ModelFile, says_why_it_refuses) {
  std::string bytes = encode_model(small_model());
  EXPECT_ERROR(decode(""), ParseError, "the file is empty");
  EXPECT_ERROR(decode("P5 1 1 255 x"), ParseError, "no model of aam_fit");
  EXPECT_ERROR(decode(bytes.substr(0, 20)), ParseError, "cut off within its first bytes");
  EXPECT_ERROR(decode(bytes.substr(0, bytes.size() - 1)), ParseError, "it is cut off");
  std::string future = bytes;
  future[8] = 5;
  EXPECT_ERROR(decode(future), ParseError, "version 5 of the format, this program knows up to 4");
  std::string blob = bytes;
  blob.back() = static_cast<char>(blob.back() ^ 1);
  EXPECT_ERROR(decode(blob), ParseError, "array basis is damaged");
  bytes[40] = static_cast<char>(bytes[40] ^ 1);
  EXPECT_ERROR(decode(bytes), ParseError, "header is damaged");
  EXPECT_ERROR(load_model("/no/such.aam"), Error, "/no/such.aam");
}

// A valid file with another header around the same blobs.
std::string with_header(const std::string& bytes, const std::string& header) {
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data() + 12, 4);
  return seal(header, bytes.substr(blobs_begin(size)));
}
std::string header_of(const std::string& bytes) {
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data() + 12, 4);
  return bytes.substr(model_file_prefix, size);
}

// Before version 4 the classifier was always of the first level, and no file said so.
TEST(ModelFile, a_classifier_without_a_level_is_of_the_first) {
  Model model = small_model();
  model.face_classifier = {0, std::vector<float>(static_cast<std::size_t>(model.levels[0].samples()), 0.3F),
                           1.5};
  const std::string bytes = encode_model(model);
  Json header = Json::parse(header_of(bytes));
  ASSERT_EQ(header["face_classifier"].erase("level"), 1u);
  std::string older = with_header(bytes, header.dump());
  older[8] = 3;
  expect_equal(decode(older), model);
}

TEST(ModelFile, headers_that_lie_about_sizes_are_refused_before_they_cost_anything) {
  const std::string bytes = encode_model(small_model());
  const Json header = Json::parse(header_of(bytes));
  ASSERT_FALSE(refused(with_header(bytes, header.dump())));
  const auto lie = [&](const char* pointer, const Json& value) {
    Json other = header;
    other[Json::json_pointer(pointer)] = value;
    return with_header(bytes, other.dump());
  };
  const std::uint64_t huge = std::uint64_t{1} << 62;
  for (const char* array : {"places", "pixels", "s0", "Qs", "R", "Pg"}) {
    const std::string at = std::string("/levels/1/arrays/") + array;
    EXPECT_TRUE(refused(lie((at + "/count").c_str(), huge))) << array;
    EXPECT_TRUE(refused(lie((at + "/count").c_str(), -1))) << array;
    EXPECT_TRUE(refused(lie((at + "/at").c_str(), huge + 64))) << array;
    EXPECT_TRUE(refused(lie((at + "/at").c_str(), 0))) << array;
    EXPECT_TRUE(refused(lie(at.c_str(), nullptr))) << array;
  }
  for (const char* number :
       {"/points", "/levels/0/points", "/levels/0/modes", "/levels/0/width", "/levels/0/height",
        "/levels/1/shape_modes", "/levels/1/texture_modes", "/levels/0/face_size_px"}) {
    EXPECT_TRUE(refused(lie(number, 2147483647))) << number;
    EXPECT_TRUE(refused(lie(number, -1))) << number;
    EXPECT_TRUE(refused(lie(number, "many"))) << number;
  }
  for (const Json& level : {Json(-1), Json(2), Json(0.5), Json("first")})
    EXPECT_TRUE(refused(lie("/face_classifier/level", level))) << level;
  EXPECT_TRUE(refused(lie("/levels/0/features/kind", "smell")));
  EXPECT_TRUE(refused(lie("/levels/0/features/bins", 100000)));
  EXPECT_TRUE(refused(lie("/levels/0/iterations", 2000000000)));
  EXPECT_TRUE(refused(lie("/levels/0/normalisation", "none")));
  EXPECT_TRUE(refused(lie("/triangles/0/2", 68)));
  EXPECT_TRUE(refused(lie("/triangles/0/2", 1.5)));
  EXPECT_TRUE(refused(lie("/mean/3", 1)));
  EXPECT_TRUE(refused(lie("/mean", Json::array())));
  EXPECT_TRUE(refused(lie("/levels", Json::array())));
  EXPECT_TRUE(refused(lie("/levels", 5)));
}

TEST(ModelFile, damaged_headers_with_a_good_checksum_are_refused_or_read_never_worse) {
  const std::string bytes = encode_model(small_model());
  const std::string header = header_of(bytes);
  int refusals = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    refusals += refused(with_header(bytes, test::mutated(header, seed))) ? 1 : 0;
  }
  EXPECT_GT(refusals, 1500);  // numbers that mean little, such as sample_offset, may change unnoticed
}

TEST(ModelFile, a_model_that_does_not_fit_itself_is_not_written) {
  const test::TemporaryDirectory folder;
  Model model = small_model();
  model.levels[0].sigma = std::vector<float>(3);
  EXPECT_ERROR(save_model(folder / "m.aam", model), InvalidArgument, "sigma");
  EXPECT_EQ(folder.entry_count(), 0);
  EXPECT_ERROR(save_model(folder / "none/m.aam", small_model()), Error, "none/m.aam");
}

TEST(Checksum, differs_for_every_bit_and_for_zeros_of_other_lengths) {
  std::vector<std::byte> bytes(75);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(37 * i);
  const std::uint64_t right = checksum(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_NE(checksum(bytes), right);
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
  }
  EXPECT_EQ(checksum(bytes), right);
  std::vector<std::uint64_t> sums;
  for (std::size_t n = 0; n < 70; ++n) sums.push_back(checksum(std::vector<std::byte>(n)));
  std::sort(sums.begin(), sums.end());
  EXPECT_EQ(std::adjacent_find(sums.begin(), sums.end()), sums.end());
}

}  // namespace
}  // namespace triptych::aam_fit
