# Signing in to the dashboard: what opens a session, what it opens, how it ends, and which pages may
# use its cookie.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Check qw(is_error);
use MG::Http;
use MG::Stack;

my $stack = MG::Stack->new;
my $nobody = MG::Http->new($stack, key => undef);
my $base = $stack->base_url;

sub sign_in {
    my ($name, $password, %o) = @_;
    return $nobody->post($o{path} // '/api/auth/login', {username => $name, password => $password}, %o);
}

# Registration.
{
    my $r = $nobody->post('/api/auth/register',
        {username => 'alice', email => 'Alice@example.com', password => 'correct horse'});
    is($r->{status}, 201, 'a new account is made');
    is_deeply($r->{json}, {object => 'account', username => 'alice', email => 'Alice@example.com',
        verification => 'sent'}, 'and says what comes next');
    ok(!$r->{headers}{'set-cookie'}, 'but nobody is signed in by that');
    is($r->{headers}{'cache-control'}, 'no-store', 'and no cache may keep the reply');
}

# What a sign-in answers.
for my $path ('/api/auth/login', '/api/v1/auth/login') {
    my $r = sign_in('alice', 'correct horse', path => $path);
    is($r->{status}, 200, "$path: the password opens");
    is($r->{json}{object}, 'session', "$path: a session is the answer");
    like($r->{json}{token}, qr/^mgs_[0-9A-Za-z]{49}$/, "$path: with its token");
    is($r->{json}{account}{username}, 'alice', "$path: and its account");
    is($r->{headers}{'cache-control'}, 'no-store', "$path: which no cache may keep");
    my %cookie = map { /^([^=]*)=?(.*)$/ } split /; */, $r->{headers}{'set-cookie'};
    is_deeply(\%cookie, {'__Host-session' => $r->{json}{token}, Path => '/', 'Max-Age' => 30 * 86400,
        Secure => '', HttpOnly => '', SameSite => 'Strict'}, "$path: the cookie has all its flags");
}
is(sign_in($_, 'correct horse')->{status}, 200, "$_ is a name of the account")
    for 'ALICE', 'alice@example.com';

# One answer, whatever was wrong.
{
    my @replies = map { sign_in(@$_) } ['alice', 'wrong horse'], ['alice@example.com', 'wrong horse'],
        ['nobody', 'correct horse'], ['nobody@example.com', 'correct horse'], ['élise', 'x'], ["a' OR 1=1", 'x'];
    is_error($_, 401, 'openai', 'a wrong sign-in is refused', code => 'invalid_credentials') for @replies;
    delete $_->{json}{error}{request_id} for @replies;
    my %different = map { $MG::Http::JSON->encode($_->{json}) => 1 } @replies;
    is(scalar keys %different, 1, 'the answer does not tell a wrong password from an unknown name');
}
is_error($nobody->post('/api/auth/login', {}), 422, 'openai', 'an empty body is refused with its fields');

# Signing out.
{
    my $web = MG::Http->sign_in($stack);
    my $r = $web->post('/api/auth/logout', {});
    is($r->{status}, 204, 'a signed-in browser signs out');
    like($r->{headers}{'set-cookie'}, qr/^__Host-session=; Path=\/; Max-Age=0; Secure; /, 'and forgets its cookie');
    my $token = $web->{session}{token};
    is_error($nobody->post('/api/auth/logout', {}, headers => {authorization => "Bearer $token"}), 401, 'openai',
        'the session is over from then on', code => 'invalid_session');
    my ($member, $name, $key) = $stack->member(3);
    is($member->{session}{account}{username}, $name, 'an account whose password the operator has set signs in');
    is_error($nobody->get('/v1/models', headers => {authorization => "Bearer $member->{session}{token}"}), 401,
        'openai', 'a session is no key');
    is_error($nobody->post('/api/auth/logout', {}, headers => {authorization => "Bearer $key"}), 401, 'openai',
        'a key is no session', code => 'invalid_session');
}

# Which pages may use the cookie of a session to change something.
{
    my $web = MG::Http->sign_in($stack);
    my $cookie = $web->{cookie};
    my $token = $web->{session}{token};
    my $other = MG::Http->sign_in($stack);
    my ($victim) = map { $_->{id} } grep { !$_->{current} } @{$web->get('/api/auth/sessions')->{json}{data}};
    my $there = sub { scalar grep { $_->{id} == $victim } @{$web->get('/api/auth/sessions')->{json}{data}} };
    my $end = sub {
        my (%headers) = @_;
        return $nobody->request('DELETE', "/api/auth/sessions/$victim", headers => {cookie => $cookie, %headers});
    };
    my @foreign = (
        ['another site', origin => 'https://evil.example'],
        ['a sandboxed page', origin => 'null'],
        ['another port', origin => 'http://127.0.0.1:1'],
        ['another scheme', origin => $base =~ s/^http/https/r],
        ['an origin that only begins like ours', origin => "$base.evil.example"],
        ['an origin with ours as its path', origin => "https://evil.example/$base"],
        ['a page that does not say where it is', ],
        ['another site that says it', 'sec-fetch-site' => 'cross-site'],
        ['a site next door', 'sec-fetch-site' => 'same-site'],
        ['another site, whatever else is said', origin => 'https://evil.example', 'sec-fetch-site' => 'same-origin'],
    );
    for my $case (@foreign) {
        my ($what, %headers) = @$case;
        is_error($end->(%headers), 403, 'openai', "$what is refused", code => 'foreign_origin');
    }
    is($there->(), 1, 'nothing was changed by any of them');
    is_error($nobody->post('/api/auth/logout', 'a=b', headers => {cookie => $cookie, origin => $base,
        'content-type' => 'application/x-www-form-urlencoded'}), 415, 'openai', 'a form is refused');
    is_error($nobody->get('/api/auth/sessions', headers => {cookie => $cookie, 'sec-fetch-site' => 'cross-site'}), 403,
        'openai', 'another site reads nothing', code => 'foreign_origin');
    is($nobody->get('/api/auth/sessions', headers => {cookie => $cookie})->{status}, 200, 'a plain GET reads');
    is($end->('sec-fetch-site' => 'same-origin')->{status}, 204, 'our own page may leave the Origin out if the browser vouches');
    is($there->(), 0, 'and its change is made');
    is_error($nobody->post('/api/auth/logout', {}, headers => {cookie => $cookie, origin => $base, authorization => 'Bearer x'}),
        401, 'openai', 'beside a Bearer the cookie does not count', code => 'invalid_session');
    is($nobody->get('/api/auth/sessions', headers => {authorization => "Bearer $token", origin => 'https://any.example'})->{status},
        200, 'a program that sends the token itself needs no Origin');
    for my $path ('login', 'register', 'forgot') {
        is_error($nobody->post("/api/auth/$path", {username => 'alice', password => 'correct horse', email => 'a@b.example'},
            headers => {origin => 'https://evil.example'}), 403, 'openai', "$path from a foreign page is refused",
            code => 'foreign_origin');
    }
    ok(!grep({ /access-control/i } keys %{$nobody->get('/api/auth/sessions', headers => {origin => 'https://evil.example'})->{headers}}),
        'no foreign page is let in by a header');
}

# A session id that somebody has planted is never the one that is signed in.
{
    my $planted = MG::Http->sign_in($stack)->{session}{token};
    my $r = sign_in('alice', 'correct horse', headers => {cookie => "__Host-session=$planted"});
    isnt($r->{json}{token}, $planted, 'a sign-in makes a new session, whatever cookie there was');
    my $list = $nobody->get('/api/auth/sessions', headers => {authorization => "Bearer $planted"})->{json}{data};
    ok(!grep({ $_->{id} == 0 } @$list), 'the planted one is still somebody else');
    is_error($nobody->get('/api/auth/sessions', headers => {cookie => "__Host-session=$_"}), 401, 'openai',
        'a session that nobody has made is none', code => 'invalid_session')
        for 'mgs_' . 'A' x 49, 'x', '', 'mgs_' . 'A' x 5000;
}

# The list of sessions; ending one, and all others.
{
    my @web = map { MG::Http->sign_in($stack, username => 'alice', password => 'correct horse') } 1 .. 3;
    my $r = sign_in('alice', 'correct horse', headers => {'user-agent' => 'Browser/2 (test)'});
    my @list = @{$web[0]->get('/api/auth/sessions')->{json}{data}};
    is(scalar(grep { $_->{current} } @list), 1, 'one session in the list is the current one');
    like($list[0]{user_agent} // '', qr{^Browser/2 \(test\)$}, 'a session says what signed in');
    is($list[0]{address}, '127.0.0.1', 'and from where');
    like($list[0]{created_at}, qr/^\d{4}-.*Z$/, 'and when');
    unlike($MG::Http::JSON->encode(\@list), qr/mgs_/, 'but no token');
    my $foreign = MG::Http->sign_in($stack);
    is_error($foreign->request('DELETE', "/api/auth/sessions/$list[0]{id}"), 404, 'openai', 'a foreign session is not found');
    is_error($foreign->request('DELETE', '/api/auth/sessions/x'), 422, 'openai', 'a session has a number');
    is($web[0]->request('DELETE', "/api/auth/sessions/$list[0]{id}")->{status}, 204, 'an own one is ended');
    is($nobody->get('/api/auth/sessions', headers => {authorization => "Bearer $r->{json}{token}"})->{status}, 401, 'at once');
    is($web[0]->request('DELETE', '/api/auth/sessions')->{status}, 204, 'all others are ended');
    is_deeply([map { $_->get('/api/auth/sessions')->{status} } @web], [200, 401, 401], 'and only they');
    is($foreign->get('/api/auth/sessions')->{status}, 200, 'nobody else is signed out');
}

# A password change.
{
    my ($web, $other) = map { MG::Http->sign_in($stack, username => 'alice', password => 'correct horse') } 1, 2;
    my $before = $web->{cookie};
    my $change = sub { return $web->post('/api/auth/password', {current_password => $_[0], new_password => $_[1]}) };
    is_error($change->('wrong horse', 'a better horse'), 401, 'openai', 'the current password is asked for', code => 'invalid_credentials');
    for my $bad (['short', 'too_short'], ['x' x 257, 'too_long'], ['Password123', 'value_error'],
        ['aaaaaaaaaaaa', 'value_error'], ['ALICE@example.com', 'value_error']) {
        my $r = $change->('correct horse', $bad->[0]);
        is_error($r, 422, 'openai', 'a poor password is refused');
        is("@{$r->{json}{detail}[0]{loc}} $r->{json}{detail}[0]{type}", "body new_password $bad->[1]", 'with the field and the reason');
    }
    my $r = $change->('correct horse', 'a better horse');
    is($r->{status}, 200, 'a password is changed');
    isnt($web->{cookie}, $before, 'the session has a new token');
    is($web->get('/api/auth/sessions')->{status}, 200, 'which opens');
    is($nobody->get('/api/auth/sessions', headers => {cookie => $before})->{status}, 401, 'the old one does not');
    is($other->get('/api/auth/sessions')->{status}, 401, 'and other sessions have ended');
    is(sign_in('alice', 'correct horse')->{status}, 401, 'the old password opens nothing');
    is(sign_in('alice', 'a better horse')->{status}, 200, 'the new one does');
}

# How long a session lives.
{
    my $web = MG::Http->sign_in($stack);
    my ($id) = map { $_->{id} } grep { $_->{current} } @{$web->get('/api/auth/sessions')->{json}{data}};
    my $hours = sub { return "UPDATE session SET seen_ms = seen_ms - $_[0] * 3600000 WHERE id = $id" };
    $stack->sql($hours->(11));
    is($web->get('/api/auth/sessions')->{status}, 200, 'a session that was not used for 11 hours lives');
    $stack->sql($hours->(11));
    is($web->get('/api/auth/sessions')->{status}, 200, 'and its use has counted');
    $stack->sql($hours->(13));
    is_error($web->get('/api/auth/sessions'), 401, 'openai', 'after 13 hours it has ended', code => 'invalid_session');
    $web = MG::Http->sign_in($stack);
    $stack->sql('UPDATE session SET expires_ms = created_ms');
    is_error($web->get('/api/auth/sessions'), 401, 'openai', 'and at its latest end, used or not', code => 'invalid_session');
}

# More work for a password than before: the hash is made again when it is next known.
{
    my $cost = sub { return ($stack->sql("SELECT SUBSTR(password, 5, 2) FROM account WHERE username = 'alice'"))[0][0] };
    is($cost->(), '0f', 'a hash says how much work it was');
    $stack->stack('reload', '--conf', 'password_cost=16');
    sign_in('alice', 'not this one');
    is($cost->(), '0f', 'a wrong password leaves it');
    is(sign_in('alice', 'a better horse')->{status}, 200, 'the right one opens');
    is($cost->(), '10', 'and is hashed with the work of today');
    is(sign_in('alice', 'a better horse')->{status}, 200, 'and opens again');
}
unlike($stack->log_text, qr/correct horse|better horse|mgs_\w{40}/, 'no log has a password or a token');

done_testing;
