/// \file
/// The profiles that a build has read so far, in a file beside its target: memory stays bounded however many
/// inputs there are, and an interrupted build continues where it stopped (--resume).
///
///   record  a head of 6 u64: magic, bytes of the text, profiles, XXH3-64 of the text, of the rows, 0
///           the text: name, stamp and SHA-256 of the input, then the ids of its profiles
///           the rows: for each profile its words of bits, then its words of the second plane
///
/// The first record has no profiles and says what the rows mean: the panel, and how files were read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/file.hpp"
#include "bits/blocks.hpp"

namespace fastid::ingest {

class ProfileSpool {
 public:
  struct Input {
    std::string name;
    std::string stamp;  ///< of the file when it was read; "" where it cannot be read again (a pipe)
    std::string sha256;
    std::vector<std::string> ids;
    std::uint64_t first_row = 0;
  };

  /// \param kept     keep the file as `target`.resume, and use its content; else the file has no name
  /// \param meaning  what must be equal for the rows in the file to be used
  /// \throws InputError where the file was made with another panel or other options; Failure where it cannot
  /// be written, or another process has it
  ProfileSpool(const std::string& target, std::uint32_t n_sites, const std::string& meaning, bool kept);

  /// An input that was read before and has not changed since; null where there is none.
  const Input* find(const std::string& name, const std::string& stamp) const;
  /// The latest reading of an input in the file.
  const Input& latest(const std::string& name) const;

  /// \param profiles  all in one encoding, which `meaning` says. \throws Failure: disk full
  const Input& add(Input input, const BlocksView& profiles);

  std::uint32_t n_sites() const { return n_sites_; }
  std::size_t row_words() const { return 2 * n_words_; }
  /// Words of bits, then of the second plane, of one profile.
  void read_row(std::uint64_t row, std::span<Word> into) const;

  /// Removes the file, after the build.
  void remove();

 private:
  struct Head;

  void open_kept();
  const Input& remember(Input input);
  std::uint64_t take_up(const std::string& meaning);
  std::optional<Input> read_record(std::uint64_t& at, std::uint64_t size) const;
  void write(const void* from, std::size_t bytes);
  void write_record(const std::string& text, std::uint64_t n_profiles, std::span<const Word> rows);

  std::string target_;
  std::string path_;  ///< "" where it has no name
  std::uint32_t n_sites_;
  std::size_t n_words_;
  FileDescriptor file_;
  std::uint64_t end_ = 0;  ///< bytes written
  std::vector<Input> inputs_;
  std::unordered_map<std::string, std::size_t> latest_;  ///< name -> place in inputs_
  std::vector<std::uint64_t> row_at_;                    ///< place in the file of each row
};

}  // namespace fastid::ingest
