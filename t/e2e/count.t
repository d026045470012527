# Counting input tokens: answers at once, needs nothing that a generation needs, costs nothing,
# leaves no row; asks the upstream's own counter, but never many times, nor waits for it; and
# nothing else below /v1/messages is a door past the meter.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Check qw(is_error ids_fault);
use MG::Http;
use MG::Sim;
use MG::Stack;

my $stack = MG::Stack->new(conf => {count_timeout_ms => 0});
my $sim = MG::Sim->new($stack);
my ($account, $key) = $stack->account(1);
my $http = MG::Http->new($stack, key => $key);
my $messages = '/v1/messages/count_tokens';
my $responses = '/v1/responses/input_tokens';
$sim->forget;

sub count {
    my ($path, $body, %o) = @_;
    my $r = $http->post($path, $body, %o);
    is($r->{status}, 200, "$path answers") or diag $r->{body};
    return $r;
}
sub hello { return (messages => [{role => 'user', content => 'Hello, world'}], @_) }

# The bodies, exactly.
{
    my $r = count("$messages?beta=true", {model => 'coder', hello(tools => [])});
    like($r->{body}, qr/^\{"input_tokens":\d+\}\s*$/, 'Messages: the body is the number alone');
    cmp_ok($r->{json}{input_tokens}, '>', 5, 'Messages: more than the words');
    cmp_ok($r->{json}{input_tokens}, '<', 16, 'Messages: not much more');
    is(ids_fault($r), '', 'Messages: the reply names its request');
    for my $path ($responses, '/v1/responses/count_tokens') {
        $r = count($path, {model => 'coder', input => 'Hello, world'});
        like($r->{body}, qr/^\{"object":"response\.input_tokens","input_tokens":\d+\}\s*$/, "$path: the body is right");
        cmp_ok($r->{json}{input_tokens}, '>', 5, "$path: the words count");
    }
    is(count($responses, {})->{json}{input_tokens}, 0, 'an empty Responses body counts nothing');
    count($messages, {hello()}, headers => {'anthropic-version' => '2023-06-01'});
}

# Everything that a model reads counts.
{
    my $text = 'one two three four five six seven eight nine ten';
    my $plain = count($messages, {hello()})->{json}{input_tokens};
    my %more = (
        system => {hello(system => $text)},
        tools => {hello(tools => [{name => 'read', description => $text, input_schema => {type => 'object'}}])},
        result => {messages => [{role => 'user', content => 'Hello, world'}, {role => 'user', content =>
            [{type => 'tool_result', tool_use_id => 'x', content => $text}]}]},
        call => {messages => [{role => 'user', content => 'Hello, world'}, {role => 'assistant', content =>
            [{type => 'tool_use', id => 'x', name => 'write', input => {text => $text}}]}]},
    );
    for my $what (sort keys %more) {
        cmp_ok(count($messages, $more{$what})->{json}{input_tokens}, '>=', $plain + 10, "Messages: $what");
    }
    my $long = count($messages, {messages => [{role => 'user', content => "$text " x 20_000}]});
    cmp_ok($long->{json}{input_tokens}, '>', 200_000, 'a megabyte is counted, too');
    cmp_ok($long->{json}{input_tokens}, '<', 201_000, 'as exactly');
}

# What is wrong is said.
is_error($http->post($messages, {hello(model => 'nobody')}), 404, 'messages', 'Messages: an unknown model', code => 'null');
is_error($http->post($responses, {model => 'nobody'}), 404, 'openai', 'Responses: an unknown model', code => 'model_not_found');
is_error($http->post($messages, {model => 'coder'}), 422, 'messages', 'Messages: no messages');
is_error($http->post($responses, {input => 5}), 422, 'openai', 'Responses: input of a wrong type');
is_error($http->post($responses, '{"input":'), 400, 'openai', 'Responses: no JSON');
is_error($http->post($responses, {previous_response_id => 'resp_1'}), 400, 'openai',
    'Responses: a response that is not there', code => 'previous_response_not_found');
my $r = $http->post($messages, {messages => [{role => 'user', content => {}}]});
is_deeply($r->{json}{detail}[0]{loc}, ['body', 'messages', 0, 'content'], 'Messages: the place of a wrong type');
for my $path ($messages, $responses, '/v1/responses/count_tokens', '/v1/messages/batches') {
    my $style = $path =~ /messages/ ? 'messages' : 'openai';
    is_error(MG::Http->new($stack, key => undef)->post($path, {hello()}), 401, $style, "$path needs a key");
}
for my $path (qw(batches cache_touch count_tokens2)) {
    is_error($http->post("/v1/messages/$path", {hello()}), 404, 'messages', "/v1/messages/$path is not there");
}
is($http->get($messages)->{status}, 405, 'counting is a POST');

# Many at once, as coding clients do it: 64 connections.
{
    my $body = {model => 'coder', hello(system => 'You are brief. ' x 500)};
    my @socks = map { my $s = $http->connect; print {$s} $http->format_request('POST', $messages, body => $body); $s } 1 .. 64;
    my %got;
    for (@socks) {
        my $r = $http->read_reply($_, 0);
        $got{"$r->{status} " . ($r->{json}{input_tokens} // '')}++;
    }
    is(scalar(keys %got), 1, '64 at once get the same answer') or diag explain \%got;
    like((keys %got)[0], qr/^200 2\d\d\d$/, 'and the right one');
}

# Nothing of it left a trace.
{
    my (undef, $poor) = $stack->account('0');
    is(MG::Http->new($stack, key => $poor)->post($messages, {hello()})->{status}, 200, 'no credit is needed');
    is(scalar($sim->requests), 0, 'no upstream was asked where that is not wanted');
    my $wallet = $http->get('/api/v1/wallet/status')->{json};
    is($wallet->{balance}{nano}, 1_000_000_000, 'nothing was charged');
    is($wallet->{held}{nano}, 0, 'nothing is held');
    is_deeply($http->get('/api/v1/billing/token-usage')->{json}{data}, [], 'no row appeared');
}

# The model's own factor, where only an estimate is to be had.
{
    my $before = count($messages, {model => 'coder', hello(system => 'You are brief. ' x 500)})->{json}{input_tokens};
    $stack->mgctl('model', 'set', 'coder', '--token-factor', '1.5');
    my $after = 0;
    for (1 .. 100) { # a changed catalogue is noticed within a moment
        $after = count($messages, {model => 'coder', hello(system => 'You are brief. ' x 500)})->{json}{input_tokens};
        last if $after != $before;
        select undef, undef, undef, 0.1;
    }
    is($after, int(($before * 1500 + 999) / 1000), "a model's factor corrects the estimate");
    # The same for a generation whose upstream tells no usage, also when a part of it is remembered.
    my $payer = MG::Http->new($stack, key => ($stack->account(1))[1]);
    my $row = sub {
        my $r = $payer->post('/v1/responses', {model => 'coder', @_});
        is($r->{status}, 200, 'a response without usage') or diag $r->{body};
        my ($row) = @{$payer->get('/api/v1/billing/token-usage?limit=1')->{json}{data}};
        return ($row->{usage}{input_tokens}, $r->{json}{id});
    };
    my $script = '[[sim words=2 usage=missing]]';
    my ($first, $id) = $row->(input => $script . ' word' x 2000);
    my ($second) = $row->(input => $script, previous_response_id => $id);
    cmp_ok($first, '>', 2500, 'is estimated with the factor');
    cmp_ok($second, '>', $first, 'and so is what continues it');
    $stack->mgctl('model', 'set', 'coder', '--token-factor', '1');
}

# The upstream's own counter.
$stack->stack('reload', '--conf', 'count_timeout_ms=3000');
{
    my %exact = ($messages => {model => 'coder', messages => [{role => 'user', content => 'one two [[sim in=777]]'}]},
        $responses => {model => 'coder', input => 'one two three [[sim in=778]]'});
    for my $path ($messages, $responses) {
        my $number = $path eq $messages ? 777 : 778;
        $sim->forget;
        is(count($path, $exact{$path})->{json}{input_tokens}, $number, "$path: the upstream's count is told") for 1 .. 3;
        my @asked = $sim->requests;
        is(scalar @asked, 1, "$path: it is asked once for the same");
        like($asked[0]{path}, $path eq $messages ? qr{/messages/count_tokens$} : qr{/responses/input_tokens$}, "$path: at the right place");
        my $body = $MG::Http::JSON->decode($asked[0]{body});
        isnt($body->{model}, 'coder', "$path: under its own name of the model");
        is_deeply([grep { !/^(model|messages|input)$/ } keys %$body], [], "$path: nothing else is added");
    }
    # Nobody works for an account that is suspended: it gets the estimate.
    my ($suspended, $its_key) = $stack->account(1);
    $stack->mgctl('account', 'suspend', $suspended);
    $sim->forget;
    for my $path ($messages, $responses) {
        my %words = $path eq $messages ? (messages => [{role => 'user', content => 'of a suspended one [[sim in=999]]'}])
            : (input => 'of a suspended one [[sim in=999]]');
        my $r = MG::Http->new($stack, key => $its_key)->post($path, {model => 'coder', %words});
        is($r->{status}, 200, "$path: a suspended account may count");
        cmp_ok($r->{json}{input_tokens}, '<', 100, "$path: by the estimate");
    }
    is(scalar($sim->requests), 0, 'the upstream is not asked for it');
    # Many different ones at once: a few are asked for, nobody waits for long, all get an answer.
    $sim->forget;
    $sim->defaults('delay=700');
    my @socks = map { my $s = $http->connect; print {$s} $http->format_request('POST', $messages,
        body => {model => 'coder', messages => [{role => 'user', content => "number $_ of them"}]}); $s } 1 .. 64;
    my @got = map { $http->read_reply($_, 0) } @socks;
    is(scalar(grep { $_->{status} == 200 && $_->{json}{input_tokens} > 0 } @got), 64, '64 at once are all answered');
    cmp_ok(scalar($sim->requests), '<', 33, 'most of them without the upstream');
    $sim->defaults('');
    # Trouble: the estimate, and no second question for a while.
    my $plain = {model => 'coder', messages => [{role => 'user', content => 'Hello, world'}]};
    $sim->replay(path => ($sim->requests)[0]{path}, status => 404, body => '{"error":{}}');
    $sim->forget;
    my $n = count($messages, $plain)->{json}{input_tokens};
    cmp_ok($n, '>', 5, 'an upstream without a counter: an estimate');
    count($messages, {model => 'coder', messages => [{role => 'user', content => "again $_"}]}) for 1 .. 3;
    is(scalar($sim->requests), 1, 'and it is left alone');
    is($http->get('/api/v1/wallet/status')->{json}{balance}{nano}, 1_000_000_000, 'all of it for nothing');
    is_deeply($http->get('/api/v1/billing/token-usage')->{json}{data}, [], 'and without a row');
}
ok($stack->audit_is_clean, 'the audit is clean') or diag $stack->{audit};
done_testing;
