# Run at build time (cmake -P): writes build_info.cpp from its template, only where it would change.
find_package(Git QUIET)
set(FASTID_REVISION "unknown")
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=12 --match=NeVeRmAtCh
    WORKING_DIRECTORY "${SOURCE_DIR}" OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    set(FASTID_REVISION "${described}")
  endif()
endif()
configure_file("${SOURCE_DIR}/src/base/build_info.cpp.in" "${OUTPUT}" @ONLY)
