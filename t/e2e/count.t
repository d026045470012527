# Counting input tokens: answers at once, needs nothing that a generation needs, costs nothing,
# asks no upstream, leaves no row; and nothing else below /v1/messages is a door past the meter.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Check qw(is_error ids_fault);
use MG::Http;
use MG::Sim;
use MG::Stack;

my $stack = MG::Stack->new;
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
    is(scalar($sim->requests), 0, 'no upstream was asked');
    my $wallet = $http->get('/api/v1/wallet/status')->{json};
    is($wallet->{balance}{nano}, 1_000_000_000, 'nothing was charged');
    is($wallet->{held}{nano}, 0, 'nothing is held');
    is_deeply($http->get('/api/v1/billing/token-usage')->{json}{data}, [], 'no row appeared');
}
ok($stack->audit_is_clean, 'the audit is clean') or diag $stack->{audit};
done_testing;
