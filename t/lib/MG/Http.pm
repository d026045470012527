package MG::Http;
# A plain HTTP/1.1 client that hides nothing: exact bytes, chunk by chunk with arrival times, and
# ways to misbehave (leave early, send slowly, send garbage). One connection a request.
use strict;
use warnings;
use Carp qw(croak);
use IO::Select;
use IO::Socket::INET;
use JSON::PP ();
use Time::HiRes qw(time);

our $JSON = JSON::PP->new->canonical->allow_nonref;

# $where: an MG::Stack, or a base URL; key defaults to the stack's.
sub new {
    my ($class, $where, %o) = @_;
    my $url = ref $where ? $where->base_url : $where;
    my ($host, $port) = $url =~ m{^http://([^:/]+):(\d+)} or croak "no address in $url";
    my $key = exists $o{key} ? $o{key} : ref $where ? $where->key : undef;
    return bless {host => $host, port => $port, key => $key, timeout => $o{timeout} || 60}, $class;
}

# A dashboard user: signs in and from then on sends what a browser on the site's own pages sends,
# the cookie and the Origin. Options: username and password (default: the stack's demo account).
sub sign_in {
    my ($class, $stack, %o) = @_;
    my $self = $class->new($stack, key => undef, %o);
    $self->{origin} = $stack->base_url;
    my $r = $self->post('/api/auth/login',
        {username => $o{username} // 'demo', password => $o{password} // $stack->password});
    croak "sign-in: $r->{status} $r->{body}" if $r->{status} != 200;
    $self->{session} = $r->{json};
    return $self;
}

# Keeps the cookie of a reply, as a browser does.
sub take_cookie {
    my ($self, $r) = @_;
    my $cookie = $r->{headers}{'set-cookie'} or return;
    my ($value) = $cookie =~ /^__Host-session=([^;]*)/ or return;
    $self->{cookie} = $value eq '' ? undef : "__Host-session=$value";
    return;
}

sub connect {
    my ($self) = @_;
    return IO::Socket::INET->new(PeerAddr => $self->{host}, PeerPort => $self->{port},
        Proto => 'tcp', Timeout => 10) || croak "connect: $!";
}

# Text of a request. Options: headers (hash; undef removes), body (bytes or a structure).
sub format_request {
    my ($self, $method, $path, %o) = @_;
    my $body = $o{body};
    $body = $JSON->encode($body) if ref $body;
    my %h = (host => "$self->{host}:$self->{port}", connection => 'close');
    $h{authorization} = "Bearer $self->{key}" if defined $self->{key};
    $h{cookie} = $self->{cookie} if defined $self->{cookie};
    $h{origin} = $self->{origin} if defined $self->{origin} && $method ne 'GET';
    if (defined $body) {
        $h{'content-type'} = 'application/json';
        $h{'content-length'} = length $body;
    }
    %h = (%h, %{$o{headers} || {}});
    my $text = "$method $path HTTP/1.1\r\n";
    $text .= "$_: $h{$_}\r\n" for grep { defined $h{$_} } sort keys %h;
    return $text . "\r\n" . ($body // '');
}

# Sends a request and reads the whole reply: {status, headers, body, chunks => [[time, bytes]],
# cut => 1 when it did not end in order, first => seconds to the first body byte}.
sub request {
    my ($self, $method, $path, %o) = @_;
    my $sock = $self->connect;
    my $start = time;
    print {$sock} $self->format_request($method, $path, %o);
    my $r = $self->read_reply($sock, $start, %o);
    $self->take_cookie($r) if defined $self->{origin};
    return $r;
}

sub get  { my ($s, $p, %o) = @_; $s->request('GET', $p, %o) }
sub post { my ($s, $p, $b, %o) = @_; $s->request('POST', $p, body => $b, %o) }

# Options: until (code called with the reply so far after each piece; true = stop reading).
sub read_reply {
    my ($self, $sock, $start, %o) = @_;
    my $r = {status => 0, headers => {}, body => '', chunks => [], raw => ''};
    my $select = IO::Select->new($sock);
    my $deadline = time + $self->{timeout};
    my $state = 'head';
    while ($state ne 'end') {
        if (!$select->can_read($deadline - time > 0 ? $deadline - time : 0)) {
            $r->{timeout} = $r->{cut} = 1;
            last;
        }
        my $n = sysread $sock, my $piece, 65536;
        if (!$n) {
            $r->{cut} = 1 if $state eq 'head' || $state eq 'chunked'
                || ($state eq 'length' && length $r->{raw} < $r->{length});
            last;
        }
        $r->{raw} .= $piece;
        $state = parse_head($r) if $state eq 'head';
        $state = take_body($r, $state, $start) if $state ne 'head';
        last if $o{until} && $o{until}->($r, $sock);
    }
    close $sock;
    $r->{json} = eval { $JSON->decode($r->{body}) } if $r->{body} =~ /^\s*[\[{]/;
    return $r;
}

sub parse_head {
    my ($r) = @_;
    return 'head' unless $r->{raw} =~ s/^(.*?)\r\n\r\n//s;
    my ($line, @fields) = split /\r\n/, $1;
    ($r->{status}) = $line =~ m{^HTTP/1\.[01] (\d+)};
    return 'head' if ($r->{status} // 0) == 100;
    for (@fields) {
        my ($name, $value) = /^([^:]+):\s*(.*)$/ or next;
        $r->{headers}{lc $name} = exists $r->{headers}{lc $name}
            ? "$r->{headers}{lc $name}, $value" : $value;
    }
    return 'chunked' if lc($r->{headers}{'transfer-encoding'} // '') eq 'chunked';
    if (defined $r->{headers}{'content-length'}) {
        $r->{length} = $r->{headers}{'content-length'};
        return 'length';
    }
    return 'close';
}

sub add_body {
    my ($r, $bytes, $start) = @_;
    return if $bytes eq '';
    $r->{first} //= time - $start;
    push @{$r->{chunks}}, [time - $start, $bytes];
    $r->{body} .= $bytes;
}

sub take_body {
    my ($r, $state, $start) = @_;
    if ($state eq 'chunked') {
        while ($r->{raw} =~ /^([0-9a-fA-F]+)[^\r\n]*\r\n/) {
            my ($size, $head) = (hex $1, $+[0]);
            last if length $r->{raw} < $head + $size + 2;
            add_body($r, substr($r->{raw}, $head, $size), $start);
            substr($r->{raw}, 0, $head + $size + 2) = '';
            return 'end' if $size == 0;
        }
        return $state;
    }
    if ($state eq 'length') {
        add_body($r, $r->{raw}, $start);
        $r->{got} = ($r->{got} // 0) + length $r->{raw};
        $r->{raw} = '';
        return $r->{got} >= $r->{length} ? 'end' : $state;
    }
    add_body($r, $r->{raw}, $start);
    $r->{raw} = '';
    return $state;
}

# A deep copy of a structure.
sub JSON_copy { return $JSON->decode($JSON->encode($_[0])) }

# The events of an SSE body: [{event, data, json}].
sub events {
    my ($body) = @_;
    my @events;
    for my $block (split /\r?\n\r?\n/, $body) {
        my ($name) = $block =~ /^event: ?(.*?)\r?$/m;
        my @data = $block =~ /^data: ?(.*?)\r?$/mg or next;
        my $data = join "\n", @data;
        push @events, {event => $name, data => $data, json => scalar eval { $JSON->decode($data) }};
    }
    return @events;
}

1;
