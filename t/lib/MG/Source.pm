package MG::Source;

# The project's own source text, for the tests of style: which files there are, their text
# without comments and strings, the functions in them.

use strict;
use warnings;

use Cwd 'realpath';
use Exporter 'import';
use File::Basename;
use File::Find;
use Test::More ();

our @EXPORT_OK = qw(files text code functions top none);

my $top = $ENV{MG_SRCDIR} // dirname(dirname(dirname(dirname(realpath(__FILE__)))));
my %pruned = map { $_ => 1 }
    qw(.git node_modules autom4te.cache build-aux build .quickstart m4 vendor .library);

sub top { return $top }

# A test that a list of offences is empty; shows them if not.
sub none {
    my ($offences, $what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    Test::More::ok(!@$offences, $what)
        or Test::More::diag(join "\n", map { '    ' . substr $_, 0, 160 } @$offences);
    return;
}

# Paths from the top, sorted, that match the pattern. In a checkout: what git knows or would
# add; in an unpacked archive: everything but what a build makes.
sub files {
    my ($pattern) = @_;
    my @found = -e "$top/.git" ? known_to_git() : ();
    @found = on_disk() if !@found;
    return sort grep { $_ =~ $pattern && !m{(^|/)vendor/|~$} && -f "$top/$_" && !-l "$top/$_" } @found;
}

sub known_to_git {
    my @paths = `git -C '$top' ls-files --cached --others --exclude-standard 2> /dev/null`;
    chomp @paths;
    return @paths;
}

sub on_disk {
    my @found;
    find(
        {
            no_chdir => 1,
            preprocess => sub { grep { !$pruned{$_} } @_ },
            wanted => sub { push @found, substr $_, length($top) + 1 if -f },
        },
        $top
    );
    my %made = map { $_ => 1 } qw(configure aclocal.m4 config.h.in Makefile.in);
    return grep { !$made{$_} } @found;
}

sub text {
    my ($path) = @_;
    open my $in, '<', "$top/$path" or die "$path: $!";
    local $/;
    return <$in> // '';
}

# Same number of lines, but comments are gone; with strings => 0 the text inside quotes as well.
sub code {
    my ($path, %want) = @_;
    my $text = text($path);
    my $blank = sub { my $t = shift; $t =~ s/[^\n]//g; return $t };
    $text =~ s{
        (?<comment> /\* .*? \*/ | //[^\n]* )
        | (?<string> " (?: \\. | [^"\\\n] )* " )
        | (?<char> ' (?: \\. | [^'\\\n] )+ ' )
    }{
        defined $+{comment} ? ' ' . $blank->($+{comment})
        : defined $+{char} ? q('x')
        : ($want{strings} // 1) ? $+{string} : q("")
    }gsex;
    return $text;
}

# Functions of a C file: [name, first line, number of lines, is static]. House style: the brace
# that opens and the one that closes a body stand alone in column 0.
sub functions {
    my ($path) = @_;
    my @line = split /\n/, code($path, strings => 0), -1;
    my @found;
    for (my $i = 1; $i < @line; $i++) {
        next if $line[$i] ne '{';
        my $head = '';
        for (my $j = $i - 1; $j >= 0 && $line[$j] =~ /\S/ && $line[$j] !~ /[;}]\s*$|^#/; $j--) {
            $head = "$line[$j] $head";
        }
        my $end = $i + 1;
        $end++ while $end < @line && $line[$end] !~ /^\}/;
        my ($name) = $head =~ /(\w+)\s*\(/;
        if (defined $name && $line[$end] eq '}') {
            $name = $1 if $name =~ /^__attribute__$/ && $head =~ /\)\s*\)\s*(\w+)\s*\(/;
            push @found, [$name, $i + 1, $end - $i + 1, $head =~ /\bstatic\b/ ? 1 : 0];
        }
        $i = $end;
    }
    return @found;
}

1;
