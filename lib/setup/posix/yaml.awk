# Takes what this setup added out of a YAML file; with YAML_OP=apply it then puts YAML_ITEM, an item of
# a list, first into the list that YAML_PATH names (one or two keys with | between), which is made
# if it is not there. Every other line stays. Fails where the list is written in one line.
function width(text) { match(text, /^ */); return RLENGTH }
function blank(text) { return text ~ /^[ \t\r]*(#.*)?$/ }
function key(text, name) { return text ~ ("^ *[\"']?" name "[\"']?:([ \t\r]|$)") }
function bare(text) { return text ~ /:[ \t\r]*(#.*)?$/ }
# The line of a key whose parent is line `from` (0 = none); 0 when there is none.
function find(name, from,  i, inner, depth) {
    depth = from ? width(line[from]) : -1
    inner = -1
    for (i = from + 1; i <= n; i++) {
        if (blank(line[i])) continue
        if (width(line[i]) <= depth) return 0
        if (inner < 0) { inner = width(line[i]); found_inner = inner }
        if (width(line[i]) == inner && key(line[i], name)) return i
    }
    return 0
}
function pad(count,  text) { while (count-- > 0) text = text " "; return text }
function add(count,  i) {
    print pad(count) "# >>> model-gateway >>>"
    for (i = 1; i <= items; i++) print pad(count) item[i]
    print pad(count) "# <<< model-gateway <<<"
}
/^ *# >>> model-gateway/ { ours = 1 }
!ours { line[++n] = $0 }
/^ *# <<< model-gateway/ { ours = 0 }
END {
    if (ENVIRON["YAML_OP"] != "apply") { for (i = 1; i <= n; i++) print line[i]; exit }
    items = split(ENVIRON["YAML_ITEM"], item, "\n")
    depth = split(ENVIRON["YAML_PATH"], path, "|")
    at = 0
    for (k = 1; k <= depth; k++) {
        next_at = find(path[k], at)
        if (!next_at) break
        if (!bare(line[next_at])) exit 3
        at = next_at
    }
    for (i = 1; i <= at; i++) print line[i]
    if (k <= depth && !at) for (; i <= n; i++) print line[i]
    if (k > depth) { # where its items stand
        for (j = at + 1; j <= n && blank(line[j]); j++) continue
        own = width(line[at])
        add(j <= n && line[j] ~ /^ *-/ && width(line[j]) >= own ? width(line[j]) : own + 2)
    } else { # the keys that are missing are ours, too
        own = at ? width(line[at]) + 2 : 0
        for (j = at + 1; at && j <= n && blank(line[j]); j++) continue
        if (at && j <= n && width(line[j]) > width(line[at])) own = width(line[j])
        print pad(own) "# >>> model-gateway >>>"
        for (; k <= depth; k++) { print pad(own) path[k] ":"; own += 2 }
        for (j = 1; j <= items; j++) print pad(own) item[j]
        print "# <<< model-gateway <<<"
    }
    for (; i <= n; i++) print line[i]
}
