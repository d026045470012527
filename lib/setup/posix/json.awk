# Changes one member of a JSON file (comments and trailing commas allowed) and leaves every other
# byte as it is. From the environment: JSON_OP set, unset or get; JSON_PATH names with | between;
# JSON_VALUE the JSON text to set. Prints the new file, or the value; fails if that cannot be done.
function bad() { failed = 1; exit 3 }
function at(i) { return substr(s, i, 1) }
function skip(i,  c, j) {
    for (;;) {
        c = at(i)
        if (c == " " || c == "\t" || c == "\n" || c == "\r") {
            i++
        } else if (c == "/" && at(i + 1) == "/") {
            j = index(substr(s, i), "\n")
            i = j ? i + j : n + 1
        } else if (c == "/" && at(i + 1) == "*") {
            j = index(substr(s, i + 2), "*/")
            if (!j) bad()
            i += j + 3
        } else {
            return i
        }
    }
}
function string_end(i,  c) {
    for (i++; i <= n; i++) {
        c = at(i)
        if (c == "\\") i++
        else if (c == "\"") return i + 1
    }
    bad()
}
function value_end(i,  c, depth) {
    c = at(i)
    if (c == "\"") return string_end(i)
    if (c != "{" && c != "[") {
        if (!match(substr(s, i, 64), /^[-+.A-Za-z0-9]+/)) bad()
        return i + RLENGTH
    }
    while ((i = skip(i)) <= n) {
        c = at(i)
        if (c == "\"") { i = string_end(i); continue }
        if (c == "{" || c == "[") depth++
        if (c == "}" || c == "]") if (--depth == 0) return i + 1
        i++
    }
    bad()
}
# Looks for a member of the object at i. Sets key_at, value_at, value_to when it is there; else
# close_at and last_to, the end of the last value or comma, 0 in an empty object.
function find(i, name,  comma) {
    last_to = 0
    first_at = 0
    for (i = skip(i + 1); at(i) != "}"; i = skip(i)) {
        if (at(i) != "\"") bad()
        key_at = i
        if (!first_at) first_at = i
        key_to = string_end(i)
        i = skip(key_to)
        if (at(i) != ":") bad()
        value_at = skip(i + 1)
        value_to = value_end(value_at)
        last_to = value_to
        comma = 0
        i = skip(value_to)
        if (at(i) == ",") { comma = 1; comma_at = i; i++ }
        else if (at(i) != "}") bad()
        if (substr(s, key_at + 1, key_to - key_at - 2) == name) { has_comma = comma; return 1 }
        if (comma) last_to = comma_at + 1
    }
    has_comma = comma
    close_at = i
    return 0
}
# The white space in front of a member of the object at i that has level opening braces.
function indent(i, level,  text) {
    if (first_at) {
        text = substr(s, i + 1, first_at - i - 1)
        if (text ~ /^[ \t\r\n]*$/) return text
    }
    for (text = "\n"; level > 0; level--) text = text "  "
    return text
}
function put(from, to, text) { s = substr(s, 1, from - 1) text substr(s, to) }
function set(  i, k, text, lead, j) {
    i = skip(1)
    for (k = 1; k <= depth; k++) {
        if (at(i) != "{") bad()
        if (!find(i, path[k])) break
        i = value_at
    }
    if (k > depth) { put(value_at, value_to, value); return }
    text = value
    for (j = depth; j > k; j--) text = "{\"" path[j] "\": " text "}"
    lead = indent(i, k)
    if (lead == "" && last_to) lead = " "
    text = lead "\"" path[k] "\": " text
    if (last_to) { put(last_to, last_to, (has_comma ? "" : ",") text (has_comma ? "," : "")); return }
    put(i + 1, close_at, text substr(indent(i, k - 1), 1))
}
function unset(  i, k, from) {
    i = skip(1)
    for (k = 1; k <= depth; k++) {
        if (at(i) != "{" || !find(i, path[k])) return
        if (k < depth) i = value_at
    }
    for (from = key_at; substr(s, from - 1, 1) ~ /[ \t\r\n]/; from--) continue
    if (has_comma) put(from, comma_at + 1, "")
    else if (substr(s, from - 1, 1) == ",") put(from - 1, value_to, "")
    else put(from, value_to, "")
}
function get(  i, k) {
    i = skip(1)
    for (k = 1; k <= depth; k++) {
        if (at(i) != "{" || !find(i, path[k])) { failed = 1; exit 1 }
        i = value_at
    }
    s = substr(s, value_at, value_to - value_at) "\n"
}
{ s = s $0 "\n" }
END {
    if (failed) exit 3
    n = length(s)
    if (skip(1) > n) { s = "{}\n"; n = 3 }
    depth = split(ENVIRON["JSON_PATH"], path, "|")
    value = ENVIRON["JSON_VALUE"]
    value_end(skip(1)) # the whole file is in order, or nothing is done
    if (ENVIRON["JSON_OP"] == "set") set()
    else if (ENVIRON["JSON_OP"] == "unset") unset()
    else get()
    printf "%s", s
}
