#include "bench/internal/startup.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace fastid::bench {
namespace {

/// Discards standard output while it exists.
class Silence {
 public:
  Silence() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  }
  ~Silence() { ::posix_spawn_file_actions_destroy(&actions_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw Failure("cannot wait for a process: " + errno_text(errno));
  return status;
}

}  // namespace

double process_seconds(const std::vector<std::string>& arguments) {
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const Silence silence;
  pid_t child = 0;
  const Stopwatch watch;
  const int error = ::posix_spawn(&child, words[0], silence.get(), nullptr, words.data(), environ);
  if (error != 0) throw Failure(arguments[0] + ": cannot be started: " + errno_text(error));
  const int status = wait_for(child);
  const double seconds = watch.seconds();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Failure(arguments[0] + ": the measured process did not end well");
  return seconds;
}

}  // namespace fastid::bench
