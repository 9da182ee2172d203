# Run at build time (cmake -P): writes FILES, paths below ROOT, as a table of C++ strings into OUTPUT.
set(table "")
foreach(path IN LISTS FILES)
  file(READ "${ROOT}/${path}" text)
  if(text MATCHES "\\)FASTID_FILE\"")
    message(FATAL_ERROR "fastid: ${path} holds the end mark of its own embedding")
  endif()
  string(APPEND table "    {\"${path}\", R\"FASTID_FILE(${text})FASTID_FILE\"sv},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made by cmake/EmbedFiles.cmake.\n#include \"base/embedded.hpp\"\n
namespace fastid {\nnamespace {\nusing namespace std::string_view_literals;\nconstexpr EmbeddedFile kFiles[] = {\n${table}};\n}  // namespace\n
std::span<const EmbeddedFile> embedded_files() {\n  return kFiles;\n}\n\n}  // namespace fastid\n")
