# Things are killed while clients go on asking: responders, web server, database, supervisor. All
# of it comes back, and what was answered is in the ledger exactly once.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Time::HiRes qw(sleep time);
use MG::Books qw(pids_of is_answering are_right);
use MG::Check qw(is_error);
use MG::Family;
use MG::Http;
use MG::Load;
use MG::Sim;
use MG::Stack;

my $stack = MG::Stack->new(conf => {heartbeat_ms => 300, stale_ms => 5000, keepalive_ms => 500, drain_seconds => 2,
    processes => 2});
my (undef, $key) = $stack->account(10000);
my $http = MG::Http->new($stack, key => $key);

sub statuses {
    my %n;
    $n{$_->{status}}++ for @_;
    return join ', ', map { "$n{$_} times $_" } sort keys %n;
}

# Under load: $code does the killing, then all has to be right again.
sub survives {
    my ($what, $code) = @_;
    my $load = MG::Load->new($stack, key => $key, clients => 8, words => 12, gap => 8);
    sleep 0.7;
    $code->();
    ok(is_answering($http), "$what: all families answer again");
    sleep 0.5;
    my @replies = $load->stop;
    note "$what: ", statuses(@replies);
    my $owed = are_right($stack, $what, @replies);
    cmp_ok($owed, '>', 20, "$what: clients were served meanwhile");
    return @replies;
}

survives('responders killed', sub {
    for my $round (1 .. 12) {
        my @pids = pids_of($stack, (qw(chat messages responses account models))[$round % 5]);
        kill 'KILL', $pids[rand @pids] if @pids;
        sleep 0.25;
    }
});

survives('web server killed', sub {
    for (1 .. 2) {
        $stack->stack('stop', '--signal', 'KILL', 'httpd');
        sleep 0.3;
        $stack->stack('start', 'httpd');
        sleep 0.4;
    }
});

my @replies = survives('database killed', sub {
    for (1 .. 2) {
        $stack->stack('stop', '--signal', 'KILL', 'db');
        sleep 1;
        $stack->stack('start', 'db');
        sleep 0.7;
    }
});
my @refused = grep { $_->{status} == 503 } @replies;
cmp_ok(scalar @refused, '>', 0, 'without its database the service says 503');
is(scalar(grep { !defined $_->{retry_after} } @refused), 0, 'with Retry-After, each time');
is(scalar(grep { $_->{status} >= 500 && $_->{status} != 503 } @replies), 0, 'and never a 500');

survives('supervisor and responders killed', sub {
    my @pids = pids_of($stack);
    $stack->stack('stop', '--signal', 'KILL', 'serve');
    kill 'KILL', @pids;
    sleep 0.3;
    $stack->stack('start', 'serve');
});

survives('supervisor killed alone', sub {
    $stack->stack('stop', '--signal', 'KILL', 'serve');
    sleep 0.3;
    $stack->stack('start', 'serve');
});

survives('everything killed at once', sub {
    my @pids = pids_of($stack);
    $stack->stack('stop', '--signal', 'KILL', 'serve', 'db', 'httpd');
    kill 'KILL', @pids;
    $stack->stack('start', 'db', 'serve', 'httpd');
});

done_testing;
