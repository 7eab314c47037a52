// How well a model finds landmarks that are known: five starts for every face.
#pragma once

#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/train.hpp>
#include <triptych/core/json.hpp>

#include <string>
#include <vector>

namespace triptych::aam_demo {

class Evaluation {
 public:
  struct Row {
    std::string image;
    int start = 0;
    double start_error = 0, end_error = 0;
    int iterations = 0;
    aam_fit::FitStatus status = aam_fit::FitStatus::converged;
    double ms = 0;
  };

  explicit Evaluation(std::size_t wanted_faces) : wanted_(wanted_faces) {}
  // The fits of a face from aam_fit::evaluation_starts(). InvalidArgument, naming the face, when it has
  // another number of landmarks than the model.
  static std::vector<Row> fit(aam_fit::Fitter& fitter, const aam_fit::Example& face);
  void add(const std::vector<Row>& rows_of_a_face);

  // False when a signal has cut it short, or results are missing.
  bool complete() const { return faces_ == wanted_; }
  std::size_t faces() const { return faces_; }
  // A table for people, and the same for programs.
  std::string table() const;
  Json json() const;
  std::string csv() const;

 private:
  std::vector<double> sorted(double Row::*member) const;
  double share_below(double limit) const;
  double mean_iterations() const;
  int count(aam_fit::FitStatus status) const;
  std::size_t faces_ = 0, wanted_ = 0;
  std::vector<Row> rows_;
};

// Fits all faces, with a bar on stderr; a signal ends it early.
Evaluation evaluate_faces(aam_fit::Fitter& fitter, const std::vector<aam_fit::Example>& faces);

Json to_json(const std::vector<Evaluation::Row>& rows_of_a_face);
// Error that names context when it is no such thing.
std::vector<Evaluation::Row> rows_from_json(const Json& json, const std::string& image,
                                            const std::string& context);

}  // namespace triptych::aam_demo
