// Landmark files, grey images and folders of both: read as written, refused with the place and the reason.
#include <triptych/aam_fit/landmark_file.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "testing/data_dir.hpp"
#include "testing/expect_error.hpp"
#include "testing/mutate.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::aam_fit {
namespace {

namespace fs = std::filesystem;

const std::string small_pts = "version: 1\nn_points:  3\n{\n1 2\n3.5 -4\n5e1 6\n}\n";
const std::string small_asf =
    "# AAM Shape File\n\n2\n# model points\n0 \t0 \t0.25 \t0.5 \t0 \t1 \t1\t0.0\t0.0\t0.0\n"
    "0 0 0.75 0.125 1 0 0 0 0 0\n\n# host image\nface one.jpg\n";

TEST(Pts, is_read_with_and_without_its_version) {
  const Shape expected{{1, 2}, {3.5, -4}, {50, 6}};
  EXPECT_EQ(parse_pts(small_pts, "f"), expected);
  EXPECT_EQ(parse_pts("n_points: 3\r\n{\r\n1 2\r\n3.5 -4\r\n50 6\r\n}", "f"), expected);
  EXPECT_EQ(parse_pts(small_pts, "f", true), (Shape{{0, 1}, {2.5, -5}, {49, 5}}));
}

TEST(Pts, says_what_is_wrong_and_where) {
  EXPECT_ERROR(parse_pts("", "f.pts"), ParseError, "n_points");
  EXPECT_ERROR(parse_pts("n_points: 0\n{\n}", "f.pts"), ParseError, "f.pts:1:11: there must be 1 to");
  EXPECT_ERROR(parse_pts("n_points: 99999999999\n{\n}", "f.pts"), ParseError, "points, not");
  EXPECT_ERROR(parse_pts("n_points: 2\n{\n1 2\n}", "f.pts"), ParseError,
               "f.pts:4:1: the file says it has 2 points");
  EXPECT_ERROR(parse_pts("n_points: 1\n{\n1 2\n3 4\n}", "f.pts"), ParseError, "f.pts:4:1: expected \"}\"");
  EXPECT_ERROR(parse_pts("n_points: 1\n{\n1\n}", "f.pts"), ParseError, "y of a point");
  EXPECT_ERROR(parse_pts("n_points: 1\n{\n1 nan\n}", "f.pts"), ParseError, "y of a point");
  EXPECT_ERROR(parse_pts("n_points: 1\n{\n1 1e9\n}", "f.pts"), ParseError, "far outside");
  EXPECT_ERROR(parse_pts("n_points: 1\n{\n1 2\n}\n7", "f.pts"), ParseError, "f.pts:5:1: there is more");
  EXPECT_ERROR(read_pts("/no/such.pts"), Error, "/no/such.pts");
}

TEST(Pts, written_and_read_again_it_is_the_same_to_the_last_bit) {
  const test::TemporaryDirectory folder;
  const Shape shape{{0.1, 1.0 / 3}, {-12345.678901234567, 1e-300}, {255, 0}};
  write_pts(folder / "a.pts", shape);
  EXPECT_EQ(read_pts(folder / "a.pts"), shape);
  EXPECT_EQ(folder.entry_count(), 1);
}

TEST(Asf, is_read_with_comments_and_the_name_of_its_image) {
  const AsfFile asf = parse_asf(small_asf, "f");
  EXPECT_EQ(asf.relative, (Shape{{0.25, 0.5}, {0.75, 0.125}}));
  EXPECT_EQ(asf.image, "face one.jpg");
  EXPECT_EQ(parse_asf("1\n0 0 0.5 0.5", "f").image, "");
}

TEST(Asf, says_what_is_wrong_and_where) {
  EXPECT_ERROR(parse_asf("# nothing", "f.asf"), ParseError, "the number of points");
  EXPECT_ERROR(parse_asf("2\n0 0 0.5 0.5 0 0 0\n", "f.asf"), ParseError, "says it has 2 points");
  EXPECT_ERROR(parse_asf("1\n0 0 0.5\n", "f.asf"), ParseError, "y of a point");
  EXPECT_ERROR(parse_asf("1\n0 0 x 1\n", "f.asf"), ParseError, "f.asf:2:5: expected x of a point");
  EXPECT_ERROR(parse_asf("1\n0 0 0 1\na.jpg\nb.jpg\n", "f.asf"), ParseError, "f.asf:4:1: there is more");
}

TEST(LandmarkFiles, damaged_ones_are_refused_or_read_never_worse) {
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    for (const bool pts : {true, false}) {
      try {
        const std::string text = test::mutated(pts ? small_pts : small_asf, seed);
        const Shape shape = pts ? parse_pts(text, "fuzz") : parse_asf(text, "fuzz").relative;
        EXPECT_FALSE(shape.empty());
        for (const Point p : shape) EXPECT_TRUE(std::isfinite(p.x) && std::isfinite(p.y));
      } catch (const ParseError& error) {
        EXPECT_EQ(error.file(), "fuzz");
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

Image<Grey8> ramp(int width, int height) {
  Image<Grey8> image(width, height);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = {static_cast<std::uint8_t>(7 * i)};
  return image;
}

TEST(Pnm, written_and_read_again_it_is_the_same) {
  const test::TemporaryDirectory folder;
  const Image<Grey8> image = ramp(5, 3);
  write_pgm(folder / "a.pgm", image);
  const Image<Grey8> again = read_pnm(folder / "a.pgm");
  EXPECT_EQ(again.width, 5);
  EXPECT_EQ(again.height, 3);
  EXPECT_EQ(again.pixels, image.pixels);
  Image<Grey8> short_of_pixels(2, 2);
  short_of_pixels.pixels.pop_back();
  EXPECT_ERROR(write_pgm(folder / "b.pgm", short_of_pixels), InvalidArgument, "with 3 values");
  EXPECT_EQ(folder.entry_count(), 1);
}

TEST(Pnm, colour_becomes_luma_and_other_ranges_are_stretched) {
  const test::TemporaryDirectory folder;
  write_file_atomically(folder / "c.ppm",
                        std::string("P6 3 1 255\n\xff\x00\x00\x00\xff\x00\x0a\x14\x1e", 20));
  EXPECT_EQ(read_pnm(folder / "c.ppm").pixels, (std::vector<Grey8>{{76}, {150}, {18}}));
  write_file_atomically(folder / "n.pgm", std::string("P5 3 1 4\n\x00\x02\x09", 12));
  EXPECT_EQ(read_pnm(folder / "n.pgm").pixels, (std::vector<Grey8>{{0}, {128}, {255}}));
  write_file_atomically(folder / "w.pgm", "P5 1 1 256\nab");
  EXPECT_ERROR(read_pnm(folder / "w.pgm"), ParseError, "16 bits");
  write_file_atomically(folder / "x.pgm", "GIF89a");
  EXPECT_ERROR(read_pnm(folder / "x.pgm"), ParseError, "P5 or P6");
}

const std::vector<std::string> pgm{".pgm"};

TEST(Pairs, lie_in_one_folder_in_two_or_in_a_subfolder) {
  const test::TemporaryDirectory folder;
  for (const char* name : {"b", "a"}) write_pgm(folder / (std::string(name) + ".PGM"), ramp(20, 16));
  write_pts(folder / "a.pts", Shape{{1, 2}, {3, 4}});
  write_file_atomically(folder / "b.asf", small_asf);
  write_file_atomically(folder / "notes.txt", "no image");
  const std::vector<Pair> pairs = find_pairs(folder.path(), {}, pgm);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].image.filename(), "a.PGM");
  EXPECT_EQ(pairs[1].landmarks.filename(), "b.asf");

  int steps = 0;
  const std::vector<Example> examples =
      load_examples(pairs, read_pnm, [&](const std::string&, std::int64_t, std::int64_t total) {
        ++steps;
        EXPECT_EQ(total, 2);
      });
  EXPECT_EQ(steps, 2);
  EXPECT_EQ(examples[0].landmarks, (Shape{{1, 2}, {3, 4}}));
  EXPECT_EQ(examples[1].landmarks, (Shape{{5, 8}, {15, 2}}));  // shares of 20 x 16
  EXPECT_EQ(examples[1].name, "b.PGM");

  fs::create_directory(folder / "asf");
  for (const char* name : {"a.pts", "b.asf"}) fs::rename(folder / name, folder.path() / "asf" / name);
  EXPECT_EQ(find_pairs(folder.path(), {}, pgm).size(), 2U);
  EXPECT_EQ(find_pairs(folder.path(), folder / "asf", pgm).size(), 2U);
}

TEST(Pairs, what_is_missing_or_mixed_is_named) {
  const test::TemporaryDirectory folder;
  EXPECT_ERROR(find_pairs(folder / "none", {}, pgm), Error, "none is no folder");
  EXPECT_ERROR(find_pairs(folder.path(), {}, pgm), Error, "there is no image in");
  write_pgm(folder / "a.pgm", ramp(20, 16));
  EXPECT_ERROR(find_pairs(folder.path(), {}, pgm), Error, "no landmarks (.pts or .asf files)");
  write_pts(folder / "a.pts", Shape{{1, 2}, {3, 4}});
  write_pgm(folder / "b.pgm", ramp(20, 16));
  EXPECT_ERROR(find_pairs(folder.path(), {}, pgm), Error, "b.pgm has no landmarks");
  write_pts(folder / "b.pts", Shape{{1, 2}, {3, 4}, {5, 6}});
  EXPECT_ERROR(load_examples(find_pairs(folder.path(), {}, pgm)), Error, "b.pts has 3 points, but ");
  write_pts(folder / "c.pts", Shape{{1, 2}, {3, 4}});
  EXPECT_ERROR(find_pairs(folder.path(), {}, pgm), Error, "c.pts has no image");
  write_file_atomically(folder / "c.asf", small_asf);
  EXPECT_ERROR(find_pairs(folder.path(), {}, pgm), Error, "two files for one face");
  fs::remove(folder / "c.asf");
  fs::remove(folder / "c.pts");
  write_file_atomically(folder / "b.pgm", "P5 9 9 255 x");
  EXPECT_ERROR(load_examples(find_pairs(folder.path(), {}, pgm)), ParseError, "b.pgm");
}

TEST(Pairs, of_the_real_data_are_all_found) {
  TRIPTYCH_DATA_DIR_OR_SKIP(data);
  const std::vector<Pair> imm = find_pairs(data / "faces_imm", {}, {".jpg"});
  EXPECT_EQ(imm.size(), 120U);
  for (const Pair& pair : imm) {
    const AsfFile asf = read_asf(pair.landmarks);
    EXPECT_EQ(asf.relative.size(), 73U);
    EXPECT_EQ(asf.image, pair.image.filename());
  }
  const std::vector<Pair> wild = find_pairs(data / "faces_wild", {}, {".jpg"});
  EXPECT_EQ(wild.size(), 200U);
  for (const Pair& pair : wild) EXPECT_EQ(read_pts(pair.landmarks).size(), 68U);
}

}  // namespace
}  // namespace triptych::aam_fit
