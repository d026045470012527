# Credit as its owner sees it: what it costs, the sandbox's page, the lots of a wallet, the ledger
# with its balances, and both histories as files.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Select;
use IPC::Open2 qw(open2);
use Test::More;
use MG::Check qw(is_error);
use MG::Family;
use MG::Http;
use MG::Stack;

my $stack = MG::Stack->new(conf => {topup_max_cents => 100_000, processes => 1});
my $anybody = MG::Http->new($stack, key => undef);
my ($http, $name, $key) = $stack->member(0);

sub nano { my ($who) = @_; return ($who // $http)->get('/api/wallet')->{json}{balance}{nano} }

# What it costs.
is_deeply($http->get('/api/wallet/options')->{json}, {object => 'topup_options', payment_providers => ['sandbox'],
    currency => 'usd', minimum_cents => 500, maximum_cents => 100_000,
    rates => [{from_cents => 500, rate => 10}, {from_cents => 25_000, rate => 15}]}, 'what can be bought');
for my $case ([500, '50', 10, 0], [24_998, '2499.8', 10, 0], [24_999, '2499.9', 10, 0, '3750'], [25_000, '3750', 15, 1],
    [100_000, '15000', 15, 1]) {
    my ($cents, $credit, $rate, $vip, $more) = @$case;
    my $q = $http->post('/api/wallet/quote', {amount_cents => $cents})->{json};
    is_deeply([$q->{amount_cents}, $q->{credit}{credits}, $q->{rate}, $q->{vip} ? 1 : 0, $q->{one_cent_more}{credit}{credits}],
        [$cents, $credit, $rate, $vip, $more], "the quote for $cents cents");
}
is_error($http->post('/api/wallet/quote', {amount_cents => $_}), 422, 'openai', "no quote for $_ cents") for 499, 100_001;
is_error($http->post('/api/wallet/quote', {}), 422, 'openai', 'nor for nothing');
is_error($http->post('/api/wallet/stripe/checkout', {amount_cents => 500}), 422, 'openai', 'a provider that is not configured');
for my $route ('/api/wallet', '/api/wallet/options', '/api/orders', '/api/ledger', '/api/ledger.csv', '/api/usage.csv') {
    is_error($anybody->get($route), 401, 'openai', "$route is for members");
    is_error(MG::Http->new($stack, key => $key)->get($route), 401, 'openai', "$route is not for keys");
}

# The page of the sandbox.
sub click {
    my ($page, $action, $cents) = @_;
    return $anybody->post($page, "action=$action" . (defined $cents ? "&cents=$cents" : ''),
        headers => {'content-type' => 'application/x-www-form-urlencoded'});
}

sub order {
    my ($cents) = @_;
    my $order = $http->post('/api/wallet/sandbox/checkout', {amount_cents => $cents})->{json};
    (my $page = $order->{url}) =~ s{^http://[^/]+}{};
    return ($order->{id}, $page);
}

sub status { return $http->get("/api/orders/$_[0]")->{json}{status} }

{
    my ($id, $page) = order(1_000);
    my $r = $anybody->get($page);
    is($r->{status}, 200, 'the sandbox shows a page');
    like($r->{headers}{'content-type'}, qr{^text/html}, 'of HTML');
    like($r->{headers}{'content-security-policy'}, qr/default-src 'none'.*form-action 'self'/, 'with a strict policy');
    unlike($r->{body}, qr/<script|<style|style=|onclick/i, 'and nothing that it forbids');
    like($r->{body}, qr/10\.00 usd.*value="pay"/s, 'with the amount and a button');
    $r = click($page, 'pay');
    is($r->{status}, 303, 'a click pays');
    is($r->{headers}{location}, $stack->base_url . "/app/credit/return/?order=$id", 'and leads back');
    is_deeply([status($id), nano()], ['paid', 100e9], 'the credit is there at once');
    is_error(click($page, 'pay'), 409, 'openai', 'a second click does nothing');
    is(nano(), 100e9, 'and brings nothing');
    is(click($page, 'refund', 400)->{status}, 303, 'part of it can be paid back');
    is_deeply([status($id), nano()], ['partly_refunded', 60e9], 'which takes its credit back');
    is_error(click($page, 'refund', $_), 409, 'openai', "$_ cents cannot") for 601, 0, -5;
    click($page, 'refund', 600);
    is_deeply([status($id), nano()], ['refunded', 0], 'nor more than was paid');
}
{
    my ($id, $page) = order(500);
    is(click($page, 'pay_silently')->{status}, 303, 'an event may be lost');
    is_deeply([status($id), nano()], ['paid', 50e9], 'which is made good when the buyer looks');
    ($id, $page) = order(500);
    click($page, 'decline');
    is(status($id), 'failed', 'a payment may be declined');
    ($id, $page) = order(500);
    click($page, 'expire');
    is_deeply([status($id), nano()], ['expired', 50e9], 'or expire');
    is_error(click($page, 'steal'), 422, 'openai', 'other words are refused');
    is_error($anybody->get('/api/sandbox/sbx_0'), 404, 'openai', 'as are pages that do not exist');
    my $event = '{"id":"evt_x","type":"checkout.session.completed","data":{"object":{"object":"checkout.session"}}}';
    is_error($anybody->post('/api/webhooks/sandbox', $event), 400, 'openai', 'events of the sandbox need their signature, too');
    my @list = @{$http->get('/api/orders')->{json}{data}};
    is_deeply([map { $_->{status} } @list], [qw(expired failed paid refunded)], 'the list of orders has them all');
}
{
    my ($who) = $stack->member(0);
    my %statuses;
    $statuses{$who->post('/api/wallet/sandbox/checkout', {amount_cents => 500})->{status}}++ for 1 .. 52;
    is_deeply(\%statuses, {200 => 50, 429 => 2}, 'nobody fills the table with orders that he does not pay');
}
{
    my $off = 'payment_providers=';
    my ($id, $page) = order(500);
    $stack->stack('reload', '--conf', $off);
    is_error($anybody->get($page), 404, 'openai', 'without the setting there is no sandbox');
    is_error(click($page, 'pay'), 404, 'openai', 'and nobody pays with a click');
    is_deeply($http->get('/api/wallet/options')->{json}{payment_providers}, [], 'nothing is for sale');
    is(status($id), 'pending', 'orders are still shown');
    $stack->stack('reload', '--conf', 'payment_providers=sandbox');
}

# Lots: earliest expiry first, exact at use; the wallet says what is left of each.
{
    my ($who, $owner) = $stack->member(3);
    $stack->mgctl('account', 'credit', $owner, '5', '--expires', '2099-01-31');
    $stack->mgctl('account', 'credit', $owner, '4', '--expires', '2098-02-28');
    my @lots = @{$who->get('/api/wallet')->{json}{lots}};
    is_deeply([map { [$_->{remaining}{credits}, $_->{expires_at}] } @lots],
        [['4', '2098-02-28T00:00:00Z'], ['5', '2099-01-31T00:00:00Z'], ['3', undef]], 'lots stand in the order in which they are used');
    my $id = "(SELECT id FROM account WHERE username = '$owner')";
    $stack->sql("UPDATE credit_lot SET expires_ms = 1 WHERE wallet_id = $id AND granted = 4000000000");
    $stack->sql("UPDATE wallet SET next_expiry_ms = 1 WHERE id = $id");
    is(nano($who), 8e9, 'a lot whose time is over does not count');
    $stack->mgctl('account', 'credit', $owner, '1');
    my $ledger = $who->get('/api/ledger')->{json};
    is_deeply([map { "$_->{kind} $_->{amount}{credits} $_->{balance_after}{credits}" } @{$ledger->{data}}[0, 1]],
        ['adjust 1 9', 'expire -4 8'], 'and the ledger says so at the next use');
}

# The time of a lot comes while a stream runs on it.
for my $case ([2, 'ends well'], [0, 'is cut short']) {
    my ($rest, $what) = @$case;
    my ($who, $owner, $k) = $stack->member($rest);
    $stack->mgctl('account', 'credit', $owner, '0.02', '--expires', '2099-01-31');
    my $id = "(SELECT id FROM account WHERE username = '$owner')";
    my $over = 0;
    my $r = MG::Http->new($stack, key => $k)->post('/v1/chat/completions',
        MG::Family::script('chat', 'words=2000 gap=1', stream => \1, max_tokens => 1_000_000),
        until => sub {
            return 0 if $over || $_[0]{body} !~ /"content":/;
            $stack->sql("UPDATE credit_lot SET expires_ms = 1 WHERE wallet_id = $id AND expires_ms IS NOT NULL");
            $stack->sql("UPDATE wallet SET next_expiry_ms = 1 WHERE id = $id");
            $over = 1;
            return 0;
        });
    my ($charge) = $stack->sql("SELECT -amount FROM ledger WHERE wallet_id = $id AND kind = 'charge'");
    my ($expired) = $stack->sql("SELECT COALESCE(SUM(-amount), 0) FROM ledger WHERE wallet_id = $id AND kind = 'expire'");
    cmp_ok($charge->[0], '>', 0, "a stream whose lot expires under it is charged");
    if ($rest) {
        like($r->{body}, qr/data: \[DONE\]/, "and $what, when there is other credit");
        is($charge->[0] + $expired->[0] + nano($who), 2_020_000_000, 'what was not promised to it expires, to the last nano');
    } else {
        like($r->{body}, qr/insufficient/, "and $what without, saying why");
        unlike($r->{body}, qr/data: \[DONE\]/, 'and not as if it were whole');
        cmp_ok($charge->[0] + $expired->[0], '>=', 20_000_000, 'having used what it was promised');
    }
    ok($stack->audit_is_clean, "the books are right when it $what") or diag $stack->{audit};
}

# The ledger and its files. 1,200 requests under an Unlimited window cost nothing: their rows can be
# made here and the books stay right.
{
    my ($who, $owner, $k) = $stack->member('12.000000001');
    my ($row) = $stack->sql("SELECT id FROM account WHERE username = '$owner'");
    my $id = $row->[0];
    my $secret = $who->post('/api/keys', {name => '=1+1,"x"'})->{json};
    my ($api_key) = $stack->sql("SELECT id FROM api_key WHERE account_id = $id AND kind <> 'system' LIMIT 1");
    $stack->sql("INSERT INTO ledger (wallet_id, seq, kind, amount, balance_after, ref, created_ms, api_key_id, model, family, input, output, flags)"
        . " SELECT $id, 1 + n.seq, 'charge', 0, 12000000001, UNHEX(MD5(n.seq)), 4102444800000 + n.seq * 60000, $api_key->[0], 'm,\"1\"', 'chat', n.seq, 2, 128"
        . " FROM seq_1_to_1200 n");
    $stack->sql("UPDATE wallet SET seq = 1201 WHERE id = $id");
    $stack->mgctl('account', 'credit', $owner, '-2', '--reason', '@SUM(A1)');
    my $r = $who->get('/api/usage.csv');
    is($r->{status}, 200, 'the usage comes as a file');
    is($r->{headers}{'content-type'}, 'text/csv; charset=utf-8', 'of its type');
    like($r->{headers}{'content-disposition'}, qr/attachment; filename="usage\.csv"/, 'to be kept');
    my @lines = split /\r\n/, $r->{body};
    is(scalar(@lines), 1201, 'with all 1,200 rows over several pages, and a head');
    unlike($r->{body}, qr/(?<!\r)\n/, 'lines end as RFC 4180 says');
    my @head = split /,/, $lines[0];
    like($lines[1], qr/^1201,2100-01-01T20:00:00Z,req_[0-9a-f]{32},"m,""1""",/, 'newest first, quoted where needed, in UTC');
    like($lines[1], qr/,"'=1\+1,""x""",/, 'a name that looks like a formula is none');
    my %sum;
    for my $line (@lines[1 .. 1200]) {
        my @cell = map { s/^"|"$//gr =~ s/""/"/gr } $line =~ /("(?:[^"]|"")*"|[^,]*)(?:,|$)/g;
        $sum{$_} += $cell[$_] for 9, 13;
    }
    is("$head[9] $sum{9} $head[13] $sum{13}", 'input_tokens 720600 output_tokens 2400', 'no row is missing or doubled');
    my $from = '2100-01-01T00:10:00Z'; # far from today
    is(scalar(() = $who->get("/api/usage.csv?from=$from&to=2100-01-01T00:12:00Z")->{body} =~ /^\d+,/mg), 2, 'a period can be asked for');
    is(scalar(() = $who->get('/api/usage.csv?model=other')->{body} =~ /^\d+,/mg), 0, 'or a model');
    is_error($who->get('/api/usage.csv?from=yesterday'), 422, 'openai', 'a wrong time is refused');
    my $ledger = $who->get('/api/ledger.csv')->{body};
    @lines = split /\r\n/, $ledger;
    is(scalar(@lines), 1203, 'the ledger has every row');
    like($lines[1], qr/^1202,[^,]+,adjust,-2,10\.000000001,'\@SUM\(A1\),/, 'amounts are exact, notes are no formulas');
    my $period = $who->get("/api/ledger?limit=5&to=$from")->{json}{period};
    is_deeply([map { $period->{$_}{credits} } qw(opening_balance in out closing_balance)], ['0', '12.000000001', '2', '10.000000001'],
        'opening + in - out = closing') or diag explain $period;
    $period = $who->get("/api/ledger?limit=5&from=$from")->{json}{period};
    is_deeply([map { $period->{$_}{credits} } qw(opening_balance in out closing_balance)],
        ['10.000000001', '0', '0', '10.000000001'], 'also where nothing but free requests happened');
    is($period->{entries}, 1191, 'which are counted');
    my $page = $who->get('/api/ledger?limit=2')->{json};
    is(scalar(@{$page->{data}}) . " $page->{has_more} $page->{next_before}", '2 1 1201', 'the ledger comes in pages');
    # A file holds a worker as long as its client takes, so a process writes only a few at once.
    my $lock = open2(my $told, my $say, "$ENV{MG_SRCDIR}/t/stack", 'sql', '--state', $stack->{dir}, '--unbuffered');
    $say->autoflush;
    print {$say} "LOCK TABLES ledger WRITE; SELECT 'locked';\n";
    is(<$told>, "locked\n", 'while no file comes to its end');
    my @socks = map { my $s = $who->connect; print {$s} $who->format_request('GET', '/api/ledger.csv'); $s } 1 .. 6;
    ok(scalar(IO::Select->new(@socks)->can_read(30)), 'somebody is answered');
    close $say;
    waitpid $lock, 0;
    my @replies = map { $who->read_reply($_, time) } @socks;
    my @whole = grep { $_->{status} == 200 && $_->{body} eq $ledger } @replies;
    my @busy = grep { $_->{status} == 429 } @replies;
    is(@whole . ' ' . @busy, '4 2', 'of six at once four are written and the others refused');
    is_error($busy[0], 429, 'openai', 'with a reason', code => 'busy');
    cmp_ok($busy[0]{headers}{'retry-after'}, '>=', 1, 'and when to come back');
    is($who->get('/api/ledger.csv')->{status}, 200, 'later there is room again');
    my $half = $who->get('/api/ledger.csv', until => sub { length $_[0]{body} > 1000 });
    is($anybody->get('/api/health')->{status}, 200, 'a client that leaves in the middle harms nobody');
}

ok($stack->audit_is_clean, 'the books are right') or diag $stack->{audit};
done_testing;
