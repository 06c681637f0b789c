# Completion of kubectl-flowcontrol for fish.
function __kubectl_flowcontrol_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l out (kubectl-flowcontrol __complete -- $words[2..-1] $current 2>/dev/null)
    or return
    set -l directive (string replace -r '^:' '' -- $out[-1])
    set -e out[-1]
    # Values of --option=VALUE come without the option.
    set -l prefix (string match -r -- '^--[^=]*=' $current)
    for line in $out
        printf '%s%s\n' "$prefix" $line
    end
    if test (count $out) -eq 0
        switch $directive
            case 0
                __fish_complete_path (string replace -r -- '^--[^=]*=' '' $current) | string replace -r -- '^' "$prefix"
            case 16
                __fish_complete_directories (string replace -r -- '^--[^=]*=' '' $current) ''
        end
    end
end
complete -c kubectl-flowcontrol -f -a '(__kubectl_flowcontrol_complete)'
