# Run at build time (cmake -P): writes INPUT, an OpenCL source, as a C++ string into OUTPUT.
file(READ "${INPUT}" source)
if(source MATCHES "\\)FASTID_CL\"")
  message(FATAL_ERROR "fastid: ${INPUT} holds the end mark of its own embedding")
endif()
file(WRITE "${OUTPUT}" "// Made from ${NAME}.cl by cmake/EmbedKernel.cmake.\n#include \"opencl/kernel_source.hpp\"\n
namespace fastid {\nconst std::string_view ${NAME}_source = R\"FASTID_CL(${source})FASTID_CL\";\n}\n")
