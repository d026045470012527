# What is charged is what was used: exact invoices for every format, odd usage reports, wallets
# that run dry, clients that leave. Every part ends with a clean audit.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Select;
use IO::Socket::INET;
use Test::More;
use Time::HiRes qw(sleep);
use MG::Http;
use MG::Sim;
use MG::Stack;

my $stack = MG::Stack->new(conf => {drain_seconds => 2, slice_tokens => 64, keepalive_ms => 3000});
my $sim = MG::Sim->new($stack);
# Prices of the model `coder`: credits per million tokens.
my %price = (input => 3, output => 15, cache_read => 0.3, cache_write_5m => 3.75, cache_write_1h => 6);

my %family = (
    chat => ['/v1/chat/completions', sub { {messages => [{role => 'user', content => $_[0]}]} }],
    responses => ['/v1/responses', sub { {input => $_[0]} }],
    completions => ['/v1/completions', sub { {prompt => $_[0], max_tokens => 1000} }],
    messages => ['/v1/messages', sub { {max_tokens => 1000, messages => [{role => 'user', content => $_[0]}]} }],
);

sub ask {
    my ($http, $family, $script, $stream, %o) = @_;
    my ($path, $body) = @{$family{$family}};
    return $http->post($path, {model => 'coder', stream => $stream ? \1 : \0, %{$o{body} || {}},
        %{$body->("Count this [[sim $script]]")}}, %{$o{http} || {}});
}

# The newest usage row of an account, waited for.
sub row_of {
    my ($http, $request_id) = @_;
    for (1 .. 100) {
        my $r = $http->get("/api/v1/billing/token-usage?request_id=$request_id");
        return $r->{json}{data}[0] if @{$r->{json}{data} || []};
        sleep 0.05;
    }
    return undef;
}

sub nano {
    my (%tokens) = @_;
    my $pico = 0;
    $pico += ($tokens{$_} || 0) * $price{$_} * 1e6 for keys %price;
    return int(($pico + 999) / 1000);
}

# Exact invoices.
for my $family (sort keys %family) {
    my ($name, $key) = $stack->account(100);
    my $http = MG::Http->new($stack, key => $key);
    my $charged = 0;
    for my $stream (0, 1) {
        my %use = (in => 1000, out => 77, cache_read => 400, cache_write_5m => 100);
        $use{cache_write_1h} = 50 if $family eq 'messages';
        $use{reasoning_tokens} = 30 if $family ne 'completions';
        my $r = ask($http, $family, join(' ', map { "$_=$use{$_}" } sort keys %use), $stream);
        my $what = "$family, " . ($stream ? 'streamed' : 'whole');
        is($r->{status}, 200, "$what: answered") or diag $r->{body};
        my $row = row_of($http, $r->{headers}{'x-request-id'});
        ok($row, "$what: one row in the ledger") or next;
        my $u = $row->{usage};
        my %got = (input => $u->{input_tokens}, output => $u->{output_tokens},
            cache_read => $u->{cache_read_tokens}, cache_write_5m => $u->{cache_write_5m_tokens},
            cache_write_1h => $u->{cache_write_1h_tokens});
        is($got{output}, 77, "$what: output");
        is($got{cache_read}, 400, "$what: cache reads");
        is($got{cache_write_5m} + $got{cache_write_1h}, $family eq 'messages' ? 150 : 100, "$what: cache writes");
        is($got{cache_write_1h}, 50, "$what: long-lived cache writes apart") if $family eq 'messages';
        is($u->{reasoning_tokens}, 30, "$what: reasoning") if $family ne 'completions';
        is($row->{charge}{nano}, nano(%got), "$what: charged to the nano-credit");
        ok(!$row->{estimated}, "$what: nothing estimated");
        is($r->{headers}{'x-credits-charged'}, $row->{charge}{credits}, "$what: the reply says so") if !$stream;
        $charged += $row->{charge}{nano};
    }
    my $wallet = $http->get('/api/v1/wallet/status')->{json};
    is($wallet->{balance}{nano}, 100_000_000_000 - $charged, "$family: the balance is what is left");
    is($wallet->{held}{nano}, 0, "$family: nothing stays held");
}

# Odd usage reports.
for my $case (['missing', 1], ['null', 1], ['zero', 0], ['double', 0]) {
    my ($usage, $estimated) = @$case;
    for my $family (sort keys %family) {
        my (undef, $key) = $stack->account(10);
        my $http = MG::Http->new($stack, key => $key);
        my $r = ask($http, $family, "in=500 out=20 words=20 usage=$usage", 1);
        my $row = row_of($http, $r->{headers}{'x-request-id'});
        ok($row, "$family: usage $usage has its row") or next;
        is(!!$row->{estimated}, !!$estimated, "$family: usage $usage is " . ($estimated ? '' : 'not ') . 'estimated');
        my $nano = $row->{charge}{nano};
        ok($usage eq 'zero' ? $nano == 0 : $nano > 0, "$family: usage $usage is charged " . ($usage eq 'zero' ? 'nothing' : 'something'));
        is($nano, nano(input => 500, output => 20), "$family: usage $usage is charged once") if $usage eq 'double';
    }
}

# An upstream that refuses or fails before anything came back costs nothing.
for my $script ('status=400', 'status=401', 'status=429', 'status=500', 'status=503', 'fault=reset at=0', 'fault=empty') {
    my (undef, $key) = $stack->account(10);
    my $http = MG::Http->new($stack, key => $key);
    my $r = ask($http, 'chat', $script, 1);
    my $w = $http->get('/api/v1/wallet/status')->{json};
    is($w->{balance}{nano}, 10_000_000_000, "$script costs nothing (answered $r->{status})");
    is($w->{held}{nano}, 0, "$script leaves nothing held");
}

# What came before a cut is charged and told as a failure.
{
    my (undef, $key) = $stack->account(10);
    my $http = MG::Http->new($stack, key => $key);
    my $r = ask($http, 'messages', 'words=40 in=300 fault=cut at=20', 1);
    like($r->{body}, qr/event: error/, 'a cut stream ends with an error');
    unlike($r->{body}, qr/message_stop/, 'and not with its usual end');
    my $row = row_of($http, $r->{headers}{'x-request-id'});
    ok($row && $row->{cut} && $row->{estimated} && $row->{charge}{nano} > nano(input => 300),
        'what came before is charged, estimated and flagged as cut');
}

# A wallet that cannot pay.
{
    my (undef, $key) = $stack->account('0.000001');
    my $http = MG::Http->new($stack, key => $key);
    $sim->forget;
    for my $family (sort keys %family) {
        my $r = ask($http, $family, 'words=1', 1);
        is($r->{status}, 402, "$family: an empty wallet is refused");
        is($r->{headers}{'x-should-retry'}, 'false', "$family: and no retry would help");
        like($r->{json}{error}{message}, qr/credit balance is too low/, "$family: in words");
    }
    is(scalar($sim->requests), 0, 'the upstream was never asked');
}
{
    my (undef, $key) = $stack->account('0.02');
    my $http = MG::Http->new($stack, key => $key);
    my $r = ask($http, 'chat', 'words=5 out=5', 0, body => {max_tokens => 50000});
    is($r->{status}, 200, 'a small wallet gets an answer');
    my $lowered = $r->{headers}{'x-max-tokens-lowered-to'};
    ok($lowered && $lowered < 50000 && $lowered > 256, "with a lowered limit ($lowered)");
    my ($seen) = $sim->requests(last => 1);
    like($seen->{body}, qr/"max_tokens":\s*$lowered/, 'the upstream was told');
}
{
    my (undef, $key) = $stack->account('0.01');
    my $http = MG::Http->new($stack, key => $key);
    my $r = ask($http, 'messages', 'words=5000 gap=1', 1);
    like($r->{body}, qr/event: error.*billing_error|event: error.*credit/s, 'a stream that outruns the wallet ends with the reason');
    my $w;
    for (1 .. 50) {
        $w = $http->get('/api/v1/wallet/status')->{json};
        last if $w->{held}{nano} == 0;
        sleep 0.1;
    }
    cmp_ok($w->{balance}{nano}, '>', -2_000_000, 'and overspends by less than a slice');
    cmp_ok($w->{balance}{nano}, '<', 4_000_000, 'everything delivered is charged');
}

# 1,000 requests at once on a wallet that pays for ten.
{
    my ($name, $key) = $stack->account(1);
    my $http = MG::Http->new($stack, key => $key, timeout => 120);
    # Each holds about 0.1 credit: 6,666 output tokens at 15 per million.
    my $body = $MG::Http::JSON->encode({model => 'coder', max_tokens => 6400,
        messages => [{role => 'user', content => '[[sim delay=12000 in=100 out=10]]'}]});
    my %got;
    my @socks = map { my $s = $http->connect; print {$s} $http->format_request('POST', '/v1/chat/completions', body => $body); $s } 1 .. 1000;
    $got{$http->read_reply($_, 0)->{status}}++ for @socks;
    is($got{200} + $got{402}, 1000, 'all of 1,000 are answered') or diag explain \%got;
    cmp_ok($got{200}, '<=', 11, "at most ten are served, and one whose limit was lowered ($got{200})");
    cmp_ok($got{200}, '>=', 5, 'and several are');
    my $w = $http->get('/api/v1/wallet/status')->{json};
    cmp_ok($w->{balance}{nano}, '>=', 0, 'the wallet never went below zero');
    is($w->{held}{nano}, 0, 'nothing stays held');
}

# Clients that leave.
sub leave {
    my ($family, $script, $after) = @_;
    my (undef, $key) = $stack->account(10);
    my $http = MG::Http->new($stack, key => $key);
    my $id;
    ask($http, $family, $script, 1, http => {until => sub {
        my ($r, $sock) = @_;
        $id = $r->{headers}{'x-request-id'};
        return $r->{body} =~ $after;
    }});
    return ($http, $id);
}
{
    my ($http, $id) = leave('messages', 'words=500 gap=20 in=200', qr/text_delta.*text_delta/s);
    my $row = row_of($http, $id);
    ok($row && $row->{client_left}, 'messages: a client that left is noted');
    ok($row && $row->{usage}{input_tokens} == 200, 'messages: its input is charged as stated');
    ok($row && $row->{usage}{output_tokens} > 0 && $row->{usage}{output_tokens} < 400, 'messages: its output as far as it came');
    my ($seen) = $sim->requests(last => 1);
    for (1 .. 60) { last if $seen->{outcome} eq 'client-gone'; sleep 0.1; ($seen) = $sim->requests(last => 1) }
    is($seen->{outcome}, 'client-gone', 'messages: the upstream was stopped');
}
{
    my ($http, $id) = leave('chat', 'words=10 gap=20 in=200 out=10', qr/content":" /);
    my $row = row_of($http, $id);
    ok($row && $row->{client_left} && !$row->{estimated} && $row->{usage}{input_tokens} == 200
        && $row->{usage}{output_tokens} == 10, 'chat: a short rest is drained and charged as stated');
    ($http, $id) = leave('chat', 'words=5000 gap=20 in=200', qr/content":" /);
    $row = row_of($http, $id);
    ok($row && $row->{client_left} && $row->{estimated} && $row->{charge}{nano} > 0,
        'chat: a long rest is cut off and counted');
}

# One that leaves when the upstream has the request and has said nothing yet. Apache notices when
# the client is given signs of life.
{
    my %left;
    for my $family ('chat', 'messages') {
        my (undef, $key) = $stack->account(10);
        my $http = $left{$family} = MG::Http->new($stack, key => $key);
        my ($path, $body) = @{$family{$family}};
        my $had = $sim->stats->{requests_total};
        my $client = $http->connect;
        print {$client} $http->format_request('POST', $path,
            body => {model => 'coder', stream => \1, %{$body->('Wait [[sim delay=60000]]')}});
        ok($stack->wait_for(sub { $sim->stats->{requests_total} > $had }), "$family: the upstream has the request");
        close $client;
    }
    for my $family (sort keys %left) {
        my $rows = sub { @{$left{$family}->get('/api/v1/billing/token-usage')->{json}{data}} };
        ok($stack->wait_for(sub { $rows->() == 1 }, 50), "$family: a client that leaves then is charged");
        my ($row) = $rows->();
        ok($row->{client_left} && $row->{estimated} && $row->{charge}{nano} > 0 && $row->{usage}{output_tokens} == 0,
            "$family: for its question");
    }
}

# A client that leaves before anything was sent to an upstream: one that takes connections and then
# never says a word, so that no handshake is made.
{
    my $silent = IO::Socket::INET->new(Listen => 8, LocalAddr => '127.0.0.1') or die $!;
    $stack->mgctl('upstream', 'add', 'silent', '--formats', 'chat,responses', '--url', 'https://127.0.0.1:' . $silent->sockport . '/v1');
    $stack->mgctl('model', 'add', 'silent', '--upstream', 'silent', '--upstream-model', 'm', '--input', 3, '--output', 15);
    my (undef, $key) = $stack->account(10);
    my $http = MG::Http->new($stack, key => $key);
    my $held = sub { $http->get('/api/v1/wallet/status')->{json}{held}{nano} };
    my $asked = sub {
        my ($what) = @_;
        ok(IO::Select->new($silent)->can_read(30), "$what: the upstream is being connected to");
        my $sock = $silent->accept;
        cmp_ok($held->(), '>', 0, "$what: the credit is held");
        return $sock; # stays open
    };
    my $client = $http->connect;
    print {$client} $http->format_request('POST', '/v1/chat/completions',
        body => {model => 'silent', stream => \1, messages => [{role => 'user', content => 'a' x 4000}]});
    my $first = $asked->('a client that leaves');
    close $client;
    ok($stack->wait_for(sub { $held->() == 0 }), 'its credit is given back');
    my $id = $http->post('/v1/responses', {model => 'silent', background => \1, input => 'a' x 4000})->{json}{id};
    my $second = $asked->('a response in the background');
    is($http->post("/v1/responses/$id/cancel", {})->{json}{status}, 'cancelled', 'which is cancelled');
    ok($stack->wait_for(sub { $held->() == 0 }), 'its credit is given back, too');
    is($http->get('/api/v1/wallet/status')->{json}{balance}{nano}, 10e9, 'and neither is charged, since nothing was sent');
    is_deeply($http->get('/api/v1/billing/token-usage')->{json}{data}, [], 'nor shown as usage');
}

ok($stack->audit_is_clean, 'the audit is clean') or diag $stack->{audit};
done_testing;
