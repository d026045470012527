#!/usr/bin/perl
# Every column and every table of the migrations has a comment, and no migration drops anything
# that it does not make again.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use MG::Source qw(files text none);
use Test::More;

my @migrations = files(qr{^sql/\d{4}-[\w-]+\.sql$});
plan skip_all => 'no migrations yet' if !@migrations;

my (%number, @twice, @bare_tables, @bare_columns, @not_again);
for my $path (@migrations) {
    my ($n) = $path =~ /(\d{4})/;
    push @twice, $path if $number{$n}++;
    my $text = text($path);
    $text =~ s/^\s*--.*$//mg;
    for my $statement (split /;\s*\n/, $text) {
        push @not_again, "$path: " . substr($statement =~ s/\s+/ /gr, 0, 60)
            if $statement =~ /^\s*CREATE TABLE (?!IF NOT EXISTS)/i
            || $statement =~ /^\s*(ALTER TABLE\b.*?\b(ADD|DROP) (COLUMN|INDEX|KEY)?\s*(?!IF))/is
            && $statement !~ /IF (NOT )?EXISTS/i;
        next if $statement !~ /^\s*CREATE TABLE\s+(?:IF NOT EXISTS\s+)?(\w+)\s*\((.*)\)([^)]*)$/is;
        my ($table, $body, $options) = ($1, $2, $3);
        push @bare_tables, "$path: $table" if $statement !~ /\)[^()]*COMMENT\s*=?\s*'[^']+/is;
        my ($level, $item, @items, $quoted) = (0, '');
        for my $char (split //, $body) {
            $quoted = !$quoted if $char eq q(');
            $level += ($char eq '(') - ($char eq ')') if !$quoted;
            if ($char eq ',' && !$level && !$quoted) {
                push @items, $item;
                $item = '';
            } else {
                $item .= $char;
            }
        }
        for (@items, $item) {
            next if /^\s*(PRIMARY|UNIQUE|KEY|INDEX|CONSTRAINT|FOREIGN|CHECK|FULLTEXT)\b/i || !/\S/;
            my ($column) = /^\s*`?(\w+)/;
            push @bare_columns, "$path: $table.$column" if !/COMMENT\s+'[^']{3,}/i;
        }
    }
}
none(\@twice, 'every migration has a number of its own');
none(\@bare_tables, 'every table has a comment');
none(\@bare_columns, 'every column has a comment');
none(\@not_again, 'every migration can be run again');

done_testing();
