# Every way in which a request can be wrong gets the status, the shape and the words of its family,
# before anything is spent and without reaching a provider.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Check qw(is_error);
use MG::Family;
use MG::Http;
use MG::Sim;
use MG::Stack;

my $stack = MG::Stack->new;
my $sim = MG::Sim->new($stack);
my (undef, $key) = $stack->account(10);
my $http = MG::Http->new($stack, key => $key);
my $nobody = MG::Http->new($stack, key => undef);
my %style = (chat => 'openai', responses => 'openai', completions => 'openai', messages => 'messages');
$stack->mgctl('model', 'add', 'blind', '--upstream', 'sim', '--upstream-model', 'sim-blind',
    '--input', 1, '--output', 2, '--capabilities', 'tools');

# What the web server itself refuses has one shape with the members of both.
sub is_json_error {
    my ($r) = @_;
    return ($r->{headers}{'content-type'} // '') =~ m{^application/json} && ref $r->{json} eq 'HASH'
        && ref $r->{json}{error} eq 'HASH' && length $r->{json}{error}{message};
}

sub post { my ($family, $body, %o) = @_; return $http->post(MG::Family::path($family), $body, %o) }

# Methods.
my %allowed = (
    '/api/health' => 'GET', '/api/v1/me' => 'GET', '/api/v1/model' => 'GET, PUT',
    '/api/v1/wallet/status' => 'GET', '/api/v1/billing/token-usage' => 'GET', '/v1/models' => 'GET',
    '/v1/models/coder' => 'GET', map { (MG::Family::path($_) => 'POST') } @MG::Family::NAMES,
);
for my $path (sort keys %allowed) {
    my @methods = split /, /, $allowed{$path};
    my $style = $path =~ /messages/ ? 'messages' : 'openai';
    for my $method (grep { my $m = $_; !grep { $_ eq $m } @methods } qw(GET POST PUT PATCH DELETE)) {
        my $r = $http->request($method, $path, $method =~ /P/ ? (body => '{}') : ());
        # Paths may learn further methods; what is refused has to be refused like this.
        next if $r->{status} != 405 && $path =~ m{/chat/completions$|/responses$};
        is_error($r, 405, $style, "$method $path is refused");
        my %names = map { $_ => 1 } split /,\s*/, $r->{headers}{allow} // '';
        ok(!(grep { !$names{$_} } @methods, 'OPTIONS') && !$names{$method}, "$method $path: Allow lists what is")
            or diag $r->{headers}{allow};
    }
    my $r = $nobody->request('OPTIONS', $path);
    is($r->{status}, 204, "OPTIONS $path needs no key");
    is($r->{body}, '', "OPTIONS $path has no body");
    like($r->{headers}{allow}, qr/\b$methods[0]\b/, "OPTIONS $path has Allow");
    next if $methods[0] ne 'GET';
    my $get = $http->get($path);
    my $head = $http->request('HEAD', $path, until => sub { 1 });
    is("$head->{status} $head->{body}", "$get->{status} ", "HEAD $path is GET without a body");
    is($head->{headers}{'content-type'}, $get->{headers}{'content-type'}, "HEAD $path has its headers");
}
{
    my $r = $http->request('BREW', '/v1/models');
    ok($r->{status} =~ /^(405|501)$/ && is_json_error($r), "an invented method is refused ($r->{status})");
}

# A WebSocket is refused before anything else.
for my $case (
    ['with a key', $http], ['without a key', $nobody], ['with a bad key', MG::Http->new($stack, key => 'nonsense')],
) {
    my ($what, $client) = @$case;
    my $r = $client->get('/v1/responses', headers => {connection => 'Upgrade', upgrade => 'websocket',
        'sec-websocket-version' => 13, 'sec-websocket-key' => 'dGhlIHNhbXBsZSBub25jZQ=='});
    is_error($r, 426, 'openai', "a WebSocket on /v1/responses $what is told to use POST");
}

# Paths that are none.
for my $path ('/v1', '/v1/', '/v1/nothing', '/v1/chat', '/v1/chat/completion', '/v1/engines/x/completions',
    '/v1//chat/completions', '/v1/v1/responses', '/v1/responsesx', '/api', '/api/v1', '/api/v2/me', '/api/v1/me/x',
    '/v1/embeddings', '/api/admin', '/v1/models/a/b/c', '/v1/completions/x',
    '/chat/completions', '/completions', '/responses', '/responses/compact', '/messages') {
    for my $method ('GET', 'POST') {
        my $r = $http->request($method, $path, $method eq 'POST' ? (body => '{}') : ());
        is_error($r, 404, 'openai', "$method $path is unknown");
    }
}
is_error($http->post("/v1/messages/$_", {}), 404, 'messages', "/v1/messages/$_ is unknown")
    for 'nothing', 'batches', 'x/y';
is_error($nobody->get('/v1/nothing'), 404, 'openai', 'an unknown path is unknown to anybody');

# Addresses that try something.
for my $path ('/v1/models/%00', '/v1/models/a%00b', '/v1/models/%', '/v1/models/%zz', '/v1/models/%c3%28',
    '/v1/models/%2e%2e', '/v1/models/..%2fx', '/v1/models/%2e%2e%2fx', '/v1/models/%0d%0aset-cookie:x',
    '/v1/models?%00=1', '/v1/models?a=%zz', '/v1/models/%ff%fe') {
    my $r = $http->get($path);
    ok($r->{status} =~ /^40[04]$/ && !exists $r->{headers}{'set-cookie'}, "$path is refused ($r->{status})");
    ok(is_json_error($r), "$path: with an error in JSON") or diag $r->{body};
}
for my $path ('/v1/../v1/models', '/v1/models/../models', '/v1/./models', '/v1/models/.') {
    my $r = $http->get($path);
    ok($r->{status} == 200 || ($r->{status} =~ /^40[04]$/ && ref $r->{json}{error} eq 'HASH'),
        "$path leads nowhere else ($r->{status})");
}
for my $path ('/v1/../../../../etc/passwd', '/v1/..%2f..%2f..%2fetc/passwd', '/../../etc/passwd') {
    my $r = $http->get($path);
    ok($r->{status} =~ /^40[034]$/ && $r->{body} !~ /root:/, "$path stays inside ($r->{status})");
}

# Large requests around the body.
for my $case (['a header of 60,000 bytes', headers => {'x-big' => 'y' x 60000}],
    ['500 headers', headers => {map { ("x-h$_" => 'v') } 1 .. 500}],
    ['headers of 100,000 bytes', headers => {map { ("x-h$_" => 'v' x 1000) } 1 .. 100}]) {
    my ($what, %o) = @$case;
    my $r = $http->get('/v1/models', %o);
    ok($r->{status} == 200 || $r->{status} =~ /^(400|413|431)$/ && is_json_error($r),
        "$what: an answer ($r->{status})") or diag $r->{body};
}
for my $n (7000, 9000, 100_000) {
    my $r = $http->get('/v1/models?x=' . 'y' x $n);
    ok($r->{status} == 200 || $r->{status} =~ /^(400|413|414|431)$/ && is_json_error($r),
        "a query of $n bytes: an answer ($r->{status})") or diag substr $r->{body}, 0, 200;
}
is_error($http->get('/v1/models?' . join '&', map { "a$_=1" } 1 .. 500), 400, 'openai', 'too many parameters');

$sim->forget;

# Bodies that are no JSON.
for my $family (@MG::Family::NAMES) {
    my $good = $MG::Http::JSON->encode(MG::Family::body($family, 'x'));
    (my $cut = $good) =~ s/.$//;
    for my $case (
        ['nothing', ''], ['only space', "  \n"], ['a word', 'hello'], ['a cut object', $cut],
        ['two objects', "$good $good"], ['something behind', "$good}"], ['single quotes', "{'model':'x'}"],
        ['a comment', "/* x */ $good"], ['a comma too many', '{"model":"coder",}'], ['NaN', '{"model":"coder","n":NaN}'],
        ['a NUL behind', "$good\0"], ['a byte order mark', "\xef\xbb\xbf$good"], ['UTF-16', join '', map { "$_\0" } split //, $good],
        ['Latin-1', "{\"model\":\"coder\",\"x\":\"\xe9\"}"], ['an overlong character', "{\"model\":\"coder\",\"x\":\"\xc0\xaf\"}"],
        ['half a surrogate in bytes', "{\"model\":\"coder\",\"x\":\"\xed\xa0\x80\"}"], ['a bare line end in a string', "{\"model\":\"a\nb\"}"],
        ['a depth of 100,000 lists', '[' x 100_000], ['a depth of 100,000 objects', '{"a":' x 100_000],
        ['a deep but complete body', '{"x":' . '[' x 5000 . ']' x 5000 . '}'],
        ['null', 'null'], ['a form', 'model=coder&stream=true'],
    ) {
        is_error(post($family, $case->[1]), 400, $style{$family}, "$family: $case->[0] is no request");
    }
    is_error(post($family, $_), 422, $style{$family}, "$family: $_ is no object") for '[]', '"x"', '7', 'true';
    (my $twice = $good) =~ s/^\{/{"model":"mini",/;
    is_error(post($family, $twice), 400, $style{$family}, "$family: a model twice is refused");
    (my $hidden = $good) =~ s/^\{/{"mod\\u0065l":"mini",/;
    is_error(post($family, $hidden), 400, $style{$family}, "$family: also when one is written in escapes");
}

# Members of the wrong type are named, all of them.
my %wrong = (
    chat => [[model => 7], [model => []], [messages => 'x'], [messages => {}], [messages => []], [stream => 'yes'],
        [stream => 1], [max_tokens => 'many'], [max_tokens => 0], [max_tokens => -1], [max_tokens => 1.5], [n => 0],
        [n => 1000], [stream_options => 'x'], [tools => {}], [store => 'x'], [metadata => []]],
    responses => [[model => 7], [input => 7], [input => {}], [stream => 'x'], [max_output_tokens => 'x'],
        [max_output_tokens => 0], [store => 0], [tools => 'x'], [previous_response_id => 7], [background => 'x']],
    completions => [[model => {}], [prompt => 7], [prompt => {}], [stream => 'x'], [max_tokens => 'x'], [n => 'x'], [best_of => 'x']],
    messages => [[model => 7], [messages => 'x'], [messages => []], [max_tokens => 'x'], [max_tokens => -1],
        [stream => 'x'], [tools => 'x']],
);
my %required = (chat => ['messages'], completions => ['prompt'], messages => ['messages', 'max_tokens'], responses => []);
for my $family (sort keys %wrong) {
    for my $case (@{$wrong{$family}}) {
        my ($member, $value) = @$case;
        my $shown = $MG::Http::JSON->encode($value);
        my $r = post($family, MG::Family::body($family, 'x', $member => $value));
        is_error($r, 422, $style{$family}, "$family: $member $shown is refused");
        my $detail = $r->{json}{detail}[0] || {};
        is_deeply([@$detail{qw(loc)}, !!length $detail->{msg}, !!length $detail->{type}],
            [['body', $member], !!1, !!1], "$family: $member $shown: the detail says where and what");
        like($r->{json}{error}{message}, qr/\Q$member\E/, "$family: $member $shown: and so does the message");
    }
    for my $member (@{$required{$family}}) {
        my $body = MG::Family::body($family, 'x');
        delete $body->{$member};
        my $r = post($family, $body);
        is_error($r, 422, $style{$family}, "$family: without $member");
        is($r->{json}{detail}[0]{type}, 'missing', "$family: without $member: it is missing");
    }
}
is_deeply([map { $_->{loc}[1] } @{post('messages', {stream => 'x', max_tokens => 'y'})->{json}{detail}}],
    [qw(messages max_tokens stream)], 'everything that is wrong is listed at once');

# Things that cannot be had.
for my $family (@MG::Family::NAMES) {
    for my $model ('gpt-99', 'CODER', 'coder ', "x' OR '1'='1", 'm' x 256) {
        my $r = post($family, MG::Family::body($family, 'x', model => $model));
        is_error($r, 404, $style{$family}, "$family: no model " . substr $model, 0, 20);
    }
    is_error(post($family, MG::Family::body($family, 'x', model => 'm' x 257)), 422, $style{$family}, "$family: no model name is so long");
}
{
    my $r = post('messages', MG::Family::body('messages', 'x', thread => {id => 't'}));
    is_error($r, 400, 'messages', 'messages: a thread is refused', type => 'invalid_request_error');
    is_deeply($r->{json}{error}{details}, {error_code => 'thread_unsupported_request', unsupported => ['thread']},
        'messages: in the words that clients look for');
    is_error(post('responses', MG::Family::body('responses', 'x', previous_response_id => 'resp_nothing')), 400,
        'openai', 'responses: an unknown previous response', code => 'previous_response_not_found', param => 'previous_response_id');
    is_error(post('responses', MG::Family::body('responses', 'x', background => \1, store => \0)), 400,
        'openai', 'responses: nothing in the background that is not stored', param => 'background');
    is_error(post('responses', MG::Family::body('responses', 'x', conversation => 'conv_1')), 400, 'openai',
        'responses: no conversation', param => 'conversation');
}
{
    my $url = 'data:image/png;base64,' . 'iVBORw0KGgo' . 'A' x 2000;
    my %image = (
        chat => {messages => [{role => 'user', content => [{type => 'image_url', image_url => {url => $url}}]}]},
        responses => {input => [{role => 'user', content => [{type => 'input_image', image_url => $url}]}]},
        messages => {messages => [{role => 'user', content => [{type => 'image',
            source => {type => 'base64', media_type => 'image/png', data => substr $url, 22}}]}]},
    );
    my %link = (
        chat => {messages => [{role => 'user', content => [{type => 'image_url', image_url => {url => 'https://x/a.png'}}]}]},
        responses => {input => [{role => 'user', content => [{type => 'input_image', image_url => 'https://x/a.png'}]}]},
        messages => {messages => [{role => 'user', content => [{type => 'tool_result', tool_use_id => 't', content =>
            [{type => 'image', source => {type => 'url', url => 'https://x/a.png'}}]}]}]},
    );
    for my $family (sort keys %image) {
        for my $case (['an image', $image{$family}], ['the address of an image', $link{$family}]) {
            my $r = post($family, MG::Family::body($family, 'x', %{$case->[1]}, model => 'blind'));
            is_error($r, 400, $style{$family}, "$family: $case->[0] is refused by a model that cannot see", message => qr/image/);
        }
        is(post($family, MG::Family::body($family, 'x', %{$image{$family}}))->{status}, 200,
            "$family: and taken by one that can");
    }
}
my @seen = $sim->requests;
is(scalar @seen, 3, 'only what was good has reached the provider');
my $wallet = $http->get('/api/v1/wallet/status')->{json};
is($wallet->{held}{nano}, 0, 'nothing is held');
is(scalar @{$http->get('/api/v1/billing/token-usage')->{json}{data}}, 3, 'and only that was charged');

# What clients send beyond that is none of our business.
for my $family (@MG::Family::NAMES) {
    my $r = post($family, MG::Family::script($family, 'strict=0 words=2', some_new_member => {a => [1, 2, undef]}));
    is($r->{status}, 200, "$family: an unknown member does not matter") or diag $r->{body};
}
for my $type ('text/plain', 'application/octet-stream', undef, 'application/json; charset=utf-8') {
    my $r = post('chat', MG::Family::script('chat', 'words=2'), headers => {'content-type' => $type});
    is($r->{status}, 200, 'the content type ' . ($type // 'nothing') . ' does not matter');
}

done_testing;
