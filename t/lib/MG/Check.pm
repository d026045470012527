package MG::Check;
# Checks that many end-to-end tests make: the shape of an error, the credentials of a reply.
use strict;
use warnings;
use Exporter qw(import);
use Test::More;

our @EXPORT_OK = qw(is_error shape_fault ids_fault);

# '' when the reply names its request in both headers, else what is wrong.
sub ids_fault {
    my ($r) = @_;
    my ($x, $plain) = @{$r->{headers}}{qw(x-request-id request-id)};
    return 'no x-request-id' if !defined $x;
    return "x-request-id is '$x'" if $x !~ /^req_[0-9a-f]{32}$/;
    return ($plain // '') eq $x ? '' : 'request-id differs from x-request-id';
}

# '' when the body is an error of the style ('messages' or 'openai'), else what is wrong.
sub shape_fault {
    my ($r, $style) = @_;
    my $json = $r->{json};
    return "content type '" . ($r->{headers}{'content-type'} // '') . "'"
        if ($r->{headers}{'content-type'} // '') !~ m{^application/json};
    return 'no JSON' if ref $json ne 'HASH';
    my $error = $json->{error};
    return 'no error object' if ref $error ne 'HASH';
    return 'no message' if !length($error->{message} // '');
    return 'no type' if !length($error->{type} // '');
    if ($style eq 'messages') {
        return 'its type is not "error"' if ($json->{type} // '') ne 'error';
        return 'request_id is not that of the header'
            if ($json->{request_id} // '') ne ($r->{headers}{'x-request-id'} // '-');
        return '';
    }
    return 'type at the top' if exists $json->{type};
    return 'no param' if !exists $error->{param};
    return 'no code' if !exists $error->{code};
    return '';
}

# One test: status, error body of the style, both request ids. More with code, type, message
# (pattern) and retry ('false', 'true' or 'absent').
sub is_error {
    my ($r, $status, $style, $what, %more) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @wrong;
    push @wrong, "status $r->{status}, not $status" if $r->{status} != $status;
    push @wrong, grep { $_ } shape_fault($r, $style), ids_fault($r);
    my $error = ref $r->{json} eq 'HASH' && ref $r->{json}{error} eq 'HASH' ? $r->{json}{error} : {};
    for (qw(code type param)) {
        push @wrong, "$_ '" . ($error->{$_} // 'null') . "', not '$more{$_}'"
            if exists $more{$_} && ($error->{$_} // 'null') ne $more{$_};
    }
    push @wrong, "message '" . ($error->{message} // '') . "'"
        if $more{message} && ($error->{message} // '') !~ $more{message};
    my $retry = $r->{headers}{'x-should-retry'} // 'absent';
    push @wrong, "x-should-retry is $retry" if $more{retry} && $retry ne $more{retry};
    push @wrong, 'a 422 without detail'
        if $r->{status} == 422 && ref $r->{json}{detail} ne 'ARRAY';
    ok(!@wrong, $what) or diag join '; ', @wrong, "\nbody: " . substr $r->{body}, 0, 300;
    return !@wrong;
}

1;
