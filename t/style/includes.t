#!/usr/bin/perl
# Includes point downward only, and a third-party header stays in its room.
# lib/DEPENDS says which room may include which.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use MG::Source qw(files code text none);
use Test::More;

my %may;
for my $line (split /\n/, text('lib/DEPENDS')) {
    next if $line =~ /^#|^\s*$/;
    my ($room, $below) = $line =~ /^(\w+):\s*(.*)$/ or BAIL_OUT("lib/DEPENDS: $line");
    $may{$room} = { map { $_ => 1 } split ' ', $below };
}

# A room stands below those that may include it, so the list itself must have no circle.
my %seen;
sub depth {
    my ($room) = @_;
    return 1e9 if $seen{$room}++;
    my $depth = 0;
    for (keys %{ $may{$room} }) {
        my $d = exists $may{$_} ? depth($_) + 1 : 0;
        $depth = $d if $d > $depth;
    }
    $seen{$room}--;
    return $depth;
}
cmp_ok(depth($_), '<', 100, "nothing that $_ may include leads back to $_") for sort keys %may;

my %third_party = (
    'mysql.h' => qr{^lib/db/},
    'mysql/' => qr{^lib/db/},
    'mariadb' => qr{^lib/db/},
    'fcgiapp.h' => qr{^lib/http/},
    'fcgi' => qr{^lib/http/},
    'curl/' => qr{^lib/(upstream|identity|ledger)/},
    'libscrypt.h' => qr{^lib/identity/},
    'zstd.h' => qr{^lib/http/},
);

my (@upward, @stranger, @unknown);
for my $path (files(qr{^(lib|fcgi|ctl)/.*\.[ch]$})) {
    my ($top, $room) = split m{/}, $path;
    for my $line (split /\n/, code($path)) {
        my ($open, $name) = $line =~ /^\s*#\s*include\s*(["<])([^">]+)[">]/ or next;
        if ($open eq '"') {
            next if $name eq 'config.h' || $name !~ m{/};
            my ($other) = split m{/}, $name;
            if ($top eq 'lib') {
                push @unknown, "$path: no room '$room' in lib/DEPENDS" if !$may{$room};
                push @upward, "$path includes $name"
                    if $other ne $room && !$may{$room}{$other};
            } elsif ($other eq 'fcgi' && $top ne 'fcgi') {
                push @upward, "$path includes $name";
            }
        } else {
            for my $header (keys %third_party) {
                push @stranger, "$path includes $name"
                    if index($name, $header) == 0 && $path !~ $third_party{$header};
            }
        }
    }
}
none(\@unknown, 'every room is in lib/DEPENDS');
none(\@upward, 'a room includes only rooms below it');
none(\@stranger, 'a third-party header appears only in its room');

my @base_of_wire = sort keys %{ $may{wire} };
is_deeply(\@base_of_wire, [qw(base json tokens)], 'wire stays pure: it knows base, json and tokens alone');

done_testing();
