// What a run of fits has found, as text.
#pragma once

#include <triptych/core/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "follow.hpp"

namespace triptych::aam_demo {

class Report {
 public:
  void add(const std::string& name, const Found& found, std::optional<double> error = {});
  void add_unread(const std::string& name);

  int frames() const { return static_cast<int>(rows_.size()); }
  int found() const;
  // frame,name,found,status,residual,iterations,ms and, where it is known, error.
  std::string csv() const;
  Json json() const;
  std::string sentence() const;

 private:
  struct Row {
    std::string name;
    bool read = false, found = false;
    std::string status;
    double residual = 0;
    int iterations = 0;
    double ms = 0;
    std::optional<double> error;
  };
  std::vector<double> sorted_ms() const;
  std::vector<double> errors() const;
  std::vector<Row> rows_;
};

}  // namespace triptych::aam_demo
