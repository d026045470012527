# Responses in the background: they go on without their client, are followed, cancelled from
# anywhere, survive everything but their process, and cost what they produced.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Select;
use Test::More;
use Time::HiRes qw(sleep time);
use MG::Books qw(pids_of);
use MG::Check qw(is_error);
use MG::Conform;
use MG::Http;
use MG::Kinds;
use MG::Sim;
use MG::Stack;

my $stack = MG::Stack->new(conf => {processes => 2, keepalive_ms => 400});
my $sim = MG::Sim->new($stack);
MG::Kinds::offer($stack);
my (undef, $key) = $stack->account(100);
my (undef, $other) = $stack->account(1);
my $http = MG::Http->new($stack, key => $key);
my @models = map { $_->{model} } MG::Kinds::kinds();

sub start {
    my ($model, $commands, %more) = @_;
    return $http->post('/v1/responses', {model => $model, input => "Go [[sim $commands]]",
        background => \1, %more});
}
sub get { return $http->get("/v1/responses/$_[0]")->{json} }
sub until_true {
    my ($what, $code) = @_;
    my $end = time + 20;
    my $got;
    sleep 0.05 until ($got = $code->()) || time > $end;
    ok($got, $what);
    return $got;
}
sub settled { my ($id) = @_; return until_true("$id ends", sub { my $r = get($id); $r && $r->{status} !~ /queued|in_progress/ && $r }) }
sub rows { return @{$http->get('/api/v1/billing/token-usage?limit=50')->{json}{data}} }
sub events { return grep { defined $_->{json}{sequence_number} } MG::Http::events($_[0]) }
sub numbers { return [map { $_->{json}{sequence_number} } @_] }
sub text_of { my ($r) = @_; return join '', map { $_->{text} // '' } map { @{$_->{content} || []} } @{$r->{output} || []} }
my @shown; # judged all together at the end
sub conforms { my ($r, $what) = @_; push @shown, [$what, $r]; return }

# Every kind of upstream: answered at once, finished later, kept, billed once.
for my $model (@models) {
    my $r = start($model, 'words=12 gap=20', metadata => {a => 'b'});
    is($r->{status}, 200, "$model: taken") or diag $r->{body};
    like($r->{json}{status}, qr/^(queued|in_progress)$/, "$model: answered before it is done");
    is($r->{json}{background}, JSON::PP::true, "$model: and says what it is");
    conforms($r->{json}, "$model: the first answer keeps to the schema");
    my $id = $r->{json}{id};
    like($id, qr/^resp_/, "$model: under an id");
    my $done = settled($id);
    is($done->{status}, 'completed', "$model: completed");
    is($done->{id}, $id, "$model: the same id");
    is($done->{model}, $model, "$model: the same model");
    is(text_of($done), 'alpha beta gamma delta omega sigma kappa theta alpha beta gamma delta', "$model: the whole text");
    is_deeply($done->{metadata}, {a => 'b'}, "$model: its settings");
    conforms($done, "$model: the last answer keeps to the schema");
    my ($row) = until_true("$model: a row", sub { my ($row) = grep { $_->{model} eq $model } rows(); $row });
    is($row->{usage}{output_tokens}, $done->{usage}{output_tokens}, "$model: billed as shown");
    is(scalar(grep { $_->{model} eq $model } rows()), 1, "$model: once");
    my $again = $http->get("/v1/responses/$id?stream=true");
    my @events = events($again->{body});
    is($events[-1]{json}{type}, 'response.completed', "$model: its stream can be read again");
    is_deeply(numbers(@events), [0 .. $#events], "$model: from the first event to the last");
    is($_->{json}{response}{id}, $id, "$model: $_->{json}{type} has the id") for grep { $_->{json}{response} } @events;
    my $next = $http->post('/v1/responses', {model => $model, previous_response_id => $id, input => 'And [[sim words=1]]'});
    is($next->{status}, 200, "$model: it can be continued") or diag $next->{body};
}

# A client that streams and leaves; another one follows from where it was.
for my $model (qw(only-chat only-responses)) {
    my $seen = '';
    my $s = $http->connect;
    print {$s} $http->format_request('POST', '/v1/responses', body => {model => $model, background => \1, stream => \1,
        input => 'Go [[sim words=25 gap=40]]'});
    my $r = $http->read_reply($s, 0, until => sub { my @d = grep { $_->{json}{type} =~ /delta/ } events($_[0]{body}); @d >= 3 });
    close $s;
    my @first = events($r->{body});
    my $id = $first[0]{json}{response}{id};
    ok($id, "$model: a stream that is left has told its id");
    my $follow = $http->get("/v1/responses/$id?stream=true&starting_after=" . $first[-1]{json}{sequence_number});
    my @rest = events($follow->{body});
    is($rest[-1]{json}{type}, 'response.completed', "$model: a follower sees the end");
    my @all = (@first, @rest);
    is_deeply(numbers(@all), [0 .. $#all], "$model: both together have every event once");
    is(join('', map { $_->{json}{delta} } grep { $_->{json}{type} eq 'response.output_text.delta' } @all),
        text_of($all[-1]{json}{response}), "$model: and the whole text");
    is(scalar($sim->stats->{client_gone}), 0, "$model: the upstream was not left");
}

# Cancelled: the upstream is stopped, what was produced is charged, nothing is charged twice.
for my $model (@models) {
    my $id = start($model, 'words=4000 gap=50')->{json}{id};
    my $s = $http->connect; # somebody follows
    print {$s} $http->format_request('GET', "/v1/responses/$id?stream=true");
    until_true("$model: it runs", sub { $sim->stats->{streams_open} > 0 });
    sleep 0.5;
    is_error(MG::Http->new($stack, key => $other)->post("/v1/responses/$id/cancel", ''), 404, 'openai', "$model: nobody else can cancel it");
    my $r = $http->post("/v1/responses/$id/cancel", '');
    is($r->{status}, 200, "$model: cancelled") or diag $r->{body};
    is($r->{json}{status}, 'cancelled', "$model: and says so");
    is(get($id)->{status}, 'cancelled', "$model: and stays so");
    conforms($r->{json}, "$model: keeps to the schema");
    is($http->post("/v1/responses/$id/cancel", '')->{json}{status}, 'cancelled', "$model: again is the same");
    until_true("$model: the upstream is stopped", sub { $sim->stats->{streams_open} == 0 });
    my @seen = events($http->read_reply($s, 0)->{body});
    is($seen[-1]{json}{response}{status}, 'cancelled', "$model: who followed is told");
    my ($row) = until_true("$model: a row", sub { my ($row) = grep { $_->{model} eq $model && $_->{client_left} } rows(); $row });
    cmp_ok($row->{usage}{output_tokens}, '<', 3000, "$model: what was produced is charged");
}

# The flag in the database is all that another host has.
{
    my $id = start('only-messages', 'words=4000 gap=50')->{json}{id};
    until_true('one more runs', sub { $sim->stats->{streams_open} > 0 });
    $stack->sql("UPDATE object SET cancel = 1 WHERE id = '$id'");
    is(settled($id)->{status}, 'cancelled', 'a wish in the database stops it');
    until_true('and its upstream', sub { $sim->stats->{streams_open} == 0 });
}

# Nobody listens to the wish: those who ask for it wait a while, but not all of them, and without
# what others need.
{
    my $id = start('only-chat', 'words=1')->{json}{id};
    settled($id);
    # As if it ran in a process that is alive and does not look.
    $stack->sql("UPDATE object SET state = 'in_progress', owner = (SELECT owner FROM proc WHERE role = 'chat' LIMIT 1) WHERE id = '$id'");
    my @socks = map { my $s = $http->connect; print {$s} $http->format_request('POST', "/v1/responses/$id/cancel", body => ''); $s } 1 .. 24;
    my %waits = map { $_ => $_ } @socks;
    my @at_once;
    until_true('those who find too many waiting are told at once', sub {
        push @at_once, map { delete $waits{$_} } IO::Select->new(values %waits)->can_read(0);
        @at_once >= 8;
    });
    is(get($id)->{status}, 'in_progress', 'others are served meanwhile') for 1 .. 3;
    cmp_ok(scalar(() = IO::Select->new(values %waits)->can_read(0)), '<', scalar(keys %waits), 'before the last ones give up');
    my @replies = map { $http->read_reply($_, time) } @socks;
    is(scalar(grep { $_->{status} == 200 && $_->{json}{status} eq 'in_progress' } @replies), 24, 'all are told how it stands');
    $http->request('DELETE', "/v1/responses/$id");
}

# Deleted while it runs: nobody will read it, so it is stopped, and nothing of it is left.
{
    my $id = start('only-chat', 'words=4000 gap=50')->{json}{id};
    until_true('another one runs', sub { $sim->stats->{streams_open} > 0 });
    sleep 0.4;
    is($http->request('DELETE', "/v1/responses/$id")->{json}{deleted}, JSON::PP::true, 'a running one can be deleted');
    is($http->get("/v1/responses/$id")->{status}, 404, 'and is gone');
    until_true('its upstream is stopped', sub { $sim->stats->{streams_open} == 0 });
    sleep 0.5;
    is(($stack->sql('SELECT COUNT(*) FROM object_body b LEFT JOIN object o ON o.seq = b.object WHERE o.seq IS NULL'))[0][0],
        0, 'no piece of it is left');
}

# What cannot be cancelled, or cannot be in the background.
{
    my $id = start('only-chat', 'words=2')->{json}{id};
    settled($id);
    my ($before) = rows();
    is_error($http->post("/v1/responses/$id/cancel", ''), 400, 'openai', 'a completed one is refused');
    is((rows())[0]{balance_after}{nano}, $before->{balance_after}{nano}, 'and not refunded');
    my $plain = $http->post('/v1/responses', {model => 'only-chat', input => 'Hi'})->{json}{id};
    is_error($http->post("/v1/responses/$plain/cancel", ''), 400, 'openai', 'one that was not in the background, too', message => qr/synchronous/);
    is_error($http->post('/v1/responses/resp_none/cancel', ''), 404, 'openai', 'an unknown one');
    is_error($http->post('/v1/responses/' . 'x' x 129 . '/cancel', ''), 422, 'openai', 'no id at all');
    is_error(start('only-chat', 'words=1', store => \0), 400, 'openai', 'one that is not stored cannot be in the background', message => qr/store/);
    my (undef, $poor) = $stack->account('0');
    is_error(MG::Http->new($stack, key => $poor)->post('/v1/responses', {model => 'only-chat', input => 'Hi', background => \1}), 402, 'openai', 'no credit');
}

# Failures of the upstream are the response's.
for my $model (qw(only-messages only-responses)) {
    my $r = start($model, 'status=503');
    is($r->{status}, 200, "$model: taken before the upstream is asked");
    my $failed = settled($r->{json}{id});
    is($failed->{status}, 'failed', "$model: an upstream that refuses makes it fail");
    ok($failed->{error}{code}, "$model: with a code");
    conforms($failed, "$model: keeps to the schema");
    $failed = settled(start($model, 'words=30 fault=cut at=12')->{json}{id});
    is($failed->{status}, 'failed', "$model: one that is cut, too");
}

# A killed process: the response fails, the hold is released, nothing hangs.
{
    my @ids = map { start('only-chat', 'words=3000 gap=50')->{json}{id} } 1 .. 4;
    my $s = $http->connect;
    print {$s} $http->format_request('GET', "/v1/responses/$ids[0]?stream=true");
    until_true('they run', sub { $sim->stats->{streams_open} >= 4 });
    sleep 0.6;
    kill 'KILL', pids_of($stack, 'responses');
    close $s;
    for my $id (@ids) {
        my $r = until_true("$id fails", sub { my $r = eval { get($id) }; $r && $r->{status} && $r->{status} eq 'failed' && $r });
        is($r->{error}{code}, 'server_error', 'with the code of a server error');
        conforms($r, 'it keeps to the schema');
    }
    my $again = $http->get("/v1/responses/$ids[0]?stream=true");
    my @events = events($again->{body});
    is($events[-1]{json}{type}, 'response.failed', 'its stream ends, too');
    is_deeply(numbers(@events), [0 .. $#events], 'with every event that was put away');
    is_error($http->post("/v1/responses/$ids[1]/cancel", ''), 400, 'openai', 'it cannot be cancelled any more');
    until_true('nothing stays held', sub { $http->get('/api/v1/wallet/status')->{json}{held}{nano} == 0 });
}
SKIP: {
    my $why = MG::Conform::missing();
    skip $why, scalar @shown if $why;
    my %f = MG::Conform::verdicts(map { {kind => 'reply', family => 'responses', id => $_, body => $shown[$_][1]} } 0 .. $#shown);
    is_deeply($f{$_}, [], $shown[$_][0]) or diag explain $f{$_} for 0 .. $#shown;
}
ok($stack->audit_is_clean, 'the audit is clean') or diag $stack->{audit};
done_testing;
