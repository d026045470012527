# Responses are kept as their client saw them: read, streamed again, continued and deleted by
# their account and by no other, on every kind of upstream.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use Time::HiRes qw(sleep time);
use MG::Http;
use MG::Kinds;
use MG::Sim;
use MG::Stack;

my ($true, $false) = (JSON::PP::true, JSON::PP::false);
my $stack = MG::Stack->new(conf => {drain_seconds => 1});
my $sim = MG::Sim->new($stack);
MG::Kinds::offer($stack);
my (undef, $key) = $stack->account(1000);
my (undef, $other_key) = $stack->account(1000);
my $http = MG::Http->new($stack, key => $key);
my $other = MG::Http->new($stack, key => $other_key);

sub ask { my (%body) = @_; return $http->post('/v1/responses', {model => 'any-format', %body}) }

sub streamed {
    my (%body) = @_;
    my $r = ask(stream => $true, %body);
    my @events = MG::Http::events($r->{body});
    return ($events[0]{json}{response}{id}, @events);
}

sub encoded { my ($body) = @_; return ref $body ? $MG::Http::JSON->encode($body) : $body }

# What the upstream was given last, as texts in order.
sub said_upstream {
    my $body = $sim->last_request->{body};
    $body = $MG::Http::JSON->decode($body) unless ref $body;
    my @texts;
    my $walk;
    $walk = sub {
        my ($v) = @_;
        if (ref $v eq 'ARRAY') { $walk->($_) for @$v }
        elsif (ref $v eq 'HASH') {
            for my $k (qw(content text output arguments)) {
                next unless exists $v->{$k};
                ref $v->{$k} ? $walk->($v->{$k}) : push @texts, $v->{$k};
            }
        }
    };
    my $turns = $body->{input} || $body->{messages};
    ref $turns ? $walk->($turns) : push @texts, $turns;
    return grep { defined && length } @texts;
}

my $weather = {type => 'function', name => 'weather', parameters => {type => 'object',
    properties => {city => {type => 'string'}}, required => ['city'],
    additionalProperties => $false}, strict => $true};

for my $kind (MG::Kinds::kinds()) {
    my ($model, $on) = ($kind->{model}, "$kind->{formats} upstream");

    my $first = ask(model => $model, input => 'My name is Ada', metadata => {a => 'b'});
    my $id = $first->{json}{id};
    is($first->{status}, 200, "$on: a response is made");
    ok($first->{json}{store}, "$on: it says that it is kept");
    is_deeply($first->{json}{metadata}, {a => 'b'}, "$on: with its metadata");
    my $read = $http->get("/v1/responses/$id?include%5B%5D=reasoning.encrypted_content");
    is_deeply($read->{json}, $first->{json}, "$on: it is read as it was given");

    my ($second, @events) = streamed(model => $model, input => 'Who am I?',
        previous_response_id => $id);
    is($events[-1]{json}{response}{previous_response_id}, $id, "$on: the next one names it");
    my @said = said_upstream();
    is($said[0], 'My name is Ada', "$on: the upstream is given the whole conversation");
    is(scalar(grep { /My name is Ada$/ } @said), 1, "$on: each turn of it once");
    is($said[-1], 'Who am I?', "$on: and then the new turn");
    is_deeply($http->get("/v1/responses/$second")->{json}, $events[-1]{json}{response},
        "$on: a streamed response is kept as its last event told it");
    my @again = MG::Http::events(
        $http->get("/v1/responses/$second?stream=true&starting_after=3")->{body});
    is_deeply([map { $_->{data} } @again],
        [map { $_->{data} } grep { $_->{json}{sequence_number} > 3 } @events],
        "$on: it is streamed again with the same numbers");
    my @made = MG::Http::events($http->get("/v1/responses/$id?stream=true")->{body});
    is_deeply([map { $_->{json}{sequence_number} } @made], [0 .. $#made],
        "$on: one that was not streamed is streamed later");
    is_deeply($made[-1]{json}{response}, $first->{json}, "$on: and ends as what it is");

    # A chain of tool calls, whose requests hold nothing but the newest output.
    my $call = ask(model => $model, input => 'Weather in Bern?', tools => [$weather],
        tool_choice => {type => 'function', name => 'weather'});
    my ($item) = grep { $_->{type} eq 'function_call' } @{$call->{json}{output}};
    my $answer = ask(model => $model, previous_response_id => $call->{json}{id},
        tools => [$weather],
        input => [{type => 'function_call_output', call_id => $item->{call_id}, output => 'Sunny'}]);
    is($answer->{status}, 200, "$on: the output of a tool call continues its response")
        or diag $answer->{body};
    my $last = ask(model => $model, previous_response_id => $answer->{json}{id}, input => 'And now?');
    @said = said_upstream();
    is(scalar(grep { $_ eq 'Sunny' } @said), 1, "$on: a long chain repeats nothing");
    is($said[0], 'Weather in Bern?', "$on: and leaves nothing out");

    # Instructions are of one request.
    my $told = ask(model => $model, input => 'Hi', instructions => 'Speak like a pirate');
    ask(model => $model, input => 'Ho', previous_response_id => $told->{json}{id});
    unlike(encoded($sim->last_request->{body}), qr/pirate/, "$on: instructions are not inherited");

    # Reasoning goes back to where it came from; elsewhere it would be refused.
    my $thought = ask(model => $model, reasoning => {effort => 'low', summary => 'auto'},
        input => 'Think [[sim reasoning=9 summary=1 words=5 reasoning-field=reasoning_content]]');
    my $next = ask(model => $model, previous_response_id => $thought->{json}{id},
        reasoning => {effort => 'low'}, input => 'Go on');
    is($next->{status}, 200, "$on: a chain with reasoning goes on") or diag $next->{body};
    like(encoded($sim->last_request->{body}), qr/encrypted_content|signature/,
        "$on: the upstream is given its sealed reasoning back") if $model ne 'only-chat';
    for my $elsewhere (grep { $_->{model} ne $model } MG::Kinds::kinds()) {
        my $moved = ask(model => $elsewhere->{model}, input => 'Go on',
            previous_response_id => $thought->{json}{id});
        is($moved->{status}, 200, "$on: also on a $elsewhere->{formats} upstream")
            or diag $moved->{body};
        unlike(encoded($sim->last_request->{body}), qr/encrypted_content":"|signature/,
            "$on: which is given nothing that others have sealed");
    }

    my $gone = $http->request('DELETE', "/v1/responses/$id");
    is_deeply($gone->{json}, {id => $id, object => 'response', deleted => $true},
        "$on: it is deleted");
    is($http->get("/v1/responses/$id")->{status}, 404, "$on: and gone");
    my $broken = ask(model => $model, input => 'x', previous_response_id => $second);
    is($broken->{json}{error}{code}, 'previous_response_not_found',
        "$on: a chain with a deleted response in it is refused");
    is($broken->{status}, 400, "$on: with 400");
    $sim->forget;
}

# Whose it is: two accounts, every route.
{
    my $mine = ask(input => 'Mine')->{json}{id};
    my @routes = (['GET', ''], ['GET', '?stream=true'], ['GET', '/input_items'],
        ['POST', '/cancel'], ['DELETE', '']);
    my %empty = (GET => [], DELETE => [], POST => [headers => {'content-length' => 0}]);
    for my $route (@routes) {
        my ($method, $rest) = @$route;
        for my $id ($mine, 'resp_nobodys') {
            my $r = $other->request($method, "/v1/responses/$id$rest", @{$empty{$method}});
            is($r->{status}, 404, "$method $rest of a foreign or unknown response: 404");
        }
        for my $bad ('a' x 129, 'with%20space', 'sl%2Fash', "%C3%A9") {
            my $r = $http->request($method, "/v1/responses/$bad$rest", @{$empty{$method}});
            is($r->{status}, 422, "$method $rest of what can be no id: 422");
            is_deeply($r->{json}{detail}[0]{loc}, ['path', 'response_id'], 'and says where');
        }
    }
    my $r = $other->post('/v1/responses', {model => 'any-format', input => 'x',
        previous_response_id => $mine});
    is("$r->{status} $r->{json}{error}{code}", '400 previous_response_not_found',
        'a foreign response cannot be continued');
    my $item = $http->get("/v1/responses/$mine")->{json}{output}[0]{id};
    is($other->post('/v1/responses', {model => 'any-format',
        input => [{type => 'item_reference', id => $item}]})->{status}, 400,
        'nor can its items be referred to');
    is($http->get("/v1/responses/$mine")->{status}, 200, 'it is still there for its owner');
    my $cancel = $http->request('POST', "/v1/responses/$mine/cancel", @{$empty{POST}});
    is("$cancel->{status} $cancel->{json}{error}{message}",
        '400 Cannot cancel a synchronous response.', 'a finished response is not cancelled');
    is($http->post('/v1/responses', {model => 'any-format', input => 'x',
        previous_response_id => ask(input => 'x', store => $false)->{json}{id}})->{status}, 400,
        'what was not kept cannot be continued');
    is(ask(input => 'x', conversation => 'conv_1')->{status}, 400, 'conversations are refused');
}

# The input, page by page.
{
    my @input = map { {role => 'user', content => "m$_"} } 1 .. 5;
    my $id = ask(input => [@input, {type => 'message', role => 'user', id => 'msg_own',
        content => [{type => 'input_text', text => 'm6'}]}])->{json}{id};
    my (@seen, $after);
    for (1 .. 9) {
        my $page = $http->get("/v1/responses/$id/input_items?limit=2&order=asc"
            . ($after ? "&after=$after" : ''))->{json};
        push @seen, map { $_->{content}[0]{text} } @{$page->{data}};
        $after = $page->{last_id};
        last unless $page->{has_more};
    }
    is("@seen", 'm1 m2 m3 m4 m5 m6', 'the input is listed in pages');
    my $page = $http->get("/v1/responses/$id/input_items")->{json};
    is($page->{data}[0]{id}, 'msg_own', 'the newest item first unless asked otherwise, by its id');
    is($http->get("/v1/responses/$id/input_items?limit=101")->{status}, 422, 'a page has a limit');
    is($http->get("/v1/responses/$id/input_items?after=nothing")->{status}, 400,
        'an unknown cursor is refused');

    # References to items: of an output, of an input, and to nothing.
    my $out = $http->get("/v1/responses/$id")->{json}{output}[0]{id};
    my $r = ask(input => [{type => 'item_reference', id => $page->{data}[1]{id}},
        {id => $out}, {role => 'user', content => 'go on'}]);
    is($r->{status}, 200, 'items of earlier answers are referred to') or diag $r->{body};
    my @said = said_upstream();
    is(scalar(@said), 3, 'the upstream is given the items themselves');
    is("$said[0] $said[2]", 'm5 go on', 'in their places');
    is(ask(input => [{type => 'item_reference', id => 'msg_none'}])->{status}, 400,
        'a reference to nothing is refused');
    $http->request('DELETE', "/v1/responses/$id");
    is($http->get("/v1/responses/$r->{json}{id}/input_items")->{json}{data}[0]{content}[0]{text},
        'go on', 'what was referred to is kept with who referred to it');
    is(ask(input => 'x', previous_response_id => $r->{json}{id})->{status}, 200,
        'also when the first answer is deleted');
}

# Cut streams.
for my $model ('any-format', 'only-chat') {
    my ($id, @events) = streamed(model => $model, input => 'a [[sim words=60 fault=cut at=30]]');
    my $kept = $http->get("/v1/responses/$id")->{json};
    is($kept->{status}, 'failed', "$model: a stream that broke off is kept as failed");
    my $seen = join '', map { $_->{json}{delta} }
        grep { ($_->{event} // '') eq 'response.output_text.delta' } @events;
    ok(length $seen, "$model: its client had seen a part");
    is($kept->{output}[0]{content}[0]{text}, $seen, "$model: that part is kept");

    my $left = $http->request('POST', '/v1/responses', body => {model => $model, stream => $true,
        input => 'a [[sim words=4000 gap=50]]'}, until => sub { $_[0]{body} =~ /delta.*delta.*delta/s });
    my ($gone) = MG::Http::events($left->{body});
    my $r;
    for (1 .. 400) {
        $r = $http->get("/v1/responses/$gone->{json}{response}{id}");
        last if $r->{status} == 200;
        sleep 0.1;
    }
    is($r->{json}{status}, 'cancelled', "$model: a stream whose client left is kept as cancelled");
    like($r->{json}{output}[0]{content}[0]{text}, qr/^alpha beta/, "$model: with what was made");
    my @again = MG::Http::events($http->get(
        "/v1/responses/$gone->{json}{response}{id}?stream=true")->{body});
    is($again[-1]{json}{response}{status}, 'cancelled', "$model: its stream has an end");
}

# Too large to be kept.
{
    my $r = ask(input => 'x' x (17 << 20));
    is($r->{status}, 200, 'a huge question is answered') or diag substr $r->{body}, 0, 300;
    like($r->{headers}{'x-not-stored'} // '', qr/larger/, 'and the reply says that it is not kept');
    ok(!$r->{json}{store}, 'in its body, too');
    is($http->get("/v1/responses/$r->{json}{id}")->{status}, 404, 'it is not');
    $r = ask(input => 'y' x (15 << 20));
    is($http->get("/v1/responses/$r->{json}{id}/input_items")->{status}, 200,
        'one of nearly 16 MB is kept');
}

ok($stack->audit_is_clean, 'the ledger is sound after all of it') or diag $stack->{audit};
is(scalar(grep { /not kept/ } split /\n/, $stack->log_text), 0, 'no answer was lost');
done_testing;
