# The account's own reads and the one setting it has: health, me, the default model, the wallet,
# and the usage list with every filter.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Check qw(is_error ids_fault);
use MG::Family;
use MG::Http;
use MG::Sim;
use MG::Stack;

my $stack = MG::Stack->new;
my $sim = MG::Sim->new($stack);
my ($account, $key) = $stack->account(20);
my $http = MG::Http->new($stack, key => $key);

# Health.
{
    my $r = MG::Http->new($stack, key => undef)->get('/api/health');
    is_deeply($r->{json}, {status => 'ok', database => 'ok'}, 'health: all is well');
    is(ids_fault($r), '', 'health has a request id, too');
    $stack->stack('stop', 'db');
    $r = MG::Http->new($stack, key => undef)->get('/api/health');
    is($r->{status}, 200, 'health answers without its database');
    is_deeply($r->{json}, {status => 'degraded', database => 'unavailable'}, 'and tells');
    $r = $http->get('/api/v1/me');
    is_error($r, 503, 'openai', 'an account route is unavailable meanwhile');
    ok($r->{headers}{'retry-after'}, 'and says when to ask again');
    $stack->stack('start', 'db');
    my $status = 'none';
    for (1 .. 100) {
        $status = MG::Http->new($stack, key => undef)->get('/api/health')->{json}{status};
        last if $status eq 'ok';
        select undef, undef, undef, 0.05;
    }
    is($status, 'ok', 'and notices when the database is back');
}

# Me.
{
    my $r = $http->get('/api/v1/me');
    is($r->{json}{object}, 'account', 'me is an account');
    is($r->{json}{username}, $account, 'its name');
    is($r->{json}{status}, 'active', 'its state');
    is($r->{json}{default_model}, 'power-ai', 'its default model');
    like($r->{json}{created_at}, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'when it was made');
    is($r->{json}{setup}{openai_base_url}, $stack->base_url . '/v1', 'addresses for setup');
}

# What the provider was asked for, by the newest request.
sub asked_of_provider {
    my ($seen) = $sim->requests(last => 1);
    return $MG::Http::JSON->decode($seen->{body})->{model};
}

# Asks in a family without naming a model, or naming one.
sub generate {
    my ($family, $model) = @_;
    my $body = MG::Family::script($family, 'words=2');
    delete $body->{model};
    $body->{model} = $model if defined $model;
    return $http->post(MG::Family::path($family), $body);
}

# The default model.
is($http->get('/api/v1/model')->{json}{model}, 'power-ai', 'the default model is the managed alias');
for my $family (@MG::Family::NAMES) {
    my $r = generate($family);
    is($r->{json}{model}, 'power-ai', "$family: without a model the alias answers, under its name");
    is(asked_of_provider(), 'sim-coder', "$family: by the model behind it");
}
{
    my $r = $http->request('PUT', '/api/v1/model', body => {model => 'swift', other => 1});
    is($r->{status}, 200, 'the default model can be set; unknown members do not matter');
    is($r->{json}{model}, 'swift', 'the reply says to what');
    is($http->get('/api/v1/model')->{json}{model}, 'swift', 'and so does the next read');
    is($http->get('/api/v1/me')->{json}{default_model}, 'swift', 'also in me');
    for my $family (@MG::Family::NAMES) {
        my $g = generate($family);
        is($g->{json}{model} . ' ' . asked_of_provider(), 'swift sim-swift',
            "$family: a request without a model gets the new default");
        $g = generate($family, 'mini');
        is($g->{json}{model} . ' ' . asked_of_provider(), 'mini sim-mini',
            "$family: a model in the request comes first");
    }
    my (undef, $other) = $stack->account(1);
    is(MG::Http->new($stack, key => $other)->get('/api/v1/model')->{json}{model}, 'power-ai',
        'another account keeps its own');
    $http->request('PUT', '/api/v1/model', body => {model => 'power-ai'});
    is($http->get('/api/v1/model')->{json}{model}, 'power-ai', 'the alias can be chosen again');
}
for my $case (
    ['an empty object', '{}', 422, 'model', 'missing'],
    ['a number', '{"model":7}', 422, 'model', 'string_type'],
    ['null', '{"model":null}', 422, 'model', undef],
    ['a list', '{"model":["swift"]}', 422, 'model', 'string_type'],
    ['an empty name', '{"model":""}', 422, 'model', 'too_short'],
    ['a long name', '{"model":"' . 'm' x 5000 . '"}', 422, 'model', 'too_long'],
    ['an unknown model', '{"model":"gpt-99"}', 422, 'model', 'value_error'],
    ['a NUL in the name', '{"model":"swift\u0000x"}', 422, 'model', undef],
    ['a list as body', '["model"]', 422, undef, 'dict_type'],
    ['no JSON', 'model=swift', 400],
    ['no body', '', 400],
    ['a cut body', '{"model":"swi', 400],
) {
    my ($what, $body, $status, $field, $type) = @$case;
    my $r = $http->request('PUT', '/api/v1/model', body => $body);
    is_error($r, $status, 'openai', "default model: $what is refused");
    next if $status != 422;
    my $detail = $r->{json}{detail}[0];
    is_deeply($detail->{loc}, ['body', $field // ()], "default model: $what: the detail says where");
    ok(length $detail->{msg} && length $detail->{type} && (!defined $type || $detail->{type} eq $type),
        "default model: $what: and what") or diag explain $detail;
}
is_error($http->request('PUT', '/api/v1/model', body => '{"model":"' . 'x' x 70000 . '"}'), 413,
    'openai', 'default model: a body for a book is refused');
is($http->get('/api/v1/model')->{json}{model}, 'power-ai', 'none of them has changed it');

# The alias moves between two requests.
for my $turn (['swift', 'sim-swift'], ['frontier', 'sim-frontier'], ['coder', 'sim-coder']) {
    my ($model, $asked) = @$turn;
    $stack->mgctl('alias', 'set', 'power-ai', $model);
    for my $family (@MG::Family::NAMES) {
        my $r = generate($family, 'power-ai');
        is($r->{json}{model} . ' ' . asked_of_provider(), "power-ai $asked",
            "$family: the alias means $model from the next request on");
    }
}

# A new price holds for the next request, and the old bill keeps its version.
{
    my $r = generate('chat', 'mini');
    my $old = $http->get('/api/v1/billing/token-usage?request_id=' . $r->{headers}{'x-request-id'});
    $stack->mgctl('price', 'set', 'mini', '--input', '1000', '--output', '2000');
    my $new = generate('chat', 'mini');
    cmp_ok($new->{headers}{'x-credits-charged'}, '>', 100 * $r->{headers}{'x-credits-charged'},
        'a new price holds for the next request');
    my $again = $http->get('/api/v1/billing/token-usage?request_id=' . $r->{headers}{'x-request-id'});
    is_deeply($again->{json}{data}, $old->{json}{data}, 'and leaves old rows alone');
}

# Wallet.
{
    my ($name, $k) = $stack->account('2.5');
    my $w = MG::Http->new($stack, key => $k)->get('/api/v1/wallet/status')->{json};
    is_deeply($w->{balance}, {credits => '2.5', nano => 2_500_000_000}, 'wallet: the balance, exactly');
    is_deeply([$w->{held}{nano}, $w->{available}{nano}], [0, 2_500_000_000], 'wallet: all available');
    is($w->{access}{mode}, 'wallet', 'wallet: access by credit');
    is(scalar @{$w->{lots}}, 1, 'wallet: one lot');
    is($w->{lots}[0]{expires_at}, undef, 'wallet: that never expires');
    $stack->mgctl('account', 'credit', $name, '1.000000001', '--expires', '2099-12-31');
    $w = MG::Http->new($stack, key => $k)->get('/api/v1/wallet/status')->{json};
    is($w->{balance}{credits}, '3.500000001', 'wallet: credit is there at once, to the last nano');
    is_deeply([grep { defined } map { $_->{expires_at} } @{$w->{lots}}], ['2099-12-31T00:00:00Z'],
        'wallet: and when it expires');
    (undef, $k) = $stack->account(0);
    $w = MG::Http->new($stack, key => $k)->get('/api/v1/wallet/status')->{json};
    is_deeply([$w->{balance}{nano}, $w->{access}{mode}, $w->{lots}], [0, 'none', []], 'wallet: nothing at all');
}

# While a request runs, its hold shows apart from the balance.
{
    my (undef, $k) = $stack->account(5);
    my $h = MG::Http->new($stack, key => $k);
    my $during;
    my $r = $h->post('/v1/messages', MG::Family::script('messages', 'words=10 fault=silence at=6', stream => \1),
        until => sub { return 0 if $_[0]{body} !~ /text_delta/;
            $during = $h->get('/api/v1/wallet/status')->{json}; return 1 });
    is($during->{balance}{nano}, 5_000_000_000, 'wallet: a running request leaves the balance');
    cmp_ok($during->{held}{nano}, '>', 0, 'wallet: and shows as held');
    is($during->{available}{nano}, 5_000_000_000 - $during->{held}{nano}, 'wallet: which is not available');
}

done_testing;
