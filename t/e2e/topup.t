# Top-ups through Stripe, with its own library as the judge: it makes the request that ours is
# compared with, and signs every event. However events come (twice, sixteen at a time, in any order,
# never, or while the process is killed), a payment is credited exactly once and a refund taken back
# exactly once.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Time::HiRes qw(sleep time);
use MG::Books qw(pids_of);
use MG::Check qw(is_error);
use MG::Http;
use MG::Stack;
use MG::Stripe;

my $stripe = MG::Stripe->new;
my $stack = MG::Stack->new(sim => 0, conf => $stripe->conf);
my ($member, $name, $key) = $stack->member(0);
my $bearer = MG::Http->new($stack, key => $key);
my $provider = MG::Http->new($stack, key => undef);
my $events = 0;

sub order { my ($cents, $who) = @_; return ($who // $member)->post('/api/wallet/stripe/checkout', {amount_cents => $cents})->{json} }
sub session_of { my ($order) = @_; return ($order->{url} // '') =~ m{/(cs_\w+)$} ? $1 : '' }
sub show { my ($order, $who) = @_; return ($who // $member)->get("/api/orders/$order->{id}")->{json} }
sub balance { my ($who) = @_; return ($who // $member)->get('/api/wallet')->{json}{balance}{nano} }

# A session as the provider's events show it.
sub session {
    my ($order, %o) = @_;
    return {id => session_of($order), object => 'checkout.session', client_reference_id => $order->{id},
        status => 'complete', payment_status => 'paid', currency => 'usd', mode => 'payment',
        amount_subtotal => $order->{amount_cents}, amount_total => $order->{amount_cents},
        payment_intent => 'pi_' . session_of($order), metadata => {order_id => $order->{id}}, %o};
}

sub charge {
    my ($order, $refunded, %o) = @_;
    return {id => 'ch_' . session_of($order), object => 'charge', amount => $order->{amount_cents}, currency => 'usd',
        amount_refunded => $refunded, payment_intent => 'pi_' . session_of($order),
        receipt_url => 'https://pay.stripe.com/receipts/1', metadata => {order_id => $order->{id}}, %o};
}

sub dispute {
    my ($order, $status, $cents) = @_;
    return {id => 'dp_' . session_of($order), object => 'dispute', amount => $cents // $order->{amount_cents},
        currency => 'usd', status => $status, payment_intent => 'pi_' . session_of($order), metadata => {}};
}

sub deliver {
    my ($payload, $header) = @_;
    return $provider->post('/api/webhooks/stripe', $payload, headers => {'stripe-signature' => $header});
}

sub happens { my ($type, $object, %o) = @_; return deliver($stripe->event('evt_' . ++$events, $type, $object, %o))->{status} }

sub pay {
    my ($order) = @_;
    $stripe->set(session_of($order), status => 'complete', payment_status => 'paid', payment_intent => 'pi_' . session_of($order));
    return happens('checkout.session.completed', session($order));
}

# The request, field by field.
{
    $stripe->requests;
    my $r = $bearer->post('/api/v1/wallet/stripe/checkout', {amount_cents => 24_999});
    is($r->{status}, 200, 'a checkout is made with a key');
    my $c = $r->{json};
    is_deeply([@$c{qw(object payment_provider amount_cents currency rate)}, $c->{credit}{credits}],
        ['checkout', 'stripe', 24_999, 'usd', 10, '2499.9'], 'the reply says what it will load');
    like($c->{url}, qr{^https://checkout\.stripe\.com/}, 'and where to pay');
    my ($ours) = $stripe->requests;
    my $back = $stack->base_url . '/app/credit/';
    $stripe->control('create', {key => $c->{id} . 'x', params => {
        mode => 'payment', client_reference_id => $c->{id},
        line_items => [{quantity => 1, price_data => {currency => 'usd', unit_amount => 24_999,
            product_data => {name => 'API Coding Credit: 2499.9 credits'}}}],
        metadata => {order_id => $c->{id}}, payment_intent_data => {metadata => {order_id => $c->{id}}},
        success_url => "${back}return/?order=$c->{id}", cancel_url => $back}});
    my ($theirs) = $stripe->requests;
    is_deeply($ours->{form}, $theirs->{form}, 'every field of our request is what the real library sends');
    is_deeply([sort split /&/, $ours->{text}], [sort split /&/, $theirs->{text}], 'and is spelt the same, byte for byte');
    is("$ours->{method} $ours->{path}", "$theirs->{method} $theirs->{path}", 'at the same address');
    for my $header (qw(authorization stripe-version content-type)) {
        is($ours->{headers}{$header}, $theirs->{headers}{$header}, "with the same $header");
    }
    is($ours->{headers}{'idempotency-key'}, $c->{id}, 'under the order as its idempotency key');
    is(show($c)->{status}, 'pending', 'the order waits');
}

# What cannot be bought.
for my $case ([499, 'greater_than_equal'], [0, 'greater_than_equal'], [-500, 'greater_than_equal'],
    [500_001, 'less_than_equal'], ['"500"', 'int_type'], ['5.5', undef], ['null', 'missing'], ['1e30', undef]) {
    my ($cents, $type) = @$case;
    my $r = $member->post('/api/wallet/stripe/checkout', qq({"amount_cents":$cents}));
    is_error($r, 422, 'openai', "an amount of $cents is refused");
    is_deeply($r->{json}{detail}[0]{loc}, ['body', 'amount_cents'], 'with its place');
    is($r->{json}{detail}[0]{type}, $type, 'and kind') if defined $type;
}
is_error($member->post('/api/wallet/paypal/checkout', {amount_cents => 500}), 422, 'openai', 'an unknown provider');
is_error($provider->post('/api/wallet/stripe/checkout', {amount_cents => 500}), 401, 'openai', 'nobody buys without signing in');

# Signatures.
{
    my $order = order(25_000);
    my $paid = session($order);
    my ($payload, $header) = $stripe->event('evt_s', 'checkout.session.completed', $paid);
    my ($t, $v1) = $header =~ /^t=(\d+),v1=([0-9a-f]{64})/;
    my $now = time;
    my (undef, $foreign) = $stripe->event('evt_s', 'checkout.session.completed', $paid, secret => 'whsec_other');
    my (undef, $old) = $stripe->event('evt_s', 'checkout.session.completed', $paid, timestamp => int($now) - 310);
    my (undef, $early) = $stripe->event('evt_s', 'checkout.session.completed', $paid, timestamp => int($now) + 400);
    my (undef, $ripe) = $stripe->event('evt_s', 'checkout.session.completed', $paid, timestamp => int($now) - 240);
    my $wrong = $v1 =~ tr/0-9a-f/1-9a-f0/r;
    for my $case (
        ['no signature', $payload, undef], ['an empty one', $payload, ''], ['no time', $payload, "v1=$v1"],
        ['no signature but a time', $payload, "t=$t"], ['another digit', $payload, "t=$t,v1=$wrong"],
        ['a cut one', $payload, "t=$t,v1=" . substr $v1, 0, 62], ['another scheme', $payload, "t=$t,v0=$v1"],
        ['another time', $payload, 't=' . ($t - 1) . ",v1=$v1"], ['a foreign secret', $payload, $foreign],
        ['310 seconds of age', $payload, $old], ['a time in the future', $payload, $early],
        ['a byte less', substr($payload, 0, -1), $header], ['a byte more', "$payload ", $header],
        ['another amount', $payload =~ s/25000/99999/r, $header], ['other spaces', $payload =~ s/\n\s*//gr, $header],
    ) {
        my ($what, $body, $signature) = @$case;
        is_error(deliver($body, $signature), 400, 'openai', "an event with $what is refused");
    }
    is_error($provider->post('/api/webhooks/paypal', $payload, headers => {'stripe-signature' => $header}), 404, 'openai',
        'an unknown provider has no door');
    is(balance(), 0, 'none of them has brought credit');
    is(scalar(() = $stack->sql("SELECT 1 FROM payment_event")), 0, 'or was kept');
    is(deliver($payload, "t=$t,v1=$wrong,v1=$v1")->{status}, 200, 'one right signature of two is enough: secrets roll over');
    is(balance(), 3750 * 1e9, 'and the payment is credited');
    is(deliver($payload, $ripe)->{status}, 200, 'the same event again, signed anew, is welcome');
    is(balance(), 3750 * 1e9, 'and changes nothing');
}

# Boundary of the rates, and the receipt.
{
    my ($who, $buyer) = $stack->member(0);
    $stack->sql("UPDATE account SET email = '$buyer\@example.org', email_verified_ms = 1 WHERE username = '$buyer'");
    my $order = order(24_999, $who);
    pay($order);
    is(balance($who), 2_499_900_000_000, '249.99 loads 2499.9 credits');
    my $shown = show($order, $who);
    is($shown->{status}, 'paid', 'the order says paid');
    happens('charge.updated', charge($order, 0));
    is(show($order, $who)->{receipt_url}, 'https://pay.stripe.com/receipts/1', 'its receipt comes with the charge');
    is($who->get('/api/wallet')->{json}{lots}[0]{kind}, 'topup', 'the wallet has a lot of it');
    my @mails = $stack->sql("SELECT subject FROM mail WHERE recipient = '$buyer\@example.org'");
    is_deeply(\@mails, [['Your credit has arrived']], 'the buyer gets one mail');
    $order = order(25_000, $who);
    pay($order);
    is(balance($who), 6_249_900_000_000, '250.00 loads 3750 credits more');
    my ($vip) = $stack->sql("SELECT revoked_ms FROM vip_term WHERE ref = UNHEX(SUBSTR('$order->{id}', 5))");
    is_deeply($vip, ['NULL'], 'and gives VIP access');
    happens('charge.refunded', charge($order, 100));
    ($vip) = $stack->sql("SELECT revoked_ms FROM vip_term WHERE ref = UNHEX(SUBSTR('$order->{id}', 5))");
    isnt($vip->[0], 'NULL', 'which a refund below the mark takes away');
}

# Sixteen at once.
{
    my $before = balance();
    my $order = order(500);
    my ($payload, $header) = $stripe->event('evt_many', 'checkout.session.completed', session($order));
    my @socks = map { $provider->connect } 1 .. 16;
    my $text = $provider->format_request('POST', '/api/webhooks/stripe', body => $payload, headers => {'stripe-signature' => $header});
    print {$_} $text for @socks;
    my @replies = map { $provider->read_reply($_, time) } @socks;
    is(scalar(grep { $_->{status} == 200 } @replies), 16, 'sixteen deliveries at once are all welcome');
    is(balance() - $before, 50e9, 'and credit once');
    is(happens('checkout.session.async_payment_succeeded', session($order)), 200, 'another event of the same payment');
    is(balance() - $before, 50e9, 'credits nothing more');
}

# Every order of four events.
{
    my ($who) = $stack->member(0);
    my @orders;
    my $permute;
    $permute = sub { my ($done, @rest) = @_;
        @rest ? map { my $i = $_; $permute->([@$done, $rest[$i]], @rest[grep { $_ != $i } 0 .. $#rest]) } 0 .. $#rest : $done };
    my @failed;
    for my $sequence ($permute->([], 0 .. 3)) {
        my $before = balance($who);
        my $order = order(25_000, $who);
        $stripe->set(session_of($order), status => 'complete', payment_status => 'paid', payment_intent => 'pi_' . session_of($order));
        my @four = (['checkout.session.completed', session($order)], ['charge.refunded', charge($order, 10_000)],
            ['charge.dispute.created', dispute($order, 'needs_response', 5_000)], ['charge.dispute.closed', dispute($order, 'won', 5_000)]);
        my @statuses = map { happens(@{$four[$_]}) } @$sequence;
        my $now = show($order, $who);
        push @failed, "@$sequence: @statuses $now->{status} " . (balance($who) - $before)
            if "@statuses" ne '200 200 200 200' || $now->{status} ne 'partly_refunded' || balance($who) - $before != 2250e9;
    }
    is_deeply(\@failed, [], 'payment, refund, dispute and its end mean the same in all 24 orders');
}

# Refunds.
{
    my ($who) = $stack->member(0);
    my $order = order(25_000, $who);
    pay($order);
    my @steps;
    for my $dollars (100, 25, 100, 250, 250) {
        my $before = balance($who);
        happens('charge.refunded', charge($order, 100 * $dollars));
        push @steps, (balance($who) - $before) / 1e9;
    }
    is_deeply(\@steps, [-1500, 0, 0, -2250, 0], 'refunds of 100, 25 (late), 100 (again), 250, 250 take back what they returned, once');
    is(show($order, $who)->{status}, 'refunded', 'and the order says so');
    is(scalar(() = $stack->sql("SELECT 1 FROM ledger WHERE kind = 'clawback' AND wallet_id = (SELECT wallet_id FROM topup WHERE id = UNHEX(SUBSTR('$order->{id}', 5)))")),
        2, 'with two rows in the ledger');
}

# Disputes.
{
    my ($who) = $stack->member(0);
    my $order = order(1_000, $who);
    pay($order);
    happens('charge.dispute.created', dispute($order, 'warning_needs_response'));
    is(balance($who), 100e9, 'an inquiry takes nothing');
    happens('charge.dispute.updated', dispute($order, 'needs_response'));
    is(balance($who), 0, 'a dispute takes the credit back');
    is(show($order, $who)->{status}, 'disputed', 'the order says disputed');
    happens('charge.refunded', charge($order, 1_000));
    is(balance($who), 0, 'a refund on top of it takes nothing twice');
    $order = order(1_000, $who);
    pay($order);
    happens('charge.dispute.created', dispute($order, 'needs_response'));
    happens('charge.dispute.closed', dispute($order, 'won'));
    is(balance($who), 100e9, 'a dispute that is won gives it back');
    $order = order(2_000, $who);
    pay($order);
    happens('charge.dispute.created', dispute($order, 'needs_response'));
    happens('charge.dispute.closed', dispute($order, 'lost'));
    is(balance($who), 100e9, 'one that is lost does not');
}

# Not what was ordered.
for my $case (['499 cents instead of 500', amount_subtotal => 499, amount_total => 499], ['another currency', currency => 'jpy'],
    ['a discount', amount_total => 400], ['no amount', amount_subtotal => undef, amount_total => undef]) {
    my ($what, %o) = @$case;
    my $before = balance();
    my $order = order(500);
    is(happens('checkout.session.completed', session($order, %o)), 200, "$what: taken note of");
    is(balance(), $before, "$what: not credited");
    is_deeply([@{show($order)}{qw(status under_review)}], ['pending', JSON::PP::true], "$what: under review");
    like($stack->mgctl('order', 'list', '--flagged'), qr/$order->{id}.*paid otherwise/, "$what: the operator sees it");
    like($stack->mgctl('order', 'clear', $order->{id}), qr/status +failed/, "$what: and deals with it");
    unlike($stack->mgctl('order', 'list', '--flagged'), qr/$order->{id}/, "$what: it needs no look any more");
    is_deeply([@{show($order)}{qw(status under_review)}], ['failed', JSON::PP::false], "$what: which its owner sees");
    is(balance(), $before, "$what: no credit has moved");
}
{
    my $before = balance();
    my $order = order(500);
    happens('checkout.session.completed', session($order, amount_total => 540));
    is(balance() - $before, 50e9, 'tax on top of our price does not matter');
}

{
    my $order = order(500);
    pay($order);
    my ($before, $paid) = (balance(), show($order)->{paid_at});
    is(happens('checkout.session.completed', session($order, id => 'cs_other', payment_intent => 'pi_other')), 200,
        'a second payment of one order: taken note of');
    is(balance(), $before, 'not credited');
    like($stack->mgctl('order', 'list', '--flagged'), qr/$order->{id}.*paid a second time/, 'the operator sees it');
    is(happens('charge.refunded', charge($order, 500, id => 'ch_other', payment_intent => 'pi_other')), 200,
        'and gives the second payment back');
    is(balance(), $before, 'which leaves the credit of the first one');
    is(show($order)->{status}, 'paid', 'and its order paid');
    like($stack->mgctl('order', 'clear', $order->{id}), qr/status +paid/, 'which it stays when that is dealt with');
    is(balance(), $before, 'and the credit stays, too');
    my ($status, $says) = $stack->run_stack('mgctl', '--state', $stack->{dir}, 'order', 'clear', $order->{id});
    ok($status && $says =~ /has no problem/, 'once');
    happens('charge.refunded', charge($order, 500));
    is(balance(), $before - 50e9, 'a refund of the first one takes it');
}

# Slow, failed and expired payments.
{
    my $before = balance();
    my $order = order(500);
    happens('checkout.session.completed', session($order, payment_status => 'unpaid'));
    is(show($order)->{status}, 'pending', 'a payment on its way is pending');
    is(balance(), $before, 'and not credited');
    happens('checkout.session.async_payment_failed', session($order, payment_status => 'unpaid'));
    is(show($order)->{status}, 'failed', 'it may fail');
    happens('checkout.session.async_payment_succeeded', session($order));
    is(show($order)->{status}, 'paid', 'but money that came is money');
    happens('checkout.session.expired', session($order, status => 'expired', payment_status => 'unpaid'));
    is(show($order)->{status}, 'paid', 'and nothing undoes it');
    is(balance() - $before, 50e9, 'it was credited once');
    $order = order(500);
    happens('checkout.session.expired', session($order, status => 'expired', payment_status => 'unpaid'));
    is(show($order)->{status}, 'expired', 'a page may expire');
    is(happens('invoice.paid', {id => 'in_1', object => 'invoice'}), 200, 'events of other kinds are welcome and mean nothing');
    is(happens('checkout.session.completed', session({%$order, id => 'ord_' . '0' x 32})), 200, 'as are those of orders that are not ours');
    is(balance() - $before, 50e9, 'and bring nothing');
}

# The event never comes.
{
    my $before = balance();
    my $order = order(500);
    my $id = "UNHEX(SUBSTR('$order->{id}', 5))";
    $stripe->set(session_of($order), status => 'complete', payment_status => 'paid', payment_intent => 'pi_lost');
    $provider->get("/app/credit/return/?order=$order->{id}&status=success");
    is(balance(), $before, 'the page of success credits nothing by itself');
    $stack->sql("UPDATE topup SET checked_ms = (UNIX_TIMESTAMP() + 3600) * 1000 WHERE id = $id");
    $stripe->requests;
    is(show($order)->{status}, 'pending', 'an order that was just asked about is not asked about again');
    is(scalar($stripe->requests), 0, 'the provider hears nothing');
    $stack->sql("UPDATE topup SET checked_ms = 0 WHERE id = $id");
    $stripe->down(500);
    is(show($order)->{status}, 'pending', 'a provider that is out of order leaves it pending');
    $stripe->down(0);
    $stack->sql("UPDATE topup SET checked_ms = 0 WHERE id = $id");
    is_deeply([@{show($order)}{qw(status receipt_url)}], ['paid', 'https://pay.stripe.com/receipts/x'],
        'asked when the buyer looks, the provider says paid');
    is(balance() - $before, 50e9, 'and the credit is there');
    is(happens('checkout.session.completed', session($order, payment_intent => 'pi_lost')), 200, 'the event that comes at last');
    is(balance() - $before, 50e9, 'adds nothing');
    $stripe->set(session_of($order), _refunded => 500);
    like($stack->mgctl('order', 'check', $order->{id}), qr/refunded/, 'the operator can ask, too: a lost refund');
    is(balance(), $before, 'is made good');
}

# The provider is away.
{
    $stripe->down(503);
    my $r = $member->post('/api/wallet/stripe/checkout', {amount_cents => 500});
    is_error($r, 503, 'openai', 'no page can be made while the provider is away');
    unlike($r->{body}, qr/out of order|sk_test/, 'without telling what it said');
    my ($lost) = @{$member->get('/api/orders')->{json}{data}};
    is($lost->{status}, 'pending', 'the order is kept');
    is(happens('charge.dispute.created', {%{dispute($lost, 'needs_response')}, payment_intent => 'pi_unknown'}), 503,
        'a dispute that cannot be placed now is not acknowledged');
    my $last = $events;
    $stripe->down(0);
    is(deliver($stripe->event("evt_$last", 'charge.dispute.created',
        {%{dispute($lost, 'needs_response')}, payment_intent => 'pi_unknown'}))->{status}, 200, 'and is, once it is known to be nobody\'s');
}

# Two clicks.
{
    my @socks = map { $member->connect } 1 .. 8;
    my $text = $member->format_request('POST', '/api/wallet/stripe/checkout', body => {amount_cents => 700},
        headers => {'idempotency-key' => 'click-1'});
    print {$_} $text for @socks;
    my %seen;
    $seen{$_->{json}{id} . ' ' . $_->{json}{url}}++ for map { $member->read_reply($_, time) } @socks;
    is_deeply([values %seen], [8], 'eight clicks with one Idempotency-Key are one order with one page');
    is_error($member->post('/api/wallet/stripe/checkout', {amount_cents => 800}, headers => {'idempotency-key' => 'click-1'}), 409,
        'openai', 'for another amount the key is refused');
    my ($who) = $stack->member(0);
    is($who->post('/api/wallet/stripe/checkout', {amount_cents => 800}, headers => {'idempotency-key' => 'click-1'})->{status}, 200,
        'another account has its own');
    my $order = order(500);
    is_error($who->get("/api/orders/$order->{id}"), 404, 'openai', 'an order is its owner\'s');
    is_error($who->get('/api/orders/ord_x'), 404, 'openai', 'a wrong id is nobody\'s');
    is(scalar(@{$who->get('/api/orders')->{json}{data}}), 1, 'lists show one\'s own');
    my $page = $member->get('/api/orders?limit=2')->{json};
    my $next = $member->get("/api/orders?limit=2&before=$page->{next_before}")->{json};
    is(scalar(keys %{{map { $_->{id} => 1 } @{$page->{data}}, @{$next->{data}}}}), 4, 'and can be paged');
}

# Killed between the event and the credit: the wallet is locked by somebody else, so the process
# stands in the middle of its transaction when it dies.
{
    my ($who, $victim) = $stack->member(0);
    my $order = order(25_000, $who);
    open my $sql, '|-', "exec '$FindBin::Bin/../stack' sql --state '$stack->{dir}' > /dev/null" or die $!;
    $sql->autoflush;
    print {$sql} "START TRANSACTION;\nSELECT id FROM wallet WHERE id = (SELECT id FROM account WHERE username = '$victim') FOR UPDATE;\n";
    my ($payload, $header) = $stripe->event('evt_kill', 'checkout.session.completed', session($order));
    my $text = $provider->format_request('POST', '/api/webhooks/stripe', body => $payload, headers => {'stripe-signature' => $header});
    my ($sock, $waits) = (undef, 0);
    for (1 .. 200) {
        my ($locked) = $stack->sql("SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_rows_locked > 0");
        if (!$sock && $locked->[0] > 0) { $sock = $provider->connect; print {$sock} $text }
        ($waits) = $stack->sql("SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'");
        last if ($waits = $waits->[0]) > 0;
        sleep 0.05;
    }
    is($waits, 1, 'the process stands between event and credit');
    kill 'KILL', pids_of($stack, 'account');
    close $sql;
    my $back = 0;
    for (1 .. 300) {
        last if $back = (eval { $provider->get('/api/health')->{status} } // 0) == 200;
        sleep 0.1;
    }
    ok($back, 'it is killed there, and another takes its place');
    is(scalar(() = $stack->sql("SELECT 1 FROM payment_event WHERE event_id = 'evt_kill'")), 0, 'nothing of the event is left');
    is(balance($who), 0, 'and no credit');
    is(deliver($payload, $header)->{status}, 200, 'the provider sends it again');
    is(balance($who), 3750e9, 'and it is credited, once');
}

ok($stack->audit_is_clean, 'the books are right') or diag $stack->{audit};
{
    my ($order) = map { $_->[0] } $stack->sql("SELECT HEX(id) FROM topup WHERE state = 'paid' LIMIT 1");
    for my $case (['clawed = clawed + 1', 'clawed = clawed - 1', 'taken back'], ['cents = cents + 1', 'cents = cents - 1', 'not the credit'],
        ["state = 'failed'", "state = 'paid'", 'not paid has credit']) {
        my ($harm, $cure, $says) = @$case;
        $stack->sql("UPDATE topup SET $harm WHERE id = UNHEX('$order')");
        ok(!$stack->audit_is_clean && $stack->{audit} =~ /$says/, "an order with $harm is found by the audit");
        $stack->sql("UPDATE topup SET $cure WHERE id = UNHEX('$order')");
    }
    ok($stack->audit_is_clean, 'and put back, all is right');
}
my $log = $stack->log_text;
unlike($log, qr/\Q$stripe->{key}\E|\Q$stripe->{secret}\E/, 'no log has the key or the secret');
done_testing;
