#!/usr/bin/perl
# A header says on top what it owns, and above each function what that does. The whole contract
# is there; a reader needs the .c file only for the how.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use MG::Source qw(files text none);
use Test::More;

my (@no_paragraph, @no_guard, @undocumented);
for my $path (files(qr{^(lib|ctl)/.*\.h$})) {
    my $text = text($path);
    push @no_paragraph, $path if $text !~ m{\A/\*\s?\S.{30,}?\*/}s;
    my ($guard) = $text =~ /^#ifndef (MG_\w+_H)\n#define \1$/m;
    push @no_guard, $path if !$guard;

    # A declaration counts as documented when the line above it is the end of a comment, or
    # another declaration that is (a group under one comment). What makes and frees an object
    # may do without where the paragraph about the object says all.
    my @line = split /\n/, $text;
    my $documented = 0;
    for (my $i = 0; $i < @line; $i++) {
        if ($line[$i] =~ m{^(/\*|//)}) {
            $i++ while $i < @line && $line[$i] !~ m{\*/} && $line[$i] !~ m{^//};
            $documented = 1;
        } elsif ($line[$i] =~ /^\s*$/) {
            $documented = 0;
        } elsif ($line[$i] =~ /^(?!static\b|typedef\b|struct \w+ \{|extern "C")[a-z][\w \*]*?\b(mg_\w+)\(/) {
            push @undocumented, "$path:" . ($i + 1) . " $1"
                if !$documented && $1 !~ /_(new|init|free)$/;
        }
    }
}
none(\@no_paragraph, 'every header begins with what it is for');
none(\@no_guard, 'every header has its guard');
none(\@undocumented, 'every function of a header is documented');

done_testing();
