// A 64-bit checksum of bytes, fast enough to be taken of every array of a model when it is loaded.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace triptych::aam_fit {

// Four chains over every fourth word of eight bytes. Each step is a bijection of the chain for a given word,
// and of the word for a given chain, and so is what joins the chains: two texts of one length that differ in
// one word never have the same sum, others with a probability of about 2^-64.
inline std::uint64_t checksum(std::span<const std::byte> bytes) {
  constexpr std::uint64_t word_factor = 0xd6e8feb86659fd93u, chain_factor = 0x9e3779b97f4a7c15u;
  const auto step = [](std::uint64_t chain, std::uint64_t word) {
    return std::rotl(chain ^ word * word_factor, 29) * chain_factor;
  };
  std::uint64_t chains[4] = {1, 2, 3, 4};
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 32; left -= 32, at += 32) {
    std::uint64_t words[4];
    std::memcpy(words, at, 32);
    for (int i = 0; i < 4; ++i) chains[i] = step(chains[i], words[i]);
  }
  for (int i = 0; left > 0; ++i) {
    const std::size_t take = left < 8 ? left : 8;
    std::uint64_t word = 0;
    std::memcpy(&word, at, take);
    chains[i] = step(chains[i], word);
    at += take;
    left -= take;
  }
  std::uint64_t sum = bytes.size();
  for (const std::uint64_t last : chains) sum = step(sum, last);
  sum ^= sum >> 32;
  return sum * chain_factor;
}

}  // namespace triptych::aam_fit
