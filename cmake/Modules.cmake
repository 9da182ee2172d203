# What every target of fastid is compiled with, and how a module is declared.
add_library(fastid_options INTERFACE)
target_compile_options(fastid_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wimplicit-fallthrough $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # GCC 12 sees overlaps in std::string that are not there (bug 105651)
  -Wno-missing-field-initializers  # designated initialisers leave the rest at their defaults on purpose
  -ffp-contract=off  # a sum of products has the same bits whether the processor has an instruction for both or not
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)  # KiB that GCC takes before it looks for what it can free
if(FASTID_WERROR)
  target_compile_options(fastid_options INTERFACE -Werror)
endif()
if(FASTID_SANITIZE)
  # What GCC 12 says of uninitialised memory it says of <regex>, misled by the instructions put in.
  target_compile_options(fastid_options INTERFACE -fsanitize=${FASTID_SANITIZE} -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(fastid_options INTERFACE -fsanitize=${FASTID_SANITIZE})
endif()

# What meets a bug that somebody turns to harm: checked stacks and copies, checked jumps where the processor has them, no
# table of the program that can be written to. Sanitizers bring their own. The option is there to measure what it costs.
option(FASTID_HARDENING "Compile with protections against bugs that are exploited" ON)
if(FASTID_HARDENING AND NOT FASTID_SANITIZE)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-fcf-protection FASTID_HAS_CF_PROTECTION)  # x86 only
  target_compile_options(fastid_options INTERFACE $<$<NOT:$<BOOL:${FASTID_JNI}>>:-fPIE> -fstack-protector-strong -fstack-clash-protection
    $<$<BOOL:${FASTID_HAS_CF_PROTECTION}>:-fcf-protection> $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>)
  target_link_options(fastid_options INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>
    -Wl,-z,relro,-z,now,-z,noexecstack)
endif()

# Modules become parts of a shared library. Hidden, their functions are called as directly as in a program.
if(FASTID_JNI)
  target_compile_options(fastid_options INTERFACE -fPIC -fvisibility=hidden -fvisibility-inlines-hidden)
endif()

# A hundred test programs are linked; gold takes a third of the time that the usual linker takes for each.
option(FASTID_GOLD "Link with gold where it is installed" OFF)
if(FASTID_GOLD AND NOT FASTID_SANITIZE)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=gold FASTID_HAS_GOLD)
  target_link_options(fastid_options INTERFACE $<$<BOOL:${FASTID_HAS_GOLD}>:-fuse-ld=gold>)
endif()

# fastid_precompile(NAME HEADERS <header>... LIBS target...): headers that are not ours, compiled once; targets take them
# by target_precompile_headers(TARGET REUSE_FROM NAME). A source includes what it uses all the same: the presets fuzz and
# fuzz-brief compile without (CMAKE_DISABLE_PRECOMPILE_HEADERS).
function(fastid_precompile name)
  cmake_parse_arguments(ARG "" "" "HEADERS;LIBS" ${ARGN})
  set(source "${CMAKE_BINARY_DIR}/generated/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// A target has a source.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL "${source}")
  target_link_libraries(${name} PRIVATE fastid_options ${ARG_LIBS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

set(fastid_headers <algorithm> <array> <atomic> <chrono> <cmath> <condition_variable> <filesystem> <fstream> <functional>
    <future> <map> <memory> <mutex> <numeric> <optional> <random> <set> <span> <sstream> <string> <unordered_map>
    <utility> <variant> <vector> <fmt/format.h>)
fastid_precompile(precompiled HEADERS ${fastid_headers} LIBS fmt::fmt)

# fastid_optimise(TARGET LEVEL): compiles what is no hot path with -OLEVEL in place of what the preset says, which takes
# a compiler a third to half of the time. Headers precompiled with another level serve it, too.
function(fastid_optimise target level)
  if(NOT FASTID_FUZZ)  # those presets say less
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O${level}>)
  endif()
endfunction()

# Half of what a module's sources take is for headers and templates that they share.
option(FASTID_JOINED "Compile sources of a module several at a time" OFF)
set(FASTID_JOINED_SOURCES 16 CACHE STRING "How many at a time")

# fastid_join(TARGET ALONE file...): compiles the target's sources several at a time, but those that are named and
# those that are compiled once for each instruction set.
function(fastid_join target)
  cmake_parse_arguments(ARG "" "" "ALONE" ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${FASTID_JOINED} UNITY_BUILD_BATCH_SIZE ${FASTID_JOINED_SOURCES})
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    file(STRINGS "${source}" per_set REGEX "define HWY_TARGET_INCLUDE" LIMIT_COUNT 1)
    if(per_set)
      list(APPEND ARG_ALONE "${source}")
    endif()
  endforeach()
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# fastid_module(NAME DEPS target... [PRIVATE target...] [OPTIMISE level] [ALONE file...] [WITHOUT file...]): src/NAME/*.cpp as
# a static library fastid_NAME (of a/b, fastid_a_b). DEPS name the modules of lower levels and the foreign libraries that it
# may use; src/LAYERS says which are lower. ALONE are sources that are not compiled together with others: hot paths, whose
# machine code is not to depend on their neighbours, and those with a name that another source of the module has, too; where
# the module is optimised by level 1, they are by 2. WITHOUT are sources of programs.
function(fastid_module name)
  cmake_parse_arguments(ARG "" "OPTIMISE" "DEPS;PRIVATE;ALONE;WITHOUT" ${ARGN})
  string(REPLACE "/" "_" target "fastid_${name}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${name}/*.cpp")
  list(TRANSFORM ARG_WITHOUT PREPEND "${CMAKE_SOURCE_DIR}/src/${name}/")
  list(REMOVE_ITEM sources ${ARG_WITHOUT})
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC "${CMAKE_SOURCE_DIR}/src")
  target_link_libraries(${target} PUBLIC ${ARG_DEPS} PRIVATE fastid_options ${ARG_PRIVATE})
  target_precompile_headers(${target} REUSE_FROM precompiled)
  if(ARG_OPTIMISE)
    fastid_optimise(${target} ${ARG_OPTIMISE})
  endif()
  list(TRANSFORM ARG_ALONE PREPEND "${name}/")
  fastid_join(${target} ALONE ${ARG_ALONE})
  if(ARG_OPTIMISE EQUAL 1 AND NOT FASTID_FUZZ)
    set_source_files_properties(${ARG_ALONE} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release,RelWithDebInfo>:-O2>")
  endif()
endfunction()

# fastid_embed(MODULE FILE...): files, by their paths below the source folder, become strings in the module.
function(fastid_embed module)
  set(embedded "${CMAKE_BINARY_DIR}/generated/${module}_files.cpp")
  set(script "${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake")
  list(TRANSFORM ARGN PREPEND "${CMAKE_SOURCE_DIR}/" OUTPUT_VARIABLE sources)
  add_custom_command(OUTPUT "${embedded}"
    COMMAND ${CMAKE_COMMAND} -D ROOT=${CMAKE_SOURCE_DIR} "-DFILES=${ARGN}" -D OUTPUT=${embedded} -P "${script}"
    DEPENDS ${sources} "${script}" VERBATIM)
  target_sources(fastid_${module} PRIVATE "${embedded}")
  set_source_files_properties("${embedded}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
