# Completion of kubectl-flowcontrol for bash. Without the package bash-completion, too.
_kubectl_flowcontrol() {
    local words=() index out line directive prefix=
    # Bash splits words at = and :, which the program does not.
    for ((index = 1; index <= COMP_CWORD; index++)); do
        local word=${COMP_WORDS[index]} glued=
        if ((index > 1)); then
            case $word in
            =* | :*) glued=1 ;;
            esac
            case ${COMP_WORDS[index - 1]} in
            = | :) glued=1 ;;
            esac
        fi
        if [[ -n $glued ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
    done
    ((COMP_CWORD)) || return
    local last=${words[${#words[@]} - 1]} current=${COMP_WORDS[COMP_CWORD]}
    [[ $current == = || $current == : ]] && current=
    # The part of the last word that bash does not replace.
    prefix=${last%"$current"}
    out=$(kubectl-flowcontrol __complete -- "${words[@]}" 2>/dev/null) || return
    directive=${out##*:}
    out=${out%:*}
    COMPREPLY=()
    while IFS= read -r line; do
        line=${line%%$'\t'*}
        [[ -n $line ]] || continue
        # Values of --option=VALUE come without the option.
        case $prefix in
        *=) COMPREPLY+=("$line") ;;
        *) COMPREPLY+=("${line#"$prefix"}") ;;
        esac
    done <<<"$out"
    if ((${#COMPREPLY[@]} == 0)); then
        case $directive in
        0) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
        16) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
        esac
    elif ((directive & 2)); then
        compopt -o nospace
    fi
}
complete -F _kubectl_flowcontrol kubectl-flowcontrol
