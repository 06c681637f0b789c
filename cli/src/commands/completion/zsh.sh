#compdef kubectl-flowcontrol
# Completion of kubectl-flowcontrol for zsh.
_kubectl_flowcontrol() {
    local out directive line
    local -a lines described options
    out=$(kubectl-flowcontrol __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null) || return 1
    lines=("${(@f)out}")
    directive=${lines[-1]#:}
    lines[-1]=()
    # Values of --option=VALUE come without the option.
    [[ ${words[CURRENT]} == --*=* ]] && compset -P '*='
    if ((! $#lines)); then
        case $directive in
        0) _files ;;
        16) _files -/ ;;
        *) return 1 ;;
        esac
        return
    fi
    ((directive & 2)) && options=(-S '')
    # A colon separates a word from its description.
    for line in "${lines[@]}"; do
        local word=${line%%$'\t'*}
        word=${word//:/\\:}
        [[ $line == *$'\t'* ]] && word+=:${line#*$'\t'}
        described+=("$word")
    done
    _describe completions described "${options[@]}"
}
if [[ $funcstack[1] == _kubectl-flowcontrol ]]; then
    _kubectl_flowcontrol "$@"
else
    compdef _kubectl_flowcontrol kubectl-flowcontrol
fi
