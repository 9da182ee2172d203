# Completion of fastid for fish, made by `fastid --generate fish`.

# Whether the commands before the cursor are these, and no further one.
function __fastid_at
    set -l words (commandline -opc)[2..]
    test "$words[1]" = help; and set -e words[1]
    set -l named ''
    for word in $words
        contains -- "$named $word" $__fastid_commands; or break
        set named "$named $word"
    end
    set -l wanted ''
    for word in $argv
        set wanted "$wanted $word"
    end
    test "$named" = "$wanted"
end

complete -c fastid -f
complete -c fastid -n __fastid_at -a help -d 'Explain a command'
