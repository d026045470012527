#!/usr/bin/perl
# The simulated provider: each family, and what a script can make it say. Run: MG_SIM=path prove
# t/sim
use strict;
use warnings;

use FindBin qw($Bin);
use lib "$Bin/lib";

use JSON::PP;
use SimTest;
use Test::More;

subtest 'chat completions' => sub {
    my $o = ask('chat', 'words=3');
    is $o->{object}, 'chat.completion', 'a chat.completion comes back';
    is at($o, 'choices', 0, 'message', 'content'), 'alpha beta gamma', 'with the words asked for';
    is $o->{model}, 'sim-model-2026', 'under the name of the provider itself';
    is_deeply [ @{ $o->{usage} }{qw(prompt_tokens completion_tokens total_tokens)} ], [ 3, 3, 6 ],
        'and usage by the documented rule';
    my @e = stream('chat', 'words=3');
    is at($e[0][1], 'choices', 0, 'delta', 'role'), 'assistant', 'a stream begins with the role';
    is join('', map { at($_->[1], 'choices', 0, 'delta', 'content') // '' } @e[1 .. 3]),
        'alpha beta gamma', 'goes on word by word';
    is at($e[4][1], 'choices', 0, 'finish_reason'), 'stop', 'tells the reason';
    is $e[5][1], '[DONE]', 'and ends';
    is scalar(grep { ref $_->[1] && exists $_->[1]{usage} } @e), 0, 'no usage unless asked';
    @e = stream('chat', 'words=3', stream_options => { include_usage => JSON::PP::true });
    is_deeply $e[-2][1]{choices}, [], 'usage when asked: a chunk without choices';
    is at($e[-2][1], 'usage', 'total_tokens'), 6, 'that carries the figures';
    is scalar(grep { ref $_->[1] && defined $_->[1]{usage} } @e), 1, 'once';
    $o = ask('chat', 'words=2', n => 2);
    is scalar @{ $o->{choices} }, 2, 'n choices';
    is at($o, 'usage', 'completion_tokens'), 4, 'are all counted';
    $o = ask('chat', 'words=2', logprobs => JSON::PP::true, top_logprobs => 2);
    is scalar @{ at($o, 'choices', 0, 'logprobs', 'content') }, 2, 'logprobs when asked';
};

subtest 'completions' => sub {
    my $o = ask('completions', 'words=2', prompt => [ 'a', 'b [[sim words=2]]' ], n => 2,
                echo => JSON::PP::true);
    is $o->{object}, 'text_completion', 'a text_completion';
    is_deeply [ map { $_->{index} } @{ $o->{choices} } ], [ 0 .. 3 ], 'prompt x n + i';
    is $o->{choices}[0]{text}, 'aalpha beta', 'echo puts the prompt first';
    $o = ask('completions', 'words=30', max_tokens => 16);
    is $o->{choices}[0]{finish_reason}, 'length', 'the limit ends it';
    is $o->{usage}{completion_tokens}, 16, 'after so many tokens';
    my @e = stream('completions', 'words=2');
    is join('', map { ref $_->[1] ? $_->[1]{choices}[0]{text} : '' } @e), 'alpha beta', 'streams';
    is $e[-1][1], '[DONE]', 'and ends';
};

subtest 'messages' => sub {
    my ($o, $r) = both('messages', 'words=2');
    is $o->{type}, 'message', 'a message';
    is_deeply $o->{content}, [ { type => 'text', text => 'alpha beta', citations => undef } ],
        'text';
    is $o->{stop_reason}, 'end_turn', 'end_turn';
    ok $r->{headers}{'request-id'}, 'the header request-id';
    my @e = stream('messages', 'words=2 reasoning=2', thinking => { type => 'adaptive' });
    is names(@e), 'message_start content_block_start ping content_block_delta content_block_delta '
        . 'content_block_delta content_block_stop content_block_start content_block_delta '
        . 'content_block_delta content_block_stop message_delta message_stop',
            'the life of a stream';
    is $e[5][1]{delta}{type}, 'signature_delta', 'a signature ends the thinking';
    is $e[-2][1]{usage}{output_tokens}, 4, 'message_delta has the final figures';
    $o = ask('messages', 'words=2', max_tokens => 1);
    is $o->{stop_reason}, 'max_tokens', 'the limit ends it';
    $o = ask('messages', 'text=one%20END%20two', stop_sequences => ['END']);
    is_deeply [ @{$o}{qw(stop_reason stop_sequence)} ], [ 'stop_sequence', 'END' ], 'stop sequence';
    is $o->{content}[0]{text}, 'one ', 'cut before it';
    $o = ask('messages', 'finish=refusal text=');
    is_deeply [ $o->{stop_reason}, $o->{content} ], [ 'refusal', [] ], 'a refusal without content';
    is $o->{stop_details}{type}, 'refusal', 'with its details';
    my $c = $json->decode(post('/v1/messages/count_tokens', { model => 'x', messages =>
        [ { role => 'user', content => 'one two three' } ] })->{content});
    is_deeply $c, { input_tokens => 3 }, 'count_tokens needs no max_tokens';
};

subtest 'responses' => sub {
    my $o = ask('responses', 'words=2', metadata => { a => 'b' });
    is $o->{object}, 'response', 'a response';
    is_deeply $o->{metadata}, { a => 'b' }, 'repeats the request';
    is $o->{output}[0]{content}[0]{text}, 'alpha beta', 'text';
    my @e = stream('responses', 'words=2 reasoning=2 summary=1');
    is_deeply [ map { $_->[1]{sequence_number} } @e ], [ 0 .. $#e ], 'numbers without a gap';
    is_deeply [ grep { $_->[0] ne $_->[1]{type} } @e ], [], 'event names equal the types';
    is names(@e[ 0 .. 3 ]), 'response.created response.in_progress response.output_item.added '
        . 'response.reasoning_summary_part.added', 'begins as it must';
    is $e[-1][0], 'response.completed', 'and completes';
    is_deeply [ map { $_->{id} } @{ $e[-1][1]{response}{output} } ],
        [ map { $_->[1]{item}{id} } grep { $_->[0] eq 'response.output_item.added' } @e ],
        'the final output has the announced ids';
    $o = ask('responses', 'words=30', max_output_tokens => 16);
    is_deeply $o->{incomplete_details}, { reason => 'max_output_tokens' },
        'incomplete at the limit';
    @e = stream('responses', 'finish=failed code=server_error message=oops');
    is $e[-1][0], 'response.failed', 'response.failed';
    is $e[-1][1]{response}{error}{message}, 'oops', 'with its error';
    $o = $json->decode(post('/v1/responses/input_tokens', {})->{content});
    is $o->{object}, 'response.input_tokens', 'input_tokens takes an empty body';
    $o = $json->decode(post('/v1/responses/compact', body('responses', 'long story'))->{content});
    is $o->{object}, 'response.compaction', 'compact';
    is_deeply [ map { $_->{type} } @{ $o->{output} } ], [ 'message', 'compaction' ],
        'what it keeps';
    my $again = post('/v1/responses', body('responses', 'x', input => [ @{ $o->{output} },
        { role => 'user', content => 'go on' } ]));
    is $again->{status}, 200, 'a compaction is accepted back';
    $o = $json->decode(post('/v1/responses', body('responses', 'x', input =>
        [ { role => 'user', content => 'x' }, { type => 'compaction_trigger' } ]))->{content});
    is_deeply [ map { $_->{type} } @{ $o->{output} } ], ['compaction'], 'compaction_trigger works';
};

subtest 'paths, models, methods' => sub {
    is post('/messages', body('messages', 'x'), 'anthropic-version' => '1')->{status}, 200,
        'paths work without /v1';
    is get('/v1/models')->{object}, 'list', 'the OpenAI model list';
    my $m = $json->decode($http->get("$base/v1/models",
        { headers => { 'anthropic-version' => '2023-06-01' } })->{content});
    is $m->{data}[0]{type}, 'model', 'the Messages model list, by header';
    is $http->get("$base/v1/models/nope")->{status}, 404, 'an unknown model';
    is $http->get("$base/v1/responses", { headers => { upgrade => 'websocket' } })->{status}, 426,
        'no WebSocket';
    is $http->get("$base/v1/messages")->{status}, 405, 'only POST';
    is $http->post("$base/v1/none")->{status}, 404, 'unknown path';
    is post('/v1/messages', '{"a"')->{status}, 400, 'broken JSON';
};

subtest 'what is said' => sub {
    for my $f (qw(chat messages responses)) {
        my $t = $json->encode(ask($f, 'text=gr%C3%BC%C3%9Fe%20dich'));
        like $t, qr/gr\x{c3}\x{bc}\x{c3}\x{9f}e dich/, "$f: text= is percent-decoded UTF-8";
    }
    my $o = ask('chat', 'bytes=1000');
    is length at($o, 'choices', 0, 'message', 'content'), 1000, 'bytes=1000';
    my @e = stream('chat', 'bigline=4000000');
    is length(at($e[1][1], 'choices', 0, 'delta', 'content')), 4000000, 'bigline= is one delta';
    is at(ask('chat', 'refusal=No'), 'choices', 0, 'message', 'refusal'), 'No', 'refusal in chat';
    is ask('messages', 'refusal=No')->{stop_reason}, 'refusal', 'refusal in messages';
    is ask('responses', 'refusal=No')->{output}[0]{content}[0]{type}, 'refusal', 'and in responses';
    is ask('chat', 'echo-model=power-ai')->{model}, 'power-ai', 'echo-model=';
    is ask('chat', 'id=abc created=5')->{id}, 'chatcmpl-abc', 'id=';
    is at(ask('chat', 'finish=weird'), 'choices', 0, 'finish_reason'), 'weird', 'finish= anything';
    is at(ask('chat', 'finish=length'), 'choices', 0, 'finish_reason'), 'length', 'finish=length';
    is ask('messages', 'finish=length')->{stop_reason}, 'max_tokens', 'in the words of the family';
    is_deeply [ map { $_->{type} } @{ ask('messages', 'parts=text,reasoning,tool,text reasoning=2 '
        . 'tool=get_weather', tools => [$mtool], thinking => { type => 'adaptive' })->{content} } ],
        [qw(text thinking tool_use text)], 'parts= orders the answer';
    my ($e, $r) = both('chat', 'wrods=3');
    is $r->{status}, 400, 'a misspelt command is refused';
    like $e->{error}{message}, qr/wrods/, 'and named';
    $o = post($path{chat}, body('chat', 'plain'), 'x-sim' => 'text=from%20header; out=9');
    like $o->{content}, qr/from header/, 'the header x-sim scripts, too';
};

subtest 'tools' => sub {
    my $o = ask('chat', 'tool=get_weather args=%7B%22city%22:%22Oslo%22%7D', tools => [$ftool]);
    my $m = at($o, 'choices', 0, 'message');
    is $m->{content}, undef, 'a call alone has null content';
    is at($m, 'tool_calls', 0, 'function', 'arguments'), '{"city":"Oslo"}', 'arguments as given';
    is at($o, 'choices', 0, 'finish_reason'), 'tool_calls', 'tool_calls';
    $o = ask('chat', 'tool=auto tools=3 text=Look', tools => [$ftool]);
    is scalar @{ at($o, 'choices', 0, 'message', 'tool_calls') }, 3, 'three calls beside a text';
    is at($o, 'choices', 0, 'message', 'tool_calls', 1, 'function', 'arguments'),
        '{"city":"simulated"}', 'arguments made from the schema';
    my @e = stream('chat', 'tool=auto tools=2 interleave=1', tools => [$ftool]);
    my @i = map { at($_->[1], 'choices', 0, 'delta', 'tool_calls', 0, 'index') // () }
        grep { ref $_->[1] && at($_->[1], 'choices', 0, 'delta', 'tool_calls') } @e;
    is "@i[0 .. 5]", '0 1 0 1 0 1', 'interleaved by index';
    @e = stream('chat', 'tool=auto args-chunk=0', tools => [$ftool]);
    is at($e[1][1], 'choices', 0, 'delta', 'tool_calls', 0, 'function', 'arguments'),
        '{"city":"simulated"}', 'args-chunk=0: all at once with the name';
    @e = stream('chat', 'tool=auto tool-index=omit', tools => [$ftool]);
    ok !exists at($e[1][1], 'choices', 0, 'delta', 'tool_calls', 0)->{index}, 'tool-index=omit';
    @e = stream('chat', 'words=1 empty-tool-calls=1');
    is_deeply at($e[1][1], 'choices', 0, 'delta', 'tool_calls'), [], 'empty-tool-calls=1';
    $o = ask('messages', 'tool=get_weather', tools => [$mtool]);
    is $o->{stop_reason}, 'tool_use', 'tool_use';
    is_deeply $o->{content}[0]{input}, { city => 'simulated' }, 'input is an object';
    @e = stream('messages', 'tool=get_weather', tools => [$mtool]);
    is join('', map { $_->[1]{delta}{partial_json} // '' }
            grep { $_->[0] eq 'content_block_delta' } @e),
        '{"city":"simulated"}', 'input_json_delta';
    @e = stream('responses', 'tool=get_weather', tools => [$rtool]);
    my ($done) = grep { $_->[0] eq 'response.function_call_arguments.done' } @e;
    is_deeply [ @{ $done->[1] }{qw(name arguments)} ], [ 'get_weather', '{"city":"simulated"}' ],
        'function_call_arguments.done';
    is names(stream('responses', 'tool=auto done-only=2', tools => [$rtool])),
        'response.created response.in_progress response.output_item.added '
        . 'response.output_item.done response.completed', 'done-only=2';
    my $custom = { type => 'custom', name => 'apply_patch' };
    $o = ask('responses', 'tool=apply_patch input=a%0Ab', tools => [$custom]);
    is_deeply [ @{ $o->{output}[0] }{qw(type input)} ], [ 'custom_tool_call', "a\nb" ],
        'custom tool';
    $o = ask('responses', 'tool=t2', tools => [ { type => 'namespace', name => 'ns', tools =>
        [ { type => 'function', name => 't2' } ] } ]);
    is $o->{output}[0]{namespace}, 'ns', 'a tool of a namespace';
    $o = ask('chat', 'words=1', tools => [$ftool], tool_choice => 'required');
    is at($o, 'choices', 0, 'message', 'tool_calls', 0, 'function', 'name'), 'get_weather',
        'a forced call is made without a command';
    my $call = { id => 'c1', type => 'function', function => { name => 'get_weather',
                                                               arguments => '{}' } };
    $o = $json->decode(post($path{chat}, { model => 'm', tools => [$ftool], messages => [
        { role => 'user', content => 'hi [[sim tool=get_weather]]' },
        { role => 'assistant', tool_calls => [$call] },
        { role => 'tool', tool_call_id => 'c1', content => '21 degrees' } ] })->{content});
    like at($o, 'choices', 0, 'message', 'content'), qr/21 degrees/,
        'after the result it says something';
};

subtest 'agent' => sub {
    my $bash = { name => 'Bash', input_schema => { type => 'object', required => [qw(command)],
        properties => { command => { type => 'string' }, description => { type => 'string' } } } };
    my $o = ask('messages', 'agent=ls%20-l agent=pwd', tools => [$bash]);
    is_deeply $o->{content}[0]{input}, { command => 'ls -l',
        description => 'Run the scripted command' },
        'Bash is called with the first command';
    my @m = ({ role => 'user', content => 'hi [[sim agent=ls%20-l agent=pwd]]' },
             { role => 'assistant', content => [ { type => 'tool_use', id => 'a', name => 'Bash',
                                                   input => {} } ] },
             { role => 'user', content => [ { type => 'tool_result', tool_use_id => 'a',
                                              content => 'total 0' } ] });
    $o = $json->decode(post($path{messages}, { model => 'm', max_tokens => 99, tools => [$bash],
                                               messages => \@m })->{content});
    is $o->{content}[0]{input}{command}, 'pwd', 'then with the second';
    push @m, { role => 'assistant', content => [ { type => 'tool_use', id => 'b', name => 'Bash',
                                                   input => {} } ] },
             { role => 'user', content => [ { type => 'tool_result', tool_use_id => 'b',
                                              content => [ { type => 'text',
                                                  text => '/home' } ] } ] };
    $o = $json->decode(post($path{messages}, { model => 'm', max_tokens => 99, tools => [$bash],
                                               messages => \@m })->{content});
    like $o->{content}[0]{text}, qr{/home}, 'and tells the last output';
    my $shell = { type => 'function', name => 'shell', parameters => { type => 'object', required =>
        ['command'], properties => { command => { type => 'array' },
            n => { type => 'integer' } } } };
    $o = ask('responses', 'agent=ls', tools => [$shell]);
    is $o->{output}[0]{arguments}, '{"command":["bash","-lc","ls"]}', 'a shell that takes a list';
    $o = $json->decode(post($path{responses}, { model => 'm', input => [
        { type => 'additional_tools', role => 'developer', tools => [ { type => 'namespace',
            name => 'functions', tools => [ { type => 'custom', name => 'exec' } ] } ] },
        { role => 'user', content => 'x [[sim agent=ls]]' } ] })->{content});
    is $o->{output}[0]{type}, 'custom_tool_call', 'a free-text exec in additional_tools';
    like $o->{output}[0]{input}, qr/exec_command\(\{"cmd":"ls"\}\)/, 'gets a program';
    $o = ask('responses', 'agent=ls', tools => [ { type => 'local_shell' } ]);
    is $o->{output}[0]{action}{command}[2], 'ls', 'local_shell';
    is ask('chat', 'agent=ls')->{choices}[0]{finish_reason}, 'stop',
        'without tools: a short answer';
};

subtest 'structured output' => sub {
    my $schema = { type => 'object', additionalProperties => JSON::PP::false,
        required => [qw(title n list kind)], properties => { title => { type => 'string' },
            n => { type => 'integer' }, list => { type => 'array', items => { type => 'string' } },
            kind => { enum => [ 'a', 'b' ] } } };
    my $want = { title => 'simulated', n => 1, list => [], kind => 'a' };
    my $o = ask('chat', '', response_format => { type => 'json_schema', json_schema =>
        { name => 's', strict => JSON::PP::true, schema => $schema } });
    is_deeply $json->decode(at($o, 'choices', 0, 'message', 'content')), $want, 'chat';
    $o = ask('responses', '', text => { format => { type => 'json_schema', name => 's',
                                                    schema => $schema } });
    is_deeply $json->decode($o->{output}[0]{content}[0]{text}), $want, 'responses';
    $o = ask('messages', '', output_config => { format => { type => 'json_schema',
                                                            schema => $schema } });
    is_deeply $json->decode($o->{content}[0]{text}), $want, 'messages';
    $o = $json->decode(post($path{chat}, body('chat', 'as json', response_format =>
        { type => 'json_object' }))->{content});
    is at($o, 'choices', 0, 'message', 'content'), '{"ok":true}', 'json_object';
};

subtest 'reasoning and what must come back unaltered' => sub {
    my $o = ask('messages', 'reasoning=3 words=1', thinking => { type => 'adaptive' });
    my $t = $o->{content}[0];
    is $t->{thinking}, 'alpha beta gamma', 'thinking';
    is $o->{usage}{output_tokens_details}{thinking_tokens}, 3, 'is counted';
    my $back = sub {
        my (%edit) = @_;
        return post($path{messages}, { model => 'm', max_tokens => 9, messages => [
            { role => 'user', content => 'x' }, { role => 'assistant', content =>
                [ { %$t, %edit }, { type => 'text', text => 'y' } ] },
            { role => 'user', content => 'z' } ] });
    };
    is $back->()->{status}, 200, 'it is accepted back';
    my $r = $back->(thinking => 'alpha beta delta');
    is $r->{status}, 400, 'but not altered';
    like $r->{content}, qr/Invalid `signature` in `thinking` block/, 'in the words of the original';
    is $back->(signature => 'AAAA')->{status}, 400, 'nor with a forged signature';
    $o = ask('messages', 'reasoning=3', thinking => { type => 'adaptive', display => 'omitted' });
    is $o->{content}[0]{thinking}, '', 'display omitted';
    $t = $o->{content}[0];
    is $back->()->{status}, 200, 'that one is accepted back, too';
    $o = ask('messages', 'reasoning=3 redacted=1', thinking => { type => 'adaptive' });
    $t = $o->{content}[0];
    is $t->{type}, 'redacted_thinking', 'redacted';
    is $back->()->{status}, 200, 'and accepted back';
    is $back->(data => 'QUJD')->{status}, 400, 'but not altered';

    $o = ask('responses', 'reasoning=2', include => ['reasoning.encrypted_content']);
    my $item = $o->{output}[0];
    ok $item->{encrypted_content}, 'encrypted reasoning when asked for';
    is $o->{usage}{output_tokens_details}{reasoning_tokens}, 2, 'is counted';
    my $with = sub {
        return post($path{responses}, body('responses', 'x', input => [
            { role => 'user', content => 'x' }, { %$item, @_ }, $o->{output}[1],
            { role => 'user', content => 'y' } ]));
    };
    is $with->()->{status}, 200, 'accepted back';
    like $with->(encrypted_content => 'Z' . substr($item->{encrypted_content}, 1))->{content},
        qr/invalid_encrypted_content/, 'not altered';
    like $with->(id => 'rs_other')->{content}, qr/did not match/, 'nor under another id';
    is_deeply ask('responses', 'reasoning=2')->{output}[0]{summary}, [], 'no summary unless asked';
    $o = ask('responses', 'reasoning=2', reasoning => { summary => 'auto' });
    is $o->{output}[0]{summary}[0]{text},
        'alpha beta', 'a summary when asked';
    is ask('responses', 'reasoning=2 reasoning-text=1')->{output}[0]{content}[0]{type},
        'reasoning_text', 'open reasoning text';
    is at(ask('chat', 'reasoning=2 reasoning-field=reasoning_content'), 'choices', 0, 'message',
          'reasoning_content'), 'alpha beta', 'a reasoning member in chat';
};

done_testing;
