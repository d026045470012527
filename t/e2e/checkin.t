# The daily check-in and the low-balance alerts as a signed-in customer uses them.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Time::HiRes qw(sleep);
use MG::Check qw(is_error);
use MG::Family;
use MG::Http;
use MG::Stack;

my $stack = MG::Stack->new(conf => {processes => 2});
my $web = MG::Http->sign_in($stack);
my $key = MG::Http->new($stack);

sub balance { return $key->get('/api/v1/wallet/status')->{json}{balance}{nano} }
# The reference of what a day brought (lib/ledger/checkin.c), as SQL; under another name while the
# days move, since one may take the place of another.
sub ref_of {
    my ($day, $name) = @_;
    my @eight = map { "UNHEX(LPAD(HEX($_), 16, '0'))" } 'c.wallet_id', $day;
    return "UNHEX(LEFT(SHA2(CONCAT('" . ($name // 'checkin') . "', 0x00, $eight[0], $eight[1]), 256), 32))";
}

# Moves all check-ins, with what they brought, so many days into the past; the clock stays.
sub days_pass {
    my ($days) = @_;
    my @rename = map { my $table = $_; sub {
        my ($from, $to) = @_;
        "UPDATE $table t JOIN checkin c ON c.wallet_id = t.wallet_id AND t.ref = $from SET t.ref = $to;"
    } } qw(ledger unlimited);
    $stack->sql(join ' ', (map { $_->(ref_of('c.day'), ref_of('c.day', 'moving')) } @rename),
        "UPDATE checkin SET day = day - $days ORDER BY day;",
        (map { $_->(ref_of("(c.day + $days)", 'moving'), ref_of('c.day')) } @rename));
}

# Every reward that was told of stands in the ledger, once, and in the wallet.
my ($told, $days) = (0, 0);
sub is_paid {
    my ($r, $count, $what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    $told += $r->{reward}{nano};
    $days += $count;
    my ($sum) = $stack->sql("SELECT COUNT(*), SUM(amount) FROM ledger WHERE kind = 'reward'");
    is("@$sum", "$days $told", "$what: the reward is in the ledger");
    is($r->{balance}{nano}, 10e9 + $told, "$what: and in the balance that is told");
    is(balance(), 10e9 + $told, "$what: which is the wallet's");
}

# Who may.
is_error($key->get('/api/checkin'), 401, 'openai', 'a key opens no check-in');
is_error(MG::Http->new($stack, key => undef)->post('/api/checkin', {}), 401, 'openai', 'nor does nothing');
my $state = $web->get('/api/checkin')->{json};
ok(!$state->{eligible}, 'with five credits nobody is eligible');
is($state->{shortfall}{credits}, '5', 'five more are needed');
is_error($web->post('/api/checkin', {}), 403, 'openai', 'a check-in is refused', code => 'checkin_not_eligible',
    message => qr/at least 10 credits.*5 are missing/);
$stack->mgctl('account', 'credit', 'demo', 5);
$state = $web->get('/api/checkin')->{json};
ok($state->{eligible} && !$state->{checked_in_today}, 'with ten anybody is');
is(scalar @{$state->{path}}, 15, 'the path has 15 days');
is(eval { my $sum = 0; $sum += $_->{reward}{nano} for @{$state->{path}}; $sum }, 80e9, 'of 80 credits in all');
is_deeply([map { $_->{state} } @{$state->{path}}], ['today', ('upcoming') x 14], 'which begins today');
is($state->{next_at}, undef, 'now');

# Many clicks on two processes.
{
    my @socks = map { my $s = $web->connect; print {$s} $web->format_request('POST', '/api/checkin', body => {}); $s } 1 .. 16;
    my @replies = map { $web->read_reply($_, 0) } @socks;
    is(scalar(grep { $_->{status} == 200 } @replies), 16, 'of 16 clicks at once all are answered');
    is(scalar(grep { !$_->{json}{already_checked_in} } @replies), 1, 'and one checks in');
    my %told = map { join(' ', $_->{json}{day}, $_->{json}{reward}{credits}) => 1 } @replies;
    is_deeply([keys %told], ['1 1'], 'all say the same');
    is_paid($replies[0]{json}, 1, 'Day 1');
}
$state = $web->get('/api/checkin')->{json};
ok($state->{checked_in_today} && $state->{day} == 1 && $state->{streak} == 1, 'the state shows it');
is($state->{path}[0]{state}, 'claimed', 'on the path too');
like($state->{next_at}, qr/T00:00:00Z$/, 'the next one is possible at midnight UTC');

# Days go by.
for my $day (2 .. 4) {
    days_pass(1);
    my $r = $web->post('/api/checkin', {})->{json};
    is($r->{day}, $day, "the next day is Day $day");
    is_paid($r, 1, "Day $day");
}
days_pass(2);
$state = $web->get('/api/checkin')->{json};
like($state->{warning}, qr/Free Pass covers it/, 'after a missed day the Free Pass is offered');
my $r = $web->post('/api/checkin', {})->{json};
ok($r->{free_pass_used} && $r->{day} == 6, 'it is used by itself');
is_deeply($r->{benefit}, {kind => 'unlimited', seconds => 900}, 'the missed day brings its benefit');
is_deeply([map { $_->{state} } @{$r->{state}{path}}[0 .. 6]],
    [('claimed') x 4, 'free_pass', 'claimed', 'upcoming'], 'the path shows where');
is($r->{reward}{nano}, $state->{path}[4]{reward}{nano} + $state->{path}[5]{reward}{nano},
    'both days are rewarded');
is_paid($r, 2, 'the Free Pass');
my $window = $key->get('/api/v1/wallet/status')->{json}{unlimited};
is($window->{state}, 'not_started', 'the benefit waits for a request');
is($window->{benefits}[0]{source}, 'checkin', 'and says where it came from');
days_pass(3);
$r = $web->post('/api/checkin', {})->{json};
ok($r->{day} == 1 && !$r->{free_pass_used}, 'two missed days in a row begin again at Day 1');
is($r->{state}{streak}, 1, 'with a new streak');
is_paid($r, 1, 'Day 1 again');
is($web->post('/api/checkin', {})->{json}{balance}{nano}, 10e9 + $told, 'and once more brings nothing');
for my $day (2 .. 15) {
    days_pass(1);
    my $r = $web->post('/api/checkin', {})->{json};
    is($r->{day}, $day, "on it goes with Day $day");
    is_paid($r, 1, "Day $day");
}
days_pass(1);
is_paid($web->post('/api/checkin', {})->{json}, 1, 'behind Day 15 is Day 1 of another path, which');
is(($stack->sql("SELECT SUM(reward) FROM checkin WHERE path = 2"))[0][0], 80e9, 'a whole path has paid 80 credits');
$stack->mgctl('account', 'suspend', 'demo');
days_pass(1);
is_error($web->post('/api/checkin', {}), 403, 'openai', 'a suspended account does not check in',
    code => 'account_suspended');
$stack->mgctl('account', 'resume', 'demo');

# A table of rewards that cannot be read is noticed by whoever writes it.
{
    my ($status, $out) = $stack->run_stack('reload', '--state', $stack->{dir}, '--conf', 'checkin_path=1 2 x');
    ok($status, 'settings with a wrong path are not taken');
    like($out, qr/checkin_path: 'x' is no reward/, 'and the log says why');
    is($web->get('/api/checkin')->{status}, 200, 'the service goes on with the old ones');
    ($status) = $stack->run_stack('reload', '--state', $stack->{dir}, '--conf', 'checkin_path=' . join ' ', (1) x 15);
    is($status, 0, 'right ones are taken');
    is($web->get('/api/checkin')->{json}{path}[14]{reward}{credits}, '1', 'and used');
}

# Alerts.
{
    is_deeply($web->get('/api/alerts')->{json}, {thresholds => [], low_balance_mail => JSON::PP::false},
        'nobody is told of a low balance at first');
    for my $wrong ([-1], ['-1'], ['0'], [5], ['x'], ['1', '2', '3', '4', '5', '6'], 'x') {
        is_error($web->request('PUT', '/api/alerts', body => {thresholds => $wrong}), 422, 'openai',
            'wrong thresholds are refused: ' . $MG::Http::JSON->encode($wrong));
    }
    $stack->sql("UPDATE account SET email = 'demo\@example.com', email_verified_ms = 1 WHERE username = 'demo'");
    my $r = $web->request('PUT', '/api/alerts', body => {thresholds => ['1', '5', '5.0']});
    is($r->{status}, 200, 'thresholds are set');
    is_deeply([map { $_->{credits} } @{$r->{json}{thresholds}}], ['5', '1'], 'highest first, none twice');
    ok($r->{json}{low_balance_mail}, 'a verified address gets the mail');
    $stack->sql('DELETE FROM unlimited; UPDATE wallet SET benefits = 0');
    my $down = balance() / 1e9 - 5;
    $stack->mgctl('account', 'credit', 'demo', '--', -$down);
    my $mails = sub { ($stack->sql("SELECT COUNT(*) FROM mail WHERE recipient = 'demo\@example.com'"))[0][0] };
    is($mails->(), 0, 'five credits are not below five');
    my @socks = map {
        my $s = $key->connect;
        print {$s} $key->format_request('POST', MG::Family::path('chat'), body => MG::Family::script('chat', 'in=100 out=100'));
        $s;
    } 1 .. 8;
    $key->read_reply($_, 0) for @socks;
    is($mails->(), 1, 'of many requests that go below one sends the mail');
    my ($row) = $stack->sql("SELECT subject FROM mail WHERE recipient = 'demo\@example.com'");
    is($row->[0], 'Your balance is below 5 credits', 'which says what is wrong');
}
ok($stack->audit_is_clean, 'the audit is clean') or diag $stack->{audit};
done_testing();
