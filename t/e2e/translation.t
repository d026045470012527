# What lies between the formats: conversations that move from one kind of upstream to another,
# models that can take only so much, probes, and what the client is told of all this.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Check qw(is_error);
use MG::Http;
use MG::Sim;
use MG::Stack;

my $stack = MG::Stack->new;
my $sim = MG::Sim->new($stack);
my (undef, $key) = $stack->account(1000);
my $http = MG::Http->new($stack, key => $key);
my ($true, $false) = (JSON::PP::true(), JSON::PP::false());

sub model {
    my ($id, $upstream, @facts) = @_;
    $stack->mgctl('model', 'add', $id, '--upstream', $upstream, '--upstream-model', 'sim-x',
        '--input', 3, '--output', 15, @facts);
}

for my $format (qw(chat responses messages)) {
    $stack->mgctl('upstream', 'add', "only-$format", '--formats', $format, '--url', $stack->sim_url);
    model("by-$format", "only-$format");
}
sub move { $stack->mgctl('alias', 'set', 'mover', "by-$_[0]") }

sub messages {
    my ($model, $messages, %more) = @_;
    return $http->post('/v1/messages', {model => $model, max_tokens => 4000, messages => $messages, %more});
}
sub responses {
    my ($model, $input, %more) = @_;
    return $http->post('/v1/responses', {model => $model, input => $input, store => $false, %more});
}
sub chat {
    my ($model, $text, %more) = @_;
    return $http->post('/v1/chat/completions',
        {model => $model, messages => [{role => 'user', content => $text}], %more});
}
sub user { return {role => 'user', content => $_[0]} }
sub seen { return $MG::Http::JSON->decode($sim->last_request->{body}) }

# Reasoning of a Messages upstream, kept by a Responses client, and back to a Responses upstream.
{
    move('messages');
    my $r = responses('mover', [user('Think [[sim reasoning=5 words=2]]')], reasoning => {effort => 'high'},
        include => ['reasoning.encrypted_content']);
    is($r->{status}, 200, 'responses: answered by a Messages upstream') or diag $r->{body};
    my @output = @{$r->{json}{output}};
    like($output[0]{encrypted_content} // '', qr/^mg1\./, 'responses: its thinking is packed');
    move('responses');
    $r = responses('mover', [user('a'), @output, user('b')], include => ['reasoning.encrypted_content']);
    is($r->{status}, 200, 'responses: the conversation goes on with another upstream') or diag $r->{body};
    is_deeply(seen()->{input}, [user('a'), @output[1 .. $#output], user('b')],
        'responses: which sees all of it but the pack');
    unlike($sim->last_request->{body}, qr/mg1\./, 'responses: which it could not read');
    move('messages');
    $r = responses('mover', [user('a'), @output, user('b')], reasoning => {effort => 'high'});
    is($r->{status}, 200, 'responses: and moves back') or diag $r->{body};
    is(seen()->{messages}[1]{content}[0]{type}, 'thinking', 'responses: where the thinking is at home');
}

# The other way, in the middle of a tool loop, which a Messages upstream wants to begin with
# thinking of its own.
{
    my @tools = (tools => [{name => 'look', input_schema => {type => 'object'}}],
        thinking => {type => 'enabled', budget_tokens => 1024});
    my $ask = user('Look [[sim reasoning=5 tool=look]]');
    move('responses');
    my $r = messages('mover', [$ask], @tools);
    is($r->{status}, 200, 'messages: answered by a Responses upstream') or diag $r->{body};
    my @content = @{$r->{json}{content}};
    is_deeply([map { $_->{type} } @content], ['thinking', 'tool_use'], 'messages: thinking and a call');
    like($content[0]{signature} // '', qr/^mg1\./, 'messages: its reasoning is packed');
    my @talk = ($ask, {role => 'assistant', content => \@content}, {role => 'user', content => [
        {type => 'tool_result', tool_use_id => $content[1]{id}, content => 'seen'}]});
    move('messages');
    $r = messages('mover', \@talk, @tools);
    is($r->{status}, 200, 'messages: the loop goes on with another upstream') or diag $r->{body};
    is_deeply(seen()->{messages}[1]{content}, [$content[1]], 'messages: which sees the call alone');
    is_deeply(seen()->{thinking}, {type => 'disabled'}, 'messages: and need not think in it');
    push @talk, {role => 'assistant', content => $r->{json}{content}}, user('Again');
    $r = messages('mover', \@talk, @tools);
    is($r->{status}, 200, 'messages: the next turn') or diag $r->{body};
    is(seen()->{thinking}{type}, 'enabled', 'messages: thinks again');
}

# A compaction that the gateway made is read by an upstream of the client's format too.
{
    move('chat');
    my $r = responses('mover', [user('Long talk [[sim text=They%20spoke]]'), {type => 'compaction_trigger'}]);
    is($r->{status}, 200, 'compaction: made with a Chat upstream') or diag $r->{body};
    is_deeply([map { $_->{type} } @{$r->{json}{output}}], ['compaction'], 'compaction: as one item');
    move('responses');
    $r = responses('mover', [@{$r->{json}{output}}, user('Go on')]);
    is($r->{status}, 200, 'compaction: taken by a Responses upstream') or diag $r->{body};
    like(seen()->{input}[0]{content}[0]{text}, qr/^Summary of the conversation.*They spoke/s,
        'compaction: in words');
}

# A Chat client's packs.
{
    move('messages');
    my $r = chat('mover', 'Think [[sim reasoning=5 words=2]]', reasoning_effort => 'high');
    my $message = $r->{json}{choices}[0]{message};
    like($message->{reasoning_details}[0]{data} // '', qr/^mg1\./, 'chat: thinking is packed');
    move('chat');
    $r = $http->post('/v1/chat/completions', {model => 'mover',
        messages => [user('a'), {%$message, annotations => undef}, user('b')]});
    unlike($sim->last_request->{body}, qr/mg1\.|reasoning_details/, 'chat: and not shown to another upstream');
}

# Probes with hardly any room.
{
    my $refusal = $MG::Http::JSON->encode({error => {message => 'Could not finish the message because max_tokens'
        . ' or model output limit was reached. Please try again with higher max_tokens.',
        type => 'invalid_request_error', param => undef, code => undef}});
    my %reply = (status => 400, headers => {'content-type' => 'application/json'}, body => $refusal);
    my $before = $http->get('/api/v1/wallet/status')->{json}{balance}{nano};
    $sim->replay(%reply);
    my $r = messages('by-chat', [user('hi')], max_tokens => 1);
    is($r->{status}, 200, 'probe: a limit without room is no error');
    is_deeply([@{$r->{json}}{qw(type role model stop_reason)}], [qw(message assistant by-chat max_tokens)],
        'probe: but an answer that the limit ended') or diag $r->{body};
    $sim->replay(%reply);
    $r = messages('by-chat', [user('hi')], max_tokens => 1, stream => $true);
    my @events = MG::Http::events($r->{body});
    like($r->{headers}{'content-type'}, qr{^text/event-stream}, 'probe: streamed when a stream was asked for');
    is($events[0]{event}, 'message_start', 'probe: from its beginning');
    is((grep { $_->{event} eq 'message_delta' } @events)[0]{json}{delta}{stop_reason}, 'max_tokens',
        'probe: with its reason');
    is($events[-1]{event}, 'message_stop', 'probe: to its end');
    is($http->get('/api/v1/wallet/status')->{json}{balance}{nano}, $before, 'probe: and costs nothing');
    $sim->replay(%reply);
    is_error(chat('by-chat', 'hi', max_tokens => 1), 400, 'openai', 'probe: a client of the same format gets the refusal');
    $sim->replay(%reply, body => '{"error":{"message":"max_tokens is too large","type":"invalid_request_error"}}');
    is_error(messages('by-chat', [user('hi')]), 400, 'messages', 'probe: other refusals stay refusals',
        message => qr/max_tokens is too large/);
}

# What was left out is told.
for my $stream ($false, $true) {
    my $what = $stream ? 'streamed' : 'whole';
    my $r = messages('by-chat', [user('hi')], top_k => 5, stream => $stream);
    is($r->{headers}{'x-dropped-parameters'}, 'top_k', "$what: a parameter without an equal is named");
    $r = messages('by-chat', [user('hi')], stream => $stream);
    ok(!exists $r->{headers}{'x-dropped-parameters'}, "$what: when there is one");
    $r = messages('by-messages', [user('hi')], top_k => 5, stream => $stream);
    ok(!exists $r->{headers}{'x-dropped-parameters'}, "$what: nothing is left out of what is passed through");
}
{
    my $r = chat('by-messages', 'hi', seed => 1, logit_bias => {}, "a\r\nx-evil: 1,\xc3\xa9" => 1);
    is($r->{headers}{'x-dropped-parameters'}, 'a?r?nx-evil??1???, logit_bias, seed',
        'names cannot become headers') or diag $r->{body};
    ok(!exists $r->{headers}{'x-evil'}, 'nor break out of one');
}

# A small wallet's limit goes over too.
{
    my (undef, $poor) = $stack->account('0.02');
    my $purse = MG::Http->new($stack, key => $poor);
    for my $upstream (qw(chat responses messages)) {
        my $client = $upstream eq 'chat' ? 'responses' : 'chat/completions';
        my %limit = $upstream eq 'chat' ? (max_output_tokens => 50000, input => 'hi')
            : (max_tokens => 50000, messages => [user('hi')]);
        my $r = $purse->post("/v1/$client", {model => "by-$upstream", %limit});
        my $lowered = $r->{headers}{'x-max-tokens-lowered-to'} // 'not told';
        my ($told) = grep { defined } @{seen()}{qw(max_tokens max_completion_tokens max_output_tokens)};
        is($told, $lowered, "$upstream: the upstream is told what the wallet covers");
    }
}

# Models that can take little.
for my $format (qw(chat responses messages)) {
    model("bare-$format", "only-$format", '--capabilities', 'none');
}
{
    my $image = 'data:image/png;base64,iVBORw0KGgo=';
    my %source = (type => 'base64', data => 'iVBORw0KGgo=');
    my %content = (
        chat => [
            images => {messages => [user([{type => 'image_url', image_url => {url => $image}}])]},
            documents => {messages => [user([{type => 'file', file => {filename => 'a.pdf',
                file_data => 'data:application/pdf;base64,JVBERi0='}}])]},
            tools => {tools => [{type => 'function', function => {name => 'f', parameters => {type => 'object'}}}]},
            structured => {response_format => {type => 'json_schema',
                json_schema => {name => 'a', schema => {type => 'object'}}}}],
        responses => [
            images => {input => [user([{type => 'input_image', image_url => $image}])]},
            documents => {input => [user([{type => 'input_file', filename => 'a.pdf',
                file_data => 'data:application/pdf;base64,JVBERi0='}])]},
            tools => {tools => [{type => 'function', name => 'f', parameters => {type => 'object'}, strict => $false}]},
            structured => {text => {format => {type => 'json_schema', name => 'a', schema => {type => 'object'}}}}],
        messages => [
            images => {messages => [user([{type => 'image', source => {%source, media_type => 'image/png'}}])]},
            documents => {messages => [user([{type => 'document', source => {%source, media_type => 'application/pdf'}}])]},
            tools => {tools => [{name => 'f', input_schema => {type => 'object'}}]},
            structured => {output_config => {format => {type => 'json_schema', schema => {type => 'object'}}}}],
    );
    my %base = (chat => ['/v1/chat/completions', {messages => [user('hi')]}], responses => ['/v1/responses', {input => 'hi'}],
        messages => ['/v1/messages', {messages => [user('hi')], max_tokens => 100}]);
    for my $client (sort keys %content) {
        my ($path, $base) = @{$base{$client}};
        my %wish = @{$content{$client}};
        for my $upstream (sort keys %content) {
            my $way = "$client to $upstream";
            $sim->forget;
            is($http->post($path, {%$base, model => "bare-$upstream"})->{status}, 200, "$way: plain text is taken");
            for my $wish (sort keys %wish) {
                my $r = $http->post($path, {%$base, %{$wish{$wish}}, model => "bare-$upstream"});
                if ($wish eq 'structured' && $upstream eq 'messages' && $client ne 'messages') {
                    is($r->{status}, 200, "$way: a schema is asked for in words") or diag $r->{body};
                    next;
                }
                is_error($r, 400, $client eq 'messages' ? 'messages' : 'openai', "$way: $wish are refused",
                    message => qr/does not|takes no|gives no/);
            }
            my @asked = $sim->requests;
            cmp_ok(scalar @asked, '<=', 2, "$way: and the upstream was not asked");
            for my $wish (sort keys %wish) {
                my $r = $http->post($path, {%$base, %{$wish{$wish}}, model => "by-$upstream"});
                is($r->{status}, 200, "$way: $wish are taken where nothing is stated") or diag $r->{body};
            }
        }
    }
}

# How the model is told to think, and what else it is told.
{
    my @all = ('--capabilities', 'image,pdf,tools,structured,reasoning,system-midway');
    model('adaptive', 'only-messages', @all, '--efforts', 'low,high,max');
    model('budget', 'only-messages', '--capabilities', 'reasoning,sampling', '--thinking', 'budget');
    model('levels', 'only-chat', @all, '--efforts', 'minimal,high');
    my $r = chat('adaptive', 'hi', reasoning_effort => 'xhigh', temperature => 0.5);
    is_deeply([seen()->{thinking}{type}, seen()->{output_config}{effort}], ['adaptive', 'high'],
        'a model with efforts thinks by them, with the nearest one');
    ok(!exists seen()->{temperature}, 'one without sampling is told no temperature');
    is($r->{headers}{'x-dropped-parameters'}, 'temperature', 'and the client is told so');
    chat('budget', 'hi', reasoning_effort => 'low', max_tokens => 9000);
    is_deeply(seen()->{thinking}, {type => 'enabled', budget_tokens => 2048}, 'another one has a budget');
    chat('budget', 'hi', temperature => 0.5);
    is(seen()->{temperature}, 0.5, 'and is told a temperature');
    chat('levels', 'hi', reasoning_effort => 'low');
    is(seen()->{reasoning_effort}, 'low', 'an effort that is passed through is left to the upstream');
    messages('levels', [user('hi')], thinking => {type => 'enabled', budget_tokens => 2000});
    is(seen()->{reasoning_effort}, 'minimal', 'one that is translated is one of the model\'s');
    my $talk = [user('a'), {role => 'assistant', content => 'b'}, {role => 'system', content => 'Be brief'}, user('c')];
    $http->post('/v1/chat/completions', {model => 'adaptive', messages => $talk});
    is(seen()->{messages}[2]{role}, 'system', 'a model that takes them has system messages on the way');
    $http->post('/v1/chat/completions', {model => 'by-messages', messages => $talk});
    is(scalar(grep { $_->{role} eq 'system' } @{seen()->{messages}}), 0, 'others have them from the user');
    like($sim->last_request->{body}, qr/<system-reminder>\\nBe brief|system-reminder.*Be brief/s, 'marked as such');
    my %types = map { $_->{id} => $_->{capabilities} }
        @{$http->get('/v1/models', headers => {'anthropic-version' => '2023-06-01'})->{json}{data}};
    my $on = sub { join ' ', grep { ref $_[0]{$_} eq 'HASH' && $_[0]{$_}{supported} } sort keys %{$_[0]} };
    is($on->($types{adaptive}{effort}), 'high low max', 'the model list tells the efforts');
    is($on->($types{adaptive}{thinking}{types}), 'adaptive disabled', 'and the ways to think');
    is($on->($types{budget}{thinking}{types}), 'disabled enabled', 'of each model');
    is($on->($types{levels}{thinking}{types}), 'adaptive disabled enabled', 'both where they are translated');
}

ok($stack->audit_is_clean, 'the audit is clean') or diag $stack->{audit};
done_testing;
