package MG::Clients;
# The real clients that t/clients pins, run against a stack whose models stand for the kinds of
# upstream there are.
#
#   my $clients = MG::Clients->new;              # skips the whole file when npm cannot give them
#   $clients->offer($stack);                     # upstreams, models, a rich and a poor account
#   $clients->script('openai.mjs', MG_PACKAGE => 'openai');
#
#   my $before = $clients->newest;
#   my $r = $clients->run(['codex', …], env => {…}, cwd => $folder);
#   my @rows = $clients->rows($before, 3);       # what that cost: three generations
use strict;
use warnings;
use Carp qw(croak);
use File::Temp ();
use JSON::PP ();
use MG::Http;
use MG::Kinds;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

my $src = $ENV{MG_SRCDIR} || do { require FindBin; "$FindBin::Bin/../.." };

# Everything else of the environment is kept from the clients: keys, proxies, telemetry.
my @passed_on = qw(PATH TZ LANG);

sub new {
    my ($class) = @_;
    my $folder = $ENV{MG_CLIENTS};
    if (!$folder) {
        my $said = File::Temp->new;
        chomp($folder = `'$src/t/clients/install' 2> '$said'` // '');
        if ($? || !-d "$folder/node_modules") {
            my ($why) = grep { /\S/ } `tail -n 3 '$said'`;
            chomp($why //= 'no reason given');
            plan skip_all => "npm cannot provide the clients: $why";
        }
    }
    return bless {folder => $folder, slow => $ENV{MG_SLOW} || 1}, $class;
}

# Path of an installed program.
sub program { my ($self, $name) = @_; return "$self->{folder}/node_modules/.bin/$name" }

sub folder { $_[0]{folder} }

# Models for every kind of upstream (see MG::Kinds), and two accounts.
sub offer {
    my ($self, $stack, @prefixes) = @_;
    MG::Kinds::offer($stack, @prefixes);
    $self->{stack} = $stack;
    (undef, $self->{key}) = $stack->account(1000);
    (undef, $self->{poor}) = $stack->account('0.000001');
    return;
}

sub key { $_[0]{key} }
sub poor_key { $_[0]{poor} }

sub usage {
    my ($self) = @_;
    my $http = MG::Http->new($self->{stack}, key => $self->{key});
    return @{$http->get('/api/v1/billing/token-usage?limit=50')->{json}{data}};
}

# Number of the newest row in the rich account's ledger, and the rows behind number $seq as soon
# as there are $count.
sub newest { my ($self) = @_; my ($row) = $self->usage; return $row ? $row->{seq} : 0 }

sub rows {
    my ($self, $seq, $count) = @_;
    my @rows;
    for (1 .. 100) {
        @rows = grep { $_->{seq} > $seq } $self->usage;
        last if @rows >= $count;
        sleep 0.05;
    }
    return @rows;
}

# Runs a program in its own process group. Options: env (added to the little that is passed on),
# cwd, input, timeout (seconds). Answers {status, out, err, timeout => 1 when it had to be ended}.
sub run {
    my ($self, $command, %o) = @_;
    my %file = map { $_ => File::Temp->new } qw(in out err);
    print {$file{in}} $o{input} // '';
    close $file{in};
    my $pid = fork // croak "fork: $!";
    if (!$pid) {
        setpgrp;
        %ENV = ((map { defined $ENV{$_} ? ($_ => $ENV{$_}) : () } @passed_on), %{$o{env} || {}});
        chdir $o{cwd} or POSIX::_exit(126) if $o{cwd};
        open STDIN, '<', "$file{in}" or POSIX::_exit(126);
        open STDOUT, '>', "$file{out}" or POSIX::_exit(126);
        open STDERR, '>', "$file{err}" or POSIX::_exit(126);
        exec @$command or POSIX::_exit(127);
    }
    my $end = time + ($o{timeout} || 60) * $self->{slow};
    my %result;
    while (waitpid($pid, POSIX::WNOHANG()) == 0) {
        if (time > $end) {
            $result{timeout} = 1;
            kill 'KILL', -$pid;
            waitpid $pid, 0;
            last;
        }
        sleep 0.05;
    }
    $result{status} = $?;
    kill 'KILL', -$pid; # what it may have left behind
    for my $name (qw(out err)) {
        open my $in, '<', "$file{$name}" or croak $!;
        local $/;
        $result{$name} = <$in> // '';
    }
    return \%result;
}

sub environment {
    my ($self) = @_;
    my $stack = $self->{stack};
    return (MG_BASE_URL => $stack->base_url, MG_SIM_URL => $stack->sim_url, MG_KEY => $self->{key},
        MG_POOR_KEY => $self->{poor}, MG_CLIENTS => $self->{folder}, MG_SLOW => $self->{slow},
        MG_KINDS => JSON::PP::encode_json([MG::Kinds::for_client('only-chat')]));
}

# Runs a script of t/clients; each line that it prints becomes a test.
sub script {
    my ($self, $name, %env) = @_;
    my $home = File::Temp->newdir;
    my $r = $self->run([$self->program('node'), "$src/t/clients/$name"], timeout => 150,
        env => {HOME => "$home", $self->environment, %env});
    for my $line (split /\n/, $r->{out}) {
        my $test = eval { JSON::PP::decode_json($line) } or next;
        if ($test->{skip}) {
            SKIP: { skip "$test->{name}: $test->{why}", 1 }
            next;
        }
        ok($test->{ok}, $test->{name}) or diag $test->{why};
    }
    ok(!$r->{timeout} && $r->{status} == 0, "$name came to its end")
        or diag $r->{timeout} ? 'it had to be ended' : substr $r->{err}, -2000;
    return;
}

1;
