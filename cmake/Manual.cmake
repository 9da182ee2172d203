# Run at build time (cmake -P): PROGRAM writes its manual page and completions into OUTPUT, a tree like that of share.
# ZSH_FOLDER is the folder of zsh's that takes completions.
function(generate what path)
  cmake_path(GET path PARENT_PATH folder)
  file(MAKE_DIRECTORY "${OUTPUT}/${folder}")
  execute_process(COMMAND "${PROGRAM}" --generate ${what} ${ARGN} OUTPUT_FILE "${OUTPUT}/${path}"
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${OUTPUT}")
generate(man man/man1/fastid.1.gz COMMAND gzip -9n)
generate(bash bash-completion/completions/fastid)
generate(zsh zsh/${ZSH_FOLDER}/_fastid)
generate(fish fish/vendor_completions.d/fastid.fish)
