# Two hosts of one gateway, behind different web servers: what was begun, kept, opened or revoked
# through one of them holds on the other, and what a dead host leaves behind is put in order.
# Both run on this machine, so the place of a process (lib/ledger/proc.h) is the same for both.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Time::HiRes qw(sleep time);
use MG::Books qw(pids_of);
use MG::Check qw(is_error);
use MG::Family;
use MG::Http;
use MG::Sim;
use MG::Stack;

my %conf = (heartbeat_ms => 300, stale_ms => 3000, slice_tokens => 64, drain_seconds => 1, keepalive_ms => 400);
my $a = MG::Stack->new(conf => \%conf);
my $b = MG::Stack->new(conf => \%conf, database_of => $a,
    server => $a->httpd eq 'lighttpd' ? 'apache' : 'lighttpd');
my $sim = MG::Sim->new($a);
isnt($a->httpd, $b->httpd, 'the two hosts have different web servers');
is($b->sim_url, $a->sim_url, 'and one provider');
# Translation numbers the events here, pass-through there.
$a->mgctl('upstream', 'add', 'chat', '--formats', 'chat', '--url', $a->sim_url);
$a->mgctl('model', 'add', 'translated', '--upstream', 'chat', '--upstream-model', 'sim-large',
    '--input', '3', '--output', '15', '--max-output', '64000');
my %model = (translated => 'only chat upstream', coder => 'any upstream');

my ($name, $key) = $a->account(1000);
my %on = (A => MG::Http->new($a, key => $key), B => MG::Http->new($b, key => $key));
my @ways = (['A', 'B'], ['B', 'A']);

sub until_true {
    my ($what, $code) = @_;
    my ($end, $got) = (time + 30);
    sleep 0.05 until ($got = $code->()) || time > $end;
    ok($got, $what);
    return $got;
}
sub begin {
    my ($http, $model, $commands, %more) = @_;
    my $r = $http->post('/v1/responses', {model => $model, input => "Go [[sim $commands]]", background => \1, %more});
    is($r->{status}, 200, "$model: begun") or diag $r->{body};
    return $r->{json}{id};
}
sub text_of { my ($r) = @_; return MG::Family::text_of_json('responses', $r) }
sub events { return grep { $_->{json} && defined $_->{json}{sequence_number} } MG::Http::events($_[0]) }

# The new tables of models are everywhere.
for my $host ('A', 'B') {
    until_true("$host knows the new model", sub { $on{$host}->get('/v1/models/translated')->{status} == 200 });
}

# Begun here, read and followed there.
for my $way (@ways) {
    my ($here, $there) = @$way;
    for my $model (sort keys %model) {
        my $what = "$model, $here to $there";
        my $s = $on{$here}->connect;
        print {$s} $on{$here}->format_request('POST', '/v1/responses', body => {model => $model, background => \1,
            stream => \1, input => 'Go [[sim words=25 gap=40]]'});
        my $r = $on{$here}->read_reply($s, 0, until => sub { (grep { $_->{json}{type} =~ /delta/ } events($_[0]{body})) >= 3 });
        my @first = events($r->{body});
        my $id = $first[0]{json}{response}{id};
        my @rest = events($on{$there}->get("/v1/responses/$id?stream=true&starting_after=" . $first[-1]{json}{sequence_number})->{body});
        is($rest[-1]{json}{type}, 'response.completed', "$what: a follower sees its end");
        is_deeply([map { $_->{json}{sequence_number} } @first, @rest], [0 .. @first + @rest - 1],
            "$what: both clients together have every event once");
        is(join('', map { $_->{json}{delta} } grep { $_->{json}{type} eq 'response.output_text.delta' } @first, @rest),
            text_of($rest[-1]{json}{response}), "$what: and the whole text");
        is_deeply($on{$there}->get("/v1/responses/$id")->{json}, $on{$here}->get("/v1/responses/$id")->{json},
            "$what: both read the same of it");
    }
}

# Cancelled, or deleted, from the other host: the upstream is stopped, the follower is told.
for my $way (@ways) {
    my ($here, $there) = @$way;
    my $what = "$here to $there";
    my $id = begin($on{$here}, 'translated', 'words=4000 gap=50');
    my $s = $on{$there}->connect;
    print {$s} $on{$there}->format_request('GET', "/v1/responses/$id?stream=true");
    until_true("$what: it runs", sub { $sim->stats->{streams_open} == 1 });
    is($on{$there}->get("/v1/responses/$id")->{json}{status}, 'in_progress', "$what: read while it runs");
    my $r = $on{$there}->post("/v1/responses/$id/cancel", '');
    is($r->{status}, 200, "$what: cancelled") or diag $r->{body};
    is($r->{json}{status}, 'cancelled', "$what: and says so");
    until_true("$what: the upstream is stopped", sub { $sim->stats->{streams_open} == 0 });
    is($on{$here}->get("/v1/responses/$id")->{json}{status}, 'cancelled', "$what: where it ran it is the same");
    my @seen = events($on{$there}->read_reply($s, 0)->{body});
    is($seen[-1]{json}{response}{status}, 'cancelled', "$what: who follows there is told");
    $id = begin($on{$here}, 'coder', 'words=4000 gap=50');
    until_true("$what: one more runs", sub { $sim->stats->{streams_open} == 1 });
    is($on{$there}->request('DELETE', "/v1/responses/$id")->{status}, 200, "$what: deleted while it runs");
    is($on{$here}->get("/v1/responses/$id")->{status}, 404, "$what: gone at once");
    until_true("$what: its upstream is stopped", sub { $sim->stats->{streams_open} == 0 });
}

# These run until their host dies, below.
my @doomed = map { begin($on{B}, $_, 'words=4000 gap=50') } sort keys %model;
my $survivor = begin($on{A}, 'coder', 'words=4000 gap=50');

# What is kept is everybody's.
for my $way (@ways) {
    my ($here, $there) = @$way;
    my $what = "$here to $there";
    my $id = $on{$here}->post('/v1/responses', {model => 'coder', input => 'First [[sim words=3]]'})->{json}{id};
    is_deeply([map { $_->{content}[0]{text} } @{$on{$there}->get("/v1/responses/$id/input_items")->{json}{data}}],
        ['First [[sim words=3]]'], "$what: the input of a response is listed");
    $sim->forget;
    my $next = $on{$there}->post('/v1/responses', {model => 'coder', previous_response_id => $id, input => 'Second [[sim words=1]]'});
    is($next->{status}, 200, "$what: a response is continued") or diag $next->{body};
    like($MG::Http::JSON->encode($sim->last_request), qr/First .*alpha beta gamma.*Second /s, "$what: with all that was said before");
    is($on{$there}->request('DELETE', "/v1/responses/$id")->{json}{deleted}, JSON::PP::true, "$what: deleted");
    is($on{$here}->get("/v1/responses/$id")->{status}, 404, "$what: and gone");
    is_error($on{$here}->post('/v1/responses', {model => 'coder', previous_response_id => $id, input => 'x'}),
        400, 'openai', "$what: also as a predecessor", code => 'previous_response_not_found');

    my $path = '/v1/chat/completions';
    my $chat = $on{$here}->post($path, {model => 'coder', store => \1, metadata => {way => $what},
        messages => [{role => 'user', content => 'Hello'}]})->{json};
    my $query = 'metadata%5Bway%5D=' . ($what =~ s/ /%20/gr);
    is_deeply([map { $_->{id} } @{$on{$there}->get("$path?$query")->{json}{data}}], [$chat->{id}],
        "$what: a chat completion is listed");
    is($on{$there}->request('PATCH', "$path/$chat->{id}", body => {metadata => {new => 'x'}})->{status}, 200, "$what: changed");
    is_deeply($on{$here}->get("$path/$chat->{id}")->{json}{metadata}, {new => 'x'}, "$what: which shows where it was made");
    is($on{$there}->get("$path/$chat->{id}/messages")->{json}{data}[0]{content}, 'Hello', "$what: its messages are read");
    is($on{$there}->request('DELETE', "$path/$chat->{id}")->{status}, 200, "$what: deleted");
    is($on{$here}->get("$path/$chat->{id}")->{status}, 404, "$what: and gone, too");
}

# Sessions and keys.
my ($member, $member_name) = $a->member(5);
for my $way (@ways) {
    my ($here, $there) = @$way;
    my $what = "$here to $there";
    my %stack = (A => $a, B => $b);
    my $web = MG::Http->sign_in($stack{$here}, username => $member_name, password => "password of $member_name");
    my $other = MG::Http->new($stack{$there}, key => undef);
    @$other{qw(cookie origin)} = ($web->{cookie}, $stack{$there}->base_url);
    is($other->get('/api/me')->{json}{username}, $member_name, "$what: a session is valid");
    my $made = $web->post('/api/keys', {name => "of $here"})->{json};
    my $secret = $made->{secret} // $made->{key};
    my %with = map { $_ => MG::Http->new($stack{$_}, key => $secret) } 'A', 'B';
    is($with{$_}->get('/v1/models')->{status}, 200, "$what: a new key is known to $_") for 'A', 'B';
    is($other->request('DELETE', "/api/keys/$made->{id}")->{status} =~ s/204/200/r, 200, "$what: revoked on $there");
    is_error($with{$_}->post('/v1/responses', {model => 'coder', input => 'x'}), 401, 'openai',
        "$what: the next request on $_ is refused") for $here, $there;
    is($other->post('/api/auth/logout', {})->{status}, 204, "$what: signed out on $there");
    is($web->get('/api/me')->{status}, 401, "$what: the session is over on $here");
}

# One window for all hosts.
{
    my ($holder, $windowed) = $a->account(0);
    $a->mgctl('window', 'give', $holder, '--seconds', 600);
    my %with = (A => MG::Http->new($a, key => $windowed), B => MG::Http->new($b, key => $windowed));
    my $connections = sub { $with{A}->get('/api/v1/wallet/status')->{json}{unlimited}{connections}{active} };
    my %running = map {
        my $s = $with{$_}->connect;
        print {$s} $with{$_}->format_request('POST', '/v1/responses',
            body => MG::Family::script('responses', 'words=4000 gap=50', stream => \1));
        ($_ => $s);
    } 'A', 'B';
    until_true('a connection runs on each host', sub { $connections->() == 2 });
    for my $host ('A', 'B') {
        is_error($with{$host}->post('/v1/responses', MG::Family::script('responses', 'words=1', stream => \1)), 429,
            'openai', "a third one on $host is turned away", type => 'rate_limit_error');
    }
    close $running{B};
    until_true('what ends on B', sub {
        $with{A}->post('/v1/responses', MG::Family::script('responses', 'words=1'))->{status} == 200 });
    close $running{A};
    until_true('none is left', sub { $connections->() == 0 });
}

# The death of a host.
{
    until_true('the doomed run', sub { $sim->stats->{streams_open} == @doomed + 1 });
    my $s = $on{A}->connect; # somebody on A follows
    print {$s} $on{A}->format_request('GET', "/v1/responses/$doomed[0]?stream=true");
    sleep 0.5;
    $b->stack('stop', '--signal', 'KILL', 'serve');
    kill 'KILL', pids_of($b);
    for my $id (@doomed) {
        my $r = until_true("$id fails", sub { my $r = $on{A}->get("/v1/responses/$id")->{json}; $r->{status} eq 'failed' && $r });
        is($r->{error}{code}, 'server_error', 'with the code of a server error');
        is_error($on{A}->post("/v1/responses/$id/cancel", ''), 400, 'openai', 'and cannot be cancelled any more');
    }
    my @seen = events($on{A}->read_reply($s, 0)->{body});
    is($seen[-1]{json}{type}, 'response.failed', 'who followed on A is told');
    is_deeply([map { $_->{json}{sequence_number} } @seen], [0 .. $#seen], 'with every event that was put away');
    is($on{A}->get("/v1/responses/$survivor")->{json}{status}, 'in_progress', 'what runs on A is not touched by it');
    is($on{A}->post("/v1/responses/$survivor/cancel", '')->{json}{status}, 'cancelled', 'until it is cancelled');
    until_true('nothing stays held', sub { $on{A}->get('/api/v1/wallet/status')->{json}{held}{nano} == 0 });
    $b->stack('start', 'serve');
    until_true('the host comes back', sub { $on{B}->get("/v1/responses/$doomed[0]")->{status} == 200 });
    is($on{B}->get("/v1/responses/$doomed[0]")->{json}{status}, 'failed', 'and reads the same');
}
ok($a->audit_is_clean, 'the audit is clean') or diag $a->{audit};
ok($b->audit_is_clean, 'on either host') or diag $b->{audit};
undef $b; # before the database
done_testing;
