#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>

#include <filesystem>
#include <system_error>
#include <vector>

#include "load.hpp"
#include "program.hpp"
#include "report.hpp"

namespace triptych::report {

namespace {

constexpr const char* help =
    R"(bench_report: makes a Markdown comparison and SVG charts from benchmark results

usage: bench_report --out DIR FILE.json...

Each FILE.json is the output of a bench program, such as
  reduction_bench --benchmark_out=reduction.json --benchmark_out_format=json
or of a script in bench/peers. Several files of one machine make one report; for a benchmark
that occurs in more than one file, the report shows the median time.

  --out DIR   the folder for comparison.md and the charts; created when missing
  --help      print this text

Examples:
  bench_report --out report reduction.json
  bench_report --out report skin_tracker.json skin_peers.json
)";

struct Options {
  bool help = false;
  std::filesystem::path out;
  std::vector<std::filesystem::path> files;
};

Options parse_options(std::span<const std::string> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      options.help = true;
      return options;
    }
    if (argument == "--out") {
      require(i + 1 < arguments.size() && !arguments[i + 1].empty(), "--out needs a folder; see --help");
      options.out = arguments[++i];
    } else if (argument.starts_with("--out=") && argument.size() > 6) {
      options.out = argument.substr(6);
    } else {
      require(!argument.starts_with("-"), "there is no option ", argument, "; see --help");
      options.files.emplace_back(argument);
    }
  }
  require(!options.files.empty(), "no result file given; usage: bench_report --out DIR FILE.json...");
  require(!options.out.empty(), "no --out given; usage: bench_report --out DIR FILE.json...");
  return options;
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code && !std::filesystem::is_directory(folder)) {
    throw Error("cannot create the folder " + folder.string() + ": " + code.message() +
                "; choose another with --out");
  }
}

}  // namespace

int run(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  try {
    const Options options = parse_options(arguments);
    if (options.help) {
      out << help;
      return 0;
    }
    // All files are composed before the first is written.
    const std::vector<ReportFile> files = make_report(load(options.files));
    make_folder(options.out);
    for (const ReportFile& file : files) {
      const std::filesystem::path path = options.out / file.name;
      write_file_atomically(path, file.text);
      out << path.string() << ": " << file.caption << "\n";
    }
    return 0;
  } catch (const std::exception& error) {
    err << "bench_report: " << error.what() << "\n";
    return 1;
  }
}

}  // namespace triptych::report
