/// \file
/// One read shared among several threads: a device that takes tiles faster than one thread reads them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "bits/blocks.hpp"

namespace fastid {

/// A source whose reads are cut into pieces, which its own threads and the caller read side by side.
class SplitSource final : public BlockSource {
 public:
  /// \param source   must outlive this
  /// \param readers  threads that help; 0: the caller reads alone
  /// \throws Failure where the system gives no more threads
  SplitSource(const BlockSource& source, std::size_t readers);
  ~SplitSource() override;
  SplitSource(const SplitSource&) = delete;
  SplitSource& operator=(const SplitSource&) = delete;

  BlockShape shape() const override { return source_.shape(); }
  bool has_called() const override { return source_.has_called(); }
  BlocksView view(std::uint64_t first, std::size_t n) const override { return source_.view(first, n); }

  /// From any thread; reads of several callers take turns by pieces.
  /// \throws what the source throws, once no thread touches the buffers any more
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* called) const override;

 private:
  struct Job;
  bool take_piece(std::unique_lock<std::mutex>& lock, Job& job) const;
  void help();
  void stop();

  const BlockSource& source_;
  std::size_t piece_blocks_;
  mutable std::mutex guard_;
  mutable std::condition_variable work_, done_;
  mutable std::deque<Job*> jobs_;  ///< with pieces left
  bool ending_ = false;
  std::vector<std::jthread> readers_;
};

}  // namespace fastid
