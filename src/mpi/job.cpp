#include "mpi/job.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"

namespace fastid::mpi {
namespace {

/// The kinds of messages: a part's length or bytes; the next shard (0: there is none); the snapshot of a
/// process (match::SharedThresholds); and the merged one of all.
enum Tag { kPart, kShard, kSnapshot, kMerged };

constexpr std::chrono::milliseconds kPause(1);  ///< between looks for a message: a hundredth of a core
constexpr std::size_t kMostBytes = std::size_t{1} << 30;  ///< of one message: MPI counts by int

/// Waits for a message. \throws Interrupted
void wait(MPI_Request request) {
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    check_interrupt();
    std::this_thread::sleep_for(kPause);
  }
}

/// Calls `send(first byte, number of bytes)` for all bytes, in pieces that a message can have.
template <class Char, class Send>
void in_pieces(Char* bytes, std::size_t n, const Send& send) {
  for (std::size_t at = 0; at < n; at += kMostBytes)
    send(bytes + at, static_cast<int>(std::min(kMostBytes, n - at)));
}

void send(std::string_view bytes, int to) {
  std::uint64_t n = bytes.size();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&n, 1, MPI_UINT64_T, to, kPart, MPI_COMM_WORLD, &request);
  wait(request);
  in_pieces(bytes.data(), bytes.size(), [&](const char* piece, int size) {
    MPI_Isend(piece, size, MPI_BYTE, to, kPart, MPI_COMM_WORLD, &request);
    wait(request);
  });
}

std::string received(int from) {
  std::uint64_t n = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&n, 1, MPI_UINT64_T, from, kPart, MPI_COMM_WORLD, &request);
  wait(request);
  std::string bytes(static_cast<std::size_t>(n), '\0');
  in_pieces(bytes.data(), bytes.size(), [&](char* piece, int size) {
    MPI_Irecv(piece, size, MPI_BYTE, from, kPart, MPI_COMM_WORLD, &request);
    wait(request);
  });
  return bytes;
}

/// A message that waits for the leader; no value where there is none.
std::optional<MPI_Status> waiting() {
  MPI_Status status;
  int there = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
  return there != 0 ? std::optional(status) : std::nullopt;
}

using MakePart = std::function<std::string(const Shard&)>;

/// Does a shard in a second thread.
class ShardThread {
 public:
  explicit ShardThread(const MakePart& work) : work_(work) {}

  void start(const Shard& shard) {
    done_ = false;
    task_ = beside_.start([this, shard] {
      const Finally done(done_);
      part_ = work_(shard);
    });
  }
  bool done() const { return done_; }
  /// The part, once it is done. \throws what the work threw
  std::string take() {
    task_.get();
    return std::move(part_);
  }

 private:
  struct Finally {
    explicit Finally(std::atomic<bool>& flag) : flag_(flag) {}
    ~Finally() { flag_ = true; }
    std::atomic<bool>& flag_;
  };

  const MakePart& work_;
  std::string part_;
  std::atomic<bool> done_ = true;
  ThreadPool beside_{2};
  ThreadPool::Task task_;
};

/// Hands out shards, collects their parts, and merges and passes on what the processes exchange.
class Leader {
 public:
  /// \param size  number of processes; each has one of the first shards without asking
  Leader(std::uint32_t shards, int size, match::SharedThresholds* thresholds)
      : shards_(shards),
        others_(size - 1),
        taken_(static_cast<std::uint32_t>(size)),
        thresholds_(thresholds) {}

  /// Does shards, and answers other processes, until all parts are there.
  std::vector<part::File> run(const MakePart& work) {
    ShardThread thread(work);
    thread.start({1, shards_});
    for (bool working = true; others_ > 0 || working;) {
      check_interrupt();
      if (working && thread.done()) {
        parts_.emplace_back(part_name(0), thread.take());
        const std::uint32_t shard = next();
        working = shard != 0;
        if (working) thread.start({shard, shards_});
      } else if (const std::optional<MPI_Status> message = waiting()) {
        answer(*message);
      } else {
        std::this_thread::sleep_for(kPause);
      }
    }
    if (thresholds_ != nullptr)
      log::detail("other ranks were told {} what all have found", counted(told_, "time"));
    return std::move(parts_);
  }

 private:
  /// The next shard; 0: all are taken.
  std::uint32_t next() { return taken_ < shards_ ? ++taken_ : 0; }

  void answer(const MPI_Status& message) {
    const int from = message.MPI_SOURCE;
    if (message.MPI_TAG == kSnapshot) return pass_on(message);
    parts_.emplace_back(part_name(from), received(from));
    const std::uint32_t shard = next();
    if (shard == 0) --others_;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(&shard, 1, MPI_UINT32_T, from, kShard, MPI_COMM_WORLD, &request);
    wait(request);
  }

  void pass_on(const MPI_Status& message) {
    int n = 0;
    MPI_Get_count(&message, MPI_UINT64_T, &n);
    std::vector<std::uint64_t> values(static_cast<std::size_t>(n));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(values.data(), n, MPI_UINT64_T, message.MPI_SOURCE, kSnapshot, MPI_COMM_WORLD, &request);
    wait(request);
    thresholds_->merge(values);
    values = thresholds_->snapshot();
    ++told_;
    MPI_Isend(values.data(), n, MPI_UINT64_T, message.MPI_SOURCE, kMerged, MPI_COMM_WORLD, &request);
    wait(request);
  }

  static std::string part_name(int rank) { return fmt::format("a part of rank {}", rank); }

  const std::uint32_t shards_;
  int others_;  ///< processes that have not been told that all shards are taken
  std::uint32_t taken_;
  match::SharedThresholds* thresholds_;
  std::uint64_t told_ = 0;
  std::vector<part::File> parts_;
};

/// The exchange between a process and the leader while the process works: frequent at first, and less often
/// later, since there is less and less news.
class Talk {
 public:
  Talk(match::SharedThresholds* thresholds, int size) : thresholds_(thresholds), size_(size) {}

  /// Sends when it is time, and receives what the leader answers.
  void look() {
    if (thresholds_ == nullptr || (!asked_ && Clock::now() < next_)) return;
    if (!asked_)
      send();
    else if (answered())
      receive();
  }

  /// Waits for an answer. \throws Interrupted
  void end() {
    while (asked_) {
      check_interrupt();
      look();
      if (asked_) std::this_thread::sleep_for(kPause);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::duration<double> kFirst{0.01}, kLast{1.0};  ///< pauses
  static constexpr double kByteSeconds = 1e-8;  ///< time that the leader has for a byte of each process

  void send() {
    sent_ = thresholds_->snapshot();
    received_.resize(sent_.size());
    const auto n = static_cast<int>(sent_.size());
    MPI_Irecv(received_.data(), n, MPI_UINT64_T, 0, kMerged, MPI_COMM_WORLD, &requests_[0]);
    MPI_Isend(sent_.data(), n, MPI_UINT64_T, 0, kSnapshot, MPI_COMM_WORLD, &requests_[1]);
    asked_ = true;
  }

  bool answered() {
    int all = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE);
    return all != 0;
  }

  void receive() {
    thresholds_->merge(received_);
    asked_ = false;
    const std::chrono::duration<double> least(
        kByteSeconds * static_cast<double>(received_.size() * sizeof received_[0]) * size_);
    next_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::max(pause_, least));
    pause_ = std::min(2 * pause_, kLast);
  }

  match::SharedThresholds* thresholds_;
  int size_;
  bool asked_ = false;
  std::chrono::duration<double> pause_ = kFirst;
  Clock::time_point next_{};
  std::vector<std::uint64_t> sent_, received_;
  std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

/// Does shards until there are none.
void follow(std::uint32_t shards, int rank, const MakePart& work, Talk talk) {
  ShardThread thread(work);
  for (std::uint32_t shard = static_cast<std::uint32_t>(rank) + 1; shard != 0;) {
    thread.start({shard, shards});
    for (talk.look(); !thread.done(); talk.look()) {
      check_interrupt();
      std::this_thread::sleep_for(kPause);
    }
    send(thread.take(), 0);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&shard, 1, MPI_UINT32_T, 0, kShard, MPI_COMM_WORLD, &request);
    wait(request);
  }
  talk.end();
}

/// The number of processors of this process: its own where each process of the host is bound to some, else a
/// share of the host's.
std::size_t share_of_cpus(MPI_Comm local, int size) {
  cpu_set_t own, all;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  MPI_Allreduce(&own, &all, sizeof own, MPI_BYTE, MPI_BOR, local);
  const int share = std::min(CPU_COUNT(&own), CPU_COUNT(&all) / size);
  return static_cast<std::size_t>(std::max(1, share));
}

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  int length = 0;
  MPI_Get_processor_name(host.data(), &length);
  return printable({host.data(), static_cast<std::size_t>(length)});
}

/// Skips the search for networks, half of the start-up time, where all processes are on one host (as Open
/// MPI's mpirun tells) and the user has not set this otherwise: messages then go through memory.
void look_for_no_network() {
  const char* const all = std::getenv("OMPI_COMM_WORLD_SIZE");
  const char* const here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (all != nullptr && here != nullptr && std::string_view(all) == here) setenv("OMPI_MCA_pml", "ob1", 0);
}

[[noreturn]] void end_job(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

}  // namespace

MpiJob::MpiJob(int& argc, char**& argv) {
  look_for_no_network();
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED) throw Failure("this MPI library does not allow threads");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm local = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &local);
  MPI_Comm_rank(local, &local_rank_);
  MPI_Comm_size(local, &local_size_);
  name_ = fmt::format("rank {} of {} on {}", rank_, size_, host_name());
  threads_ = share_of_cpus(local, local_size_);
  MPI_Comm_free(&local);
}

MpiJob::~MpiJob() {
  try {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    wait(request);
  } catch (const Interrupted& interrupted) {
    end_job(128 + interrupted.signal());
  }
  MPI_Finalize();
}

std::uint32_t MpiJob::shards() const {
  constexpr std::uint32_t kOfEach = 4;  // a process that is a fourth slower than the others does one less
  return kOfEach * static_cast<std::uint32_t>(size_);
}

void MpiJob::begin() {
  told({});
  begun_ = true;
}

void MpiJob::fail(const std::string& message, int status) {
  try {
    if (!leads() && !begun_) begin();  // the leader ends the job, unless its arguments are right
    constexpr int kSignals = 128;      // all processes get them
    if (leads() || status < kSignals) log::error_text(leads() ? message : name() + ": " + message);
  } catch (const Interrupted&) {
  }
  end_job(status);
}

std::string MpiJob::told(std::string text) {
  const auto tell = [](void* bytes, int n, MPI_Datatype type) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(bytes, n, type, 0, MPI_COMM_WORLD, &request);
    wait(request);
  };
  std::uint64_t n = text.size();
  tell(&n, 1, MPI_UINT64_T);
  text.resize(static_cast<std::size_t>(n));
  in_pieces(text.data(), text.size(), [&](char* piece, int size) { tell(piece, size, MPI_BYTE); });
  return text;
}

std::optional<part::PartSet> MpiJob::share(std::uint32_t shards, const MakePart& work,
                                           match::SharedThresholds* thresholds) {
  if (leads()) return part::PartSet(Leader(shards, size_, thresholds).run(work));
  follow(shards, rank_, work, Talk(thresholds, size_));
  return std::nullopt;
}

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string_view whole(text.data(), static_cast<std::size_t>(length));
  return printable(whole.substr(0, whole.find_first_of(",\n")));
}

}  // namespace fastid::mpi
