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

done_testing;
