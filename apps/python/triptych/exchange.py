"""Ranks that share one filter: threads of this process, or processes on one or many machines.

Every rank makes the same ParticleFilter with its own exchange and calls it in the same order. All ranks get the same estimates, with the bits
of a single filter, because only integers are summed.

>>> import concurrent.futures, triptych
>>> exchanges = triptych.exchange.threads(2)
>>> exchanges[1].rank, exchanges[1].size
(1, 2)

threads(n) gives n exchanges for n threads, each with a filter on a GPU of its own or on the CPU. mpi() is the exchange of a process under
mpirun or srun; it needs mpi4py. Anything else that can sum integers will do, as long as it has

    rank, size
    sum(values)             the sums over all ranks of an int64 array; returns an array of the same size
    gather(own)             the bytes of all ranks, as a list
    broadcast(data, root)   the bytes of rank root; the others give b""

and raises an exception when another rank does not answer in time.
"""

import time

from ._triptych import Error, InvalidArgument, Unavailable
from ._triptych.exchange import Exchange, threads

__all__ = ["Exchange", "MpiExchange", "mpi", "threads"]


class MpiExchange:
    """An exchange by mpi4py. See mpi()."""

    def __init__(self, comm, timeout_s=60.0):
        if not 0.001 <= timeout_s <= 86400:
            raise InvalidArgument(f"timeout_s: must be from 0.001 to 86400, not {timeout_s}")
        self._comm, self._timeout_s, self._broken = comm.Dup(), timeout_s, False
        self.rank, self.size = comm.Get_rank(), comm.Get_size()

    def __repr__(self):
        return f"MpiExchange(rank {self.rank} of {self.size})"

    def _wait(self, start):
        """Starts an operation and waits for it."""
        if self._broken:
            raise Error("the exchange is broken: a rank did not answer before")
        request, until = start(), time.monotonic() + self._timeout_s
        while not request.Test():
            if time.monotonic() > until:
                self._broken = True
                raise Error(f"rank {self.rank} of {self.size}: the others did not take part within {self._timeout_s:g} s")
            time.sleep(0)

    def sum(self, values):
        sums = values.copy()
        self._wait(lambda: self._comm.Iallreduce(values, sums))
        return sums

    def gather(self, own):
        everything = bytearray(len(own) * self.size)
        self._wait(lambda: self._comm.Iallgather(own, everything))
        return [bytes(everything[i : i + len(own)]) for i in range(0, len(everything), len(own))] if own else [b""] * self.size

    def broadcast(self, data, root):
        import numpy

        length = numpy.array([len(data)])
        self._wait(lambda: self._comm.Ibcast(length, root=root))
        buffer = bytearray(data if self.rank == root else int(length[0]))
        self._wait(lambda: self._comm.Ibcast(buffer, root=root))
        return bytes(buffer)


def mpi(comm=None, *, timeout_s=60.0):
    """The exchange of this process under mpirun or srun, by mpi4py.

    comm: a communicator of mpi4py, which is duplicated; None: all processes. timeout_s: how long to wait for the other ranks; then Error.
    Unavailable when mpi4py is not installed.
    """
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as problem:
        raise Unavailable(f"triptych.exchange.mpi() needs mpi4py and an MPI library: pip install mpi4py ({problem})") from None
    return MpiExchange(MPI.COMM_WORLD if comm is None else comm, timeout_s)
