# The OpenAI SDK, this year's and last year's, against every kind of upstream.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Clients;
use MG::Conform;
use MG::Sim;
use MG::Stack;

my $clients = MG::Clients->new;
# The rest of an answer is waited for when its client has left, because usage comes last.
my $stack = MG::Stack->new(conf => {drain_seconds => 2});
my $sim = MG::Sim->new($stack);
$clients->offer($stack);

for my $package ('openai', 'openai-old') {
    $clients->script('openai.mjs', MG_PACKAGE => $package);
    MG::Conform::requests_ok($package, '', $sim->requests);
    $sim->forget;
}
ok($stack->audit_is_clean, 'the ledger is sound after all of it') or diag $stack->{audit};

done_testing;
