# The work of mkconf: reads settings, assignments (stdin), path map, errors
# and template, in this order.
# Variables: server (lighttpd or apache), families (comma-separated).

function fail(text)
{
    print "mkconf: " text | "cat 1>&2"
    failed = 1
    exit 1
}

# Replaces every @NAME@ in a line.
function expand(line,    out, name)
{
    out = ""
    while (match(line, /@[A-Z][A-Z0-9_]*@/)) {
        name = substr(line, RSTART + 1, RLENGTH - 2)
        if (!(name in value))
            fail(FILENAME ":" FNR ": unknown setting " name)
        out = out substr(line, 1, RSTART - 1) value[name]
        line = substr(line, RSTART + RLENGTH)
    }
    return out line
}

function pattern(path)
{
    gsub(/[.+*?]/, "\\\\&", path)
    return "^" path "(/|$)"
}

function lighttpd_route(i)
{
    printf "%s$HTTP[\"url\"] =~ \"%s\" {\n", (routes_out++ ? "else " : ""), pattern(path[i])
    print  "    fastcgi.server = ( \"/\" => (("
    printf "        \"socket\" => \"%s/%s.sock\",\n", value["RUN_DIR"], family[i]
    print  "        \"check-local\" => \"disable\","
    print  "        \"tcp-fin-propagate\" => \"enable\","
    print  "        \"disable-time\" => 1"
    print  "    )))"
    print  "}"
}

function apache_route(i)
{
    printf "    ProxyPass \"%s\" \"unix:%s/%s.sock|fcgi://%s%s\" flushpackets=on timeout=%s\n",
        path[i], value["RUN_DIR"], family[i], family[i], path[i], value["REPLY_TIMEOUT"]
}

function routes(    i)
{
    for (i = 1; i <= rows; i++) {
        if (!(family[i] in installed)) {
            printf "# %s: family %s is not installed\n", path[i], family[i]
            continue
        }
        if (server == "lighttpd")
            lighttpd_route(i)
        else
            apache_route(i)
    }
}

function error_documents(    i)
{
    for (i = 1; i <= errors; i++)
        printf "        ErrorDocument %s /.errors/%s.html\n", status[i], status[i]
}

# "api|v1": the first folders of all rows, for what holds for the whole API.
function top_folders(    i, part, out, seen)
{
    for (i = 1; i <= rows; i++) {
        split(path[i], part, "/")
        if (!(part[2] in seen)) {
            seen[part[2]] = 1
            out = out (out == "" ? "" : "|") part[2]
        }
    }
    return out
}

BEGIN {
    n = split(families, list, ",")
    for (i = 1; i <= n; i++)
        installed[list[i]] = 1
    depth = 0
}

FILENAME ~ /settings$/ {
    if ($0 !~ /^[A-Z]/)
        next
    name = $1
    text = $0
    sub(/^[A-Z0-9_]+ *= */, "", text)
    value[name] = text
    next
}

FILENAME == "-" {
    name = $0
    sub(/=.*/, "", name)
    if (!(name in value))
        fail("unknown setting " name " (mkconf settings lists them)")
    text = $0
    sub(/^[^=]*=/, "", text)
    value[name] = text
    next
}

FILENAME ~ /paths\.map$/ {
    if ($0 ~ /^#/ || NF == 0)
        next
    if (NF != 2 || $1 !~ /^(\/[A-Za-z0-9._-]+)+$/)
        fail(FILENAME ":" FNR ": expected `/path family`")
    path[++rows] = $1
    family[rows] = $2
    next
}

FILENAME ~ /errors\.map$/ {
    if ($0 ~ /^[0-9]/)
        status[++errors] = $1
    next
}

FILENAME ~ /\.conf\.in$/ {
    if (FNR == 1) {
        value["TOPS"] = top_folders()
        value["BODY_BYTES"] = value["BODY_LIMIT_KB"] * 1024
    }
    if ($1 == "@@if" || $1 == "@@ifnot") {
        if (!($2 in value))
            fail(FILENAME ":" FNR ": unknown setting " $2)
        depth++
        hidden[depth] = hidden[depth - 1] || ((value[$2] != "") != ($1 == "@@if"))
    } else if ($1 == "@@end") {
        if (depth-- == 0)
            fail(FILENAME ":" FNR ": @@end without @@if")
    } else if (hidden[depth]) {
        next
    } else if ($1 == "@@routes") {
        routes()
    } else if ($1 == "@@errors") {
        error_documents()
    } else {
        print expand($0)
    }
}

END {
    if (!failed && depth != 0)
        fail("the template lacks an @@end")
}
