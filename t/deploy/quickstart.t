#!/usr/bin/perl
# ./quickstart as a newcomer uses it: from a checkout to a billed answer, again, side by side with
# another one, after an accident, and down again.

use strict;
use warnings;

use Cwd 'realpath';
use FindBin;
use File::Temp 'tempdir';
use IO::Socket::INET;
use JSON::PP;
use Test::More;
use Time::HiRes 'time';

my $top = realpath("$FindBin::Bin/../..");
my $dir = tempdir('mg-quickstart-XXXXXX', TMPDIR => 1, CLEANUP => 1);
chmod 0755, $dir;
delete $ENV{$_} for grep {/^MG_/} keys %ENV;

# (exit status, output, seconds)
sub quickstart {
    my ($command, $state, @more) = @_;
    my $begun = time;
    my @option = ('--state', "$dir/$state");
    my $line = join ' ', map {"'$_'"} "$top/quickstart", $command || (), @option, @more;
    my $output = `$line 2>&1 < /dev/null`;
    return ($? >> 8, $output, time - $begun);
}

sub env_of {
    my ($state) = @_;
    my (undef, $output) = quickstart('env', $state);
    return { $output =~ /^(MG_\w+)=(.*)$/mg };
}

sub pids_of {
    my ($state) = @_;
    my (undef, $output) = quickstart('status', $state);
    return { $output =~ /^(\w+) running (\d+)$/mg };
}

# False for one that has ended and only waits for its parent to take note.
sub runs {
    my ($pid) = @_;
    open my $in, '<', "/proc/$pid/stat" or return 0;
    return <$in> !~ /\) Z /;
}

sub ask {
    my ($env, $model) = @_;
    my $body = encode_json({ model => $model, messages => [{ role => 'user', content => 'Hi' }] });
    return `curl -s --noproxy '*' $env->{MG_BASE_URL}/v1/chat/completions -d '$body' \\
        -H 'Authorization: Bearer $env->{MG_KEY}' -H 'Content-Type: application/json'`;
}

my ($status, $output, $seconds) = quickstart('', 'a');
is($status, 0, 'a first run succeeds') or BAIL_OUT($output);
note sprintf 'first run: %.0f s', $seconds;
like($output, qr/simulated model/, 'it shows the answer');
like($output, qr/charge\s+-0\.\d+\s+4\.\d+.*req_/, 'and its row of the ledger');
like($output, qr{^Dashboard\s+http://127\.0\.0\.1:\d+/$}m, 'and the address');
like($output, qr/^\[ *\d+\.\d s\] make$/m, 'and what took how long');

my $env = env_of('a');
for my $page ('/', '/signin/', '/app/', '/assets/style.css') {
    is(`curl -s -o /dev/null -w '%{http_code}' --noproxy '*' $env->{MG_BASE_URL}$page`, 200, "the dashboard has $page");
}
my ($name, $password) = $output =~ /sign in as (\w+) with the password (\w+)/;
my $login = encode_json({ username => $name, password => $password });
like(`curl -s --noproxy '*' $env->{MG_BASE_URL}/api/auth/login -d '$login' -H 'Content-Type: application/json'`,
    qr/"object": ?"session"/, 'and the sign-in that was printed opens it');
is_deeply([sort keys %$env], [qw(MG_BASE_URL MG_CONFIG MG_KEY)], 'env has what scripts need');
like(ask($env, 'power-ai'), qr/"chat\.completion"/, 'address and key work');
my $pids = pids_of('a');
is_deeply([sort keys %$pids], [qw(db httpd serve sim)], 'everything runs');

($status, $output, $seconds) = quickstart('', 'a');
is($status, 0, 'a second run succeeds');
unlike($output, qr/\] (configure|make|starting)/, 'and finds all done already');
cmp_ok($seconds, '<', 10, sprintf 'in %.1f s', $seconds);
is(env_of('a')->{MG_KEY}, $env->{MG_KEY}, 'the key stays');
is_deeply(pids_of('a'), $pids, 'and so do the processes');

kill 'KILL', $pids->{serve}, $pids->{sim};
($status, $output) = quickstart('', 'a');
is($status, 0, 'after an accident it mends what is broken');
like(ask($env, 'power-ai'), qr/"chat\.completion"/, 'and answers');

my ($port) = $env->{MG_BASE_URL} =~ /:(\d+)$/;
($status, $output) = quickstart('', 'b', '--server', 'apache', '--port', $port);
is($status, 1, 'a port that is taken is refused');
like($output, qr/port $port is in use/, 'with the reason');
($status, $output) = quickstart('', 'b', '--server', 'apache');
is($status, 0, 'another one with its own state lives beside the first');
my $other = env_of('b');
isnt($other->{MG_BASE_URL}, $env->{MG_BASE_URL}, 'on another port');
like(ask($other, 'power-ai'), qr/"chat\.completion"/, 'answers with its key');
like(ask({ %$other, MG_KEY => $env->{MG_KEY} }, 'power-ai'), qr/invalid_api_key|authentication/i,
    'and not with that of the first');

# A local server as provider: the simulated one of the neighbour.
open my $in, '<', "$dir/b/env" or die $!;
my ($sim) = join('', <$in>) =~ /^MG_SIM_URL=(.*)$/m;
close $in;
open my $key, '>', "$dir/key" or die $!;
print {$key} "sk-provider\n";
close $key;
my @provider = ('--provider', $sim, '--provider-model', 'local-1', '--provider-key-file', "$dir/key");
for my $time (qw(first second)) {
    ($status, $output) = quickstart('', 'a', @provider);
    is($status, 0, "a provider can be named a $time time") or diag $output;
    like($output, qr/charge\s+-0\.\d+/, 'its answer is billed');
}
like(ask($env, 'local-1'), qr/"chat\.completion"/, 'its model is on offer');
($status) = quickstart('', 'a', '--provider', 'sim');
is($status, 0, 'and the simulated one comes back');

($status, $output) = quickstart('', 'a', '--frobnicate', 'x');
is($status, 1, 'an unknown option is refused');
like($output, qr/unknown option '--frobnicate'/, 'by name');

for my $state (qw(a b)) {
    my $pid = pids_of($state);
    ($status, $output) = quickstart('down', $state);
    is($status, 0, "down succeeds ($state)") or diag $output;
    is(scalar(grep { runs($_) } values %$pid), 0, 'no process is left');
    ($port) = env_of($state)->{MG_BASE_URL} =~ /:(\d+)$/;
    ok(!IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port"), 'and the port is closed');
}

done_testing();
