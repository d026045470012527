# Mail addresses: confirming one unlocks the trial once, a forgotten password is replaced by mail,
# an address is changed only after both sides know; and nobody learns whether an address is known.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Select;
use POSIX ();
use Test::More;
use MG::Books qw(pids_of);
use MG::Check qw(is_error);
use MG::Http;
use MG::Stack;

my $stack = MG::Stack->new;
my $nobody = MG::Http->new($stack, key => undef);

sub post { my ($path, $body, %o) = @_; return $nobody->post("/api/auth/$path", $body, %o) }

sub register {
    my ($name, $email) = @_;
    return post('register', {username => $name, email => $email, password => "password of $name"});
}

sub sign_in {
    my ($name, $password) = @_;
    return MG::Http->sign_in($stack, username => $name, password => $password // "password of $name");
}

my ($verify, $reset) = (qr{/verify/#t=(mgt_\w+)}, qr{/reset/#t=(mgt_\w+)});

# Confirming.
{
    is(register('alice', 'alice@example.com')->{status}, 201, 'an account is made');
    my $web = sign_in('alice');
    is($web->{session}{account}{email}, 'alice@example.com', 'it has the address that it stated');
    ok(!$web->{session}{account}{email_verified}, 'not confirmed');
    my ($mail) = $stack->mails('alice@example.com');
    my ($token) = $mail->{text} =~ $verify;
    ok($token, 'a mail with a link was posted');
    my ($wallet) = $stack->sql("SELECT balance FROM wallet w JOIN account a ON a.id = w.id WHERE username = 'alice'");
    is($wallet->[0], 0, 'nothing is unlocked yet');
    (my $wrong = $token) =~ s/.$/x/;
    is_error(post('verify', {token => $_}), 400, 'openai', "'$_' confirms nothing", code => 'invalid_token')
        for $wrong, 'mgt_', $web->{session}{token};
    my $r = post('verify', {token => $token});
    is($r->{status}, 200, 'the link confirms the address');
    is($r->{json}{trial}{credit}{credits}, '5', 'and unlocks the trial credit');
    is($r->{json}{trial}{unlimited_seconds}, 900, 'and the Unlimited trial');
    my ($row) = $stack->sql("SELECT l.kind, l.amount, c.expires_ms - a.created_ms FROM account a"
        . " JOIN ledger l ON l.wallet_id = a.id JOIN credit_lot c ON c.wallet_id = a.id AND c.seq = l.seq"
        . " WHERE a.username = 'alice'");
    is_deeply($row, ['trial', 5_000_000_000, 30 * 86_400_000], 'five credits until 30 days after the account was made');
    is_error(post('verify', {token => $token}), 400, 'openai', 'a link works once', code => 'invalid_token');
    ok(sign_in('alice')->{session}{account}{email_verified}, 'the account has a confirmed address');
}

# Another link. Mails overtake each other, and a stranger may ask for one: the older link works, too,
# and whichever is used first takes the other with it.
{
    register('erin', 'erin@example.com');
    is(post('resend', {email => 'erin@example.com'})->{status}, 202, 'another link is asked for');
    my @mails = $stack->mails('erin@example.com');
    my ($newest, $older) = map { $_->{text} =~ $verify } @mails;
    is(scalar @mails, 2, 'and sent');
    is(post('verify', {token => $older})->{status}, 200, 'the older one still works');
    is_error(post('verify', {token => $newest}), 400, 'openai', 'and the newer one not any more', code => 'invalid_token');
}

# Two who open the same link at the same time.
{
    register('bob', 'bob@example.com');
    my ($token) = ($stack->mails('bob@example.com'))[0]{text} =~ $verify;
    my @socks = map { my $s = $nobody->connect; print {$s} $nobody->format_request('POST', '/api/auth/verify',
        body => {token => $token}); $s } 1 .. 6;
    my @status = sort map { $nobody->read_reply($_, time)->{status} } @socks;
    is("@status", '200 400 400 400 400 400', 'of six who open a link together one is served');
    my ($sum) = $stack->sql("SELECT COUNT(*), SUM(amount) FROM ledger l JOIN account a ON a.id = l.wallet_id"
        . " WHERE username = 'bob'");
    is("@$sum", '1 5000000000', 'and the trial is given once');
}

# One trial an address, whatever becomes of the account.
{
    my $web = sign_in('bob');
    my $change = {email => 'robert@example.com', password => 'password of bob'};
    is_error($web->post('/api/auth/email', {%$change, password => 'guess at it'}), 401, 'openai',
        'another address needs the password', code => 'invalid_credentials');
    my $r = $web->post('/api/auth/email', $change);
    is($r->{status}, 202, 'another address is asked for');
    is($r->{json}{pending_email}, 'robert@example.com', 'and waits');
    my ($warning) = $stack->mails('bob@example.com');
    like($warning->{text}, qr/asked to replace/, 'the old address is told');
    is(sign_in('bob@example.com', 'password of bob')->{session}{account}{email}, 'bob@example.com',
        'and stays until the new one is confirmed');
    post('forgot', {email => 'bob@example.com'});
    ok($stack->wait_for(sub { ($stack->mails('bob@example.com'))[0]{text} =~ $reset }), 'till then it may choose another password');
    my ($way_in) = ($stack->mails('bob@example.com'))[0]{text} =~ $reset;
    my ($token) = ($stack->mails('robert@example.com'))[0]{text} =~ $verify;
    $r = post('verify', {token => $token});
    is($r->{status}, 200, 'the new address confirms');
    is_error(post('reset', {token => $way_in, password => 'of whoever reads old mail'}), 400, 'openai',
        'a link that the old one was sent opens nothing any more', code => 'invalid_token');
    is($r->{json}{trial}, undef, 'and unlocks no second trial');
    is(sign_in('bob')->{session}{account}{email}, 'robert@example.com', 'it is the address from now on');
    like(($stack->mails('bob@example.com'))[0]{text}, qr/another mail address now/, 'the old one is told again');
    register('bob2', 'bob@example.com');
    ($token) = ($stack->mails('bob@example.com'))[0]{text} =~ $verify;
    $r = post('verify', {token => $token});
    is($r->{status}, 200, 'the address that is free again confirms for another account');
    is($r->{json}{trial}, undef, 'without another trial');
}

# A known address: the same answer, and its owner is told.
{
    my $known = register('mallory', 'ALICE@example.com');
    my $free = register('trudy', 'trudy@example.com');
    is("$known->{status} $free->{status}", '201 201', 'a known and a free address are both accepted');
    is_deeply([sort keys %{$known->{json}}], [sort keys %{$free->{json}}], 'with the same answer');
    my ($mail) = $stack->mails('ALICE@example.com', 'alice@example.com');
    like($mail->{text}, qr/Hello alice.*belongs\s+to your account alice already/s, 'the owner of a known address is told');
    unlike($mail->{text}, qr/mgt_/, 'and gets no link that opens anything');
    is_error(register('trudy', 'new@example.com'), 409, 'openai', 'a name that is taken is told', code => 'username_taken');
    is_error(register('mallory', 'new@example.com'), 409, 'openai',
        'also where the address was known, so that it tells nothing', code => 'username_taken');
    for my $who (['mallory', 'ALICE@example.com'], ['trudy', 'trudy@example.com']) {
        my $web = MG::Http->sign_in($stack, username => $who->[1], password => "password of $who->[0]");
        is($web->{session}{account}{username}, $who->[0], "$who->[0] can sign in by the address that was stated");
        ok(!$web->{session}{account}{email_verified}, 'and it is not confirmed');
    }
    is(sign_in('alice@example.com', 'password of alice')->{session}{account}{username}, 'alice', 'the owner still signs in by it');
    my $before = $stack->mail_count;
    my %answers;
    for my $path (qw(resend forgot)) {
        for my $email ('alice@example.com', 'trudy@example.com', 'nobody@example.com') {
            my $r = post($path, {email => $email});
            $answers{"$r->{status} $r->{body}"} = 1;
            is($r->{status}, 202, "$path: $email is answered");
        }
    }
    is(scalar keys %answers, 1, 'and every answer is the same');
    ok($stack->wait_for(sub { $stack->mail_count == $before + 3 }), 'three mails were posted');
    is_deeply([sort map { "$_->{to}: $_->{subject}" } $stack->newest_mails(3)],
        ['alice@example.com: Choose another password', ('trudy@example.com: Confirm your mail address') x 2], 'to whom they concern, nothing to others');
}

# A forgotten password.
{
    my $web = sign_in('alice');
    my ($token) = ($stack->mails('alice@example.com'))[0]{text} =~ $reset;
    ok($token, 'the link of a forgotten password is in the mail');
    # Somebody else knows the password, and her owner does what the warning says.
    is($web->post('/api/auth/email', {email => 'thief@example.com', password => 'password of alice'})->{status}, 202,
        'another address is asked for meanwhile');
    my ($theirs) = ($stack->mails('thief@example.com'))[0]{text} =~ $verify;
    is_error(post('reset', {token => $token, password => 'short'}), 422, 'openai', 'a bad password is refused');
    is_error(post('verify', {token => $token}), 400, 'openai', 'the link confirms no address');
    is(post('reset', {token => $token, password => 'another horse'})->{status}, 200, 'the link sets another password');
    is_error(post('reset', {token => $token, password => 'a third horse'}), 400, 'openai', 'once', code => 'invalid_token');
    is_error($web->get('/api/auth/sessions'), 401, 'openai', 'the sessions of the old password have ended');
    is(post('login', {username => 'alice', password => 'password of alice'})->{status}, 401, 'it opens nothing');
    is(sign_in('alice', 'another horse')->{session}{account}{username}, 'alice', 'the new one does');
    like(($stack->mails('alice@example.com'))[0]{subject}, qr/was changed/, 'the owner is told');
    is_error(post('verify', {token => $theirs}), 400, 'openai', 'the other address is not asked for any more', code => 'invalid_token');
    is(sign_in('alice', 'another horse')->{session}{account}{email}, 'alice@example.com', 'and the account keeps its own');
}

# An old link.
{
    post('resend', {email => 'trudy@example.com'});
    $stack->sql('UPDATE ticket SET expires_ms = 1');
    my ($token) = ($stack->mails('trudy@example.com'))[0]{text} =~ $verify;
    is_error(post('verify', {token => $token}), 400, 'openai', 'a link that is too old confirms nothing', code => 'invalid_token');
}

# The service is killed in the middle of confirming: all of it has happened, or nothing.
{
    my @email = map { "killed$_\@example.com" } 1 .. 6;
    register("killed$_", "killed$_\@example.com") for 1 .. 6;
    my @token = map { $_->{text} =~ $verify } reverse $stack->mails(@email);
    is(scalar @token, 6, 'six links');
    $stack->sql('DELETE FROM throttle');
    # Three wallets are held, so that their credit cannot be given yet: the last step of confirming.
    my $lock = join ' ', map { "SELECT id FROM wallet WHERE id = $_->[0] FOR UPDATE;" } $stack->sql("SELECT id FROM account WHERE username IN ('killed1', 'killed2', 'killed3')");
    my $holder = fork // die $!;
    if (!$holder) {
        eval { $stack->sql("START TRANSACTION; $lock DO SLEEP(300)") };
        POSIX::_exit(0);
    }
    my $is_held = sub { ($stack->sql('SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '
        . "'DO SLEEP%'"))[0][0] };
    $stack->wait_for(sub { $is_held->() });
    my @socks = map { my $s = $nobody->connect; print {$s} $nobody->format_request('POST', '/api/auth/verify',
        body => {token => $_}); $s } @token;
    is($nobody->read_reply($_, time)->{status}, 200, 'an address is confirmed') for @socks[3 .. 5];
    my $waiting = sub { ($stack->sql("SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
        . " AND trx_query LIKE '%wallet%'"))[0][0] };
    ok($stack->wait_for(sub { $waiting->() == 3 }), 'three others wait for their credit');
    my @early = IO::Select->new(@socks[0 .. 2])->can_read(0);
    is(scalar @early, 0, 'and are not answered before they have it') or diag map { $nobody->read_reply($_, time)->{raw} } @early;
    kill 'KILL', pids_of($stack, 'auth');
    my ($thread) = $stack->sql("SELECT id FROM information_schema.processlist WHERE info LIKE 'DO SLEEP%'");
    $stack->sql("KILL $thread->[0]");
    waitpid $holder, 0;
    cmp_ok($nobody->read_reply($_, time)->{status}, '>=', 500, 'which is then killed') for @socks[0 .. 2];
    ok($stack->wait_for(sub { $waiting->() == 0 && post('verify', {token => 'x'})->{status} == 400 }), 'and comes back');
    my ($sums) = $stack->sql("SELECT COUNT(*), SUM(a.email_verified_ms IS NOT NULL),"
        . " SUM(a.email_verified_ms IS NOT NULL AND l.amount IS NULL), SUM(a.email_verified_ms IS NULL AND l.amount IS NOT NULL),"
        . " SUM(a.email_verified_ms IS NULL AND k.hash IS NULL)"
        . " FROM account a LEFT JOIN ledger l ON l.wallet_id = a.id AND l.kind = 'trial'"
        . " LEFT JOIN ticket k ON k.account_id = a.id WHERE username LIKE 'killed%'");
    is("@$sums", '6 3 0 0 0', 'three are confirmed and have their trial, three are not and have their link');
    my @status = map { post('verify', {token => $_})->{status} } @token;
    is("@status", '200 200 200 400 400 400', 'which still works');
    ($sums) = $stack->sql("SELECT COUNT(*), SUM(amount) FROM account a JOIN ledger l ON l.wallet_id = a.id"
        . " WHERE username LIKE 'killed%' AND email_verified_ms IS NOT NULL");
    is("@$sums", '6 30000000000', 'in the end all are confirmed, with one trial each');
}

ok($stack->audit_is_clean, 'the books are right') or diag $stack->{audit};
done_testing;
