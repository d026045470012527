package MG::Sim;
# The simulated provider behind a stack, asked and scripted through its control endpoint.
use strict;
use warnings;
use Carp qw(croak);
use MIME::Base64 qw(encode_base64);
use MG::Http;

sub new {
    my ($class, $stack) = @_;
    return bless {http => MG::Http->new($stack->sim_url, key => undef)}, $class;
}

sub call {
    my ($self, $method, $path, $body) = @_;
    my $r = $self->{http}->request($method, "/_sim/$path", defined $body ? (body => $body) : ());
    croak "sim $method $path: $r->{status} $r->{body}" if $r->{status} != 200;
    return $r->{json};
}

# Commands for every request from now on ("" = none).
sub defaults { my ($self, $text) = @_; return $self->call('POST', 'defaults', $text) }

# Prepared bytes for the next request(s): status, headers, body (bytes), chunks, gap, end, count …
sub replay {
    my ($self, %spec) = @_;
    $spec{body_base64} = encode_base64(delete $spec{body}, '') if defined $spec{body};
    return $self->call('POST', 'replay', \%spec);
}

# The requests that the provider has seen, oldest first.
sub requests { my ($self, %q) = @_;
    my $query = join '&', map { "$_=$q{$_}" } sort keys %q;
    return @{$self->call('GET', "requests?$query")->{requests}};
}
sub last_request { my ($self) = @_; return ($self->requests(last => 1))[0] }
sub forget { my ($self) = @_; return $self->call('DELETE', 'requests') }
sub stats  { my ($self) = @_; return $self->call('GET', 'stats') }

1;
