# What is kept, through the methods of the OpenAI SDK, this year's and last year's.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Clients;
use MG::Sim;
use MG::Stack;

my $clients = MG::Clients->new;
my $stack = MG::Stack->new;
my $sim = MG::Sim->new($stack);
$clients->offer($stack);

for my $package ('openai', 'openai-old') {
    $clients->script('openai-kept.mjs', MG_PACKAGE => $package);
    $sim->forget;
}
ok($stack->audit_is_clean, 'the ledger is sound after all of it') or diag $stack->{audit};

done_testing;
