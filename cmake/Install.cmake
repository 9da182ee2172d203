# What is installed, and the Debian package that CPack makes of it (scripts/package).
include(GNUInstallDirs)
install(TARGETS fastid RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(FASTID_MPI)
  install(TARGETS fastid-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi)
endif()
if(FASTID_JNI)
  install(TARGETS gkl_pairhmm LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/fastid COMPONENT java)
  install(FILES "$<TARGET_FILE_DIR:gkl_pairhmm>/libgkl_pairhmm_omp.so" DESTINATION ${CMAKE_INSTALL_LIBDIR}/fastid COMPONENT java)
endif()

# README's links to docs/ lead somewhere where it is installed, too.
install(FILES README.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.json"
  PATTERN plots EXCLUDE)
install(DIRECTORY data/panels data/maps data/example DESTINATION ${CMAKE_INSTALL_DATADIR}/fastid FILES_MATCHING
  PATTERN "*.tsv" PATTERN "*.vcf" PATTERN "*.snp" PATTERN "*.sam" PATTERN "*.fa" PATTERN "*.fai" PATTERN "*.md"
  PATTERN "LICENSE*")
# The program holds its configs; these are to be read, and to start one's own from.
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/fastid FILES_MATCHING PATTERN "*.h" PATTERN "*.tsv"
  PATTERN "*.md")

set(FASTID_DEBIAN OFF CACHE BOOL "Also install what a Debian package must have")

# The manual page, and completions for shells: the program prints them. Debian has a folder of zsh's for its packages.
set(manual "${CMAKE_BINARY_DIR}/manual")
set(zsh_folder site-functions)
if(FASTID_DEBIAN)
  set(zsh_folder vendor-completions)
endif()
set(FASTID_MANUAL_ALL ALL)
if(FASTID_SANITIZE)
  set(FASTID_MANUAL_ALL "")
endif()
add_custom_command(OUTPUT "${manual}.stamp"
  COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:fastid> -D OUTPUT=${manual} -D ZSH_FOLDER=${zsh_folder}
    -P ${CMAKE_SOURCE_DIR}/cmake/Manual.cmake
  COMMAND ${CMAKE_COMMAND} -E touch "${manual}.stamp"
  DEPENDS fastid "${CMAKE_SOURCE_DIR}/cmake/Manual.cmake" VERBATIM)
add_custom_target(fastid_manual ${FASTID_MANUAL_ALL} DEPENDS "${manual}.stamp")
install(DIRECTORY "${manual}/" DESTINATION ${CMAKE_INSTALL_DATADIR} OPTIONAL)

# What Debian's policy asks for beside the files above.
if(FASTID_DEBIAN)
  install(FILES packaging/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(FILES "${CMAKE_BINARY_DIR}/changelog.gz" DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(FILES packaging/debian/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME fastid)
  if(FASTID_MPI)
    install(FILES packaging/debian/copyright "${CMAKE_BINARY_DIR}/changelog.gz"
      DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/fastid-mpi COMPONENT mpi)
    install(FILES packaging/debian/lintian-overrides-mpi DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
      RENAME fastid-mpi COMPONENT mpi)
  endif()
  if(FASTID_JNI)
    install(FILES packaging/debian/copyright "${CMAKE_BINARY_DIR}/changelog.gz"
      DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/fastid-java COMPONENT java)
    install(FILES packaging/debian/lintian-overrides-java DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
      RENAME fastid-java COMPONENT java)
  endif()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fastid)
set(CPACK_PACKAGE_VENDOR fastid)
set(CPACK_PACKAGE_CONTACT "fastid maintainers <maintainers@fastid.invalid>" CACHE STRING "Who answers for packages")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "forensic SNP search over packed profile databases")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "pocl-opencl-icd | opencl-icd")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"fastid ranks the profiles of a database by identity with a sample, as
contributors to a mixture, or as relatives, and says what each match is
worth: likelihood ratios, chance matches, RMNE. It reads VCF, PLINK,
EIGENSTRAT and the texts of genealogy companies, and compares millions of
profiles in a fraction of a second, on processors and on OpenCL devices,
with the same answer on all of them.")

# Only who wants fastid-mpi must have Open MPI, and only who wants it the library for Java. What names no component is of
# the first package.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME fastid)
set(CPACK_DEBIAN_UNSPECIFIED_DESCRIPTION "${CPACK_DEBIAN_PACKAGE_DESCRIPTION}")
if(FASTID_MPI)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME fastid-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_SUGGESTS "openmpi-bin, fastid")
  set(CPACK_DEBIAN_MPI_DESCRIPTION
"fastid-mpi takes the arguments of fastid search, mixture, kin and pairs, and
shares their work among the processes of an MPI job. It prints what one
process prints.")
endif()
if(FASTID_JNI)
  list(APPEND CPACK_COMPONENTS_ALL java)
  set(CPACK_DEBIAN_JAVA_PACKAGE_NAME fastid-java)
  set(CPACK_DEBIAN_JAVA_PACKAGE_SECTION java)
  set(CPACK_DEBIAN_JAVA_PACKAGE_SUGGESTS "fastid, libgkl-java, pocl-opencl-icd | opencl-icd")
  set(CPACK_DEBIAN_JAVA_DESCRIPTION
"fastid-java is a library with the native methods of the pair hidden Markov
model in Intel's Genomics Kernel Library, computed by fastid on processors
and on OpenCL devices. Java programs that load that one can load it.")
endif()
include(CPack)
