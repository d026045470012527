# The pages of usage, money and benefits, and the public ones, as a browser sees them: sums that agree,
# quotes to the cent, days that pass, answers that stop.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Browser;
use MG::Http;
use MG::Stack;

my $browser = MG::Browser->new;
my $stack = MG::Stack->new(vip => 1, conf => {payment_providers => 'sandbox', drain_seconds => 2});

sub person { my ($name) = @_; return {name => $name, password => "password of $name"} }

sub accounts {
    my (undef, $member) = $stack->member(12);
    my (undef, $poor) = $stack->member(4);
    my (undef, $poor_key) = $stack->account('0.000001');
    return {demo => {name => 'demo', password => $stack->password}, key => $stack->key,
        session => MG::Http->sign_in($stack)->{session}{token}, member => person($member),
        poor => person($poor), poorKey => $poor_key};
}

$browser->script('site.mjs', $stack, answers => {accounts => \&accounts,
    sql => sub { [$stack->sql($_[0])] }, mgctl => sub { $stack->mgctl(@_) }});
ok($stack->audit_is_clean, 'the ledger is sound after all of it') or diag $stack->{audit};
unlike($stack->log_text, qr/sk-mg-\w{20}|mgs_\w{20}/, 'no key or token is in any log');

done_testing;
