#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <triptych/core/mpi_exchange.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <thread>

#include "exchange/exchange_checks.hpp"

namespace triptych {

namespace {

bool must_finalize = false;  // MPI, which was initialised here
bool is_job_broken = false;  // a rank is missing: MPI_Finalize would wait for it

void finalize_at_exit() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  if (is_job_broken) {
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  } else if (must_finalize) {
    MPI_Finalize();
  }
}

void initialize() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  static const bool registered = std::atexit(finalize_at_exit) == 0;
  if (!registered) throw Error("MPI cannot be finalised at the end of this process");
  if (initialized != 0) return;
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
    throw Error("MPI_Init_thread failed");
  must_finalize = true;
}

int count_of(std::size_t count) {
  require(count <= static_cast<std::size_t>(std::numeric_limits<int>::max()), "cannot exchange ", count,
          " values in one call");
  return static_cast<int>(count);
}

class MpiExchange final : public Exchange {
 public:
  explicit MpiExchange(std::chrono::milliseconds timeout) : timeout_(timeout) {
    check(MPI_Comm_dup(MPI_COMM_WORLD, &world_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world_, &rank_);
    MPI_Comm_size(world_, &size_);
  }
  ~MpiExchange() override {
    // A request that never ended still refers to its buffers: they stay.
    if (!failure_.empty()) {
      static_cast<void>(buffers_.release());
      return;
    }
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Comm_free(&world_);
  }

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  std::string describe() const override {
    return "rank " + std::to_string(rank_) + " of " + std::to_string(size_) + " by MPI";
  }

  void sum(std::span<std::int64_t> values) override {
    const int count = count_of(values.size());
    begin(std::as_bytes(values), values.size_bytes());
    run("a sum", [&](MPI_Request* request) {
      return MPI_Iallreduce(buffers_->own.data(), buffers_->all.data(), count, MPI_UINT64_T, MPI_SUM, world_,
                            request);
    });
    std::memcpy(values.data(), buffers_->all.data(), values.size_bytes());
  }

  void gather(std::span<const std::byte> own, std::span<std::byte> all) override {
    detail::check_gather(*this, own.size(), all.size());
    const int count = count_of(own.size());
    begin(own, all.size());
    run("a gather", [&](MPI_Request* request) {
      return MPI_Iallgather(buffers_->own.data(), count, MPI_BYTE, buffers_->all.data(), count, MPI_BYTE,
                            world_, request);
    });
    std::copy_n(buffers_->all.begin(), all.size(), all.begin());
  }

  void broadcast(std::span<std::byte> bytes, int root) override {
    detail::check_root(*this, root);
    const int count = count_of(bytes.size());
    begin(bytes, 0);
    run("a broadcast", [&](MPI_Request* request) {
      return MPI_Ibcast(buffers_->own.data(), count, MPI_BYTE, root, world_, request);
    });
    std::copy_n(buffers_->own.begin(), bytes.size(), bytes.begin());
  }

 private:
  // The buffers of MPI are those of this object: a request that does not end keeps them.
  void begin(std::span<const std::byte> own, std::size_t all) {
    if (!failure_.empty()) throw Error(detail::broken_sentence(failure_));
    if (buffers_->own.size() < own.size()) buffers_->own.resize(own.size());
    if (buffers_->all.size() < all) buffers_->all.resize(all);
    std::copy(own.begin(), own.end(), buffers_->own.begin());
  }

  template <class Start>
  void run(const char* what, const Start& start) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(start(&request), what);
    const auto deadline = std::chrono::steady_clock::now() + timeout_;
    for (int polls = 0;; ++polls) {
      int done = 0;
      check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
      if (done != 0) return;
      if (polls < 100) continue;
      std::this_thread::yield();  // ranks may share a core
      if (std::chrono::steady_clock::now() > deadline) fail(detail::timeout_sentence(*this, timeout_, what));
    }
  }

  void check(int code, const char* what) {
    if (code == MPI_SUCCESS) return;
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    fail(describe() + ": " + what + " failed: " + text.data());
  }

  [[noreturn]] void fail(const std::string& sentence) {
    failure_ = sentence;
    is_job_broken = true;
    throw Error(sentence);
  }

  std::chrono::milliseconds timeout_;
  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  struct Buffers {
    std::vector<std::byte> own, all;
  };
  std::unique_ptr<Buffers> buffers_ = std::make_unique<Buffers>();
  std::string failure_;
};

}  // namespace

std::string mpi_unavailable_reason() { return {}; }

std::shared_ptr<Exchange> make_mpi_exchange(std::chrono::milliseconds timeout) {
  detail::check_timeout(timeout);
  initialize();
  return std::make_shared<MpiExchange>(timeout);
}

}  // namespace triptych
