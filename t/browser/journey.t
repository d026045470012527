# A person's way: from registration with the mailed link to the first request that appears live, keys,
# another password, and out again.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Browser;
use MG::Http;
use MG::Sim;
use MG::Stack;

my $browser = MG::Browser->new;
my $stack = MG::Stack->new;
my $sim = MG::Sim->new($stack);

sub system_key {
    my ($name) = @_;
    return $stack->mgctl('key', 'show-system', $name) =~ /(sk-[\w-]+)/ ? $1 : die "no key of $name";
}

my %answers = (
    token => sub { MG::Browser::token($stack, @_) },
    balance => sub {
        my ($row) = $stack->sql("SELECT balance FROM wallet w JOIN account a ON a.id = w.id WHERE username = '$_[0]'");
        return $row->[0];
    },
    # A client with this account's System Key (or the given one): the status of what it got.
    client => sub {
        my ($name, $key, $path) = @_;
        my $http = MG::Http->new($stack, key => $key || system_key($name));
        return $http->get($path)->{status} if $path;
        return $http->post('/v1/chat/completions', {model => 'power-ai', stream => \1,
            messages => [{role => 'user', content => 'Hello'}], max_tokens => 100})->{status};
    },
    model => sub { MG::Http->new($stack, key => system_key($_[0]))->get('/api/v1/model')->{json}{model} },
    sim => sub { $sim->defaults($_[0]); 1 },
    post => sub {
        my ($path, $cookie, %headers) = @_;
        my $http = MG::Http->new($stack, key => undef);
        return $http->post($path, {name => 'forged'}, headers => {cookie => "__Host-session=$cookie", %headers})->{status};
    },
    keys => sub {
        my ($row) = $stack->sql("SELECT COUNT(*) FROM api_key k JOIN account a ON a.id = k.account_id WHERE username = '$_[0]'");
        return $row->[0];
    },
);

$browser->script('journey.mjs', $stack, answers => \%answers);
ok($stack->audit_is_clean, 'the ledger is sound after all of it') or diag $stack->{audit};
unlike($stack->log_text, qr/sk-mg-\w{20}|mg[st]_\w{20}|a few words together/, 'no key, token or password is in any log');

done_testing;
