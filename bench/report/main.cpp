#include <iostream>
#include <string>
#include <vector>

#include "program.hpp"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return triptych::report::run(arguments, std::cout, std::cerr);
}
