# Same family in and out: what the provider sends arrives byte for byte but for the model name,
# streamed and not, and what the client sends reaches the provider the same way.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Http;
use MG::Sim;
use MG::Stack;

my $stack = MG::Stack->new;
my $sim = MG::Sim->new($stack);
my (undef, $key) = $stack->account(10000);
my $http = MG::Http->new($stack, key => $key);
my $model = 'power-ai';

my %family = (
    chat => {path => '/v1/chat/completions',
        body => {messages => [{role => 'user', content => 'Say something'}]}},
    responses => {path => '/v1/responses', body => {input => 'Say something', store => \0}},
    completions => {path => '/v1/completions', body => {prompt => 'Say something'}},
    messages => {path => '/v1/messages',
        body => {max_tokens => 100, messages => [{role => 'user', content => 'Say something'}]}},
);

# What the provider itself answers to the same request, the model as the client names it.
sub direct {
    my ($f, $body) = @_;
    my $r = MG::Http->new($stack->sim_url, key => undef)->post($f->{path}, $body,
        headers => {'anthropic-version' => '2023-06-01'});
    return $r->{body};
}

sub commands {
    my ($f, $text) = @_;
    my $json = MG::Http::JSON_copy($f->{body});
    my $say = "Say something [[sim $text]]";
    if ($json->{messages}) { $json->{messages}[0]{content} = $say }
    elsif (exists $json->{input}) { $json->{input} = $say }
    else { $json->{prompt} = $say }
    return $json;
}

my @scripts = (
    'words=30', 'words=5 crlf=1', 'words=5 comments=1', 'words=5 nospace=1', 'words=9 chunk=1',
    'text=%C3%A9%E4%B8%AD%F0%9F%98%80%20%22quoted%22 chunk=3', 'words=3 multiline=1',
    'words=4 nofinal=1', 'tool=get_weather args=%7B%22city%22%3A%22Oslo%22%7D',
    'reasoning=12 words=4', 'bigline=4194304');
for my $name (sort keys %family) {
    my $f = $family{$name};
    for my $script (@scripts) {
        next if $name eq 'completions' && $script =~ /tool|reasoning/;
        for my $stream (0, 1) {
            my $body = commands($f, "$script id=fixed created=1700000000");
            $body->{model} = $model;
            $body->{stream} = $stream ? \1 : \0;
            $body->{stream_options} = {include_usage => \1} if $stream && $name =~ /chat|compl/;
            if ($script =~ /tool=/) {
                $body->{tools} = $name eq 'messages'
                    ? [{name => 'get_weather', input_schema => {type => 'object'}}]
                    : $name eq 'responses'
                    ? [{type => 'function', name => 'get_weather', parameters => {type => 'object'}, strict => \0}]
                    : [{type => 'function', function => {name => 'get_weather', parameters => {type => 'object'}}}];
            }
            my $r = $http->post($f->{path}, $body);
            my $want = direct($f, $body);
            my $got = $r->{body};
            s/"model": ?"[^"]*"/"model":"*"/g for $got, $want;
            s/"store": ?(true|false)/"store":*/g for $got, $want;
            my $what = "$name, " . ($stream ? 'streamed' : 'whole') . ", $script";
            is($r->{status}, 200, "$what: answered") or diag substr $r->{body}, 0, 300;
            ok($got eq $want, "$what: byte for byte")
                or diag sprintf "%d bytes, expected %d\n%s\n---\n%s", length $got, length $want,
                    substr($got, 0, 600), substr($want, 0, 600);
            like($r->{body}, qr/"model": ?"\Q$model\E"/, "$what: the client's model name");
        }
    }
}

# Toward the provider.
for my $case (
    ['/v1/chat/completions', '{ "messages" : [{"role":"user","content":"h\u00e9"}],"temperature":1.50, "model":"power-ai","seed":1234567890123456789 }'],
    ['/v1/responses', '{"store":false,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}],"model":"power-ai","include":["reasoning.encrypted_content"]}'],
    ['/v1/messages', '{"max_tokens":10,"messages":[{"role":"user","content":"x"}],"model":"power-ai","temperature":0.10}'],
) {
    my ($path, $body) = @$case;
    $sim->forget;
    my $r = $http->post($path, $body, headers => {'anthropic-beta' => 'some-beta', 'x-secret' => 'mine',
        cookie => 'a=b', 'anthropic-version' => '2026-10-21'});
    is($r->{status}, 200, "$path: an unusual request passes") or diag $r->{body};
    my $seen = $sim->last_request;
    (my $want = $body) =~ s/power-ai/sim-large/;
    (my $got = $seen->{body}) =~ s/"model":"[^"]*"/"model":"sim-large"/;
    is($got, $want, "$path: the request goes up byte for byte but for the model");
    my %h = map { lc($_->[0]) => $_->[1] } map { ref $_ eq 'ARRAY' ? $_ : [%$_] } @{$seen->{headers}};
    ok(!exists $h{'x-secret'} && !exists $h{cookie}, "$path: no other header of the client goes up");
    if ($path eq '/v1/messages') {
        is($h{'anthropic-version'}, '2026-10-21', 'the version header goes up');
        is($h{'anthropic-beta'}, 'some-beta', 'the beta header goes up');
    }
    like($h{'x-request-id'} // '', qr/^req_[0-9a-f]{32}$/, "$path: our request id goes up");
}

done_testing;
