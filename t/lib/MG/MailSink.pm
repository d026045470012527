package MG::MailSink;
# A mail server for a stack (t/lib/mail-sink), with STARTTLS and a login, both needed.
#
#   my $sink = MG::MailSink->new($stack);    # the stack sends through it from now on
#   my $mail = $sink->wait_for('alice@example.com');     # {from, to, tls, user, subject, text}
use strict;
use warnings;
use Carp qw(croak);
use JSON::PP ();

my $src = $ENV{MG_SRCDIR} || do { require FindBin; "$FindBin::Bin/../.." };
my $number = 0;

# Options: tls (0: in clear), login (0: none), reload (0: the stack stays as it is), conf (further
# settings of the stack).
sub new {
    my ($class, $stack, %o) = @_;
    my $self = bless {stack => $stack, dir => "$stack->{dir}/mails" . ++$number, owner => $$, %o}, $class;
    mkdir $self->{dir}, 0755 or die "$self->{dir}: $!";
    my @args = ('--dir', $self->{dir}, '--port-file', "$self->{dir}/port");
    if ($o{tls} // 1) {
        $self->certificate;
        push @args, '--cert', "$self->{dir}/cert.pem", '--key', "$self->{dir}/key.pem";
    }
    push @args, '--login', 'gateway:mail secret' if $o{login} // 1;
    $self->start(@args);
    $self->use if $o{reload} // 1;
    return $self;
}

sub certificate {
    my ($self) = @_;
    system("cd '$self->{dir}' && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
        . ' -addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem 2> /dev/null') == 0
        or croak 'openssl req';
    chmod 0644, "$self->{dir}/cert.pem";
    return;
}

sub start {
    my ($self, @args) = @_;
    my $pid = fork // die $!;
    if (!$pid) {
        open STDOUT, '>', "$self->{dir}/stdout" or die $!;
        open STDERR, '>&', \*STDOUT or die $!;
        exec '/usr/bin/python3', "$src/t/lib/mail-sink", @args or die $!;
    }
    $self->{pid} = $pid;
    $self->{stack}->wait_for(sub { -s "$self->{dir}/port" }, 60) or croak 'the mail server does not start';
    open my $in, '<', "$self->{dir}/port" or die $!;
    $self->{port} = <$in>;
    return;
}

# The settings by which a stack sends here.
sub settings {
    my ($self) = @_;
    my %set = (smtp_url => "smtp://localhost:$self->{port}", mail_from => 'Model Gateway <no-reply@example.com>');
    $set{$self->{tls} // 1 ? 'smtp_ca_file' : 'smtp_tls'} = $self->{tls} // 1 ? "$self->{dir}/cert.pem" : 'optional';
    if ($self->{login} // 1) {
        open my $out, '>', "$self->{dir}/password" or die $!;
        print {$out} "mail secret\n";
        close $out;
        chmod 0644, "$self->{dir}/password";
        @set{qw(smtp_user smtp_password_file)} = ('gateway', "$self->{dir}/password");
    }
    return (%set, %{$self->{conf} || {}});
}

sub use {
    my ($self) = @_;
    my %set = $self->settings;
    $self->{stack}->stack('reload', map { ('--conf', "$_=$set{$_}") } sort keys %set);
    return;
}

# The mails that have arrived, oldest first; {raw} has the bytes.
sub mails {
    my ($self) = @_;
    my @mails;
    for my $file (sort glob "$self->{dir}/*.json") {
        open my $in, '<:raw', $file or die $!;
        my $mail = JSON::PP->new->utf8->decode(do { local $/; <$in> });
        (my $raw = $file) =~ s/json$/eml/;
        open my $bytes, '<:raw', $raw or die $!;
        $mail->{raw} = do { local $/; <$bytes> };
        push @mails, $mail;
    }
    return @mails;
}

# The newest mail to an address, waited for; undef when none comes. Options: subject (a pattern).
sub wait_for {
    my ($self, $to, %o) = @_;
    my $found;
    $self->{stack}->wait_for(sub {
        ($found) = grep { $_->{to}[0] eq $to && (!$o{subject} || $_->{subject} =~ $o{subject}) } reverse $self->mails;
        return $found;
    }, 60);
    return $found;
}

# What the server has refused, a line each.
sub log {
    my ($self) = @_;
    open my $in, '<', "$self->{dir}/log" or return ();
    chomp(my @lines = <$in>);
    return @lines;
}

sub stop {
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;
    kill 'TERM', $pid;
    waitpid $pid, 0;
    return;
}

sub DESTROY {
    my ($self) = @_;
    local ($?, $@);
    $self->stop if $$ == $self->{owner};
    return;
}

1;
