# The account's pages and the way in, as a browser sees them: policy, accessibility in both themes,
# small screens, no secrets kept, bytes.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Browser;
use MG::Stack;

my $browser = MG::Browser->new;
my $stack = MG::Stack->new;

# An account with some of everything: requests, keys with and without limits, hostile names.
sub member {
    # What an operator might call a model, were he unkind.
    $stack->mgctl('model', 'set', 'mini', '--label', '<svg onload=alert(1)>' . 'W' x 30);
    my ($web, $name, $key) = $stack->member(12);
    my $http = MG::Http->new($stack, key => $key);
    $http->post('/v1/chat/completions', {model => $_, messages => [{role => 'user', content => 'Hello'}], max_tokens => 200})
        for qw(power-ai frontier mini);
    $web->post('/api/keys', $_) for {name => 'ci-runner', monthly_limit => '25', models => ['mini']},
        {name => '<img src=x onerror=alert(1)>'}, {name => 'laptop'};
    my ($newest) = @{$web->get('/api/keys')->{json}{data}};
    $web->request('DELETE', "/api/keys/$newest->{id}");
    return {name => $name, password => "password of $name"};
}

$browser->script('pages.mjs', $stack, answers => {member => \&member});
ok($stack->audit_is_clean, 'the ledger is sound') or diag $stack->{audit};

done_testing;
