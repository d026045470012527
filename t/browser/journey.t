# A person's way in one session of a browser: from registration with the link of a mail that was really
# sent, over the copied setup command and the first request of a real client, which appears live, to
# keys, top-ups, days of check-in, VIP access, another password, and out again.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Browser;
use MG::Clients;
use MG::Http;
use MG::MailSink;
use MG::Sim;
use MG::Stack;
use MG::Task 'place';

my $browser = MG::Browser->new;
my $stack = MG::Stack->new(vip => 1, conf => {payment_providers => 'sandbox', drain_seconds => 2});
my $sim = MG::Sim->new($stack);
my $sink = MG::MailSink->new($stack);
my $clients = MG::Clients->new;
my $dir = place(); # with the home of the person's client

# A program of the person's computer, in that home: {status, out, err}.
sub runs {
    my (@command) = @_;
    return $clients->run(\@command, cwd => "$dir/work", timeout => 60, env => {HOME => "$dir/home"});
}

sub system_key {
    my ($name) = @_;
    return $stack->mgctl('key', 'show-system', $name) =~ /(sk-[\w-]+)/ ? $1 : die "no key of $name";
}

my %answers = (
    # The newest mail to an address as the mail server got it, and the token of its link to /PAGE/.
    mail => sub {
        my ($address, $page) = @_;
        my $mail = $sink->wait_for($address) or die "no mail to $address";
        my ($token) = $mail->{text} =~ m{/\Q$page\E/#t=(\w+)};
        return {token => $token, tls => $mail->{tls}, from => $mail->{from}, subject => $mail->{subject}};
    },
    shell => sub { runs('sh', '-c', $_[0]) },
    codex => sub {
        runs($clients->program('codex'), 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', $_[0]);
    },
    sql => sub { [$stack->sql($_[0])] },
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
