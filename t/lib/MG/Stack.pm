package MG::Stack;
# A whole gateway for one test file: started through t/stack in a scratch directory, stopped and
# removed at the end. The web server is the one that MG_HTTPD names.
#
#   my $s = MG::Stack->new(conf => {keepalive_ms => 500});
#   my $r = MG::Http->new($s)->post('/v1/chat/completions', {...});
use strict;
use warnings;
use Carp qw(croak);
use File::Temp ();
use JSON::PP ();

my $src = $ENV{MG_SRCDIR} || do { require FindBin; "$FindBin::Bin/../.." };

# Options: conf (hash of settings), server, sim (0: no provider), seed (0: empty catalogue),
# database_of (a stack whose second host this one is; it has to outlive it).
sub new {
    my ($class, %o) = @_;
    my $dir = File::Temp::tempdir('mg-e2e-XXXXXX', TMPDIR => 1);
    chmod 0755, $dir;
    my $self = bless {dir => $dir, pid => $$}, $class;
    my @args = ('up', '--state', $dir);
    push @args, '--server', $o{server} if $o{server};
    push @args, '--database-of', $o{database_of}{dir} if $o{database_of};
    push @args, '--tls' if $o{tls};
    push @args, '--vip' if $o{vip};
    push @args, '--no-sim' if exists $o{sim} && !$o{sim};
    push @args, '--no-seed' if exists $o{seed} && !$o{seed};
    push @args, map { ('--conf', "$_=$o{conf}{$_}") } sort keys %{$o{conf} || {}};
    my ($status, $out) = $self->run_stack(@args);
    croak "t/stack up failed:\n$out" if $status;
    $self->read_env($out);
    return $self;
}

sub read_env {
    my ($self, $text) = @_;
    while ($text =~ /^(MG_\w+)=(.*)$/mg) {
        my ($name, $value) = ($1, $2);
        $value =~ s/^'(.*)'$/$1/;
        $self->{env}{$name} = $value;
    }
}

# Runs t/stack; (status, output of both streams). Options after "--" go to stack's command.
sub run_stack {
    my ($self, @args) = @_;
    my $quoted = join ' ', map { my $a = $_; $a =~ s/'/'\\''/g; "'$a'" } @args;
    my $out = `'$src/t/stack' $quoted 2>&1`;
    return ($? >> 8, $out);
}

sub stack {
    my ($self, $command, @rest) = @_;
    my ($status, $out) = $self->run_stack($command, '--state', $self->{dir}, @rest);
    croak "t/stack $command @rest failed:\n$out" if $status;
    return $out;
}

sub base_url { $_[0]{env}{MG_BASE_URL} }
sub tls_url  { $_[0]{env}{MG_TLS_URL} }
sub key      { $_[0]{env}{MG_KEY} }
sub password { $_[0]{env}{MG_PASSWORD} }
sub sim_url  { $_[0]{env}{MG_SIM_URL} }
sub logs     { $_[0]{env}{MG_LOGS} }
sub httpd    { $_[0]{env}{MG_HTTPD} }
sub env      { $_[0]{env} }

# The operator's command; croaks when it fails. With --json its decoded output.
sub mgctl {
    my ($self, @args) = @_;
    return $self->stack('mgctl', @args);
}

# Rows of a query as array of arrays.
sub sql {
    my ($self, $query) = @_;
    return map { [split /\t/, $_, -1] } split /\n/, $self->stack('sql', '-e', $query);
}

# A fresh account: (name, key).
sub account {
    my ($self, $credit) = @_;
    my $out = $self->stack('key', '--credit', $credit // 5);
    $out =~ /^(\S+) (sk-\S+)/m or croak "no account made: $out";
    return ($1, $2);
}

# A fresh account that can sign in, signed in: (its MG::Http, name, key).
sub member {
    my ($self, $credit) = @_;
    my ($name, $key) = $self->account($credit);
    my $password = "password of $name";
    open my $file, '>', "$self->{dir}/etc/$name.password" or die $!;
    print {$file} "$password\n";
    close $file;
    $self->mgctl('account', 'password', $name, '--password-file', "$self->{dir}/etc/$name.password");
    require MG::Http;
    return (MG::Http->sign_in($self, username => $name, password => $password), $name, $key);
}

# The mails that wait in the queue, newest first: [{id, to, subject, text}]; of these addresses
# (default: all), all of them.
sub mails {
    my ($self, @to) = @_;
    my %wanted = map { $_ => 1 } @to;
    my $list = JSON::PP->new->decode($self->mgctl('--json', 'mail', 'list', '--limit', '200'));
    return map { JSON::PP->new->decode($self->mgctl('--json', 'mail', 'show', $_->{id})) }
        grep { $_->{state} eq 'queued' && (!@to || $wanted{$_->{to}}) } @$list;
}

# How many there are, sent ones too.
sub mail_count { return ($_[0]->sql('SELECT COUNT(*) FROM mail'))[0][0] }

# The last n, newest first, without their text.
sub newest_mails {
    my ($self, $n) = @_;
    return @{JSON::PP->new->decode($self->mgctl('--json', 'mail', 'list', '--limit', $n))};
}

# Waits until something is true; false when it never is.
sub wait_for {
    my ($self, $what, $seconds) = @_;
    my $end = time + ($seconds // 30);
    until ($what->()) {
        return 0 if time > $end;
        select undef, undef, undef, 0.1;
    }
    return 1;
}

# True when mgctl audit finds nothing; else the text is in $self->{audit}.
sub audit_is_clean {
    my ($self) = @_;
    my ($status, $out) = $self->run_stack('mgctl', '--state', $self->{dir}, 'audit');
    $self->{audit} = $out;
    return $status == 0;
}

# All log files as one text.
sub log_text {
    my ($self) = @_;
    my $text = '';
    for my $file (glob "$self->{env}{MG_LOGS}/*") {
        next unless -f $file;
        open my $in, '<', $file or next;
        local $/;
        $text .= <$in> // '';
    }
    return $text;
}

sub DESTROY {
    my ($self) = @_;
    return if $$ != $self->{pid};
    local ($?, $@);
    $self->run_stack('down', '--state', $self->{dir});
    system 'rm', '-rf', $self->{dir} unless $ENV{MG_KEEP};
}

1;
