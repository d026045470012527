/* The command line: global options, the command's row, its options and operands. */
#ifndef MG_CTL_ARGS_H
#define MG_CTL_ARGS_H

#include "ctl/command.h"

/* What the command line asks for. */
enum mg_asked { MG_ASKED_RUN, MG_ASKED_HELP, MG_ASKED_VERSION, MG_ASKED_WRONG };

/* The row of `area` and `verb`; NULL when there is none. `verb` NULL: the first of the area. */
const struct mg_command *mg_args_find(const char *area, const char *verb);

/* Reads argv (argv[0] is the program). MG_ASKED_RUN: ctl->command and its arguments are set.
 * MG_ASKED_HELP: *area and *verb say about what (NULL = all). MG_ASKED_WRONG: a message was
 * printed. For a raw command ctl->operand holds its arguments, its own name first. */
enum mg_asked mg_args_read(int argc, char **argv, struct mg_ctl *ctl, const char **area,
                           const char **verb) __attribute__((nonnull));

#endif
