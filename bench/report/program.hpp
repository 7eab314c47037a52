// The program bench_report, with its streams as arguments.
#pragma once

#include <ostream>
#include <span>
#include <string>

namespace triptych::report {

// arguments: without the program's name. Returns the exit code: 0, or 1 after one sentence on err, in which
// case nothing was written unless the sentence is about writing.
int run(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace triptych::report
