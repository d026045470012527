# The VIP endpoint: the same service under another name, for those who have access.
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

my $stack = MG::Stack->new(vip => 1);
my ($port) = $stack->base_url =~ /:(\d+)$/;
my $host = "vip.localhost:$port";
my ($name, $key) = $stack->account(10);
my $http = MG::Http->new($stack, key => $key);
my $web = MG::Http->sign_in($stack);

sub vip { my ($method, $path, %o) = @_; $http->request($method, $path, %o, headers => {host => $host}) }

# Without access.
for my $family (@MG::Family::NAMES) {
    my $body = MG::Family::script($family, 'words=1');
    my $shape = $family eq 'messages' ? 'messages' : 'openai';
    my %code = $family eq 'messages' ? (type => 'permission_error') : (code => 'vip_required');
    is_error(vip('POST', MG::Family::path($family), body => $body), 403, $shape,
        "$family: the VIP endpoint is closed", retry => 'false', %code);
    is($http->post(MG::Family::path($family), $body)->{status}, 200, "$family: the normal one is open");
}
is(vip('GET', '/v1/models')->{status}, 403, 'the list of models is a model route too');
is(MG::Http->new($stack, key => 'sk-wrong')->request('POST', '/v1/messages', body => {}, headers => {host => $host})->{status},
    401, 'a wrong key is told first');
is(vip('GET', '/api/health')->{status}, 200, 'health is no model route');
is($http->request('GET', '/v1/models', headers => {'mg-vip' => '1'})->{status}, 200,
    'a client cannot mark its own requests');
my $v = vip('GET', '/api/v1/vip')->{json};
ok(!$v->{entitled} && !defined $v->{base_url} && !defined $v->{setup}, 'its own address is not told yet');
is($v->{rules}{minimum_cents}, 25000, 'but how to get there');
is_deeply($web->get('/api/vip')->{json}, $v, 'a session reads the same as a key');
is_error($web->get('/api/v1/vip'), 401, 'openai', 'each on its own route');

# With access, from the next request on.
$stack->mgctl('vip', 'grant', $name, '--days', 2);
$v = $http->get('/api/v1/vip')->{json};
ok($v->{entitled}, 'access is told');
is($v->{base_url}, "http://$host", 'with the address');
is($v->{setup}{openai_base_url}, "http://$host/v1", 'and how to set clients up');
ok($v->{remaining_seconds} > 2 * 86400 - 3600 && $v->{remaining_seconds} <= 2 * 86400, 'and for how long');
is_deeply($http->get('/api/v1/wallet/status')->{json}{vip}{expires_at}, $v->{expires_at}, "the wallet's status says it too");
for my $family (@MG::Family::NAMES) {
    is(vip('POST', MG::Family::path($family), body => MG::Family::script($family, 'words=1'))->{status}, 200,
        "$family: the VIP endpoint is open");
}
like($stack->mgctl('account', 'show', $name), qr/VIP until +20/, 'mgctl shows it');
$stack->mgctl('vip', 'grant', $name, '--days', 1);
cmp_ok($http->get('/api/v1/vip')->{json}{remaining_seconds}, '>', 2 * 86400, 'more days extend it');

# It ends by itself, and by the operator.
$stack->sql('UPDATE vip SET until_ms = until_ms - 259200000');
is(vip('GET', '/v1/models')->{status}, 403, 'when it is over the endpoint is closed with the next request');
is($http->get('/v1/models')->{status}, 200, 'the normal one stays');
$stack->mgctl('vip', 'grant', $name, '--days', 5);
is(vip('GET', '/v1/models')->{status}, 200, 'new days open it again');
$stack->mgctl('vip', 'revoke', $name);
is(vip('GET', '/v1/models')->{status}, 403, 'the operator closes it');
ok($stack->audit_is_clean, 'the audit is clean') or diag $stack->{audit};
done_testing();
