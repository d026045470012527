package MG::Stripe;
# The stand-in for Stripe's API (t/clients/stripe-double.mjs), which signs with the real library.
#
#   my $stripe = MG::Stripe->new;          # skips the whole file when npm cannot give the library
#   MG::Stack->new(conf => $stripe->conf);
#   $stripe->set($session, payment_status => 'paid', payment_intent => 'pi_1');
#   my ($payload, $header) = $stripe->event('evt_1', 'charge.refunded', {...});
use strict;
use warnings;
use Carp qw(croak);
use File::Temp ();
use IPC::Open2 qw(open2);
use MG::Clients;
use MG::Http;

my $src = $ENV{MG_SRCDIR} || do { require FindBin; "$FindBin::Bin/../.." };

sub new {
    my ($class) = @_;
    my $clients = MG::Clients->new;
    my $dir = File::Temp->newdir;
    chmod 0755, $dir;
    my $self = bless {dir => $dir, key => 'sk_test_' . 'a1' x 12, secret => 'whsec_' . 'b2' x 12}, $class;
    for my $name (qw(key secret)) {
        open my $out, '>', "$dir/$name" or die $!;
        print {$out} "$self->{$name}\n";
        close $out;
        # the gateway runs as another user when root runs the tests
        chown +(getpwnam 'www-data')[2, 3], "$dir/$name" if $> == 0;
        chmod 0600, "$dir/$name";
    }
    local %ENV = (PATH => $ENV{PATH}, MG_CLIENTS => $clients->folder, MG_STRIPE_KEY => $self->{key},
        MG_STRIPE_SECRET => $self->{secret});
    my $node = $clients->program('node');
    $self->{pid} = open2(my $out, $self->{in}, -x $node ? $node : 'node', "$src/t/clients/stripe-double.mjs");
    chomp($self->{port} = <$out> // croak 'the stand-in for Stripe does not start');
    $self->{http} = MG::Http->new("http://127.0.0.1:$self->{port}", key => undef);
    return $self;
}

# Settings of a gateway that sells through it, and through the sandbox.
sub conf {
    my ($self) = @_;
    return {payment_providers => 'stripe,sandbox', stripe_url => "http://127.0.0.1:$self->{port}",
        stripe_key_file => "$self->{dir}/key", stripe_webhook_secret_file => "$self->{dir}/secret"};
}

sub control {
    my ($self, $path, $body) = @_;
    my $r = $self->{http}->post("/_$path", $body // {});
    croak "$path: $r->{body}" if $r->{status} != 200;
    return $r->{json};
}

# What was asked of the API since the last time.
sub requests { @{$_[0]->control('requests')} }

# The provider's mind about a session.
sub set {
    my ($self, $session, %values) = @_;
    return $self->control('set', {session => $session, values => \%values});
}

# The API answers with this status; 0 ends it.
sub down { $_[0]->control('down', {status => $_[1]}) }

# A signed event: (payload, header). Options: secret, timestamp.
sub event {
    my ($self, $id, $type, $object, %o) = @_;
    my $r = $self->control('event', {id => $id, type => $type, object => $object, %o});
    return ($r->{payload}, $r->{header});
}

sub DESTROY {
    my ($self) = @_;
    local $?;
    close $self->{in} if $self->{in};
    waitpid $self->{pid}, 0 if $self->{pid};
}

1;
