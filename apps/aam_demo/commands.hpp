// The commands of the program, one function each.
#pragma once

#include "options.hpp"

namespace triptych::aam_demo {

void show(const Options& options);  // no command: synthetic faces, all the way
void train_model(const Options& options);
void fit_input(const Options& options);
void evaluate(const Options& options);
void print_info(const Options& options);
void draw_modes(const Options& options);
void write_synthetic(const Options& options);
void measure_boxes(const Options& options);

}  // namespace triptych::aam_demo
