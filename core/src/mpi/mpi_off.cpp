// Without MPI: these functions link and throw Unavailable.
#include <triptych/core/mpi_exchange.hpp>

namespace triptych {

std::string mpi_unavailable_reason() {
  return "this build has no MPI: install it (apt package libopenmpi-dev) and build again";
}

std::shared_ptr<Exchange> make_mpi_exchange(std::chrono::milliseconds) {
  throw Unavailable("make_mpi_exchange: " + mpi_unavailable_reason());
}

}  // namespace triptych
