# However an upstream frames and orders what it says, and however it fails, a client of another
# format gets a stream that keeps to its own format's rules and says the same.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Conform;
use MG::Family;
use MG::Http;
use MG::Kinds;
use MG::Stack;

if (my $why = MG::Conform::missing()) {
    plan skip_all => $why;
}
my $stack = MG::Stack->new(conf => {keepalive_ms => 60000});
MG::Kinds::offer($stack);
my (undef, $key) = $stack->account(5000);
my $http = MG::Http->new($stack, key => $key);

my $args = '{"city":"Oslo","degrees":-3}';
(my $quoted = $args) =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ge;
my $unicode = "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80 \"quoted\" \\ end";
(my $percent = $unicode) =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ge;
my $five = 'alpha beta gamma delta omega';

# [commands, text that the client gets, number of calls that it gets]
my @whole = (
    (map { ["words=5 $_", $five, 0] } '', 'crlf=1', 'eol=cr', 'comments=1', 'nospace=1', 'chunk=1',
        'multiline=1', 'nofinal=1', 'bom=1', 'gzip=1', 'close=1', 'events-per-write=3', 'pings=5',
        'noname=1', 'usage=missing', 'usage=null', 'usage=zero', 'usage=double', 'usage=early',
        'usage=late', 'usage=finish', 'usage=each', 'usage=always', 'finish=length',
        'finish=content_filter', 'empty-tool-calls=1'),
    ["text=$percent", $unicode, 0],
    ["text=$percent chunk=3", $unicode, 0],
    ['bigline=300000', undef, 0],
    ['refusal=No.', undef, 0],
    (map { ["tools=1 $_", '', 1] } '', 'args-chunk=0', 'args-chunk=1', 'done-only=1', 'done-only=2',
        'tool-index=omit', 'tool-index=3', 'finish=stop'),
    (map { ["tools=3 $_", '', 3] } '', 'interleave=1', 'interleave=1 args-chunk=1', 'tool-index=same',
        'tool-index=3', 'args-chunk=0'),
    ['parts=text,tool tools=2 words=5', $five, 2],
    ['parts=reasoning,text,tool tools=1 reasoning=9 words=5 summary=1', $five, 1],
    ['reasoning=9 words=5', $five, 0],
    ['reasoning=9 words=5 summary=1', $five, 0],
    ['reasoning=9 words=5 reasoning-text=1', $five, 0],
    ['reasoning=9 words=5 redacted=1', $five, 0],
    ['reasoning=9 words=5 reasoning-field=reasoning_content', $five, 0],
    ['parts=text,reasoning,text reasoning=4 words=5 reasoning-field=reasoning_content', undef, 0],
);
my @broken = ((map { my $fault = $_; map {"words=20 fault=$fault at=$_"} 0, 1, 3, 8, -1 }
        qw(cut reset end garble error-event)),
    (map {"tools=2 args-chunk=1 fault=$_ at=6"} qw(cut end garble error-event)),
    (map {"reasoning=20 summary=1 reasoning-field=reasoning_content fault=$_ at=5"} qw(cut error-event)),
    'finish=failed words=3');

my %tool = (
    chat => {type => 'function', function => {name => 'get_weather', parameters => {type => 'object'}}},
    responses => {type => 'function', name => 'get_weather', parameters => {type => 'object'},
        strict => \0},
    messages => {name => 'get_weather', input_schema => {type => 'object'}},
);

sub ask {
    my ($family, $model, $commands, $stream) = @_;
    my %more = (model => $model, stream => $stream ? \1 : \0);
    $more{tools} = [$tool{$family}] if $commands =~ /tool/ && $tool{$family};
    $more{stream_options} = {include_usage => \1} if $stream && $family =~ /^(chat|completions)$/;
    $more{store} = \0 if $family eq 'responses';
    $more{reasoning} = {effort => 'low', summary => 'auto'}
        if $family eq 'responses' && $commands =~ /reasoning/;
    return $http->post(MG::Family::path($family),
        MG::Family::script($family, "tool=get_weather " x ($commands =~ /tools=/)
            . "args=$quoted $commands", %more));
}

# Arguments of the calls in a stream or a reply, joined piece by piece.
sub calls_of_events {
    my ($family, $events) = @_;
    my (%call, @order);
    for my $json (map { $_->{json} } @$events) {
        next if ref $json ne 'HASH';
        my ($place, $piece);
        if ($family eq 'chat') {
            for my $call (@{$json->{choices}[0]{delta}{tool_calls} || []}) {
                push @order, $call->{index} if !exists $call{$call->{index}};
                $call{$call->{index}} .= $call->{function}{arguments} // '';
            }
            next;
        }
        next if ($json->{type} // '') !~ /^response\.function_call_arguments\.delta$|_block_delta$/;
        ($place, $piece) = $family eq 'messages' ? ($json->{index}, $json->{delta}{partial_json})
            : ($json->{output_index}, $json->{delta});
        next if !defined $piece;
        push @order, $place if !exists $call{$place};
        $call{$place} .= $piece;
    }
    return map { $call{$_} } @order;
}

sub calls_of_reply {
    my ($family, $json) = @_;
    return map { $_->{function}{arguments} } @{$json->{choices}[0]{message}{tool_calls} || []}
        if $family eq 'chat';
    return map { $_->{arguments} } grep { $_->{type} eq 'function_call' } @{$json->{output}}
        if $family eq 'responses';
    return map { $MG::Http::JSON->encode($_->{input}) } grep { $_->{type} eq 'tool_use' }
        @{$json->{content}};
}

my (@lines, @names);

sub keep {
    my ($name, %line) = @_;
    push @names, $name;
    push @lines, {id => $#names, %line};
}

sub check_whole {
    my ($family, $model, $case, $name) = @_;
    my ($commands, $text, $calls) = @$case;
    $calls = 0 if $family eq 'completions';
    my $usage = $family =~ /^(chat|completions)$/ ? (\1) : undef;
    my $r = ask($family, $model, $commands, 1);
    my $s = MG::Family::read_stream($family, $r->{body});
    is(MG::Family::is_not_whole($family, $s), '', "$name: the stream is whole")
        or diag substr $r->{body}, -600;
    is($s->{text}, $text, "$name: its text") if defined $text;
    is_deeply([calls_of_events($family, $s->{events})], [($args) x $calls], "$name: its calls");
    keep("$name, streamed", kind => 'stream', family => $family, sse => $r->{body},
        $usage ? (includeUsage => $usage) : ());
    $r = ask($family, $model, $commands, 0);
    is($r->{status}, 200, "$name: the whole answer") or return diag $r->{body};
    is(MG::Family::text_of_json($family, $r->{json}) // '', $text, "$name: its text")
        if defined $text;
    is_deeply([calls_of_reply($family, $r->{json})], [($args) x $calls], "$name: its calls")
        if $family ne 'completions';
    keep("$name, whole", kind => 'reply', family => $family, body => $r->{json});
}

sub check_broken {
    my ($family, $model, $commands, $name) = @_;
    my $r = ask($family, $model, $commands, 1);
    if ($r->{status} == 200) {
        my $s = MG::Family::read_stream($family, $r->{body});
        is(MG::Family::is_not_failed($family, $s), '', "$name: the stream says that it failed")
            or diag substr $r->{body}, -600;
        keep($name, kind => 'stream', family => $family, sse => $r->{body});
    } else {
        like($r->{status}, qr/^50[023]$/, "$name: nothing came, and the status says so");
        keep($name, kind => 'reply', family => $family, object => 'error', body => $r->{json});
    }
}

for my $kind (grep { $_->{formats} !~ /,/ } MG::Kinds::kinds()) {
    for my $family (grep { $_ ne $kind->{formats} } @MG::Family::NAMES) {
        my $way = "$family client, $kind->{formats} upstream";
        for my $case (@whole) {
            next if $family eq 'completions' && $case->[0] =~ /tool/;
            check_whole($family, $kind->{model}, $case, "$way, $case->[0]");
        }
        for my $commands (@broken) {
            # But for [DONE] or message_stop all has been said.
            next if $commands =~ /at=-1/ && $kind->{formats} ne 'responses';
            next if $commands =~ /finish=failed/ && $kind->{formats} ne 'responses';
            next if $commands =~ /tools/ && $family eq 'completions';
            check_broken($family, $kind->{model}, $commands, "$way, $commands");
        }
    }
}
my %findings = MG::Conform::verdicts(@lines);
for my $id (0 .. $#names) {
    ok(!@{$findings{$id} || ['no verdict']}, "$names[$id]: keeps to the rules of its format")
        or diag explain $findings{$id};
}
ok($stack->audit_is_clean, 'the ledger is sound after all of it') or diag $stack->{audit};

done_testing;
