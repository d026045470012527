/* The help, made from the rows of the command tables. */
#ifndef MG_CTL_HELP_H
#define MG_CTL_HELP_H

#include "ctl/command.h"

#include <stdio.h>

/* Prints the help of everything (area NULL), of an area (verb NULL), or of one command. 0, or
 * -1 when there is no such thing. */
int mg_help_print(const char *area, const char *verb, FILE *out) __attribute__((nonnull(3)));
/* Prints the one-line usage of a command. */
void mg_help_usage(const struct mg_command *command, FILE *out) __attribute__((nonnull));

#endif
