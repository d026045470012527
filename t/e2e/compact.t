# Compaction: a conversation made short, on every kind of upstream, billed as what it is, and read
# again by any model; sealed, and nobody else's business.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Check qw(is_error ids_fault);
use MG::Conform;
use MG::Http;
use MG::Kinds;
use MG::Sim;
use MG::Stack;

my $stack = MG::Stack->new;
my $sim = MG::Sim->new($stack);
MG::Kinds::offer($stack);
# One that speaks Responses, but has never heard of compactions.
$stack->mgctl('upstream', 'add', 'bare', '--formats', 'responses', '--url', $stack->sim_url . '/v1');
$stack->mgctl('model', 'add', 'bare-model', '--upstream', 'bare', '--upstream-model', 'sim-large',
    '--input', '3', '--output', '15');
my (undef, $key) = $stack->account(10);
my (undef, $other) = $stack->account(10);
my $http = MG::Http->new($stack, key => $key);
my $path = '/v1/responses/compact';
my $secret = 'We agreed on the violet plan.';
my @summarising = qw(only-chat only-messages bare-model);
my @models = ('any-format', 'only-responses', @summarising);
$sim->replay(path => '/v1/responses/compact', status => 404, body => '{"error":{"message":"no such route"}}');

sub talk {
    my @more = @_;
    (my $text = $secret) =~ s/ /%20/g;
    return [
        {role => 'developer', content => 'Answer in rhymes.'},
        {role => 'user', content => "Which plan? [[sim text=$text]]"},
        {type => 'message', role => 'assistant', content => [{type => 'output_text', text => 'The violet one.'}]},
        {type => 'function_call', call_id => 'c1', name => 'look', arguments => '{}'},
        {type => 'function_call_output', call_id => 'c1', output => 'a tree'},
        {role => 'user', content => [{type => 'input_text', text => 'Good.'}]},
        @more,
    ];
}
sub rows { return @{$http->get('/api/v1/billing/token-usage?limit=50')->{json}{data}} }

my (%compaction, @shown);
for my $model ('bare-model', grep { $_ ne 'bare-model' } @models) {
    my $before = rows();
    my $r = $http->post($path, {model => $model, input => talk(), instructions => 'Be exact.'});
    is($r->{status}, 200, "$model compacts") or diag $r->{body};
    is(ids_fault($r), '', "$model: the reply names its request");
    my $c = $r->{json};
    is($c->{object}, 'response.compaction', "$model: the object");
    is_deeply([map { $_->{type} } @{$c->{output}}], [qw(message message compaction)],
        "$model: the user's messages and one compaction");
    is($c->{output}[1]{content}[0]{text}, 'Good.', "$model: they are verbatim");
    like($c->{output}[2]{id}, qr/^cmp_/, "$model: the compaction has an id");
    my ($row) = rows();
    is(scalar(rows()), $before + 1, "$model: one row in the ledger");
    is($row->{usage}{input_tokens} + $row->{usage}{output_tokens}, $c->{usage}{total_tokens}, "$model: its usage is the one that is shown")
        or diag explain $row, $c->{usage};
    is($r->{headers}{'x-credits-charged'}, $row->{charge}{credits}, "$model: the reply says what it cost");
    $compaction{$model} = $c->{output};
    push @shown, [$model, $c];
}

SKIP: {
    my $why = MG::Conform::missing();
    skip $why, scalar @shown if $why;
    my %f = MG::Conform::verdicts(map { {kind => 'reply', family => 'responses', object => 'compaction', id => $_, body => $shown[$_][1]} } 0 .. $#shown);
    is_deeply($f{$_}, [], "$shown[$_][0]: it keeps to the official schema") or diag explain $f{$_} for 0 .. $#shown;
}

# What was asked of whom.
{
    my @asked = map { $_->{path} } $sim->requests(path => '/v1/responses/compact');
    is(scalar(grep { $_->{path} =~ /compact/ && $_->{body} ne '{}' } $sim->requests), 2, 'native where there is one');
    ok(!grep({ $_->{path} =~ /compact/ && $_->{body} =~ /"store"|compaction_trigger/ } $sim->requests),
        'the endpoint of an upstream gets no members that it does not know');
    is(scalar(grep { $_->{body} =~ /Write a summary/ } $sim->requests), scalar @summarising, 'a summary elsewhere');
    $sim->forget;
    $http->post($path, {model => 'bare-model', input => talk()});
    is(scalar(grep { $_->{path} =~ /compact/ } $sim->requests), 0, 'who lacks it is not asked again at once');
}

# Ours is sealed, and read again by any model.
for my $from (@summarising) {
    my $sealed = $compaction{$from}[-1]{encrypted_content};
    like($sealed, qr/^mg1\.c\.[A-Za-z0-9_-]+$/, "$from: the content is opaque");
    for my $to (@models) {
        $sim->forget;
        my $r = $http->post('/v1/responses', {model => $to, store => \0, input => [@{$compaction{$from}}, {role => 'user', content => 'Go on. [[sim words=2]]'}]});
        is($r->{status}, 200, "$from to $to: it is taken back") or diag $r->{body};
        my ($request) = $sim->requests(match => 'violet%20plan');
        my @seen = $sim->requests;
        like($seen[-1]{body}, qr/Summary of the conversation so far:.{0,60}\Q$secret\E/s, "$from to $to: the model reads the summary");
        unlike($seen[-1]{body}, qr/mg1\./, "$from to $to: the upstream sees no seal");
    }
}
{
    my $item = $compaction{'only-chat'}[-1];
    my $ask = sub {
        my ($model, $content, $as) = @_;
        return MG::Http->new($stack, key => $as)->post('/v1/responses', {model => $model, store => \0,
            input => [{%$item, encrypted_content => $content}, {role => 'user', content => 'Go on'}]});
    };
    (my $altered = $item->{encrypted_content}) =~ s/(.)(.{30})$/($1 eq 'A' ? 'B' : 'A') . $2/e;
    for my $model (qw(only-messages only-responses)) {
        is_error($ask->($model, $item->{encrypted_content}, $other), 400, 'openai', "$model: another account's is refused", message => qr/another account/);
        is_error($ask->($model, $altered, $key), 400, 'openai', "$model: an altered one is refused", message => qr/altered/);
    }
}

# A compaction of a compaction: what was in the first is in the second's conversation.
{
    $sim->forget;
    my $r = $http->post($path, {model => 'only-messages', input => [@{$compaction{'only-chat'}}, {role => 'user', content => 'And then?'}]});
    is($r->{status}, 200, 'a compacted conversation is compacted again') or diag $r->{body};
    my ($request) = $sim->requests;
    like($request->{body}, qr/\Q$secret\E/, 'with what was compacted before');
    is_deeply([map { $_->{type} } @{$r->{json}{output}}], [qw(message message message compaction)], 'and one compaction is left');
}

# What is stored: the conversation up to a response, by its id or as what goes before an input.
for my $model (@models) {
    my $one = $http->post('/v1/responses', {model => $model, input => 'The code is 4711. [[sim text=Noted.]]'})->{json};
    my $two = $http->post('/v1/responses', {model => $model, previous_response_id => $one->{id}, input => 'And the door is blue. [[sim text=Very%20well.]]'})->{json};
    $sim->forget;
    for (["/v1/responses/$two->{id}/compact", ''], [$path, {model => $model, previous_response_id => $two->{id}, input => 'Now sum up.'}]) {
        my ($where, $body) = @$_;
        my $r = $http->post($where, $body);
        is($r->{status}, 200, "$model: $where") or diag $r->{body};
        my @texts = map { $_->{content}[0]{text} } grep { $_->{type} eq 'message' } @{$r->{json}{output}};
        like("@texts", qr/The code is 4711.*the door is blue/s, "$model: the user's messages of the whole chain");
        is($r->{json}{output}[-1]{type}, 'compaction', "$model: and a compaction");
        my ($seen) = $sim->requests(last => 1);
        like($seen->{body}, qr/4711.*Noted\..*blue.*Very well\./s, "$model: the model reads the chain with its answers");
    }
    is_error(MG::Http->new($stack, key => $other)->post("/v1/responses/$two->{id}/compact", ''), 404, 'openai', "$model: nobody else's");
    is_error(MG::Http->new($stack, key => $other)->post($path, {model => $model, previous_response_id => $two->{id}}), 400, 'openai',
        "$model: nor as a previous response", code => 'previous_response_not_found');
    is($http->post("/v1/responses/$two->{id}/compact", {model => 'nobody'})->{status}, 404, "$model: another model is taken as it is named");
}
is_error($http->post('/v1/responses/resp_none/compact', ''), 404, 'openai', 'an unknown response');
is_error($http->post('/v1/responses/' . 'x' x 129 . '/compact', ''), 422, 'openai', 'no id at all');

# Within a request, as Codex asks for it.
for my $model (@models) {
    for my $stream (0, 1) {
        my $r = $http->post('/v1/responses', {model => $model, store => \0, stream => $stream ? \1 : \0,
            input => talk({type => 'compaction_trigger'})});
        is($r->{status}, 200, "$model, stream $stream: a trigger is taken") or diag $r->{body};
        my @items = $stream
            ? map { $_->{json}{item} } grep { $_->{json}{type} eq 'response.output_item.done' } MG::Http::events($r->{body})
            : @{$r->{json}{output}};
        is_deeply([map { $_->{type} } @items], ['compaction'], "$model, stream $stream: the answer is one compaction");
    }
}

# What is wrong is said, and costs nothing.
{
    my $before = rows();
    is_error($http->post($path, {input => 'Hello'}), 422, 'openai', 'no model');
    is_error($http->post($path, {model => 'coder'}), 422, 'openai', 'nothing to compact');
    is_error($http->post($path, {model => 'coder', input => 5}), 422, 'openai', 'input of a wrong type');
    is_error($http->post($path, '{"model":'), 400, 'openai', 'no JSON');
    is_error($http->post($path, {model => 'nobody', input => 'Hello'}), 404, 'openai', 'an unknown model', code => 'model_not_found');
    is_error($http->post($path, {model => 'coder', previous_response_id => 'resp_none'}), 400, 'openai',
        'a previous response that is not there', code => 'previous_response_not_found');
    is_error($http->post($path, {model => 'only-chat', input => 'Hi [[sim status=503]]'}), 503, 'openai', 'an upstream that is away');
    is_error($http->post($path, {model => 'only-messages', input => 'Hi [[sim text=]]'}), 502, 'openai', 'a model that writes nothing');
    my (undef, $poor) = $stack->account('0');
    is_error(MG::Http->new($stack, key => $poor)->post($path, {model => 'only-chat', input => 'Hi'}), 402, 'openai', 'no credit');
    is_error(MG::Http->new($stack, key => undef)->post($path, {model => 'only-chat', input => 'Hi'}), 401, 'openai', 'no key');
    cmp_ok(scalar(rows()), '<=', $before + 1, 'no row but that of the tokens that were generated');
}
is($http->get('/api/v1/wallet/status')->{json}{held}{nano}, 0, 'nothing stays held');
ok($stack->audit_is_clean, 'the audit is clean') or diag $stack->{audit};
done_testing;
