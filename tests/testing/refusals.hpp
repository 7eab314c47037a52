// A table of calls with bad arguments, each of which must be refused.
#pragma once

#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <span>
#include <string>
#include <typeinfo>

namespace triptych::test {

struct Refusal {
  std::string tried;           // the function and the argument
  std::function<void()> call;  // throws InvalidArgument, and changes nothing
  std::string named;           // what its message contains: the argument, as the caller knows it
};

// Counts the calls in the property arguments_tried of the running test.
inline void expect_refusals(std::span<const Refusal> refusals) {
  for (const Refusal& refusal : refusals) {
    try {
      refusal.call();
      ADD_FAILURE() << refusal.tried << ": was accepted";
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(refusal.named), std::string::npos)
          << refusal.tried << ": the message does not name " << refusal.named << ": " << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << refusal.tried << ": threw " << typeid(error).name() << ": " << error.what();
    }
  }
  testing::Test::RecordProperty("arguments_tried", static_cast<int>(refusals.size()));
}

}  // namespace triptych::test
