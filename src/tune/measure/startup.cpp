#include "tune/measure/startup.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/clock.hpp"
#include "base/median.hpp"
#include "base/process.hpp"
#include "opencl/devices.hpp"

namespace fastid::tune {
namespace {

constexpr int kChildren = 3;

void wake(const std::string& selector) {
  const opencl::OpenClDevice device = opencl::select_opencl_device(selector);
  const cl::Context context(device.device);
  const cl::CommandQueue queue(context, device.device);
  const cl::Buffer buffer(context, CL_MEM_READ_WRITE, sizeof(cl_uint));
  queue.enqueueFillBuffer(buffer, cl_uint{0}, 0, sizeof(cl_uint));
  queue.finish();
}

// Runs in a child process, where none of the parent's handlers and no driver's destructor may run.
[[noreturn]] void wake_and_leave(const std::string& selector) {
  try {
    wake(selector);
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

bool wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::optional<double> startup_seconds(const std::string& selector) {
  std::vector<double> all;
  for (int i = 0; i < kChildren; ++i) {
    check_interrupt();
    const Stopwatch watch;
    const pid_t child = ::fork();
    if (child < 0) return std::nullopt;
    if (child == 0) wake_and_leave(selector);
    if (!wait_for(child)) return std::nullopt;
    all.push_back(watch.seconds());
  }
  return median(all);
}

}  // namespace fastid::tune
