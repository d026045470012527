package MG::Conform;
# The conformance checker of t/conformance, used from Perl.
use strict;
use warnings;
use File::Temp ();
use JSON::PP ();
use MG::Http;
use Test::More;

my $src = $ENV{MG_SRCDIR} || do { require FindBin; "$FindBin::Bin/../.." };
my $json = JSON::PP->new->canonical->utf8;
my $tool = "$src/t/conformance/mg-conform.mjs";

# Why it cannot be used here, or nothing.
sub missing {
    return 'the packages of t/conformance are not installed (npm ci)'
        if !-d "$src/t/conformance/node_modules/ajv";
    return 'there is no node' if system 'command -v node > /dev/null 2>&1';
    return;
}

# Probes a service with some model: {id, result, said} of each probe.
sub probe {
    my ($url, $key, $model, @options) = @_;
    local $ENV{MG_KEY} = $key; # on the command line everybody could read it
    my $quoted = join ' ', map {"'$_'"} '--base-url', $url, '--model', $model, @options;
    my @probes;
    for my $line (`node '$tool' $quoted 2>&1`) {
        if ($line =~ /^(PASS|FAIL|SKIP)  (\S+)\s+\d+ ms\s*(.*)/) {
            push @probes, {result => $1, id => $2, said => $3};
        } elsif ($line =~ /^ {6}\S/ && @probes) {
            $probes[-1]{said} .= "\n$line";
        }
    }
    return @probes;
}

my %family = ('chat/completions' => 'chat', completions => 'completions',
    responses => 'responses', messages => 'messages');

# The lines of the checker's batch form for requests that the simulated provider recorded.
sub lines_of {
    my ($own, @requests) = @_;
    my @lines;
    for my $request (@requests) {
        my ($path) = $request->{path} =~ m{^(?:/v1)?/(.*)};
        my $family = $family{$path // ''} or next;
        my ($beta) = grep { lc $_->[0] eq 'anthropic-beta' } @{$request->{headers}};
        push @lines, sprintf '{"id":%s,"kind":"request","family":"%s","beta":%s,"strict":%s,'
            . '"body":%s}', $request->{seq}, $family, $beta ? 'true' : 'false',
            $family eq $own ? 'false' : 'true', $request->{body};
    }
    return @lines;
}

# Verdicts of the batch form on lines of JSON: (id => [findings of severity error], …).
sub judge {
    my $file = File::Temp->new;
    print {$file} map { tr/\n\r/  /r . "\n" } @_;
    close $file;
    return map { $_->{id} => [grep { $_->{severity} eq 'error' } @{$_->{findings}}] }
        map { $json->decode($_) } `node '$tool' batch < '$file'`;
}

# The same on structures; an id each, see t/conformance/lib/batch.mjs.
sub verdicts { return judge(map { $MG::Http::JSON->encode($_) } @_) }

# Test: what the gateway asked of the upstream (as recorded there) keeps to the official schemas.
# What was asked in the client's $own format are the client's words, and not held to every letter.
sub requests_ok {
    my ($name, $own, @requests) = @_;
    if (my $why = missing()) {
        SKIP: { skip $why, 1 }
        return;
    }
    my @lines = lines_of($own, @requests);
    my %findings = judge(@lines);
    my @bad = grep { @{$findings{$_}} } sort { $a <=> $b } keys %findings;
    ok(!@bad && @lines && @lines == keys %findings,
        "$name: " . @lines . ' requests upstream keep to the official schemas');
    my %body = map { $_->{seq} => $_->{body} } @requests;
    for my $id (@bad > 5 ? @bad[0 .. 4] : @bad) {
        diag $json->encode($findings{$id}), "\n", substr $body{$id}, 0, 1500;
    }
    return;
}

1;
