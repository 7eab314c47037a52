#include <triptych/core/mpi_exchange.hpp>

#include <algorithm>
#include <cstdlib>

namespace triptych {

bool launched_by_mpi() {
  // Of Open MPI, of MPICH and its relatives, of SLURM with PMIx.
  constexpr const char* names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "PMIX_RANK"};
  return std::any_of(std::begin(names), std::end(names),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace triptych
