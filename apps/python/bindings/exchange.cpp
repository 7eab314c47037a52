// triptych.exchange: ranks of this process, and ranks whose functions are written in Python.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <string>

#include "arrays.hpp"
#include "bind.hpp"
#include "exchange.hpp"
#include "naming.hpp"

namespace triptych::python {

namespace {

// Calls the functions of a Python object, with the GIL. What they raise becomes an Error.
class PythonExchange final : public Exchange {
 public:
  explicit PythonExchange(nb::object object)
      : object_(std::move(object)),
        rank_(nb::cast<int>(object_.attr("rank"))),
        size_(nb::cast<int>(object_.attr("size"))),
        name_(type_text(object_)) {
    require(size_ >= 1 && rank_ >= 0 && rank_ < size_, "exchange: rank ", rank_, " of ", size_,
            " is not a rank");
  }
  PythonExchange(const PythonExchange&) = delete;
  PythonExchange& operator=(const PythonExchange&) = delete;
  ~PythonExchange() override {
    const nb::gil_scoped_acquire gil;
    object_.reset();
  }

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  std::string describe() const override {
    return "rank " + std::to_string(rank_) + " of " + std::to_string(size_) + " by " + name_;
  }

  void sum(std::span<std::int64_t> values) override {
    call("sum", [&] {
      const nb::object given =
          to_numpy(std::vector<std::int64_t>(values.begin(), values.end()), {values.size()});
      const Array sums(object_.attr("sum")(given), "the result of exchange.sum()");
      require(sums.size() == static_cast<std::int64_t>(values.size()),
              "the result of exchange.sum() has another size: ", sums.describe());
      std::memcpy(values.data(), sums.contiguous<std::int64_t>(), values.size_bytes());
    });
  }
  void gather(std::span<const std::byte> own, std::span<std::byte> all) override {
    require(all.size() == own.size() * static_cast<std::size_t>(size_), "gather: all has ", all.size(),
            " bytes for ", size_, " ranks of ", own.size());
    call("gather", [&] {
      const auto parts = nb::cast<nb::sequence>(object_.attr("gather")(nb::bytes(own.data(), own.size())));
      require(nb::len(parts) == static_cast<std::size_t>(size_), "exchange.gather() returned ",
              nb::len(parts), " parts for ", size_, " ranks");
      for (int i = 0; i < size_; ++i)
        copy(nb::cast<nb::bytes>(parts[i]), all.subspan(static_cast<std::size_t>(i) * own.size(), own.size()),
             "gather");
    });
  }
  void broadcast(std::span<std::byte> bytes, int root) override {
    require(root >= 0 && root < size_, "broadcast: there is no rank ", root);
    call("broadcast", [&] {
      const nb::bytes given(bytes.data(), rank_ == root ? bytes.size() : 0);
      copy(nb::cast<nb::bytes>(object_.attr("broadcast")(given, root)), bytes, "broadcast");
    });
  }

  const nb::object& object() const { return object_; }

 private:
  template <class Function>
  static void call(const char* name, Function&& function) {
    const nb::gil_scoped_acquire gil;
    try {
      function();
    } catch (const nb::python_error& e) {
      throw Error(std::string("exchange.") + name + "(): " + nb::cast<std::string>(nb::str(e.value())));
    } catch (const nb::cast_error&) {
      throw Error(std::string("exchange.") + name + "() returned something of another type");
    }
  }
  static void copy(const nb::bytes& from, std::span<std::byte> to, const char* name) {
    require(from.size() == to.size(), "exchange.", name, "() returned ", from.size(), " bytes instead of ",
            to.size());
    std::memcpy(to.data(), from.c_str(), to.size());
  }

  nb::object object_;
  int rank_, size_;
  std::string name_;
};

}  // namespace

std::shared_ptr<Exchange> exchange_of(nb::handle object) {
  if (object.is_none()) return nullptr;
  if (nb::isinstance<Exchange>(object)) return nb::cast<std::shared_ptr<Exchange>>(object);
  for (const char* name : {"rank", "size", "sum", "gather", "broadcast"})
    if (!nb::hasattr(object, name))
      throw InvalidArgument(
          "exchange: expected an object with rank, size, sum(), gather() and broadcast(); " +
          type_text(object) + " has no " + name);
  return std::make_shared<PythonExchange>(nb::borrow(object));
}

nb::object object_of(const std::shared_ptr<Exchange>& exchange) {
  if (!exchange) return nb::none();
  if (const auto* const python = dynamic_cast<const PythonExchange*>(exchange.get())) return python->object();
  return nb::cast(exchange);
}

void bind_exchange(nb::module_& m) {
  nb::class_<Exchange>(m, "Exchange", "One rank of several that share a filter; see triptych.exchange.")
      .def_prop_ro("rank", &Exchange::rank)
      .def_prop_ro("size", &Exchange::size)
      .def("__repr__", [](const Exchange& self) { return "Exchange(" + self.describe() + ")"; });
  m.def(
      "threads",
      [](Whole<"size"> size, double timeout_s) {
        require(std::isfinite(timeout_s) && timeout_s >= 0.001 && timeout_s <= 86400,
                "timeout_s: must be from 0.001 to 86400, not ", timeout_s);
        return naming("size", [&] {
          return make_thread_exchanges(size, std::chrono::milliseconds(std::llround(1000 * timeout_s)));
        });
      },
      nb::arg("size"), nb::kw_only(), nb::arg("timeout_s") = 60.0,
      "The exchanges of `size` threads of this process, one for each; they may use different GPUs.\n"
      "timeout_s: how long a thread waits for the others; then all get an Error.");
}

}  // namespace triptych::python
