// Links Triptych::mpi and asks whether it has MPI.
#include <triptych/core/mpi_exchange.hpp>

#include <cstdio>

int main() {
  const std::string reason = triptych::mpi_unavailable_reason();
  std::printf("%s\n", reason.empty() ? "MPI is there" : reason.c_str());
}
