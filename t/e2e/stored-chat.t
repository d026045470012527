# Chat completions that are kept: listed, read, changed, deleted, with their messages, on every
# kind of upstream, and by their account alone.
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
my $path = '/v1/chat/completions';
my $stack = MG::Stack->new(conf => {drain_seconds => 1});
my $sim = MG::Sim->new($stack);
MG::Kinds::offer($stack);
my (undef, $key) = $stack->account(1000);
my (undef, $other_key) = $stack->account(1000);
my $http = MG::Http->new($stack, key => $key);
my $other = MG::Http->new($stack, key => $other_key);

sub ask {
    my ($text, %body) = @_;
    return $http->post($path, {model => 'any-format', store => $true,
        messages => [{role => 'user', content => $text}], %body});
}

for my $kind (MG::Kinds::kinds()) {
    my ($model, $on) = ($kind->{model}, "$kind->{formats} upstream");
    my $format = {type => 'json_object'};
    my $whole = ask('Hi, JSON', model => $model, metadata => {run => $model, k => 'v'}, temperature => 0.5, user => 'ada',
        response_format => $format);
    my $id = $whole->{json}{id};
    my $kept = $http->get("$path/$id")->{json};
    is_deeply(delete $kept->{metadata}, {run => $model, k => 'v'}, "$on: metadata is kept");
    my %asked = map { ($_ => delete $kept->{$_}) } qw(request_id temperature top_p presence_penalty
        frequency_penalty seed input_user tools tool_choice response_format);
    is_deeply(\%asked, {request_id => $whole->{headers}{'x-request-id'}, temperature => 0.5, top_p => 1,
        presence_penalty => 0, frequency_penalty => 0, seed => undef, input_user => 'ada', tools => undef,
        tool_choice => undef, response_format => $format}, "$on: and what was asked");
    is_deeply($kept, $whole->{json}, "$on: a completion is read as it was given");
    my $tools = [{type => 'function', function => {name => 'f', parameters => {type => 'object',
        properties => {city => {type => 'string'}}, required => ['city']}}}];
    my $stream = ask('Call', model => $model, stream => $true, tools => $tools, seed => undef,
        tool_choice => 'required', metadata => {run => $model});
    my @events = MG::Http::events($stream->{body});
    my $sid = $events[0]{json}{id};
    my $read = $http->get("$path/$sid")->{json};
    my $args = join '', map { $_->{function}{arguments} // '' }
        map { @{$_->{json}{choices}[0]{delta}{tool_calls} || []} }
        grep { $_->{json} && @{$_->{json}{choices}} } @events;
    is($read->{choices}[0]{finish_reason}, 'tool_calls', "$on: a stream is kept with its end");
    is($read->{choices}[0]{message}{tool_calls}[0]{function}{arguments}, $args,
        "$on: and what it called");
    is($read->{object}, 'chat.completion', "$on: as one object");
    is_deeply([@$read{qw(tools tool_choice)}], [$tools, 'required'], "$on: with the tools that it had");
    ok($read->{usage}{prompt_tokens} > 0, "$on: with its usage, although it was not asked for");
    my $list = $http->get("$path?metadata%5Brun%5D=$model&metadata%5Bk%5D=v&model=$model")->{json};
    is_deeply([map { $_->{id} } @{$list->{data}}], [$id], "$on: it is found by its metadata");
    my $changed = $http->request('PATCH', "$path/$id", body => {metadata => {new => "w\xc3\xa9"}});
    is($changed->{json}{metadata}{new}, "w\xc3\xa9", "$on: its metadata is changed");
    is(scalar @{$http->get("$path?metadata%5Bk%5D=v&model=$model")->{json}{data}}, 0,
        "$on: and it is found no more by what it was");
    my $gone = $http->request('DELETE', "$path/$id");
    is_deeply($gone->{json}, {object => 'chat.completion.deleted', id => $id, deleted => $true},
        "$on: it is deleted");
    is($http->get("$path/$id")->{status}, 404, "$on: and gone");
    is(scalar @{$http->get("$path?metadata%5Bnew%5D=w%C3%A9")->{json}{data}}, 0,
        "$on: from the list, too");
}

is($http->get("$path/" . ask('x', store => $false)->{json}{id})->{status}, 404,
    'nothing is kept unless that is asked for');
is($http->get("$path/" . $http->post($path, {model => 'any-format',
    messages => [{role => 'user', content => 'x'}]})->{json}{id})->{status}, 404,
    'also when nothing is said of it');

# Pages.
{
    my @ids = map { ask("n$_", metadata => {set => 'pages'})->{json}{id} } 1 .. 5;
    for my $order ('asc', 'desc') {
        my (@seen, $after);
        for (1 .. 9) {
            my $page = $http->get("$path?limit=2&order=$order&metadata%5Bset%5D=pages"
                . ($after ? "&after=$after" : ''))->{json};
            push @seen, map { $_->{id} } @{$page->{data}};
            $after = $page->{last_id};
            last unless $page->{has_more};
        }
        is("@seen", join(' ', $order eq 'asc' ? @ids : reverse @ids), "the list in pages, $order");
    }
    is($http->get("$path?limit=0")->{status}, 422, 'a page has at least one entry');
    is($http->get("$path?order=up")->{status}, 422, 'an unknown order is refused');
    is($http->get("$path?after=chatcmpl-none")->{status}, 400, 'an unknown cursor is refused');
}

# Messages.
{
    my $id = $http->post($path, {model => 'any-format', store => $true, messages => [
        {role => 'system', content => 'Be brief.'},
        {role => 'user', content => [{type => 'text', text => 'a'}, {type => 'text', text => 'b'}]},
        {role => 'user', content => 'c', name => 'ada'},
    ]})->{json}{id};
    my $all = $http->get("$path/$id/messages")->{json};
    is_deeply([map { $_->{id} } @{$all->{data}}], ["$id-0", "$id-1", "$id-2"],
        'messages have ids, oldest first');
    is_deeply($all->{data}[1]{content_parts}, [{type => 'text', text => 'a'},
        {type => 'text', text => 'b'}], 'parts are shown as parts');
    my $page = $http->get("$path/$id/messages?limit=1&after=$id-1")->{json};
    is($page->{data}[0]{content}, 'c', 'messages in pages');
    ok(!$page->{has_more}, 'to their end');
    is($http->get("$path/$id/messages?order=desc&limit=2")->{json}{last_id}, "$id-1",
        'and backwards');
    is($http->get("$path/$id/messages?after=$id-9")->{status}, 400,
        'an unknown cursor is refused');
}

# What may be metadata.
{
    my $id = ask('x')->{json}{id};
    is_deeply($http->get("$path/$id")->{json}{metadata}, {}, 'without metadata there is none');
    my %bad = (
        'seventeen pairs' => {map { ("k$_" => 'v') } 1 .. 17},
        'a long key' => {'k' x 65 => 'v'},
        'a long value' => {k => 'v' x 513},
        'a number' => {k => 1},
        'a list' => ['k'],
    );
    for my $what (sort keys %bad) {
        is($http->request('PATCH', "$path/$id", body => {metadata => $bad{$what}})->{status}, 422,
            "metadata with $what is refused");
        is(ask('x', metadata => $bad{$what})->{status}, 422, "at once, too: $what");
    }
    my ($char, $face) = ("\xe4\xbd\xa0", "\xf0\x9f\x98\x80"); # of three and four bytes
    my $most = {map { (sprintf('%02d', $_) . $char x 62 => $face x 512) } 1 .. 16};
    is_deeply($http->post("$path/$id", {metadata => $most})->{json}{metadata}, $most,
        'the most there may be is kept, by POST as well');
    is_deeply($http->post("$path/$id", {metadata => undef})->{json}{metadata}, {}, 'null clears it');
    is($http->post("$path/$id", {})->{status}, 422, 'a change has to say what it changes');
}

# Whose it is.
{
    my $mine = ask('Mine')->{json}{id};
    my @routes = (['GET', ''], ['GET', '/messages'], ['PATCH', ''], ['POST', ''], ['DELETE', '']);
    for my $route (@routes) {
        my ($method, $rest) = @$route;
        my @body = $method =~ /^P/ ? (body => {metadata => {a => 'b'}}) : ();
        for my $id ($mine, 'chatcmpl-nobodys') {
            is($other->request($method, "$path/$id$rest", @body)->{status}, 404,
                "$method $rest of a foreign or unknown completion: 404");
        }
        for my $bad ('a' x 129, 'with%20space', 'sl%2Fash') {
            my $r = $http->request($method, "$path/$bad$rest", @body);
            is($r->{status}, 422, "$method $rest of what can be no id: 422");
            is_deeply($r->{json}{detail}[0]{loc}, ['path', 'completion_id'], 'and says where');
        }
    }
    is_deeply($other->get($path)->{json}, {object => 'list', data => [], first_id => undef,
        last_id => undef, has_more => $false}, 'another account has a list of its own');
    is($other->get("$path?after=$mine")->{status}, 400, 'a foreign cursor is refused');
    is($http->get("$path/$mine")->{status}, 200, 'it is still there for its owner');
    is($http->get("/v1/responses/$mine")->{status}, 404, 'it is no response');
}

# Cut streams.
for my $model ('any-format', 'only-messages') {
    my $cut = ask('a [[sim words=60 fault=cut at=20]]', model => $model, stream => $true);
    my @events = MG::Http::events($cut->{body});
    my $kept = $http->get("$path/$events[0]{json}{id}")->{json};
    my $seen = join '', map { $_->{json}{choices}[0]{delta}{content} // '' }
        grep { $_->{json} && $_->{json}{choices} } @events;
    ok(length $seen, "$model: a stream breaks off after a part");
    is($kept->{choices}[0]{message}{content}, $seen, "$model: that part is kept");
    is($kept->{choices}[0]{finish_reason}, 'length', "$model: and not as a whole answer");
    ok($kept->{error}{message}, "$model: with the error that its client was told");
}

ok($stack->audit_is_clean, 'the ledger is sound after all of it') or diag $stack->{audit};
is(scalar(grep { /not kept/ } split /\n/, $stack->log_text), 0, 'no answer was lost');
done_testing;
