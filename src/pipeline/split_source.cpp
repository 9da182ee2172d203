#include "pipeline/split_source.hpp"

#include <algorithm>
#include <string>
#include <system_error>

#include "base/error.hpp"

namespace fastid {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{512}
                                    << 10;  // of a plane: stays in a core's L2 while it is checked

}  // namespace

// All under the guard.
struct SplitSource::Job {
  std::uint64_t first;
  std::size_t n;  ///< blocks
  Word *bits, *called;
  std::size_t next = 0;     ///< first block that nobody has taken
  std::size_t reading = 0;  ///< pieces
  std::exception_ptr error;
};

SplitSource::SplitSource(const BlockSource& source, std::size_t readers)
    : source_(source),
      piece_blocks_(
          std::max<std::size_t>(1, kPieceBytes / std::max<std::size_t>(1, source.shape().block_bytes()))) {
  try {
    for (std::size_t i = 0; i < readers; ++i) readers_.emplace_back([this] { help(); });
  } catch (const std::system_error&) {
    stop();
    throw Failure("the system does not let " + std::to_string(readers) +
                  " threads read; ask for fewer: --threads");
  }
}

SplitSource::~SplitSource() {
  stop();
}

void SplitSource::stop() {
  {
    const std::lock_guard lock(guard_);
    ending_ = true;
  }
  work_.notify_all();
  readers_.clear();
}

void SplitSource::read(std::uint64_t first, std::size_t n, Word* bits, Word* called) const {
  if (readers_.empty() || n <= piece_blocks_) return source_.read(first, n, bits, called);
  Job job{first, n, bits, called};
  std::unique_lock lock(guard_);
  jobs_.push_back(&job);
  work_.notify_all();
  while (take_piece(lock, job)) {
  }
  done_.wait(lock, [&] { return job.reading == 0; });
  if (job.error) std::rethrow_exception(job.error);
}

// False where the job has no piece left to take.
bool SplitSource::take_piece(std::unique_lock<std::mutex>& lock, Job& job) const {
  if (job.next == job.n) return false;
  const std::size_t at = job.next, n = std::min(piece_blocks_, job.n - at);
  job.next += n;
  ++job.reading;
  if (job.next == job.n) std::erase(jobs_, &job);
  lock.unlock();
  std::exception_ptr error;
  try {
    const std::size_t words = at * source_.shape().block_words();
    source_.read(job.first + at, n, job.bits + words, job.called == nullptr ? nullptr : job.called + words);
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  if (error) {
    if (!job.error) job.error = error;
    if (job.next < job.n) std::erase(jobs_, &job);
    job.next = job.n;
  }
  if (--job.reading == 0) done_.notify_all();
  return true;
}

void SplitSource::help() {
  std::unique_lock lock(guard_);
  for (;;) {
    work_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (ending_) return;
    take_piece(lock, *jobs_.front());
  }
}

}  // namespace fastid
