#!/usr/bin/perl
# mgctl serve: sockets that outlive responders, restarts that nobody notices, an orderly end.
# The responders are dummies; what is tested is the supervisor.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use Fcntl 'F_SETFD';
use File::Temp 'tempdir';
use IO::Socket::UNIX;
use JSON::PP;
use MG::FastCGI 'ask';
use POSIX ':sys_wait_h';
use Test::More;
use Time::HiRes qw(sleep time);

my $mgctl = ($ENV{MG_BUILDDIR} // '.') . '/ctl/mgctl';
plan skip_all => "$mgctl is not built" if !-x $mgctl;

my $dir = tempdir(CLEANUP => 1);
my $libexec = "$dir/libexec";
mkdir $libexec;
symlink "$FindBin::Bin/../lib/dummy-responder", "$libexec/mg-$_" for qw(account chat models);
my $supervisor;
END { local $?; kill 'KILL', $supervisor if $supervisor; }

sub write_conf {
    open my $out, '>', "$dir/gateway.conf" or die $!;
    print {$out} "run_dir = $dir/run\nprocesses = 2\nshutdown_seconds = 20\n", @_;
    close $out;
}

# Starts the supervisor; its output goes to $dir/out, its log to $dir/log.
sub start {
    my ($before, @only) = @_;
    unlink "$dir/out";
    my $pid = fork // die $!;
    if (!$pid) {
        open STDOUT, '>', "$dir/out" or die $!;
        open STDERR, '>>', "$dir/log" or die $!;
        open STDIN, '<', '/dev/null' or die $!;
        $before->() if $before;
        exec $mgctl, 'serve', '--config', "$dir/gateway.conf", '--libexecdir', $libexec,
            '--only', join ',', @only ? @only : qw(account chat models);
    }
    $supervisor = $pid;
    return $pid;
}

sub slurp {
    open my $in, '<', $_[0] or return '';
    local $/;
    return <$in>;
}

# Waits until the condition holds; false after ten seconds.
sub until_true {
    my ($condition, $seconds) = @_;
    my $end = time + ($seconds // 10);
    while (time < $end) {
        return 1 if $condition->();
        sleep 0.02;
    }
    return 0;
}

sub said { my ($line, $times) = @_; return sub { (() = slurp("$dir/out") =~ /^\Q$line\E$/mg) >= ($times // 1) } }

sub socket_of { return "$dir/run/$_[0].sock" }

sub get {
    my ($family, $query) = @_;
    my ($how, $text) = ask(socket_of($family),
        { REQUEST_METHOD => 'GET', REQUEST_URI => "/?$query", QUERY_STRING => $query }, '');
    return $how if $how ne 'ok';
    return decode_json(($text =~ /\r\n\r\n(.*)/s)[0]);
}

# The pids that answer for a family, asked often enough to see both processes.
sub pids {
    my ($family) = @_;
    my %pid;
    for (1 .. 40) {
        my $reply = get($family, 'sleep=1');
        $pid{ $reply->{pid} }++ if ref $reply;
    }
    return sort keys %pid;
}

# Four clients ask without a pause while $act runs; how often each outcome came.
sub under_load {
    my ($family, $act) = @_;
    my @clients;
    for my $i (1 .. 4) {
        my $pid = fork // die $!;
        if (!$pid) {
            my (%seen, $stop);
            $SIG{TERM} = sub { $stop = 1 };
            while (!$stop) {
                my $reply = get($family, 'sleep=5');
                $seen{ ref $reply ? 'ok' : $reply }++;
            }
            open my $out, '>', "$dir/client-$i" or die $!;
            print {$out} encode_json(\%seen);
            close $out;
            POSIX::_exit(0);
        }
        push @clients, $pid;
    }
    sleep 0.3;
    $act->();
    sleep 0.3;
    my %sum;
    for my $i (1 .. 4) {
        kill 'TERM', $clients[$i - 1];
        waitpid $clients[$i - 1], 0;
        my $seen = decode_json(slurp("$dir/client-$i"));
        $sum{$_} += $seen->{$_} for keys %$seen;
    }
    return \%sum;
}

# Start
write_conf();
local $ENV{MG_KEY} = 'sk-not-for-responders';
local $ENV{SOME_SECRET} = 'neither';
local $ENV{MG_LOG_LEVEL} = 'debug';
start();
ok(until_true(said('ready')), 'it says ready');
is((stat socket_of('chat'))[2] & 07777, 0660, 'a socket is for its user and group alone');
is(get($_, '')->{family}, $_, "the socket of $_ reaches mg-$_") for qw(account chat models);
is(scalar(() = pids('chat')), 2, 'two processes serve one socket');

my $seen = get('chat', '');
is($seen->{environment}{MG_LOG_LEVEL}, 'debug', 'settings in the environment reach responders');
ok(!exists $seen->{environment}{MG_KEY} && !exists $seen->{environment}{SOME_SECRET},
    'secrets in the environment do not');
is(scalar(grep {/^socket:/} values %{ $seen->{descriptors} }),
    1, 'a responder inherits no socket but its own');
ok($seen->{nonblocking}, 'accept() on it never hangs');
ok(!(grep {/serve\.lock/} values %{ $seen->{descriptors} }), 'nor the lock');

my $second = fork // die $!;
if (!$second) {
    open STDERR, '>', "$dir/second" or die $!;
    exec $mgctl, 'serve', '--config', "$dir/gateway.conf", '--libexecdir', $libexec, '--only',
        'chat';
}
waitpid $second, 0;
is($? >> 8, 1, 'a second supervisor on the same folder is refused');
like(slurp("$dir/second"), qr/another mgctl serve/, 'with the reason');

# Death and replacement
my $load = under_load('chat', sub { kill 'KILL', (pids('chat'))[0] for 1 .. 5; });
is($load->{refused} // 0, 0, 'kill -9 under load: no connection is refused');
cmp_ok($load->{cut} // 0, '<=', 5, 'and only what a killed responder had at hand is cut');
cmp_ok($load->{ok}, '>', 50, 'while the others are answered');

# Rolling restart
my %before = map { $_ => 1 } pids('chat');
$load = under_load('chat', sub {
    kill 'HUP', $supervisor;
    ok(until_true(said('reloaded')), 'SIGHUP is answered with "reloaded"');
});
is_deeply([grep { $_ ne 'ok' } keys %$load], [], 'SIGHUP under load: nobody is refused or cut');
ok(!(grep { $before{$_} } pids('chat')), 'and all processes are new');

my @stay = pids('chat');
write_conf("no_such_setting = 1\n");
kill 'HUP', $supervisor;
ok(until_true(said('reload failed')), 'a configuration with a mistake is not taken');
is_deeply([pids('chat')], \@stay, 'and the responders stay');
write_conf();

open my $crash, '>', "$dir/crash-chat" or die $!;
close $crash;
kill 'HUP', $supervisor;
ok(until_true(said('reload failed', 2)), 'new responders that die at once are not taken');
is_deeply([pids('chat')], \@stay, 'and the old ones stay');

# Back-off
my $starts = () = slurp("$dir/log") =~ /chat\[\d+\] started/g;
kill 'KILL', $stay[0];
sleep 2.5;
$starts = (() = slurp("$dir/log") =~ /chat\[\d+\] started/g) - $starts;
cmp_ok($starts, '>=', 3, 'a responder that keeps dying is tried again');
cmp_ok($starts, '<=', 6, 'but not all the time');
unlink "$dir/crash-chat";
ok(until_true(sub { 2 == (() = pids('chat')) }), 'and is back when it has been mended');

# Death of the supervisor
my ($orphan) = pids('models');
my $busy = fork // die $!;
POSIX::_exit(ref get('models', 'sleep=700') ? 0 : 1) if !$busy;
sleep 0.2;
kill 'KILL', $supervisor;
waitpid $supervisor, 0;
waitpid $busy, 0;
is($?, 0, 'when the supervisor is killed, responders finish the request at hand');
ok(until_true(sub { !kill 0, $orphan }), 'and go');
ok(-S socket_of('models'), 'an abandoned socket is left over');
start();
ok(until_true(said('ready')), 'a new supervisor starts');
ok(until_true(sub { ref get('models', '') }), 'and takes its place');

# Orderly end
$busy = fork // die $!;
POSIX::_exit(ref get('models', 'sleep=1500') ? 0 : 1) if !$busy;
sleep 0.2;
kill 'TERM', $supervisor;
ok(until_true(sub { !-e socket_of('models') }, 0.5), 'SIGTERM: the web server is refused at once');
waitpid $busy, 0;
is($?, 0, 'the request at hand is served');
waitpid $supervisor, 0;
is($?, 0, 'and the supervisor ends with status 0');

# An end that comes while a responder is starting
open my $late, '>', "$dir/late-chat" or die $!;
close $late;
truncate "$dir/log", 0;
start(undef, 'chat');
ok(until_true(sub { slurp("$dir/log") =~ /chat\[\d+\] started/ }), 'a responder takes its time to start');
kill 'TERM', $supervisor;
waitpid $supervisor, 0;
like(slurp("$dir/log"), qr/chat\[\d+\] ended/, 'and is told to go meanwhile');
unlike(slurp("$dir/log"), qr/ended by signal/, 'it ends in order all the same');
unlink "$dir/late-chat";

# Service manager: its sockets, its notifications
mkdir "$dir/run";
my $passed = IO::Socket::UNIX->new(Type => SOCK_STREAM, Local => socket_of('chat'), Listen => 64)
    or die $!;
my $inode = (stat socket_of('chat'))[1];
my $manager = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => "$dir/notify") or die $!;
start(
    sub {
        fcntl $passed, F_SETFD, 0;
        POSIX::dup2(fileno $passed, 3) if fileno $passed != 3;
        @ENV{qw(LISTEN_FDS LISTEN_PID NOTIFY_SOCKET)} = (1, $$, "$dir/notify");
    },
    'chat'
);
$manager->recv(my $word, 200);
like($word, qr/^READY=1$/m, 'the service manager is told when it serves');
is(get('chat', '')->{family}, 'chat', 'a socket that was passed in is used');
is((stat socket_of('chat'))[1], $inode, 'not one of its own');
is(get('chat', '')->{environment}{LISTEN_FDS}, undef, 'responders do not see that protocol');
kill 'HUP', $supervisor;
$manager->recv($word, 200);
like($word, qr/^RELOADING=1\nMONOTONIC_USEC=\d+$/m, 'and of a reload');
kill 'TERM', $supervisor;
waitpid $supervisor, 0;
ok(-S socket_of('chat'), 'a socket that was passed in stays when the supervisor ends');
undef $supervisor;

for my $wrong (['--only', 'chat,nobody'], ['--frobnicate'], ['more']) {
    system "$mgctl serve --config $dir/gateway.conf @$wrong 2> $dir/wrong";
    is($? >> 8, 2, "'@$wrong' is a wrong use");
}
system "$mgctl serve --config $dir/gateway.conf --libexecdir $dir 2> $dir/wrong";
is($? >> 8, 1, 'a missing responder program is an error at the start');
like(slurp("$dir/wrong"), qr/mg-auth: No such file/, 'that names it');

done_testing();
