# shellcheck shell=bash
# What `fastid --generate bash` prints after the functions that list options, commands and values.
#
# Bash cuts words at = and :, which values may have: they are joined again, and what stands before the last cut is no
# part of the replies.
_fastid() {
  local i piece value current option path=fastid
  local -a words=()
  COMPREPLY=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece=${COMP_WORDS[i]}
    if ((i > 1)) && [[ $piece == [=:]* || ${COMP_WORDS[i - 1]} == [=:] ]]; then
      words[${#words[@]} - 1]+=$piece
    else
      words+=("$piece")
    fi
  done
  [[ $piece == [=:] ]] && piece=
  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    if ((i == 1)) && [[ ${words[i]} == help ]]; then continue; fi
    [[ -n $(_fastid_options "$path ${words[i]}") ]] || break
    path+=" ${words[i]}"
  done
  current=${words[${#words[@]} - 1]}
  option=${words[${#words[@]} - 2]}
  if [[ $current == --*=* ]]; then
    option=${current%%=*}
    current=${current#*=}
  fi
  [[ $option == -* ]] || option=
  [[ -n $option ]] && value=$(_fastid_value "$path" "$option")
  if [[ -z $value && $current == -* ]]; then
    value="words $(_fastid_options "$path")"
  elif [[ -z $value && -n $(_fastid_commands "$path") ]]; then
    value="words $(_fastid_commands "$path")"
  elif [[ -z $value ]]; then
    value=$(_fastid_value "$path" '')
  fi
  case $value in
    words*) mapfile -t COMPREPLY < <(compgen -W "${value#words}" -- "$current") ;;
    list*)
      mapfile -t COMPREPLY < <(compgen -P "${current%"${current##*,}"}" -W "${value#list}" -- "${current##*,}")
      ;;
    folders) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    databases)
      mapfile -t COMPREPLY < <(
        compgen -f -X '!*.h5' -- "$current"
        compgen -f -X '!*.hdf5' -- "$current"
        compgen -d -- "$current"
      )
      ;;
  esac
  case $value in
    files | folders | databases) compopt -o filenames -o default 2>/dev/null ;;
  esac
  local cut=${current%"$piece"}
  COMPREPLY=("${COMPREPLY[@]#"$cut"}")
}
complete -F _fastid fastid
