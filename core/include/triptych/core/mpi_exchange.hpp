// The Exchange of a job of MPI processes. In a library of its own, Triptych::mpi, so that no program is
// linked to MPI that does not use it. Built without MPI, the functions link and throw Unavailable.
#pragma once

#include <triptych/core/exchange.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace triptych {

// Empty when this build has MPI; else the reason.
std::string mpi_unavailable_reason();

// Whether mpirun, srun or another launcher has started this process as one of a job: their environment
// variables say so. False for a program that was started by itself.
bool launched_by_mpi();

// All processes of the job (a copy of MPI_COMM_WORLD). Values pass through host memory. Initialises MPI when
// nobody has; then MPI is finalised at the end of the process. When an exchange is broken, the end of the
// process ends the whole job instead, because MPI cannot be finalised without the missing rank. Calls poll
// MPI until the time-out. Use all exchanges of a process from one thread at a time, unless MPI was
// initialised with MPI_THREAD_MULTIPLE. Unavailable without MPI; Error when MPI fails.
std::shared_ptr<Exchange> make_mpi_exchange(std::chrono::milliseconds timeout = default_exchange_timeout);

}  // namespace triptych
