// A library to preload between fastid and OpenCL that makes calls fail: how a device that runs out of memory,
// is lost in the middle or refuses a program looks from here. No GPU can be asked to fail on demand.
//
//   CL_FAULT_CALL   the function that fails ("clEnqueueNDRangeKernel")
//   CL_FAULT_FIRST  its first call that fails, counted from 1
//   CL_FAULT_LAST   the last one; 0: all from the first on
//   CL_FAULT_CODE   what it returns (-5)
//   CL_FAULT_BYTES  clCreateBuffer fails with CL_MEM_OBJECT_ALLOCATION_FAILURE where more is asked for
//   CL_FAULT_MOST   bytes that the device says it allocates at once, and does: more is CL_INVALID_BUFFER_SIZE
//   CL_FAULT_LIE    reads of so many bytes or more bring something else than the device has
//   CL_FAULT_OLD    a text that becomes that of CL_FAULT_NEW in every program's source: a device that
//                   computes something else than it was told, or has no such instruction
//   CL_FAULT_WHOLE  1: what writes or fills a part of a buffer maps all of it besides, for Oclgrind 21.10.
//                   That takes what a fill wrote, and all that a write left as it was, for uninitialised;
//                   so it finds use of what nobody wrote in buffers that only kernels write
//   CL_FAULT_RUNS   1: commands are said to run for ever, though a wait for them ends
//   CL_FAULT_TRACE  a file for the number of calls of each function, written when the program ends
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr int kFunctions = 64;

long number(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atol(text);
}

// Calls of each function, and the file that they are written to at the end.
class Trace {
 public:
  long count(const char* function) {
    for (Entry& entry : entries_) {
      const char* none = nullptr;
      if (entry.name.compare_exchange_strong(none, function) || std::strcmp(entry.name, function) == 0)
        return ++entry.calls;
    }
    std::abort();  // more functions than entries
  }

  ~Trace() {
    const char* const path = std::getenv("CL_FAULT_TRACE");
    std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
    if (file == nullptr) return;
    for (const Entry& entry : entries_)
      if (entry.name != nullptr) std::fprintf(file, "%s %ld\n", entry.name.load(), entry.calls.load());
    std::fclose(file);
  }

 private:
  struct Entry {
    std::atomic<const char*> name{nullptr};
    std::atomic<long> calls{0};
  };
  Entry entries_[kFunctions];
} trace;

// 0, or the error that this call of `function` is to end with.
cl_int fault(const char* function) {
  const long call = trace.count(function);
  const char* const wanted = std::getenv("CL_FAULT_CALL");
  if (wanted == nullptr || std::strcmp(wanted, function) != 0) return CL_SUCCESS;
  const long last = number("CL_FAULT_LAST", 0);
  const bool fails = call >= number("CL_FAULT_FIRST", 1) && (last == 0 || call <= last);
  return fails ? static_cast<cl_int>(number("CL_FAULT_CODE", CL_OUT_OF_RESOURCES)) : CL_SUCCESS;
}

cl_int buffer_fault(size_t bytes) {
  const long most = number("CL_FAULT_BYTES", 0), at_once = number("CL_FAULT_MOST", 0);
  const cl_int code = fault("clCreateBuffer");
  if (at_once > 0 && bytes > static_cast<size_t>(at_once)) return CL_INVALID_BUFFER_SIZE;
  return code == CL_SUCCESS && most > 0 && bytes > static_cast<size_t>(most)
             ? CL_MEM_OBJECT_ALLOCATION_FAILURE
             : code;
}

// A program's source as this device takes it.
std::string source_of(cl_uint n, const char** sources, const size_t* lengths) {
  std::string text;
  for (cl_uint i = 0; i < n; ++i)
    text +=
        lengths == nullptr || lengths[i] == 0 ? std::string(sources[i]) : std::string(sources[i], lengths[i]);
  const char *const old = std::getenv("CL_FAULT_OLD"), *const now = std::getenv("CL_FAULT_NEW");
  if (old == nullptr || now == nullptr) return text;
  for (size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + std::strlen(now)))
    text.replace(at, std::strlen(old), now);
  return text;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// A call that returns its error.
#define PASS_ON(name, parameters, arguments)                              \
  extern "C" CL_API_ENTRY cl_int CL_API_CALL name parameters {            \
    if (const cl_int code = fault(#name)) return code;                    \
    static auto* const real = next<cl_int CL_API_CALL parameters>(#name); \
    return real arguments;                                                \
  }
// A call that returns an object, and its error through `errcode`.
#define PASS_ON_OBJECT(type, name, code_of, parameters, arguments)      \
  extern "C" CL_API_ENTRY type CL_API_CALL name parameters {            \
    if (const cl_int code = code_of) {                                  \
      if (errcode != nullptr) *errcode = code;                          \
      return nullptr;                                                   \
    }                                                                   \
    static auto* const real = next<type CL_API_CALL parameters>(#name); \
    return real arguments;                                              \
  }

PASS_ON(clGetPlatformIDs, (cl_uint n, cl_platform_id* ids, cl_uint* found), (n, ids, found))
PASS_ON(clGetDeviceIDs,
        (cl_platform_id platform, cl_device_type type, cl_uint n, cl_device_id* ids, cl_uint* found),
        (platform, type, n, ids, found))
extern "C" CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info what,
                                                           size_t size, void* value, size_t* needed) {
  if (const cl_int code = fault("clGetDeviceInfo")) return code;
  static auto* const real = next<decltype(clGetDeviceInfo)>("clGetDeviceInfo");
  const cl_int code = real(device, what, size, value, needed);
  const long at_once = number("CL_FAULT_MOST", 0);
  if (at_once > 0 && what == CL_DEVICE_MAX_MEM_ALLOC_SIZE && code == CL_SUCCESS && value != nullptr)
    *static_cast<cl_ulong*>(value) = static_cast<cl_ulong>(at_once);
  return code;
}
PASS_ON(clBuildProgram,
        (cl_program program, cl_uint n, const cl_device_id* devices, const char* options,
         void(CL_CALLBACK* notify)(cl_program, void*), void* data),
        (program, n, devices, options, notify, data))
PASS_ON(clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void* value),
        (kernel, index, size, value))
PASS_ON(clFinish, (cl_command_queue queue), (queue))
PASS_ON(clFlush, (cl_command_queue queue), (queue))
PASS_ON(clWaitForEvents, (cl_uint n, const cl_event* events), (n, events))
PASS_ON(clGetEventProfilingInfo,
        (cl_event event, cl_profiling_info what, size_t size, void* value, size_t* needed),
        (event, what, size, value, needed))
extern "C" CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info what, size_t size,
                                                          void* value, size_t* needed) {
  if (const cl_int code = fault("clGetEventInfo")) return code;
  static auto* const real = next<decltype(clGetEventInfo)>("clGetEventInfo");
  const cl_int code = real(event, what, size, value, needed);
  const bool runs = number("CL_FAULT_RUNS", 0) != 0 && what == CL_EVENT_COMMAND_EXECUTION_STATUS;
  if (runs && code == CL_SUCCESS && value != nullptr) *static_cast<cl_int*>(value) = CL_RUNNING;
  return code;
}
PASS_ON(clEnqueueNDRangeKernel,
        (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
         const size_t* global, const size_t* local, cl_uint n, const cl_event* wait, cl_event* event),
        (queue, kernel, dimensions, offset, global, local, n, wait, event))
// Maps all of a buffer that has been written in part, and lets it go.
cl_int map_whole(cl_command_queue queue, cl_mem buffer, cl_event* event) {
  size_t size = 0;
  cl_int code = clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, nullptr);
  if (code != CL_SUCCESS) return code;
  static auto* const map = next<decltype(clEnqueueMapBuffer)>("clEnqueueMapBuffer");
  void* const mapped = map(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, size, 0, nullptr, nullptr, &code);
  if (code != CL_SUCCESS) return code;
  static auto* const unmap = next<decltype(clEnqueueUnmapMemObject)>("clEnqueueUnmapMemObject");
  return unmap(queue, buffer, mapped, 0, nullptr, event);
}

extern "C" CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer,
                                                                cl_bool blocking, size_t offset, size_t size,
                                                                const void* data, cl_uint n,
                                                                const cl_event* wait, cl_event* event) {
  if (const cl_int code = fault("clEnqueueWriteBuffer")) return code;
  static auto* const real = next<decltype(clEnqueueWriteBuffer)>("clEnqueueWriteBuffer");
  if (number("CL_FAULT_WHOLE", 0) == 0)
    return real(queue, buffer, blocking, offset, size, data, n, wait, event);
  const cl_int code = real(queue, buffer, CL_TRUE, offset, size, data, n, wait, nullptr);
  return code == CL_SUCCESS ? map_whole(queue, buffer, event) : code;
}
extern "C" CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer,
                                                               const void* pattern, size_t pattern_size,
                                                               size_t offset, size_t size, cl_uint n,
                                                               const cl_event* wait, cl_event* event) {
  if (const cl_int code = fault("clEnqueueFillBuffer")) return code;
  static auto* const real = next<decltype(clEnqueueFillBuffer)>("clEnqueueFillBuffer");
  const bool whole = number("CL_FAULT_WHOLE", 0) != 0;
  const cl_int code =
      real(queue, buffer, pattern, pattern_size, offset, size, n, wait, whole ? nullptr : event);
  return whole && code == CL_SUCCESS ? map_whole(queue, buffer, event) : code;
}
// With CL_FAULT_LIE the last word of what is read is off by one.
extern "C" CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer,
                                                               cl_bool blocking, size_t offset, size_t size,
                                                               void* data, cl_uint n, const cl_event* wait,
                                                               cl_event* event) {
  if (const cl_int code = fault("clEnqueueReadBuffer")) return code;
  static auto* const real = next<decltype(clEnqueueReadBuffer)>("clEnqueueReadBuffer");
  const long least = number("CL_FAULT_LIE", 0);
  const bool lies = least > 0 && size >= static_cast<size_t>(least) && size >= sizeof(cl_uint);
  const cl_int code = real(queue, buffer, lies ? CL_TRUE : blocking, offset, size, data, n, wait, event);
  if (lies && code == CL_SUCCESS) {
    cl_uint word = 0;
    char* const last = static_cast<char*>(data) + size - sizeof word;
    std::memcpy(&word, last, sizeof word);
    ++word;
    std::memcpy(last, &word, sizeof word);
  }
  return code;
}
PASS_ON(clEnqueueUnmapMemObject,
        (cl_command_queue queue, cl_mem buffer, void* mapped, cl_uint n, const cl_event* wait,
         cl_event* event),
        (queue, buffer, mapped, n, wait, event))
PASS_ON_OBJECT(cl_context, clCreateContext, fault("clCreateContext"),
               (const cl_context_properties* properties, cl_uint n, const cl_device_id* devices,
                void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* data,
                cl_int* errcode),
               (properties, n, devices, notify, data, errcode))
PASS_ON_OBJECT(cl_command_queue, clCreateCommandQueue, fault("clCreateCommandQueue"),
               (cl_context context, cl_device_id device, cl_command_queue_properties properties,
                cl_int* errcode),
               (context, device, properties, errcode))
PASS_ON_OBJECT(cl_mem, clCreateBuffer, buffer_fault(size),
               (cl_context context, cl_mem_flags flags, size_t size, void* host, cl_int* errcode),
               (context, flags, size, host, errcode))
PASS_ON_OBJECT(cl_program, clCreateProgramWithBinary, fault("clCreateProgramWithBinary"),
               (cl_context context, cl_uint n, const cl_device_id* devices, const size_t* lengths,
                const unsigned char** binaries, cl_int* status, cl_int* errcode),
               (context, n, devices, lengths, binaries, status, errcode))
PASS_ON_OBJECT(cl_kernel, clCreateKernel, fault("clCreateKernel"),
               (cl_program program, const char* name, cl_int* errcode), (program, name, errcode))
PASS_ON_OBJECT(void*, clEnqueueMapBuffer, fault("clEnqueueMapBuffer"),
               (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
                size_t size, cl_uint n, const cl_event* wait, cl_event* event, cl_int* errcode),
               (queue, buffer, blocking, flags, offset, size, n, wait, event, errcode))

extern "C" CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint n,
                                                                         const char** sources,
                                                                         const size_t* lengths,
                                                                         cl_int* errcode) {
  if (const cl_int code = fault("clCreateProgramWithSource")) {
    if (errcode != nullptr) *errcode = code;
    return nullptr;
  }
  static auto* const real =
      next<cl_program CL_API_CALL(cl_context, cl_uint, const char**, const size_t*, cl_int*)>(
          "clCreateProgramWithSource");
  const std::string text = source_of(n, sources, lengths);
  const char* const whole = text.c_str();
  const char* one[] = {whole};
  return real(context, 1, one, nullptr, errcode);
}
