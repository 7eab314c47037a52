#include <triptych/core/clock.hpp>
#include <triptych/core/error.hpp>

#include <common/program.hpp>
#include <common/progress.hpp>
#include <common/statistics.hpp>
#include <common/text.hpp>

#include <algorithm>

#include "evaluation.hpp"
#include "options.hpp"

namespace triptych::aam_demo {

using namespace aam_fit;
using apps::text;

namespace {

constexpr FitStatus statuses[] = {FitStatus::converged,         FitStatus::no_improvement,
                                  FitStatus::out_of_iterations, FitStatus::lost_outside,
                                  FitStatus::lost_contrast,     FitStatus::completed,
                                  FitStatus::lost_no_face};
constexpr double good = 0.05;  // an error below this is a landmark found

}  // namespace

std::vector<Evaluation::Row> Evaluation::fit(Fitter& fitter, const Example& face) {
  const Model& model = fitter.model();
  require(static_cast<int>(face.landmarks.size()) == model.points, face.name, " has ", face.landmarks.size(),
          " landmarks, but the model has ", model.points);
  const std::vector<Shape> starts = evaluation_starts(model.mean, face.landmarks);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const Stopwatch watch;
    const Fit fit = fitter.step(Face{face.image.view(), starts[i]});
    rows.push_back({face.name, static_cast<int>(i), shape_error(starts[i], face.landmarks),
                    shape_error(fit.landmarks, face.landmarks), fit.iterations, fit.status,
                    watch.elapsed_ms()});
  }
  return rows;
}

void Evaluation::add(const std::vector<Row>& rows_of_a_face) {
  rows_.insert(rows_.end(), rows_of_a_face.begin(), rows_of_a_face.end());
  ++faces_;
}

Evaluation evaluate_faces(Fitter& fitter, const std::vector<Example>& faces) {
  Evaluation evaluation(faces.size());
  apps::Progress progress(program_name, static_cast<int>(faces.size()), "faces");
  for (const Example& face : faces) {
    evaluation.add(Evaluation::fit(fitter, face));
    progress.update(static_cast<int>(evaluation.faces()));
    if (apps::interrupted()) break;
  }
  return evaluation;
}

Json to_json(const std::vector<Evaluation::Row>& rows_of_a_face) {
  Json fits = Json::array();
  for (const Evaluation::Row& row : rows_of_a_face) {
    fits.push_back({{"start", row.start},
                    {"start_error", row.start_error},
                    {"end_error", row.end_error},
                    {"iterations", row.iterations},
                    {"status", to_string(row.status)},
                    {"ms", row.ms}});
  }
  return {{"fits", std::move(fits)}};
}

std::vector<Evaluation::Row> rows_from_json(const Json& json, const std::string& image,
                                            const std::string& context) {
  std::vector<Evaluation::Row> rows;
  for (const Json& fit : detail::member(json, "fits", context)) {
    const std::string name = at<std::string>(fit, "status", context);
    const auto* status = std::find_if(std::begin(statuses), std::end(statuses),
                                      [&](FitStatus known) { return to_string(known) == name; });
    require(status != std::end(statuses), context, ": '", name, "' is no status of a fit");
    rows.push_back({image, at<int>(fit, "start", context), at<double>(fit, "start_error", context),
                    at<double>(fit, "end_error", context), at<int>(fit, "iterations", context), *status,
                    at<double>(fit, "ms", context)});
  }
  return rows;
}

std::vector<double> Evaluation::sorted(double Row::*member) const {
  std::vector<double> values;
  values.reserve(rows_.size());
  for (const Row& row : rows_) values.push_back(row.*member);
  std::sort(values.begin(), values.end());
  return values;
}

double Evaluation::share_below(double limit) const {
  const auto below =
      std::count_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.end_error < limit; });
  return static_cast<double>(below) / static_cast<double>(std::max<std::size_t>(1, rows_.size()));
}

double Evaluation::mean_iterations() const {
  std::vector<double> values;
  values.reserve(rows_.size());
  for (const Row& row : rows_) values.push_back(row.iterations);
  return apps::mean(values);
}

int Evaluation::count(FitStatus status) const {
  return static_cast<int>(
      std::count_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.status == status; }));
}

std::string Evaluation::table() const {
  const std::vector<double> start = sorted(&Row::start_error), end = sorted(&Row::end_error),
                            ms = sorted(&Row::ms);
  std::string all = "               mean    median   worst\n";
  all += text("start error   %.4f   %.4f   %.4f\n", apps::mean(start), apps::quantile(start, 0.5),
              apps::largest(start));
  all += text("end error     %.4f   %.4f   %.4f\n", apps::mean(end), apps::quantile(end, 0.5),
              apps::largest(end));
  all += text("below 0.05    %.1f %%\n", 100 * share_below(good));
  all += text("ms per fit    %.3f    %.3f\n", apps::mean(ms), apps::quantile(ms, 0.5));
  all += text("iterations    %.1f\n", mean_iterations());
  for (const FitStatus status : statuses) {
    if (count(status) > 0)
      all += text("%d of %zu fits: %s\n", count(status), rows_.size(), to_string(status).c_str());
  }
  return all;
}

Json Evaluation::json() const {
  const std::vector<double> start = sorted(&Row::start_error), end = sorted(&Row::end_error),
                            ms = sorted(&Row::ms);
  Json by_status = Json::object();
  for (const FitStatus status : statuses) by_status[to_string(status)] = count(status);
  return {{"images", faces_},
          {"complete", complete()},
          {"fits", rows_.size()},
          {"start_mean", apps::mean(start)},
          {"start_median", apps::quantile(start, 0.5)},
          {"end_mean", apps::mean(end)},
          {"end_median", apps::quantile(end, 0.5)},
          {"end_worst", apps::largest(end)},
          {"share_below_0.05", share_below(good)},
          {"mean_ms", apps::mean(ms)},
          {"median_ms", apps::quantile(ms, 0.5)},
          {"mean_iterations", mean_iterations()},
          {"status", std::move(by_status)}};
}

std::string Evaluation::csv() const {
  std::string all = "image,start,start_error,end_error,iterations,status,ms\n";
  for (const Row& row : rows_) {
    all += row.image + text(",%d,%.6f,%.6f,%d,", row.start, row.start_error, row.end_error, row.iterations) +
           to_string(row.status) + text(",%.4f\n", row.ms);
  }
  return all;
}

}  // namespace triptych::aam_demo
