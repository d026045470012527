package MG::FastCGI;

# Both ends of the FastCGI protocol in plain Perl, as much as tests need: one request a
# connection, request id 1. The web servers' configuration and the supervisor are tested with
# it before, and apart from, any responder of ours.

use strict;
use warnings;

use Exporter 'import';
use IO::Select;
use IO::Socket::UNIX;

our @EXPORT_OK = qw(ask read_request stdout_record end_record);

use constant { T_BEGIN => 1, T_END => 3, T_PARAMS => 4, T_STDIN => 5, T_STDOUT => 6 };

sub record {
    my ($type, $content) = @_;
    return pack('CCnnCC', 1, $type, 1, length $content, 0, 0) . $content;
}

sub stdout_record { return record(T_STDOUT, $_[0]) }
sub end_record { return record(T_END, pack('NCCCC', 0, 0, 0, 0, 0)) }

# Reads exactly $n bytes; undef when the peer closed before.
sub read_bytes {
    my ($fh, $n) = @_;
    my $bytes = '';
    while (length $bytes < $n) {
        my $got = sysread $fh, $bytes, $n - length $bytes, length $bytes;
        next if !defined $got && $!{EINTR};
        return undef if !$got;
    }
    return $bytes;
}

sub read_record {
    my ($fh) = @_;
    my $head = read_bytes($fh, 8) // return;
    my (undef, $type, undef, $length, $padding) = unpack 'CCnnC', $head;
    my $content = $length ? read_bytes($fh, $length) : '';
    read_bytes($fh, $padding) if $padding;
    return defined $content ? ($type, $content) : ();
}

sub decode_params {
    my ($bytes) = @_;
    my (%param, $at);
    $at = 0;
    my $length = sub {
        my $n = unpack 'C', substr $bytes, $at, 1;
        return ($at += 1, $n)[1] if $n < 128;
        $n = unpack('N', substr $bytes, $at, 4) & 0x7fffffff;
        $at += 4;
        return $n;
    };
    while ($at < length $bytes) {
        my ($n, $v) = ($length->(), $length->());
        $param{ substr $bytes, $at, $n } = substr $bytes, $at + $n, $v;
        $at += $n + $v;
    }
    return \%param;
}

sub encode_params {
    my (%param) = @_;
    my $bytes = '';
    for my $name (sort keys %param) {
        $bytes .= join '', map { $_ < 128 ? pack('C', $_) : pack('N', $_ | 0x80000000) }
            length $name, length $param{$name};
        $bytes .= $name . $param{$name};
    }
    return $bytes;
}

# The responder's side: (params, body) of one connection, or () when it was broken off.
sub read_request {
    my ($fh) = @_;
    my ($params, $body, $type, $content) = ('', '');
    while (($type, $content) = read_record($fh)) {
        $params .= $content if $type == T_PARAMS;
        next if $type != T_STDIN;
        return (decode_params($params), $body) if $content eq '';
        $body .= $content;
    }
    return;
}

# The web server's side: one request to the socket at $path. Returns ('refused', reason) when
# nobody listens, ('cut', output so far) when the reply did not end, else ('ok', output).
sub ask {
    my ($path, $params, $body) = @_;
    my $fh = IO::Socket::UNIX->new(Type => SOCK_STREAM, Peer => $path)
        or return ('refused', "$!");
    local $SIG{PIPE} = 'IGNORE';
    my $request = record(T_BEGIN, pack('nCx5', 1, 0)) . record(T_PARAMS, encode_params(%$params))
        . record(T_PARAMS, '');
    $request .= record(T_STDIN, $body) if length($body // '');
    syswrite $fh, $request . record(T_STDIN, '');
    my ($output, $type, $content) = ('');
    while (($type, $content) = read_record($fh)) {
        $output .= $content if $type == T_STDOUT;
        return ('ok', $output) if $type == T_END;
    }
    return ('cut', $output);
}

1;
