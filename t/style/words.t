#!/usr/bin/perl
# The project speaks of itself: no paths of somebody's machine, no names of hosts where packages
# come from, nothing about how it came to be written.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use MG::Source qw(files text none);
use Test::More;

# Put together here, so that this file does not hold what it looks for.
my %pattern = (
    'a path of one machine' => join('|', '(?<![\w}])/' . 'work/', '/home/' . '\w'),
    'a folder outside the project' => join('|', '\b' . 'shared' . '/\w', '(?i)cases' . '\.md',
        'wire-' . 'facts', 'pit' . 'falls\.md'),
    'how it was written' => join('|', '(?i)\b' . 'issue ' . '#?\d', '(?i)\b(this|another) ' . 'session of',
        '(?i)language ' . 'model wrote', '(?i)co-authored' . '-by'),
    'a host of a package registry' => join('|', 'registry' . '\.npmjs', 'regis' . 'try\.yarn',
        'deb\.' . 'debian\.org', 'files\.' . 'pythonhosted'),
);

for my $what (sort keys %pattern) {
    my @hits;
    for my $path (files(qr/./)) {
        next if $path =~ m{^t/(golden|conformance/(samples|schemas))/|LICENSE|^COPYING};
        my $text = text($path);
        next if $text =~ /\0/;
        my $number = 0;
        for my $line (split /\n/, $text) {
            $number++;
            push @hits, "$path:$number: " . substr($line, 0, 120) if $line =~ /$pattern{$what}/;
        }
    }
    none(\@hits, "$what is not mentioned");
}

done_testing();
