# Who may do what: both credential headers on every route, every way in which a key can be wrong,
# revocation and rotation from the next request on, and who gets to see the System Key.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Check qw(is_error ids_fault);
use MG::Family;
use MG::Http;
use MG::Sim;
use MG::Stack;

my $stack = MG::Stack->new;
my $sim = MG::Sim->new($stack);
my ($account, $system) = $stack->account(50);
my $nobody = MG::Http->new($stack, key => undef);

# A fresh User API Key: (its number, the secret).
sub user_key {
    my ($name) = @_;
    my $made = $MG::Http::JSON->decode($stack->mgctl('--json', 'key', 'create', $account, '--name', $name));
    return ($made->{key}, $made->{secret});
}

# All routes that need a key: method, path, body, style of errors.
my @routes = (
    ['GET', '/api/v1/me', undef, 'openai'],
    ['GET', '/api/v1/model', undef, 'openai'],
    ['PUT', '/api/v1/model', {model => 'coder'}, 'openai'],
    ['GET', '/api/v1/wallet/status', undef, 'openai'],
    ['GET', '/api/v1/billing/token-usage', undef, 'openai'],
    ['GET', '/v1/models', undef, 'openai'],
    ['GET', '/v1/models/coder', undef, 'openai'],
    (map { ['POST', MG::Family::path($_), MG::Family::script($_, 'words=2'),
        $_ eq 'messages' ? 'messages' : 'openai'] } @MG::Family::NAMES),
);

sub call {
    my ($route, %headers) = @_;
    my ($method, $path, $body) = @$route;
    return $nobody->request($method, $path, defined $body ? (body => $body) : (), headers => \%headers);
}

my ($user_id, $user) = user_key('laptop');
my ($revoked_id, $revoked) = user_key('lost');
my ($expired_id, $expired) = user_key('old');
$stack->mgctl('key', 'revoke', $account, $revoked_id);
$stack->sql("UPDATE api_key SET expires_ms = 1 WHERE id = $expired_id");
(my $unknown = $user) =~ s/^(sk-mg-.)(.)/$1 . ($2 eq 'x' ? 'y' : 'x')/e;
my $foreign = 'sk-ant-api03-' . 'A' x 80;

my @good = (
    ['the System Key as Bearer', authorization => "Bearer $system"],
    ['a User API Key as Bearer', authorization => "Bearer $user"],
    ['the System Key as x-api-key', 'x-api-key' => $system],
    ['a User API Key as x-api-key', 'x-api-key' => $user],
    ['a Bearer in small letters with spaces', authorization => "bearer   $user "],
    ['x-api-key beside an empty Bearer', authorization => 'Bearer ', 'x-api-key' => $user],
);
my @bad = (
    ['no key'],
    ['an empty Bearer', authorization => 'Bearer '],
    ['an empty x-api-key', 'x-api-key' => ''],
    ['a Bearer that is no key', authorization => 'Bearer hello'],
    ['a key without Bearer', authorization => $user],
    ['Basic credentials', authorization => 'Basic dXNlcjpwYXNzd29yZA=='],
    ['a key of another service', authorization => "Bearer $foreign"],
    ['a key with a wrong letter', authorization => "Bearer $unknown"],
    ['a key with something behind it', authorization => "Bearer ${user}x"],
    ['half a key', authorization => 'Bearer ' . substr $user, 0, 30],
    ['two keys', authorization => "Bearer $user $user"],
    ['a revoked key', authorization => "Bearer $revoked"],
    ['an expired key', 'x-api-key' => $expired],
    ['a good x-api-key behind a bad Bearer', authorization => "Bearer $revoked", 'x-api-key' => $user],
    ['a key of 14,000 bytes', 'x-api-key' => 'sk-mg-' . 'k' x 14000],
    ['a key with quotes', authorization => "Bearer ' OR 1=1 --"],
    ['a dashboard session', authorization => 'Bearer sess_0123456789abcdef0123456789abcdef'],
    ['a session cookie', cookie => 'mg_session=0123456789abcdef0123456789abcdef'],
);

for my $route (@routes) {
    my $name = "$route->[0] $route->[1]";
    for my $case (@good) {
        my ($what, %headers) = @$case;
        my $r = call($route, %headers);
        ok($r->{status} == 200 && !ids_fault($r), "$name: $what is accepted")
            or diag "$r->{status} $r->{body}", ids_fault($r);
    }
}
$sim->forget;
for my $route (@routes) {
    my $name = "$route->[0] $route->[1]";
    for my $case (@bad) {
        my ($what, %headers) = @$case;
        my $r = call($route, %headers);
        is_error($r, 401, $route->[3], "$name: $what is refused", retry => 'false');
        is($r->{headers}{'www-authenticate'}, 'Bearer', "$name: a reply to $what names the scheme")
            if $what eq 'no key';
    }
}
is(scalar($sim->requests), 0, 'no refused request has reached the provider');
is_error(call(['GET', '/v1/models'], 'anthropic-version' => '2023-06-01'), 401, 'messages',
    'the model list refuses in the Messages style when a version header is sent');
is_error(call(['GET', '/v1/models/x'], 'vendorb-version' => 'any'), 401, 'messages',
    'whatever the version header says');
is(call(['GET', '/api/health'])->{status}, 200, 'health needs no key');
is(call(['GET', '/api/health'], authorization => 'Bearer nonsense')->{status}, 200, 'and minds none');

# Revocation works from the very next request on, whichever process answers it.
for my $route (@routes) {
    my ($id, $key) = user_key('short-lived');
    my %headers = (authorization => "Bearer $key");
    my $name = "$route->[0] $route->[1]";
    my $before = call($route, %headers)->{status};
    $stack->mgctl('key', 'revoke', $account, $id);
    is("$before, " . call($route, %headers)->{status}, '200, 401',
        "$name: a key is refused by the first request after its revocation");
}

# What /api/v1/me tells whom.
{
    my $r = MG::Http->new($stack, key => $system)->get('/api/v1/me');
    is($r->{json}{credential}{type}, 'system_key', 'the System Key knows what it is');
    is($r->{json}{system_key}, $system, 'the System Key is shown to itself');
    is($r->{json}{setup}{base_url}, $stack->base_url, 'with what a client needs');
    is($r->{json}{username}, $account, 'and the name of its account');

    my $u = MG::Http->new($stack, key => $user)->get('/api/v1/me');
    is($u->{json}{credential}{type}, 'user_api_key', 'a User API Key knows what it is');
    is($u->{json}{credential}{id}, $user_id, 'and which one');
    is($u->{json}{id}, $r->{json}{id}, 'and belongs to the same account');
    ok(!exists $u->{json}{system_key} && !exists $u->{json}{setup},
        'a User API Key sees neither System Key nor setup');
    unlike($u->{body} . $MG::Http::JSON->encode($u->{headers}), qr/sk-mg-|\Q$system\E/,
        'nor is any key anywhere in the reply');
    for my $trick ('?system_key=1', '?type=system', "?key=$system", '/') {
        my $t = MG::Http->new($stack, key => $user)->get("/api/v1/me$trick");
        unlike($t->{body}, qr/sk-mg-/, "nor with $trick") if $trick !~ /key=sk/;
        ok(!exists $t->{json}{system_key}, "no System Key with $trick");
    }
}

# Both keys spend the same wallet.
{
    my $before = MG::Http->new($stack, key => $system)->get('/api/v1/wallet/status')->{json};
    my $r = MG::Http->new($stack, key => $user)->post('/v1/messages', MG::Family::script('messages', 'words=5'));
    my $after = MG::Http->new($stack, key => $system)->get('/api/v1/wallet/status')->{json};
    ok($r->{status} == 200 && $after->{balance}{nano} < $before->{balance}{nano},
        'what a User API Key uses is paid by the account of the System Key');
}

# A suspended account.
{
    my ($name, $key) = $stack->account(5);
    my $http = MG::Http->new($stack, key => $key);
    $stack->mgctl('account', 'suspend', $name);
    $sim->forget;
    for my $family (@MG::Family::NAMES) {
        for my $stream (0, 1) {
            my $r = $http->post(MG::Family::path($family),
                MG::Family::script($family, 'words=2', stream => $stream ? \1 : \0));
            is_error($r, 429, $family eq 'messages' ? 'messages' : 'openai',
                "$family: a suspended account may not generate" . ($stream ? ', streamed' : ''),
                type => 'usage_limit_reached', retry => 'false');
        }
    }
    is(scalar($sim->requests), 0, 'the provider has not been asked');
    is($http->get($_)->{status}, 200, "$_ still answers a suspended account")
        for '/api/v1/me', '/api/v1/wallet/status', '/api/v1/billing/token-usage', '/v1/models';
    is($http->get('/api/v1/me')->{json}{status}, 'suspended', 'and says so');
    is($http->get('/api/v1/wallet/status')->{json}{balance}{nano}, 5_000_000_000, 'nothing was charged');
    $stack->mgctl('account', 'resume', $name);
    is($http->post('/v1/messages', MG::Family::script('messages', 'words=2'))->{status}, 200,
        'a resumed account generates with its next request');
}

# Rotation of the System Key.
{
    my ($name, $old) = $stack->account(5);
    my $other = $MG::Http::JSON->decode($stack->mgctl('--json', 'key', 'create', $name, '--name', 'app'))->{secret};
    my $made = $MG::Http::JSON->decode($stack->mgctl('--json', 'key', 'rotate-system', $name));
    my $new = $made->{secret};
    isnt($new, $old, 'a rotation makes another System Key');
    my @status = map { my $key = $_; MG::Http->new($stack, key => $key)->get('/api/v1/me') } $old, $new, $other;
    is($status[0]{status}, 401, 'the old System Key is refused by the next request');
    is($status[1]{status}, 200, 'the new one is accepted');
    is($status[1]{json}{system_key}, $new, 'and shown to itself');
    is($status[2]{status}, 200, 'User API Keys live on');
}

# One account sees nothing of another.
{
    my ($name, $key) = $stack->account(7);
    my $r = MG::Http->new($stack, key => $key)->get("/api/v1/billing/token-usage?api_key_id=$user_id");
    is_deeply($r->{json}{data}, [], 'a list asked for with a foreign key number is empty');
}

done_testing;
