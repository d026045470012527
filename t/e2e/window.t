# Unlimited windows over the wire: one request of many starts one, two run at a time on all
# processes together, nothing is charged, and what comes after says why.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Time::HiRes qw(sleep time);
use MG::Books qw(pids_of is_answering);
use MG::Check qw(is_error);
use MG::Family;
use MG::Http;
use MG::Stack;

my $stack = MG::Stack->new(conf => {processes => 2, slice_tokens => 64, heartbeat_ms => 30000, drain_seconds => 2});

# An account with so much credit and a window that waits.
sub account {
    my ($credit, $seconds) = @_;
    my ($name, $key) = $stack->account($credit);
    $stack->mgctl('window', 'give', $name, '--seconds', $seconds) if $seconds;
    return ($name, MG::Http->new($stack, key => $key));
}

sub wallet { return $_[0]->get('/api/v1/wallet/status')->{json} }

sub usage {
    my ($http, $request_id) = @_;
    for (1 .. 400) {
        my $row = $http->get("/api/v1/billing/token-usage?request_id=$request_id")->{json}{data}[0];
        return $row if $row;
        sleep 0.05;
    }
    return undef;
}

# Waits until nothing of an account runs; true when it does not.
sub is_idle {
    my ($http) = @_;
    for (1 .. 400) {
        return 1 if wallet($http)->{unlimited}{connections}{active} == 0;
        sleep 0.05;
    }
    return 0;
}

# Moves all windows of all accounts into the past.
sub end_windows {
    $stack->sql('UPDATE unlimited SET started_ms = started_ms - 864000000, expires_ms = expires_ms - 864000000'
        . ' WHERE started_ms IS NOT NULL');
}

# A window in the wallet's status, from its gift to its end.
{
    my ($name, $http) = account(1, 0);
    is(wallet($http)->{access}{mode}, 'wallet', 'credit alone is access by the wallet');
    is(wallet($http)->{unlimited}{state}, 'none', 'and no window');
    $stack->mgctl('window', 'give', $name, '--seconds', 600);
    my $w = wallet($http);
    is($w->{access}{mode}, 'unlimited', 'a window that waits is access by it');
    is($w->{unlimited}{state}, 'not_started', 'it has not started');
    is($w->{unlimited}{remaining_seconds}, undef, 'so nothing of it runs out');
    $http->get('/v1/models');
    $http->post('/v1/messages/count_tokens', {model => 'coder', messages => [{role => 'user', content => 'x'}]});
    is(wallet($http)->{unlimited}{state}, 'not_started', 'lists and counting do not start it');
    for my $family (@MG::Family::NAMES) {
        for my $stream (\0, \1) {
            my $what = "$family, " . ($$stream ? 'streamed' : 'whole');
            my $r = $http->post(MG::Family::path($family),
                MG::Family::script($family, 'in=1000 out=900 words=30', stream => $stream));
            is($r->{status}, 200, "$what: answered");
            is($r->{headers}{'x-credits-charged'}, '0', "$what: the reply says that it cost nothing") if !$$stream;
            my $row = usage($http, $r->{headers}{'x-request-id'});
            ok($row->{unlimited}, "$what: the row says why");
            is($row->{charge}{nano}, 0, "$what: nothing is charged");
            is($row->{usage}{input_tokens}, 1000, "$what: but its input is on record");
            is($row->{usage}{output_tokens}, 900, "$what: and its output");
        }
    }
    $w = wallet($http);
    is($w->{unlimited}{state}, 'active', 'the window runs');
    ok($w->{unlimited}{remaining_seconds} > 0 && $w->{unlimited}{remaining_seconds} <= 600, 'its time is told');
    is($w->{balance}{nano}, 1e9, 'the credit is as it was');
    is($w->{unlimited}{connections}{active}, 0, 'nothing is connected');
    end_windows();
    $w = wallet($http);
    is($w->{unlimited}{state}, 'expired', 'afterwards it has expired');
    is($w->{access}{mode}, 'wallet', 'and credit is the access again');
    my $r = $http->post(MG::Family::path('chat'), MG::Family::script('chat', 'in=1000 out=10'));
    cmp_ok($r->{headers}{'x-credits-charged'}, '>', 0, 'a request after it is charged');
}

# Which refusal, in every family's shape.
{
    my ($name, $http) = account(0, 600);
    my (undef, $never) = account(0, 0);
    my $stream = sub { $http->post(MG::Family::path('chat'), MG::Family::script('chat', 'words=4', stream => \1)) };
    is($stream->()->{status}, 200, 'a window needs no credit');
    ok(is_idle($http), 'its connection is free again');
    end_windows();
    for my $family (@MG::Family::NAMES) {
        my $shape = $family eq 'messages' ? 'messages' : 'openai';
        my $r = $http->post(MG::Family::path($family), MG::Family::script($family, 'words=1', stream => \1));
        is_error($r, 429, $shape, "$family: the end of a window is told as that", type => 'usage_limit_reached');
        is($r->{headers}{'x-should-retry'}, 'false', "$family: and not to be tried again");
        like($r->{json}{error}{message}, qr/Unlimited window has ended/, "$family: in words");
        $r = $never->post(MG::Family::path($family), MG::Family::script($family, 'words=1', stream => \1));
        is_error($r, 402, $shape, "$family: who never had one lacks credit");
    }
    is(wallet($http)->{access}{mode}, 'none', 'the status knows of no access');
    $stack->mgctl('account', 'credit', $name, '0.0001');
    my $r = $http->post(MG::Family::path('messages'), MG::Family::script('messages', 'words=1'));
    is_error($r, 402, 'messages', 'with too little credit it is credit that lacks');
    $stack->mgctl('account', 'credit', $name, '0.5');
    $r = $http->post(MG::Family::path('messages'), MG::Family::script('messages', 'in=100 out=100 words=1'));
    is($r->{status}, 200, 'with enough it is served');
    $stack->mgctl('account', 'credit', $name, '--', -1);
    $r = $http->post(MG::Family::path('messages'), MG::Family::script('messages', 'words=1'));
    is_error($r, 402, 'messages', 'and credit that is used up is told as that');
}

# A third connection; a stream across the end of its window.
{
    my (undef, $http) = account(0, 600);
    my @running = map {
        my $s = $http->connect;
        print {$s} $http->format_request('POST', MG::Family::path('responses'),
            body => MG::Family::script('responses', 'words=8000 gap=20', stream => \1));
        $s;
    } 1, 2;
    for (1 .. 400) {
        last if wallet($http)->{unlimited}{connections}{active} == 2;
        sleep 0.05;
    }
    for my $family (@MG::Family::NAMES) {
        my $r = $http->post(MG::Family::path($family), MG::Family::script($family, 'words=1', stream => \1));
        is_error($r, 429, $family eq 'messages' ? 'messages' : 'openai', "$family: a third one is turned away",
            type => 'rate_limit_error');
        like($r->{headers}{'retry-after'}, qr/^[1-9]$/, "$family: for some seconds");
        like($r->{json}{error}{message}, qr/2 requests at a time/, "$family: in words");
    }
    is($http->post('/v1/messages/count_tokens',
        {model => 'coder', messages => [{role => 'user', content => 'x'}]})->{status}, 200, 'counting is not a connection');
    close shift @running;
    my $r = {status => 429};
    for (1 .. 400) {
        $r = $http->post(MG::Family::path('chat'), MG::Family::script('chat', 'words=1'));
        last if $r->{status} == 200;
        sleep 0.05;
    }
    is($r->{status}, 200, 'a client that left has given its connection back');
    end_windows();
    is($http->post(MG::Family::path('chat'), MG::Family::script('chat', 'words=1'))->{status}, 429, 'the window is over');
    my $late = $http->read_reply($running[0], 0, until => sub { ($_[0]{body} =~ tr/\n//) > 200 });
    like($late->{body}, qr/output_text\.delta/, 'a stream that outlives it goes on');
    unlike($late->{body}, qr/"type":"error"/, 'undisturbed');
    my $row = usage($http, $late->{headers}{'x-request-id'});
    ok($row->{unlimited} && $row->{charge}{nano} == 0, 'and is not charged');
}

# 64 at once, on two processes of each family.
{
    my ($name, $http) = account(5, 600);
    $stack->mgctl('window', 'give', $name, '--seconds', 600);
    my $refused = sub { my $n = () = $stack->log_text =~ /refused=concurrency_limit/g; $n };
    my $before = $refused->();
    my @socks = map {
        my $family = $MG::Family::NAMES[$_ % 4];
        my $s = $http->connect;
        print {$s} $http->format_request('POST', MG::Family::path($family),
            body => MG::Family::script($family, 'words=8000 gap=20', stream => \1));
        $s;
    } 1 .. 64;
    for (1 .. 600) { # none of the two may end before all others have been answered
        last if $refused->() - $before >= 62;
        sleep 0.1;
    }
    my %n;
    $n{$http->read_reply($_, 0, until => sub { $_[0]{status} == 200 })->{status}}++ for @socks;
    is($n{200}, 2, 'of 64 requests two run');
    is($n{429}, 62, 'the others are turned away');
    my ($row) = $stack->sql("SELECT COUNT(*), COUNT(started_ms) FROM unlimited u JOIN account a ON a.id = u.wallet_id"
        . " WHERE a.username = '$name'");
    is("@$row", '2 1', 'and one of two benefits has started');
    is(wallet($http)->{balance}{nano}, 5e9, 'nothing was put on the credit instead');
}

# Responders die with both connections.
{
    my (undef, $http) = account(0, 600);
    my @running = map {
        my $s = $http->connect;
        print {$s} $http->format_request('POST', MG::Family::path('messages'),
            body => MG::Family::script('messages', 'words=4000 gap=20', stream => \1));
        $s;
    } 1, 2;
    for (1 .. 400) {
        last if wallet($http)->{unlimited}{connections}{active} == 2;
        sleep 0.05;
    }
    is($http->post(MG::Family::path('chat'), MG::Family::script('chat', 'words=1'))->{status}, 429,
        'while both run a third is turned away');
    kill 'KILL', pids_of($stack, 'messages');
    my $r;
    for (1 .. 400) {
        $r = $http->post(MG::Family::path('chat'), MG::Family::script('chat', 'words=1'));
        last if $r->{status} == 200;
        sleep 0.05;
    }
    is($r->{status}, 200, 'when their processes are killed there is room at once');
    ok(is_idle($http), 'and soon nothing is connected');
    ok(is_answering(MG::Http->new($stack, key => ($stack->account(10))[1])), 'all families answer again');
}

# An account that is suspended in its window.
{
    my ($name, $http) = account(0, 600);
    $stack->mgctl('account', 'suspend', $name);
    my $r = $http->post(MG::Family::path('chat'), MG::Family::script('chat', 'words=1'));
    is_error($r, 429, 'openai', 'a suspended account has no window', type => 'usage_limit_reached');
    is(wallet($http)->{unlimited}{state}, 'not_started', 'and does not use it up');
}

ok($stack->audit_is_clean, 'the audit is clean') or diag $stack->{audit};
done_testing();
