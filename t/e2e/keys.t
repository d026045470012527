# Keys in the dashboard: made, shown once, restricted, followed and taken away; and what else the
# dashboard reads: the account, the models, sums of usage.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use POSIX qw(strftime);
use Test::More;
use MG::Check qw(is_error);
use MG::Family;
use MG::Http;
use MG::Sim;
use MG::Stack;

# Two processes of each responder, so that nothing may rest on the memory of one.
my $stack = MG::Stack->new(conf => {processes => 2});
my $sim = MG::Sim->new($stack);
my ($web, $name, $system) = $stack->member(50);
my $nobody = MG::Http->new($stack, key => undef);

sub with { my ($key) = @_; return MG::Http->new($stack, key => $key) }
sub patch { my ($id, $body) = @_; return $web->request('PATCH', "/api/keys/$id", body => $body) }
sub listed { my ($id) = @_; my ($key) = grep { $_->{id} == $id } @{$web->get('/api/keys')->{json}{data}}; return $key }

# One request of each family; the statuses.
sub generate {
    my ($key, $model) = @_;
    return map { with($key)->post(MG::Family::path($_),
        {%{MG::Family::script($_, 'words=4')}, $model ? (model => $model) : ()}) } @MG::Family::NAMES;
}
sub statuses { return join ' ', map { $_->{status} } @_ }

# The account to its owner.
{
    my $r = $web->get('/api/me');
    is($r->{status}, 200, 'the dashboard reads the account');
    my $me = $r->{json};
    is($me->{username}, $name, 'with its name');
    is($me->{system_key}, $system, 'with the System Key in clear');
    is($r->{headers}{'cache-control'}, 'no-store', 'which no cache may keep');
    is($me->{credential}{type}, 'session', 'asked by a session');
    is($me->{default_model}, 'power-ai', 'with the managed alias as its model');
    is_deeply([map { $_->{label} } @{$me->{setup}{labels}}], [qw(Coder Frontier Mini Swift)],
        'four labels can be chosen');
    is_deeply([map { $_->{label} } grep { $_->{premium} } @{$me->{setup}{labels}}], ['Frontier'],
        'one of them premium');
    is($me->{wallet}{available}{credits}, '50', 'with its credit');
    ok(ref $me->{$_} eq 'HASH', "with its $_") for qw(unlimited checkin vip alerts);
    ok(exists $me->{pending_email} && exists $me->{email_verified}, 'and the state of its address');
    my $v1 = with($system)->get('/api/v1/me')->{json};
    is($v1->{system_key}, $system, 'the System Key sees itself');
    is_error(with($system)->get('/api/me'), 401, 'openai', 'but is no session', code => 'invalid_session');
    is_error($nobody->get('/api/me'), 401, 'openai', 'nor is nobody');
}

# One preference for the dashboard and for requests.
{
    my $r = $web->post('/api/model', {model => 'frontier'});
    is_deeply($r->{json}, {object => 'model_preference', model => 'frontier', label => 'Frontier'},
        'a label is chosen');
    is(with($system)->get('/api/v1/model')->{json}{model}, 'frontier', 'and is the default model of requests');
    is_deeply([map { $_->{model} } grep { $_->{chosen} } @{$web->get('/api/me')->{json}{setup}{labels}}],
        ['frontier'], 'and marked among the labels');
    with($system)->request('PUT', '/api/v1/model', body => {model => 'power-ai'});
    my $me = $web->get('/api/me')->{json};
    is($me->{default_model}, 'power-ai', 'what a key sets is seen in the dashboard');
    is(scalar(grep { $_->{chosen} } @{$me->{setup}{labels}}), 0, 'the alias is none of the labels');
    is_error($web->post('/api/model', {model => 'no-such'}), 422, 'openai', 'an unknown model is refused');
    is_error($web->post('/api/model', {}), 422, 'openai', 'so is none');
    is_error($web->post('/api/model', {model => 'mini'}, headers => {origin => 'https://evil.example'}), 403,
        'openai', 'another site cannot choose');
    is($web->get('/api/me')->{json}{default_model}, 'power-ai', 'and has not');
}

# Models for everybody.
{
    my $r = $nobody->get('/api/models');
    is($r->{status}, 200, 'the models are public');
    my %model = map { $_->{id} => $_ } @{$r->{json}{data}};
    is_deeply([sort keys %model], [qw(coder frontier mini power-ai swift)], 'all of them');
    is($model{'power-ai'}{alias_of}, 'coder', 'the alias says what it means today');
    is_deeply($model{mini}{prices}, {input => '0.25', output => '2', cache_read => '0.025',
        cache_write_5m => '0.3125', cache_write_1h => '0.5'}, 'with exact prices');
    ok($model{frontier}{premium} && $model{frontier}{label} eq 'Frontier', 'with label and premium mark');
    is($model{mini}{context}, 128000, 'with their limits');
    unlike($r->{body}, qr/sim-|127\.0\.0\.1|upstream/, 'and nothing of what is behind them');
}

# A key is made and shown once.
my ($id, $secret);
{
    my $r = $web->post('/api/keys', {name => 'ci "runner" <b>'});
    is($r->{status}, 201, 'a key is made');
    ($id, $secret) = @{$r->{json}}{qw(id secret)};
    like($secret, qr/^sk-mg-\w{49}$/, 'and shown');
    is($r->{json}{masked}, "sk-mg-\xe2\x80\xa6" . substr($secret, -4), 'its mask is the last four characters');
    my $key = listed($id);
    ok(!exists $key->{secret}, 'lists show it no more');
    is_deeply([@$key{qw(kind name expires_at revoked_at last_used_at models monthly_limit)}],
        ['user', 'ci "runner" <b>', (undef) x 5], 'a new key has no limits');
    is(scalar(grep { $_->{kind} eq 'system' } @{$web->get('/api/keys')->{json}{data}}), 1,
        'the System Key is in the list');
    is(statuses(generate($secret)), '200 200 200 200', 'it works for every family');
    $key = listed($id);
    ok($key->{spent_total}{nano} > 0 && $key->{spent_total}{nano} == $key->{spent_this_month}{nano},
        'what it spent is told');
    my $sum = 0;
    $sum += $_->{charge}{nano} for @{$web->get("/api/usage?api_key_id=$id")->{json}{data}};
    is($key->{spent_total}{nano}, $sum, 'and is the sum of its usage');
    ok($key->{last_used_at}, 'and when it was used last');
}

# What is wrong.
{
    my $longest = $nobody->get('/openapi.json')->{json}{components}{schemas}{KeyBody}{properties}{name}{maxLength};
    is(patch($id, {name => 'x' x $longest})->{status}, 200, 'a name may be as long as the description says');
    my %wrong = (
        'no name' => {}, 'an empty name' => {name => ''}, 'a long name' => {name => 'x' x ($longest + 1)},
        'controls' => {name => "a\tb"}, 'a zero byte' => {name => "a\0b"}, 'no text' => {name => 7},
        'the past' => {name => 'x', expires_at => '2020-01-01T00:00:00Z'},
        'no date' => {name => 'x', expires_at => 'soon'},
        'no model' => {name => 'x', models => []}, 'an unknown model' => {name => 'x', models => ['gpt-99']},
        'no list' => {name => 'x', models => 'mini'}, 'a negative limit' => {name => 'x', monthly_limit => '-1'},
        'a limit of nothing' => {name => 'x', monthly_limit => '0'},
        'too fine a limit' => {name => 'x', monthly_limit => '0.0000000001'},
        'a limit in words' => {name => 'x', monthly_limit => 'ten'},
    );
    is_error($web->post('/api/keys', $wrong{$_}), 422, 'openai', "$_: refused") for sort keys %wrong;
    is($web->post('/api/keys', {name => '', models => ['no'], monthly_limit => 'x'})->{json}{detail}[2]{loc}[1],
        'monthly_limit', 'every problem is told at once');
    is_error($web->post('/api/keys', '[]'), 422, 'openai', 'a list is no key');
    is_error($web->request('DELETE', '/api/keys/abc'), 422, 'openai', 'a word is no number of a key');
    is_error($web->request('DELETE', '/api/keys/999999'), 404, 'openai', 'an unknown number is not found');
    my ($sys) = grep { $_->{kind} eq 'system' } @{$web->get('/api/keys')->{json}{data}};
    is_error($web->request('DELETE', "/api/keys/$sys->{id}"), 403, 'openai', 'the System Key cannot be removed',
        code => 'system_key_permanent');
    is_error(patch($sys->{id}, {name => 'mine'}), 403, 'openai', 'nor changed', code => 'system_key_permanent');
    is(with($system)->get('/v1/models')->{status}, 200, 'and works on');
}

# One account has no hand on the keys of another.
{
    my ($other) = $stack->member(1);
    is_error($other->request('DELETE', "/api/keys/$id"), 404, 'openai', 'a foreign key cannot be revoked');
    is_error($other->request('PATCH', "/api/keys/$id", body => {name => 'x'}), 404, 'openai', 'nor changed');
    is(with($secret)->get('/v1/models')->{status}, 200, 'it lives on');
    unlike($other->get('/api/keys')->{body}, qr/runner/, 'nor seen');
}

# An allow-list of models.
{
    my $r = patch($id, {name => 'small', models => ['mini', 'power-ai']});
    is_deeply($r->{json}{models}, ['mini', 'power-ai'], 'a key may be kept to some models');
    is(statuses(generate($secret, 'mini')), '200 200 200 200', 'it may ask for those');
    is(statuses(generate($secret)), '200 200 200 200', 'and for the default that is among them');
    $sim->forget;
    my @refused = generate($secret, 'coder');
    for my $i (0 .. $#refused) {
        is_error($refused[$i], 403, $MG::Family::NAMES[$i] eq 'messages' ? 'messages' : 'openai',
            "$MG::Family::NAMES[$i]: no other", retry => 'false');
    }
    is($refused[0]{json}{error}{code}, 'model_not_allowed', 'with a code of its own');
    is(scalar $sim->requests, 0, 'and the provider has not been asked');
    is_deeply([sort map { $_->{id} } @{with($secret)->get('/v1/models')->{json}{data}}], ['mini', 'power-ai'],
        'its list of models has those alone');
    is(with($secret)->get('/v1/models/coder')->{status}, 404, 'another one is not shown to it');
    is(scalar @{with($system)->get('/v1/models')->{json}{data}}, 5, 'to the System Key all are');
    is(patch($id, {monthly_limit => '3'})->{json}{models}[0], 'mini', 'a change leaves the rest as it is');
    is_deeply([@{patch($id, {models => undef, monthly_limit => undef})->{json}}{qw(models monthly_limit name)}],
        [undef, undef, 'small'], 'null takes a limit away');
    is(statuses(generate($secret, 'coder')), '200 200 200 200', 'from the next request on');
}

# A monthly limit.
{
    my $spent = listed($id)->{spent_this_month}{nano};
    my $limit = sprintf '%d.%09d', int(($spent + 1) / 1e9), ($spent + 1) % 1e9;
    is(patch($id, {monthly_limit => $limit})->{json}{monthly_limit}{nano}, $spent + 1, 'a key may have a limit');
    is(with($secret)->post('/v1/chat/completions', MG::Family::script('chat', 'words=4'))->{status}, 200,
        'below it the key works');
    $sim->forget;
    my @refused = generate($secret);
    for my $i (0 .. $#refused) {
        is_error($refused[$i], 402, $MG::Family::NAMES[$i] eq 'messages' ? 'messages' : 'openai',
            "$MG::Family::NAMES[$i]: at it not", retry => 'false');
    }
    is($refused[0]{json}{error}{code}, 'key_limit_reached', 'with a code of its own');
    is(scalar $sim->requests, 0, 'and the provider has not been asked');
    is(with($secret)->get($_)->{status}, 200, "$_ is free and works on")
        for '/v1/models', '/api/v1/me', '/api/v1/wallet/status';
    is(statuses(generate($system)), '200 200 200 200', 'other keys of the account work on');
    $stack->sql("UPDATE key_month SET month = 202001 WHERE key_id = $id");
    is(with($secret)->post('/v1/chat/completions', MG::Family::script('chat', 'words=4'))->{status}, 200,
        'in another month it works again');
    my $key = listed($id);
    ok($key->{spent_this_month}{nano} < $key->{spent_total}{nano}, 'the total goes on');
    $stack->sql("DELETE FROM key_month WHERE key_id = $id AND month <> 202001");
    $stack->sql("UPDATE key_month SET month = EXTRACT(YEAR_MONTH FROM UTC_TIMESTAMP()), spent ="
        . " (SELECT -SUM(amount) FROM ledger WHERE kind = 'charge' AND api_key_id = $id) WHERE key_id = $id");
    patch($id, {monthly_limit => undef});
}

# Expiry and revocation hold for the very next request, in both processes.
{
    my $soon = strftime('%Y-%m-%dT%H:%M:%SZ', gmtime(time + 3600));
    is(patch($id, {expires_at => $soon})->{json}{expires_at}, $soon, 'a key may end');
    $stack->sql("UPDATE api_key SET expires_ms = 1 WHERE id = $id");
    is_deeply([map { with($secret)->get('/v1/models')->{status} } 1 .. 6], [(401) x 6], 'an expired key is refused');
    is(patch($id, {expires_at => undef})->{json}{expires_at}, undef, 'it may live again');
    is_deeply([map { with($secret)->get('/v1/models')->{status} } 1 .. 6], [(200) x 6], 'and is accepted');
    my $r = $web->request('DELETE', "/api/keys/$id");
    is_deeply($r->{json}, {object => 'api_key', id => $id, deleted => JSON::PP::true}, 'a key is revoked');
    is_deeply([map { with($secret)->get('/v1/models')->{status} } 1 .. 6], [(401) x 6], 'and refused everywhere');
    is(statuses(generate($secret)), '401 401 401 401', 'on every route');
    ok(listed($id)->{revoked_at}, 'it stays in the list with its history');
    is_error(patch($id, {name => 'again'}), 409, 'openai', 'and cannot be changed', code => 'key_revoked');
    is($web->request('DELETE', "/api/keys/$id")->{status}, 200, 'revoking twice is no error');
}

# Usage in the dashboard is the usage of the account, and its sums agree.
{
    my $mine = with($system)->get('/api/v1/billing/token-usage?limit=500')->{json};
    is_deeply($web->get('/api/usage?limit=500')->{json}, $mine, 'the dashboard sees the same usage as a key');
    my ($sum, $output) = (0, 0);
    $sum += $_->{charge}{nano}, $output += $_->{usage}{output_tokens} for @{$mine->{data}};
    my $summary = $web->get('/api/summary')->{json};
    is($summary->{object}, 'summary', 'a summary');
    for my $range (qw(today last_7_days last_30_days)) {
        is($summary->{$range}{charge}{nano}, $sum, "$range: has every charge");
        is($summary->{$range}{requests}, scalar @{$mine->{data}}, "$range: and every request");
        is($summary->{$range}{active_days}, 1, "$range: of one day that cost something");
    }
    for my $by (qw(day model key)) {
        my $r = $web->get("/api/usage/totals?by=$by")->{json};
        is($r->{total}{charge}{nano}, $sum, "sums by $by add up");
        is($r->{total}{usage}{output_tokens}, $output, "in tokens, too");
    }
    my $by_key = $web->get('/api/usage/totals?by=key')->{json}{data};
    my ($entry) = grep { $_->{api_key_id} == $id } @$by_key;
    is($entry->{charge}{nano}, listed($id)->{spent_total}{nano}, 'a key has the same sum in both places');
    is(scalar @{$web->get('/api/usage/totals?by=model&model=mini')->{json}{data}}, 1, 'of one model');
    is_deeply($web->get('/api/usage/totals?from=2020-01-01&to=2020-02-01')->{json}{data}, [], 'of no time');
    is_error($web->get('/api/usage/totals?by=moon'), 422, 'openai', 'by nothing else');
    is_error($web->get("/api/usage/totals?$_"), 422, 'openai', "$_ is refused") for 'from=x', 'api_key_id=x';
    ok($stack->audit_is_clean, 'the ledger is sound') or diag $stack->{audit};
    $stack->sql("UPDATE ledger SET created_ms = created_ms - 86400000 * 10 WHERE seq <= 3 AND wallet_id ="
        . " (SELECT id FROM account WHERE username = '$name')");
    my $later = $web->get('/api/summary')->{json};
    ok($later->{today}{charge}{nano} < $sum && $later->{last_7_days}{charge}{nano} < $sum
            && $later->{last_30_days}{charge}{nano} == $sum, 'what is ten days old is in thirty days alone');
    is_deeply([map { $later->{$_}{active_days} } qw(last_7_days last_30_days)], [1, 2], 'and makes a second active day there');
}

done_testing;
