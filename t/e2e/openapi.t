# The published description of the API is true: valid, with examples that fit, and the gateway
# answers as it says. The documentation's examples run.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Clients;
use MG::Http;
use MG::Stack;

my $src = $ENV{MG_SRCDIR} || "$FindBin::Bin/../..";
my $clients = MG::Clients->new;
my $stack = MG::Stack->new(conf => {payment_providers => 'sandbox'});
$clients->offer($stack);

# The same account by its key and by a session.
my $web = MG::Http->sign_in($stack);
$clients->script('openapi.mjs', MG_KEY => $stack->key, MG_SESSION => $web->{session}{token},
    MG_HTDOCS => "$src/htdocs");
ok($stack->audit_is_clean, 'the ledger is sound after all of it') or diag $stack->{audit};

done_testing();
