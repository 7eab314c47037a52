#include <triptych/core/buffer.hpp>
#include <triptych/core/device_guard.hpp>
#include <triptych/core/nccl_exchange.hpp>

#include <dlfcn.h>

#include <future>
#include <memory>
#include <thread>

#include "exchange/exchange_checks.hpp"
#include "exchange/nccl_api.hpp"

namespace triptych {

namespace detail {

namespace {

template <class Function>
bool load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

struct LoadedNccl {
  NcclApi api{};
  std::string reason;

  LoadedNccl() {
    void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* const text = dlerror();
      reason = std::string("NCCL cannot be loaded: ") + (text == nullptr ? "unknown" : text);
      return;
    }
    const bool complete = load(library, "ncclGetErrorString", api.error_string) &&
                          load(library, "ncclGetUniqueId", api.get_unique_id) &&
                          load(library, "ncclCommInitRankConfig", api.init_rank) &&
                          load(library, "ncclAllReduce", api.all_reduce) &&
                          load(library, "ncclCommGetAsyncError", api.async_error) &&
                          load(library, "ncclCommAbort", api.abort) &&
                          load(library, "ncclCommDestroy", api.destroy);
    if (!complete) reason = "libnccl.so.2 lacks a function: NCCL 2.18 or newer is needed";
  }
};

}  // namespace

const NcclApi* nccl_api(std::string* reason) {
  static const LoadedNccl loaded;
  if (loaded.reason.empty()) return &loaded.api;
  *reason = loaded.reason;
  return nullptr;
}

}  // namespace detail

namespace {

using detail::NcclApi;
using detail::NcclComm;
using detail::NcclResult;
using detail::NcclUniqueId;

void check_nccl(const NcclApi& api, NcclResult result, const char* call) {
  if (result == NcclResult::success) return;
  throw Error(std::string(call) + " failed: " + api.error_string(result));
}

// Makes a communicator on a thread of its own, which is left behind when a rank is missing: the call has no
// time-out.
NcclComm make_communicator(const NcclApi& api, const Exchange& host, const NcclUniqueId& id,
                           const Device& device, std::chrono::milliseconds timeout) {
  auto made = std::make_shared<std::promise<NcclComm>>();
  std::future<NcclComm> result = made->get_future();
  std::thread([made, &api, id, device, size = host.size(), rank = host.rank()] {
    try {
      const DeviceGuard guard(device);
      NcclComm communicator = nullptr;
      detail::NcclConfig config;
      check_nccl(api, api.init_rank(&communicator, size, id, rank, &config), "ncclCommInitRankConfig");
      made->set_value(communicator);
    } catch (...) {
      made->set_exception(std::current_exception());
    }
  }).detach();
  if (result.wait_for(timeout) != std::future_status::ready)
    throw Error(detail::timeout_sentence(host, timeout, "a communicator of NCCL"));
  return result.get();
}

class NcclExchange final : public Exchange {
 public:
  NcclExchange(const NcclApi& api, std::shared_ptr<Exchange> host, const NcclUniqueId& id,
               const Device& device, std::chrono::milliseconds timeout)
      : api_(api),
        host_(std::move(host)),
        device_(device),
        timeout_(timeout),
        communicator_(make_communicator(api, *host_, id, device, timeout)) {}
  ~NcclExchange() override {
    if (communicator_ == nullptr) return;
    try {
      const DeviceGuard guard(device_);
      api_.abort(communicator_);  // unlike ncclCommDestroy it does not wait for other ranks
    } catch (...) {               // a destructor does not throw
    }
  }

  int rank() const noexcept override { return host_->rank(); }
  int size() const noexcept override { return host_->size(); }
  std::string describe() const override {
    return "rank " + std::to_string(rank()) + " of " + std::to_string(size()) + " by NCCL on " +
           device_.describe();
  }
  void sum(std::span<std::int64_t> values) override { host_->sum(values); }
  void gather(std::span<const std::byte> own, std::span<std::byte> all) override { host_->gather(own, all); }
  void broadcast(std::span<std::byte> bytes, int root) override { host_->broadcast(bytes, root); }

  bool sums_on_device() const noexcept override { return true; }
  void sum_on_device(DeviceSpan<std::int64_t> values, StreamRef stream) override {
    if (communicator_ == nullptr) throw Error(detail::broken_sentence(failure_));
    const DeviceGuard guard(device_);
    check_nccl(api_,
               api_.all_reduce(values.data(), values.data(), static_cast<std::size_t>(values.size()),
                               detail::nccl_uint64, detail::nccl_sum, communicator_, stream.get()),
               "ncclAllReduce");
  }

  void wait(const Event& event) override {
    const auto deadline = std::chrono::steady_clock::now() + timeout_;
    for (int polls = 0; !event.query(); ++polls) {
      if (communicator_ == nullptr) throw Error(detail::broken_sentence(failure_));
      if (polls % 64 != 63) continue;
      NcclResult state = NcclResult::success;
      api_.async_error(communicator_, &state);
      if (state != NcclResult::success && state != NcclResult::in_progress)
        fail(describe() + ": " + api_.error_string(state));
      if (std::chrono::steady_clock::now() > deadline)
        fail(detail::timeout_sentence(*this, timeout_, "sums on the device"));
    }
  }

 private:
  // Ends the kernels that wait for other ranks.
  [[noreturn]] void fail(const std::string& sentence) {
    failure_ = sentence;
    const DeviceGuard guard(device_);
    api_.abort(std::exchange(communicator_, nullptr));
    throw Error(sentence);
  }

  const NcclApi& api_;
  std::shared_ptr<Exchange> host_;
  Device device_;
  std::chrono::milliseconds timeout_;
  NcclComm communicator_;
  std::string failure_;
};

}  // namespace

std::string nccl_unavailable_reason() {
  std::string reason = cuda_unavailable_reason();
  if (reason.empty()) detail::nccl_api(&reason);
  return reason;
}

std::shared_ptr<Exchange> make_nccl_exchange(std::shared_ptr<Exchange> host, const Device& device,
                                             std::chrono::milliseconds timeout) {
  require(host != nullptr, "make_nccl_exchange needs an exchange of the host");
  const NcclApi* api = nullptr;
  NcclUniqueId id{};
  agree_on(*host, [&] {
    detail::check_timeout(timeout);
    require(device.kind() == DeviceKind::cuda, "NCCL needs a GPU, not ", device.describe());
    const std::string missing = nccl_unavailable_reason();
    if (!missing.empty()) throw Unavailable("make_nccl_exchange: " + missing);
    std::string reason;
    api = detail::nccl_api(&reason);
    if (host->rank() == 0) check_nccl(*api, api->get_unique_id(&id), "ncclGetUniqueId");
  });
  host->broadcast(std::as_writable_bytes(std::span(id.bytes)), 0);
  std::shared_ptr<NcclExchange> exchange;
  agree_on(*host, [&] {
    exchange = std::make_shared<NcclExchange>(*api, host, id, device, timeout);
    // NCCL connects the ranks in the first sum, which cannot be part of a graph.
    const DeviceGuard guard(device);
    const Stream stream;
    DeviceBuffer<std::int64_t> value(1);
    fill_bytes(value.span(), 0, stream);
    exchange->sum_on_device(value.span(), stream);
    Event done(Timing::off);
    done.record(stream);
    exchange->wait(done);
  });
  return exchange;
}

}  // namespace triptych
