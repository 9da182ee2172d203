// Runs a fuzz target over kept inputs, files or folders of them: every build's guard against a bug coming
// back.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n);

namespace {

int replay(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  try {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    return 0;
  } catch (const std::exception& error) {
    std::printf("%s: %s\n", path.c_str(), error.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  int inputs = 0, failed = 0;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::exists(argv[i])) continue;  // a target that nothing was kept for
    if (!std::filesystem::is_directory(argv[i])) {
      failed += replay(argv[i]);
      ++inputs;
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      failed += replay(entry.path());
      ++inputs;
    }
  }
  std::printf("%d inputs, %d failed\n", inputs, failed);
  return inputs == 0 || failed > 0;
}
