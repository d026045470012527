#!/usr/bin/perl
# Files and functions stay small. What is larger stands in size.exceptions with its number of
# lines, which may only go down.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use MG::Source qw(files text functions none);
use Test::More;

use constant { FILE_MOST => 600, FILE_GOOD => 350, HEADER_MOST => 150, FUNCTION_MOST => 80,
    FUNCTION_GOOD => 60, COLUMNS => 100 };

my %excepted;
for my $line (split /\n/, text('t/style/size.exceptions')) {
    $excepted{$1} = $2 if $line =~ /^([^#\s]\S*)\s+(\d+)$/;
}
my %needed;

# True when `lines` is more than `most` allows and more than an exception grants.
sub too_large {
    my ($what, $lines, $most) = @_;
    return 0 if $lines <= $most;
    return 1 if !$excepted{$what};
    $needed{$what} = $lines;
    return $lines > $excepted{$what};
}

my (@files, @functions, @wide, @tabs);
for my $path (files(qr{^(lib|fcgi|ctl|t|bench|httpd-conf)/.*(\.([ch]|pl|pm|t|sh|awk|mjs)|/[\w-]+)$|^quickstart$})) {
    next if $path =~ m{^t/(golden|conformance/(samples|schemas|.*lock))|\.json|size\.exceptions|/LICENSE};
    my $text = text($path);
    next if $text =~ /\0/;
    my $lines = $text =~ tr/\n//;
    my $most = $path =~ m{^(lib|fcgi|ctl)/.*\.h$} ? HEADER_MOST : FILE_MOST;
    push @files, "$path has $lines lines, $most are the most" if too_large($path, $lines, $most);
    note "$path has $lines lines" if $lines > FILE_GOOD;
    if ($path =~ /\.[ch]$/) {
        my $number = 0;
        for my $line (split /\n/, $text) {
            $number++;
            utf8::decode(my $copy = $line);
            push @wide, "$path:$number" if length $copy > COLUMNS;
            push @tabs, "$path:$number" if $line =~ /\t/;
        }
    }
    next if $path !~ /\.c$/;
    for my $function (functions($path)) {
        my ($name, $at, $length) = @$function;
        push @functions, "$path:$at $name has $length lines, " . FUNCTION_MOST . ' are the most'
            if too_large("$path:$name", $length, FUNCTION_MOST);
        note "$path:$at $name has $length lines" if $length > FUNCTION_GOOD;
    }
}
none(\@files, 'no file is too large');
none(\@functions, 'no function is too large');
none(\@wide, 'no line of C is wider than 100 columns');
none(\@tabs, 'C is indented with spaces');

my @loose = grep { ($needed{$_} // 0) < $excepted{$_} } sort keys %excepted;
none(\@loose, 'no exception is larger than what it is for');

done_testing();
