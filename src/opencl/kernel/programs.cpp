#include "opencl/kernel/programs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "base/embedded.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/process.hpp"

namespace fastid::opencl {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;  // most of an entry
constexpr std::string_view kMagic = "fastid program 1";

// An entry is this line, then the binary.
std::string header_of(const std::string& key, std::string_view binary) {
  return fmt::format("{} {} {} {}\n", kMagic, key, binary.size(),
                     hex64(xxh3_64(binary.data(), binary.size())));
}

// Whether nobody else can have written the file: what others could have written must not run on a device.
bool is_ours_alone(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && info.st_uid == ::geteuid() &&
         (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Makes the folder, with access for the user alone, if it does not exist.
void make_folder(const std::filesystem::path& folder) {
  if (std::filesystem::is_directory(folder)) return;
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path());
  if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    throw std::filesystem::filesystem_error("mkdir", folder, {errno, std::generic_category()});
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

ProgramCache ProgramCache::from_environment() {
  if (!environment("FASTID_NO_CACHE").empty()) return ProgramCache("");
  const std::string base = user_folder("XDG_CACHE_HOME", "/.cache");
  return ProgramCache(base.empty() ? "" : base + "/fastid/programs");
}

std::optional<std::string> ProgramCache::load(const std::string& key) const {
  if (!keeps() || !is_ours_alone(folder_) || !is_ours_alone(path(key))) return std::nullopt;
  try {
    const std::string entry = read_whole_file(path(key), kMostBytes);
    const std::size_t end = entry.find('\n');
    if (end == std::string::npos) return std::nullopt;
    const std::string_view binary = std::string_view(entry).substr(end + 1);
    if (entry.substr(0, end + 1) != header_of(key, binary)) {
      log::detail("{}: damaged; building anew", path(key));
      return std::nullopt;
    }
    return std::string(binary);
  } catch (const Error& error) {
    log::detail("{}", error.what());
    return std::nullopt;
  }
}

void ProgramCache::store(const std::string& key, std::string_view binary) const {
  if (!keeps() || binary.empty()) return;
  try {
    make_folder(folder_);
    OutputFile file(path(key));
    file.write(header_of(key, binary));
    file.write(binary);
    file.commit();
  } catch (const std::exception& error) {  // fastid's errors and those of std::filesystem
    log::detail("the built program is not kept: {}", error.what());
  }
}

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
  program.build({device}, source.options.c_str());
  keep(program, cache, key);
  return program;
}

cl::Context context_of(const OpenClDevice& device) {
  return with_cl_errors(device.name(), [&] { return cl::Context(device.device); });
}

}  // namespace fastid::opencl
