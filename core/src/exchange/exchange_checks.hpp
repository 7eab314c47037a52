// What the implementations of Exchange share: checks and sentences.
#pragma once

#include <triptych/core/exchange.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace triptych::detail {

void check_gather(const Exchange& exchange, std::size_t own, std::size_t all);
void check_root(const Exchange& exchange, int root);
void check_timeout(std::chrono::milliseconds timeout);
std::string timeout_sentence(const Exchange& exchange, std::chrono::milliseconds timeout, const char* what);

// Of every call after a failure.
inline std::string broken_sentence(const std::string& failure) {
  return "this exchange is broken (" + failure + "): make another, on all ranks";
}

}  // namespace triptych::detail
