#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_options sim_options = {
    .listen = "127.0.0.1:0",
    .threads = 1,
    .record = 1000,
    .record_bytes = 256L * 1024 * 1024,
};

static const char usage[] =
    "Usage: mg-sim [OPTION]...\n"
    "A simulated model provider: Chat Completions, Responses, Completions and Messages.\n"
    "\n"
    "  --listen ADDR        127.0.0.1:PORT (0: any free one) or unix:/path  [127.0.0.1:0]\n"
    "  --port-file FILE     write the port there, once it is open\n"
    "  --threads N          serve with N threads  [1]\n"
    "  --default COMMANDS   commands for every request, as in \"gap=20 words=50\"\n"
    "  --models A,B,C       know only these models (others: 404)  [any]\n"
    "  --key KEY            demand this key (others: 401)  [none]\n"
    "  --record N           remember the last N requests (0: none)  [1000]\n"
    "  --record-bytes N     and at most so many bytes of bodies  [268435456]\n"
    "  --help               this text\n"
    "\n"
    "When it is ready it prints \"listening ADDR\". Commands may also stand in the last text of\n"
    "the user, as in \"[[sim words=20 gap=50]]\", or in the header x-sim. For all of them and for\n"
    "the control door /_sim/ see README.md beside the source:\n"
    "\n"
    "  text= words= bytes= refusal= parts= finish= stop-sequence= echo-model= id= created=\n"
    "  tool= args= tools= args-chunk= interleave= tool-index= done-only= agent=\n"
    "  reasoning= summary= reasoning-text= reasoning-field= redacted=\n"
    "  in= out= cache_read= cache_write_5m= cache_write_1h= reasoning_tokens= usage= usage-json=\n"
    "  delay= first= gap= chunk= chunk-gap= events-per-write=\n"
    "  eol= crlf= comments= nospace= multiline= bigline= nofinal= no-done= noname= bom= pings=\n"
    "  gzip= close= status= message= code= type= param= hdr-NAME= fault= at= at-byte= silence=\n"
    "  strict= max-out= no-system-role= times= skip= tag=\n";

static void read_models(char *list)
{
    char *s;

    for (s = strsep(&list, ","); s; s = strsep(&list, ",")) {
        if (sim_options.models < SIM_OPTIONS_MODELS) {
            sim_options.model[sim_options.models++] = s;
        }
    }
}

static long number(const char *s)
{
    char *end;
    long n = strtol(s, &end, 10);

    if (end == s || *end || n < 0) {
        fprintf(stderr, "mg-sim: '%s' is not a number\n", s);
        exit(2);
    }
    return n;
}

int sim_options_read(int argc, char **argv)
{
    static const struct option longs[] = {
        { "listen", required_argument, NULL, 'l' }, { "port-file", required_argument, NULL, 'p' },
        { "threads", required_argument, NULL, 't' }, { "default", required_argument, NULL, 'd' },
        { "models", required_argument, NULL, 'm' },  { "key", required_argument, NULL, 'k' },
        { "record", required_argument, NULL, 'r' },
        { "record-bytes", required_argument, NULL, 'b' }, { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    struct sim_options *o = &sim_options;
    int c;

    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        switch (c) {
        case 'l': o->listen = optarg; break;
        case 'p': o->port_file = optarg; break;
        case 't': o->threads = (int)number(optarg); break;
        case 'd': o->defaults = optarg; break;
        case 'm': read_models(optarg); break;
        case 'k': o->key = optarg; break;
        case 'r': o->record = number(optarg); break;
        case 'b': o->record_bytes = number(optarg); break;
        case 'h': fputs(usage, stdout); return 1;
        default: return 3;
        }
    }
    if (optind < argc || o->threads < 1 || o->threads > 64) {
        fprintf(stderr, "mg-sim: see mg-sim --help\n");
        return 3;
    }
    return 0;
}
