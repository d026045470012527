# The usage list: pages through all rows, one filter at a time and together, values that make no
# sense, and nobody else's rows.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Check qw(is_error);
use MG::Family;
use MG::Http;
use MG::Stack;

my $stack = MG::Stack->new;
my ($account, $system) = $stack->account(50);
my $http = MG::Http->new($stack, key => $system);
my $made = $MG::Http::JSON->decode($stack->mgctl('--json', 'key', 'create', $account, '--name', 'app'));
my $app = MG::Http->new($stack, key => $made->{secret});
my (undef, $other) = $stack->account(5);

my $list = '/api/v1/billing/token-usage';

# 24 rows: four families, two models, two keys, streamed and not, in a known order.
my @made;
for my $round (1 .. 3) {
    for my $family (@MG::Family::NAMES) {
        for my $with ([$http, 'coder', 0], [$app, 'power-ai', 1]) {
            my ($client, $model, $stream) = @$with;
            my $r = $client->post(MG::Family::path($family), MG::Family::script($family,
                "in=" . (10 * @made + 100) . " out=7", model => $model, stream => $stream ? \1 : \0));
            push @made, {id => $r->{headers}{'x-request-id'}, family => $family, model => $model,
                stream => $stream, input => 10 * @made + 100, app => $client == $app};
        }
    }
}
MG::Http->new($stack, key => $other)->post('/v1/messages', MG::Family::script('messages', 'words=2'));

sub wait_for_rows {
    for (1 .. 200) {
        my $r = $http->get("$list?limit=100");
        return $r if @{$r->{json}{data}} >= @made;
        select undef, undef, undef, 0.05;
    }
    BAIL_OUT('the rows do not appear');
}

my $all = wait_for_rows();
my @rows = @{$all->{json}{data}};
is($all->{json}{object}, 'list', 'a list');
is(scalar @rows, scalar @made, 'one row a request, and nobody else\'s');
ok(!$all->{json}{has_more} && !defined $all->{json}{next_before}, 'which is all');
is_deeply([sort map { $_->{request_id} } @rows], [sort map { $_->{id} } @made], 'every request is there once');
is_deeply([map { $_->{seq} } @rows], [sort { $b <=> $a } map { $_->{seq} } @rows], 'newest first');

is_deeply($all->{json}{wallet}, $http->get('/api/v1/wallet/status')->{json},
    'with the wallet as its own route shows it');
ok(!exists $http->get("$list?before=$rows[3]{seq}")->{json}{wallet}, 'in the first page alone');

# What a row says.
my %row = map { $_->{request_id} => $_ } @rows;
for my $m (@made[0 .. 7]) {
    my $row = $row{$m->{id}};
    my $what = "$m->{family}, " . ($m->{stream} ? 'streamed' : 'whole');
    is("$row->{model} $row->{served_by} $row->{family} $row->{model_label}",
        "$m->{model} coder $m->{family} Coder", "$what: the row names model, label and family");
    is("$row->{usage}{input_tokens} $row->{usage}{output_tokens}", "$m->{input} 7", "$what: tokens");
    is($row->{charge}{nano}, $m->{input} * 3000 + 7 * 15000, "$what: charge");
    is(!!$row->{streamed}, !!$m->{stream}, "$what: whether it was streamed");
    ok($row->{status} == 200 && !$row->{estimated} && !$row->{cut} && !$row->{client_left} && !$row->{premium},
        "$what: nothing unusual");
    ok($m->{app} == ($row->{api_key_id} == $made->{key} ? 1 : 0), "$what: the key");
}
{
    my $sum = 0;
    my $wallet = $http->get('/api/v1/wallet/status')->{json};
    $sum += $_->{charge}{nano} for @rows;
    is($wallet->{balance}{nano}, 50_000_000_000 - $sum, 'the rows explain the balance');
    is($rows[0]{balance_after}{nano}, $wallet->{balance}{nano}, 'the newest says what is left');
}

# Pages of every size give the same rows.
for my $limit (1, 5, 7, 23, 24, 25, 500) {
    my ($before, @seen, $pages) = ('');
    while (++$pages < 100) {
        my $r = $http->get("$list?limit=$limit" . ($before && "&before=$before"));
        push @seen, map { $_->{seq} } @{$r->{json}{data}};
        cmp_ok(scalar @{$r->{json}{data}}, '<=', $limit, "no page of $limit is longer") if $pages == 1;
        last if !$r->{json}{has_more};
        $before = $r->{json}{next_before};
    }
    is_deeply(\@seen, [map { $_->{seq} } @rows], "pages of $limit: all rows once, in order");
}
is(scalar @{$http->get($list)->{json}{data}}, 24, 'without a limit there are up to fifty');

# Filters.
sub ids_for { my ($query, $client) = @_;
    return [sort map { $_->{request_id} } @{($client || $http)->get("$list?limit=500&$query")->{json}{data}}];
}
sub made_where { my ($code) = @_; return [sort map { $_->{id} } grep { $code->() } @made] }

is_deeply(ids_for("api_key_id=$made->{key}"), made_where(sub { $_->{app} }), 'by key');
is_deeply(ids_for('model=coder'), made_where(sub { $_->{model} eq 'coder' }), 'by the model that was asked for');
is_deeply(ids_for('model=power-ai'), made_where(sub { $_->{model} eq 'power-ai' }), 'also when it is an alias');
is_deeply(ids_for('model=nothing'), [], 'by a model that nobody asked for');
is_deeply(ids_for("request_id=$_->{id}"), [$_->{id}], "by request id: $_->{family}") for @made[0 .. 3];
is_deeply(ids_for('request_id=req_' . '0' x 32), [], 'by an unknown request id');
is_deeply(ids_for("api_key_id=$made->{key}&model=coder"), [], 'two filters that exclude each other');
is_deeply(ids_for("api_key_id=$made->{key}&model=power-ai"), made_where(sub { $_->{app} }), 'two that agree');
is_deeply(ids_for("model=coder", $app), made_where(sub { $_->{model} eq 'coder' }),
    'a User API Key sees what its account has used');

# Times: rows get one that is known.
$stack->sql("UPDATE ledger SET created_ms = 1700000000000 + seq * 1000 WHERE api_key_id = $made->{key}");
my @old = sort { $a <=> $b } map { $_->{seq} } grep { $_->{api_key_id} == $made->{key} } @rows;
sub seqs { [sort { $a <=> $b } map { $_->{seq} } @{$http->get("$list?limit=500&$_[0]")->{json}{data}}] }
my $third = 1700000000 + $old[2];
is_deeply(seqs("to=$third"), [@old[0, 1]], 'up to a time, without it');
is_deeply(seqs("from=$third&to=" . ($third + 1)), [$old[2]], 'one second');
is_deeply(seqs("from=$third&to=1700001000"), [grep { $_ >= $old[2] } @old], 'from a time on, with it');
is_deeply(seqs('from=2023-11-14T22:13:20Z&to=2024-01-01'), \@old, 'times in words');
is_deeply(seqs('from=2023-11-14T23:13:20%2B01:00&to=2024-01-01T00:00:00.5Z'), \@old, 'with zone and fraction');
is_deeply(seqs('from=2024-01-01'), [grep { my $s = $_; !grep { $_ == $s } @old } sort { $a <=> $b } map { $_->{seq} } @rows],
    'everything after a day');
is_deeply(seqs('from=2024-01-01&to=2023-01-01'), [], 'an end before its beginning');
is_deeply(seqs('from=4000000000'), [], 'from the future');
is_deeply(seqs("from=$third&to=1700001000&model=power-ai&api_key_id=$made->{key}&before=" . ($old[2] + 1)),
    [$old[2]], 'everything together');

# Values that make no sense.
for my $query ('limit=0', 'limit=-1', 'limit=501', 'limit=ten', 'limit=1e3', 'limit=%201', 'limit=',
    'limit=99999999999999999999', 'before=0', 'before=x', 'before=-5', 'api_key_id=system', 'api_key_id=0',
    'from=yesterday', 'from=', 'to=2026-13-01', 'to=2026-02-30', 'from=2026-01-01T25:00:00Z',
    'to=99999999999999999999', 'request_id=', 'request_id=42', 'request_id=req_xyz',
    "request_id=' OR 1=1", 'request_id=req_' . '0' x 31, 'request_id=req_' . '0' x 33) {
    (my $sent = $query) =~ s/ /%20/g;
    my $r = $http->get("$list?$sent");
    my ($name) = $query =~ /^(\w+)/;
    is_error($r, 422, 'openai', "$query is refused");
    is_deeply($r->{json}{detail}[0]{loc}, ['query', $name], "$query: and named");
}
is(scalar @{$http->get("$list?limit=x&from=y&to=z&before=q")->{json}{detail}}, 4, 'all bad values are named at once');
is_deeply(ids_for("model=%27%20OR%201=1%20--%20"), [], 'a model name is never part of a statement');
is($http->get("$list?unknown=1")->{status}, 200, 'an unknown parameter does not matter');
is(MG::Http->new($stack, key => $other)->get("$list?request_id=$made[0]{id}")->{json}{data}[0], undef,
    'a foreign request id finds nothing');

done_testing;
