# What is kept when things break: an id that a client has seen the end of is there at once;
# without its database an answer is delivered all the same; killed responders leave nothing half.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Select;
use JSON::PP ();
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);
use MG::Books qw(pids_of is_answering are_right);
use MG::Family;
use MG::Http;
use MG::Stack;

my $true = JSON::PP::true;
my $stack = MG::Stack->new(conf => {heartbeat_ms => 300, stale_ms => 5000, processes => 2,
    drain_seconds => 2});
my (undef, $key) = $stack->account(10000);
my $http = MG::Http->new($stack, key => $key);
my %path = (responses => '/v1/responses', chat => '/v1/chat/completions');

sub body {
    my ($family, $text) = @_;
    return {model => 'power-ai', stream => $true, store => $true, $family eq 'chat'
        ? (messages => [{role => 'user', content => $text}]) : (input => $text)};
}

# Starts a stream; its socket.
sub start {
    my ($family, $text) = @_;
    my $sock = $http->connect;
    print {$sock} $http->format_request('POST', $path{$family}, body => body($family, $text));
    return $sock;
}

sub id_of {
    my ($r) = @_;
    my ($first) = MG::Http::events($r->{body});
    return $first && ($first->{json}{response}{id} // $first->{json}{id});
}

my %end = (responses => qr/^event: response\.completed\n.*\n\n/m, chat => qr/^data: \[DONE\]\n/m);
for my $family (sort keys %path) {
    my @missed;
    for my $n (1 .. 25) {
        my $status;
        $http->read_reply(start($family, "n$n [[sim words=30]]"), time, until => sub {
            my ($r) = @_;
            return 0 if $r->{body} !~ $end{$family};
            $status = $http->get("$path{$family}/" . id_of($r))->{status};
            return 1;
        });
        push @missed, "$n: $status" if ($status // 0) != 200;
    }
    is("@missed", '', "$family: whoever has seen the last event finds what it told of");
}

# The database goes away in the middle of streams.
{
    my %sock = map { ($_ => start($_, 'a [[sim words=60 gap=40]]')) } keys %path;
    IO::Select->new($sock{$_})->can_read(20) for keys %sock;
    $stack->stack('stop', '--signal', 'KILL', 'db');
    my %reply = map { ($_ => $http->read_reply($sock{$_}, time)) } sort keys %sock;
    $stack->stack('start', 'db');
    for my $family (sort keys %path) {
        ok(!$reply{$family}{cut}, "$family: without its database a stream ends in order");
        like($reply{$family}{body}, $end{$family}, "$family: as a whole answer");
    }
    ok(is_answering($http), 'the database is back');
    for my $family (sort keys %path) {
        is($http->get("$path{$family}/" . id_of($reply{$family}))->{status}, 404,
            "$family: what could not be kept is not there");
        my $r = $http->post($path{$family}, body($family, 'b'));
        is($http->get("$path{$family}/" . id_of($r))->{status}, 200, "$family: what comes then is");
    }
    is(scalar(grep { /is not kept/ } split /\n/, $stack->log_text), 2, 'the log says what is not kept');
}

# The database stands still for a while.
{
    my ($db) = $stack->sql('SELECT @@pid_file');
    open my $in, '<', $db->[0] or die "$db->[0]: $!";
    chomp(my $pid = <$in>);
    my %sock = map { ($_ => start($_, 'a [[sim words=60 gap=20]]')) } keys %path;
    IO::Select->new($sock{$_})->can_read(20) for keys %sock;
    kill 'STOP', $pid;
    my %reply = map { ($_ => $http->read_reply($sock{$_}, time)) } sort keys %sock;
    kill 'CONT', $pid;
    for my $family (sort keys %path) {
        like($reply{$family}{body}, $end{$family},
            "$family: while its database stands still a stream comes to its end");
    }
    ok(is_answering($http), 'and the database goes on');
}

# Responders are killed while they settle and store.
{
    my (@replies, @sock);
    my $end = time + 6;
    my $select = IO::Select->new;
    my $killed = time;
    my %family;
    while (time < $end || $select->count) {
        while (time < $end && $select->count < 8) {
            my $family = (sort keys %path)[rand 2];
            my $sock = eval { start($family, 'k [[sim words=8 gap=2]]') } or next;
            $family{$sock} = $family;
            $select->add($sock);
        }
        for my $sock ($select->can_read(0.2)) {
            $select->remove($sock);
            my $r = $http->read_reply($sock, time);
            my $family = $family{$sock};
            push @replies, {family => $family, stream => 1, status => $r->{status},
                id => $r->{headers}{'x-request-id'}, object => id_of($r),
                whole => $r->{status} == 200 && !$r->{cut} && $r->{body} =~ $end{$family}};
        }
        if (time < $end && time > $killed + 0.3) {
            $killed = time;
            my @pids = pids_of($stack, (sort keys %path)[rand 2]);
            kill 'KILL', $pids[rand @pids] if @pids;
        }
    }
    ok(is_answering($http), 'the responders are back');
    my @whole = grep { $_->{whole} } @replies;
    cmp_ok(scalar @whole, '>', 20, 'clients were served meanwhile: ' . @whole . ' of ' . @replies);
    my @lost = grep { $http->get("$path{$_->{family}}/$_->{object}")->{status} != 200 } @whole;
    is(join(' ', map { "$_->{family} $_->{object}" } @lost), '', 'every whole answer is kept');
    are_right($stack, 'responders killed', @replies);
    is_deeply([$stack->sql("SELECT COUNT(*) FROM object o WHERE NOT EXISTS (SELECT 1 FROM
        object_body b WHERE b.object = o.seq AND b.kind = 'reply')")], [[0]],
        'no object is there without its body');
    is_deeply([$stack->sql('SELECT COUNT(*) FROM object_body b WHERE NOT EXISTS
        (SELECT 1 FROM object o WHERE o.seq = b.object)')], [[0]], 'and no body without its object');
    is_deeply([$stack->sql("SELECT COUNT(*) FROM object WHERE state IN ('queued', 'in_progress')")],
        [[0]], 'none of them is half way');
}

# Somebody else has locked where large parts of objects go: all that write there wait for it.
{
    my $holder = fork // die $!;
    if (!$holder) {
        eval { $stack->sql('START TRANSACTION; SELECT * FROM object_body WHERE object > 1000000000 FOR UPDATE; DO SLEEP(300)') };
        POSIX::_exit(0);
    }
    my @thread = ();
    my $is_locked = sub { @thread = $stack->sql("SELECT id FROM information_schema.processlist WHERE info LIKE 'DO SLEEP%'") };
    ok($stack->wait_for($is_locked), 'nothing large can be stored');
    my ($before) = map { $_->[0] } $stack->sql('SELECT COUNT(*) FROM object');
    my $waiting = sub { ($stack->sql("SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"))[0][0] };
    my $charges = sub { ($stack->sql("SELECT COUNT(*) FROM ledger WHERE kind = 'charge'"))[0][0] };
    my $given_up = sub { my $log = $stack->log_text; scalar(() = $log =~ /is not kept/g) };
    my ($had, $lost) = ($charges->(), $given_up->());
    my @large = map {
        my $sock = $http->connect;
        print {$sock} $http->format_request('POST', '/v1/responses', body => {model => 'power-ai',
            input => 'large ' . 'lorem ipsum ' x 1_200_000});
        $sock;
    } 1 .. 2;
    ok($stack->wait_for(sub { $waiting->() > 0 }, 60), 'an object of 14 MB waits to be stored');
    ok($stack->wait_for(sub { $charges->() == $had + @large }, 60), 'what it cost is settled');
    cmp_ok($given_up->() - $lost, '<', @large, 'while it waits');
    my @small = map {
        my $sock = $http->connect;
        print {$sock} $http->format_request('POST', $path{$_->[0]}, body => {%{body($_->[0], 'small')},
            stream => JSON::PP::false, store => $_->[1]});
        $sock;
    } map { my $family = $_; map { [$family, $_] } ($true) x 6, JSON::PP::false } sort keys %path;
    my @reply = map { $http->read_reply($_, time) } @small;
    is(scalar(grep { $_->{status} == 200 && $_->{headers}{'x-credits-charged'} } @reply), scalar @small,
        'requests that are to be stored, too, and others, are answered with what they cost')
        or diag map { "$_->{status} $_->{body}\n" } @reply;
    is($charges->(), $had + @large + @small, 'and all are settled');
    my ($stored) = map { $_->[0] } $stack->sql('SELECT COUNT(*) FROM object');
    is($stored, $before, 'although none of them could be stored');
    cmp_ok($given_up->() - $lost, '<', @large + 2 * 6, 'and not all are given up yet');
    is(scalar($is_locked->()), 1, 'the place was locked all the time');
    $stack->sql("KILL $thread[0][0]");
    waitpid $holder, 0;
    is($http->read_reply($_, time)->{status}, 200, 'the large one has its answer') for @large;
    ok($stack->wait_for(sub {
        my $r = $http->post('/v1/responses', {model => 'power-ai', input => 'after'});
        return $http->get("/v1/responses/$r->{json}{id}")->{status} == 200;
    }), 'then there is room again');
}

# Its time is over.
{
    my $r = $http->post('/v1/responses', {model => 'power-ai', input => 'old'});
    my $id = $r->{json}{id};
    is($http->get("/v1/responses/$id")->{status}, 200, 'an answer is kept for a while');
    $stack->sql("UPDATE object SET expires_ms = 1 WHERE id = '$id'");
    is($http->get("/v1/responses/$id")->{status}, 404, 'and then no longer');
    is($http->post('/v1/responses', {model => 'power-ai', input => 'x',
        previous_response_id => $id})->{json}{error}{code}, 'previous_response_not_found',
        'nor continued');
    my $usage = $http->get("/api/v1/billing/token-usage?request_id=$r->{headers}{'x-request-id'}");
    is(scalar @{$usage->{json}{data}}, 1, 'its usage stays');
}
ok($stack->audit_is_clean, 'the ledger is sound after all of it') or diag $stack->{audit};
done_testing;
