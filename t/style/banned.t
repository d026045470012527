#!/usr/bin/perl
# Functions and habits that have no place in this code.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use MG::Source qw(files code functions none);
use Test::More;

my @c = files(qr{^(lib|fcgi|ctl|t/sim|t/unit|t/fuzz|bench)/.*\.[ch]$});

# Where the pattern matches code (strings emptied unless they are wanted): "file:line text".
sub hits {
    my ($pattern, $paths, %want) = @_;
    my @hits;
    for my $path (@$paths) {
        my $number = 0;
        for my $line (split /\n/, code($path, strings => $want{strings} // 0)) {
            $number++;
            push @hits, "$path:$number $line" if $line =~ $pattern;
        }
    }
    return \@hits;
}

my %banned = (
    strcpy => 'struct mg_str', strcat => 'struct mg_str', sprintf => 'snprintf or mg_str_addf',
    vsprintf => 'mg_str_vaddf', strncpy => 'struct mg_str', strncat => 'struct mg_str',
    strtok => 'strcspn', gets => 'fgets', atoi => 'strtoll', atol => 'strtoll',
    atoll => 'strtoll', atof => 'whole numbers', alloca => 'a pool',
    tmpnam => 'mkstemp', mktemp => 'mkstemp', rand => 'base/id',
    random => 'base/id', gmtime => 'gmtime_r', localtime => 'localtime_r', ctime => 'mg_rfc3339',
    asctime => 'mg_rfc3339', strerror_l => 'strerror',
);
for my $name (sort keys %banned) {
    none(hits(qr/(?<![\w.>])\Q$name\E\s*\(/, \@c), "$name is not used: take $banned{$name}");
}

none(hits(qr/(?<![\w.>])(system|popen)\s*\(/, [grep { !m{^t/} } @c]), 'no shell is started');

my @lib = grep {m{^(lib|fcgi|ctl)/}} @c;
none(hits(qr/(?<![\w.>])(malloc|calloc|realloc|strdup|strndup)\s*\(/,
    [grep { $_ ne 'lib/base/alloc.c' } @lib]), 'memory comes from base/alloc, which checks');

none(hits(qr/\b(float|double|long double)\b/, [grep {m{^lib/(ledger|catalogue|payment)/}} @c]),
    'money knows no floating point');

# SQL: only in the rooms that own tables, never put together by printf.
my $statement = qr/"\s*(SELECT\s|INSERT\s+(IGNORE\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|REPLACE\s+INTO)/;
my @no_sql = grep { !m{^lib/(db|identity|mail|catalogue|ledger|payment|store)/|^ctl/|^t/unit/} } @c;
none(hits($statement, \@no_sql, strings => 1), 'SQL stands only in rooms that own tables');
none(hits(qr/mg_str_addf?\s*\([^;]*$statement|s?n?printf\s*\([^;]*$statement/, \@c, strings => 1),
    'SQL is not put together from pieces');
none(hits(qr/"\s*(COMMIT|ROLLBACK|START TRANSACTION|BEGIN)\b/,
    [grep { !m{^lib/db/|^ctl/|^t/unit/} } @c], strings => 1),
    'transactions begin and end in lib/db alone');

# JSON: by the writer. A format with {"name": %… in it is JSON by hand.
none(hits(qr/"(?:[^"\\]|\\.)*[{,]\s*\\"\w+\\"\s*:(?:[^"\\]|\\.)*%/,
    [grep { !m{^lib/json/|^t/(unit|sim|fuzz)/|^bench/} } @c], strings => 1), 'JSON is not made by printf');

none(hits(qr/REQUEST_METHOD/, [grep { !m{^lib/http/|^t/} } @c], strings => 1),
    'only lib/http looks at the method of a request');

# Names that others can see.
my (@foreign, %places);
for my $path (grep {m{^lib/.*\.c$}} @c) {
    for my $function (functions($path)) {
        my ($name, $line, undef, $static) = @$function;
        push @foreign, "$path:$line $name" if !$static && $name !~ /^mg_|^main$/;
    }
}
none(\@foreign, 'what the library exports begins with mg_');

my @unfinished = ();
for my $path (files(qr{\.([ch]|pm|t|sh|awk|mjs|js|css|html|in|mk|ac|am|md|sql)$|^quickstart$|/mkconf$|t/(stack|check)$})) {
    my $word = join '|', 'TO' . 'DO', 'FIX' . 'ME', 'XX' . 'X';
    my $number = 0;
    for my $line (split /\n/, MG::Source::text($path)) {
        $number++;
        push @unfinished, "$path:$number" if $line =~ /\b($word)\b/;
    }
}
none(\@unfinished, 'nothing is left for later in a comment');

done_testing();
