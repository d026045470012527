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
# Moves everything that happened so many days into the past; the clock stays.
sub days_pass { $stack->sql("UPDATE checkin SET day = day - $_[0] ORDER BY day") }

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
    is(balance(), 11e9, 'the reward is there once');
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
}
days_pass(2);
$state = $web->get('/api/checkin')->{json};
like($state->{warning}, qr/Free Pass covers it/, 'after a missed day the Free Pass is offered');
my $r = $web->post('/api/checkin', {})->{json};
ok($r->{free_pass_used} && $r->{day} == 6, 'it is used by itself');
is_deeply($r->{benefit}, {kind => 'unlimited', seconds => 900}, 'the missed day brings its benefit');
is_deeply([map { $_->{state} } @{$r->{state}{path}}[0 .. 6]],
    [('claimed') x 4, 'free_pass', 'claimed', 'upcoming'], 'the path shows where');
is($r->{balance}{nano}, balance(), 'the reply tells the balance');
my $window = $key->get('/api/v1/wallet/status')->{json}{unlimited};
is($window->{state}, 'not_started', 'the benefit waits for a request');
is($window->{benefits}[0]{source}, 'checkin', 'and says where it came from');
days_pass(3);
$r = $web->post('/api/checkin', {})->{json};
ok($r->{day} == 1 && !$r->{free_pass_used}, 'two missed days in a row begin again at Day 1');
is($r->{state}{streak}, 1, 'with a new streak');
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
