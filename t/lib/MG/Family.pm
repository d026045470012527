package MG::Family;
# The inference families as tests see them: how to ask, where the text of an answer is, and how
# a stream ends.
use strict;
use warnings;
use Carp qw(croak);
use MG::Http;

our @NAMES = qw(chat responses completions messages);

my %path = (
    chat => '/v1/chat/completions',
    responses => '/v1/responses',
    completions => '/v1/completions',
    messages => '/v1/messages',
);

sub path { return $path{$_[0]} || croak "no family $_[0]" }

# A request of this family that says $text; further members override.
sub body {
    my ($family, $text, %more) = @_;
    my %say = (
        chat => {messages => [{role => 'user', content => $text}]},
        responses => {input => $text},
        completions => {prompt => $text, max_tokens => 1000},
        messages => {messages => [{role => 'user', content => $text}], max_tokens => 1000},
    );
    croak "no family $family" if !$say{$family};
    return {model => 'power-ai', %{$say{$family}}, %more};
}

# The same with commands for the simulated provider.
sub script {
    my ($family, $commands, %more) = @_;
    return body($family, "Say something [[sim $commands]]", %more);
}

sub true  { return \1 }
sub false { return \0 }

# Text of an answer in one piece.
sub text_of_json {
    my ($family, $json) = @_;
    return undef if ref $json ne 'HASH';
    return $json->{choices}[0]{message}{content} if $family eq 'chat';
    return $json->{choices}[0]{text} if $family eq 'completions';
    return join '', map { $_->{text} // '' } @{$json->{content} || []} if $family eq 'messages';
    return join '', map { $_->{text} // '' } map { @{$_->{content} || []} }
        grep { $_->{type} eq 'message' } @{$json->{output} || []};
}

# What one event adds to the text.
sub text_of_event {
    my ($family, $event) = @_;
    my $json = $event->{json};
    return '' if ref $json ne 'HASH';
    return $json->{choices}[0]{delta}{content} // '' if $family eq 'chat';
    return $json->{choices}[0]{text} // '' if $family eq 'completions';
    if ($family eq 'messages') {
        return ($json->{type} // '') eq 'content_block_delta' ? $json->{delta}{text} // '' : '';
    }
    return ($json->{type} // '') eq 'response.output_text.delta' ? $json->{delta} : '';
}

# What a single event is: 'good' end, 'bad' end, 'error' (Responses: the event before the bad
# end), 'alive' or 'more'.
sub kind_of_event {
    my ($family, $event) = @_;
    return 'good' if $event->{data} eq '[DONE]' && $family =~ /^(chat|completions)$/;
    my $json = $event->{json};
    return 'nonsense' if ref $json ne 'HASH';
    my $type = $json->{type} // '';
    if ($family eq 'messages') {
        return $type eq 'message_stop' ? 'good' : $type eq 'error' ? 'bad'
            : $type eq 'ping' ? 'alive' : 'more';
    }
    if ($family eq 'responses') {
        return $type =~ /^response\.(completed|incomplete)$/ ? 'good'
            : $type eq 'response.failed' ? 'bad' : $type eq 'error' ? 'error'
            : $type eq 'keepalive' ? 'alive' : 'more';
    }
    return $json->{error} ? 'bad' : 'more';
}

# A stream as a whole: {text, events, kinds => {kind => number}, last => kind of the last event,
# error => the error object of the bad end}.
sub read_stream {
    my ($family, $body) = @_;
    my %s = (text => '', kinds => {}, events => [MG::Http::events($body)], last => 'none');
    for my $event (@{$s{events}}) {
        $s{text} .= text_of_event($family, $event);
        $s{last} = kind_of_event($family, $event);
        $s{kinds}{$s{last}}++;
        $s{error} = $event->{json}{error} || $event->{json}{response}{error} if $s{last} eq 'bad';
    }
    # Signs of life that are comments.
    $s{kinds}{alive} += () = $body =~ /^: ?keep-alive/mg;
    return \%s;
}

# '' when the stream is whole, else what is wrong with it.
sub is_not_whole {
    my ($family, $s) = @_;
    return "it ends with '$s->{last}'" if $s->{last} ne 'good';
    return join ' and ', map { "$s->{kinds}{$_} times $_" } grep { $s->{kinds}{$_} }
        qw(bad error nonsense) if grep { $s->{kinds}{$_} } qw(bad error nonsense);
    return $s->{kinds}{good} == 1 ? '' : "$s->{kinds}{good} ends";
}

# '' when the stream says properly that it failed, else what is wrong.
sub is_not_failed {
    my ($family, $s) = @_;
    return "it ends with '$s->{last}'" if $s->{last} ne 'bad';
    return "$s->{kinds}{bad} bad ends" if $s->{kinds}{bad} != 1;
    return 'a good end, too' if $s->{kinds}{good};
    return 'nonsense in it' if $s->{kinds}{nonsense};
    return 'no error event before response.failed' if $family eq 'responses'
        && ($s->{kinds}{error} // 0) != 1;
    return 'no message' if ref $s->{error} ne 'HASH' || !length($s->{error}{message} // '');
    return '';
}

1;
