#include "opencl/kernel/programs.hpp"

#include <optional>
#include <vector>

#include "base/embedded.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"

namespace fastid::opencl {
namespace {

// Some drivers have no log of a program that they refuse for another reason than its text.
void build(const cl::Program& program, const cl::Device& device, const std::string& options) {
  const cl_int code = ::clBuildProgram(program(), 1, &device(), options.c_str(), nullptr, nullptr);
  if (code == CL_SUCCESS) return;
  std::string text;
  try {
    text = program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device);
  } catch (const cl::Error&) {
    // The code says what there is to say.
  }
  throw cl::BuildError(code, "clBuildProgram", {{device, text}});
}

// A program from the cache; nothing if the driver does not accept it.
std::optional<cl::Program> from_binary(const cl::Context& context, const cl::Device& device,
                                       const ProgramSource& source, const std::string& binary) {
  try {
    cl::Program program(context, {device}, {std::vector<unsigned char>(binary.begin(), binary.end())});
    program.build({device}, source.options.c_str());
    const cl::Kernel there(program, source.kernel.c_str());
    return program;
  } catch (const cl::Error& error) {
    log::detail("the driver refuses the program that was kept ({}); building anew",
                cl_error_text(error.err()));
    return std::nullopt;
  }
}

// Asks the driver for the binary only if it will be stored: PoCL compiles every kernel again to hand out a
// binary.
void keep(const cl::Program& program, const ProgramCache& cache, const std::string& key) {
  if (!cache.keeps()) return;
  try {
    const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
    if (binaries.size() == 1)
      cache.store(key, {reinterpret_cast<const char*>(binaries.front().data()), binaries.front().size()});
  } catch (const cl::Error& error) {
    log::detail("the driver gives no binary of the program ({})", cl_error_text(error.err()));
  }
}

}  // namespace

std::string text_of(std::initializer_list<std::string_view> files) {
  std::string text;
  for (const std::string_view file : files) text += embedded_text(file);
  return text;
}

// PoCL keeps programs itself, and would build a program a second time to hand out its binary.
ProgramCache program_cache(const model::DeviceFacts& facts) {
  return facts.platform == "Portable Computing Language" ? ProgramCache("")
                                                         : ProgramCache::from_environment();
}

std::string program_key(const ProgramSource& source, const model::DeviceFacts& facts) {
  Sha256 sum;
  for (const std::string& part : {source.text, source.options, facts.device, facts.vendor, facts.driver,
                                  facts.version, facts.platform, facts.platform_version, facts.architecture})
    sum.update(std::to_string(part.size()) + ":" + part);
  return sum.hex();
}

cl::Program build_program(const cl::Context& context, const cl::Device& device,
                          const model::DeviceFacts& facts, const ProgramSource& source,
                          const ProgramCache& cache) {
  const std::string key = program_key(source, facts);
  if (const auto binary = cache.load(key))
    if (auto program = from_binary(context, device, source, *binary)) return *program;
  cl::Program program(context, source.text);
  build(program, device, source.options);
  keep(program, cache, key);
  return program;
}

cl::Context context_of(const OpenClDevice& device) {
  return with_cl_errors(device.name(), [&] { return cl::Context(device.device); });
}

}  // namespace fastid::opencl
