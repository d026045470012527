# Makes C strings of template files: FOLDER/NAME.EXT becomes mg_setup_FOLDER_NAME_EXT.
BEGIN { print "/* Made from the files of lib/setup by embed.awk. */\n#include \"setup/templates.h\"" }
FNR == 1 {
    if (open) print "    ;"
    count = split(FILENAME, part, "/")
    name = part[count - 1] "_" part[count]
    gsub(/[^A-Za-z0-9]/, "_", name)
    print "\nconst char mg_setup_" name "[] ="
    open = 1
}
{
    gsub(/\\/, "&&")
    gsub(/"/, "\\\\&")
    print "    \"" $0 "\\n\""
}
END { print "    ;" }
