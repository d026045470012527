#!/usr/bin/perl
# The simulated provider: what it refuses, in the words of the real ones. Run: MG_SIM=path prove
# t/sim
use strict;
use warnings;

use FindBin qw($Bin);
use lib "$Bin/lib";

use JSON::PP;
use SimTest;
use Test::More;

subtest 'strict as the real one' => sub {
    my $no = sub {
        my ($family, $like, %more) = @_;
        my $r = post($path{$family}, body($family, 'x', %more));
        is $r->{status}, 400, "$family: " . substr($like, 0, 60);
        like $r->{content}, qr/$like/, '  says so';
        $r = post($path{$family}, body($family, 'x', %more), 'x-sim' => 'strict=0');
        is $r->{status}, 200, '  strict=0 lets it pass';
    };
    my $use = sub { return { type => 'tool_use', id => $_[0], name => 'f', input => {} } };
    my $result = sub { return { type => 'tool_result', tool_use_id => $_[0], content => 'r' } };
    my $user = { role => 'user', content => 'x' };
    $no->('messages', 'xyz: Extra inputs are not permitted', xyz => 1);
    $no->('messages', 'context_management: Extra inputs', context_management => {});
    $no->('messages', 'max_tokens: Field required', max_tokens => undef);
    $no->('messages', 'messages.0.role: Input should be', messages => [ { role => 'tool',
        content => 'x' } ]);
    $no->('messages', 'first message must use', messages => [ { role => 'assistant',
        content => 'x' } ]);
    $no->('messages', 'text content blocks must be non-empty', messages => [ { role => 'user',
        content => [ { type => 'text', text => '' } ] } ]);
    $no->('messages', 'non-whitespace text', messages => [ { role => 'user',
        content => [ { type => 'text', text => " \n" } ] } ]);
    $no->('messages', 'must have non-empty content', messages => [ { role => 'user',
        content => '' } ]);
    $no->('messages', 'without `tool_result` blocks immediately after: a',
          messages => [ $user, { role => 'assistant', content => [ $use->('a') ] }, $user ]);
    $no->('messages', 'unexpected `tool_use_id`', messages => [ $user, { role => 'assistant',
        content => 'y' }, { role => 'user', content => [ $result->('a') ] } ]);
    $no->('messages', 'tool_use.id: String should match pattern', messages => [ $user,
        { role => 'assistant', content => [ $use->('f.Bash:0') ] },
        { role => 'user', content => [ $result->('f.Bash:0') ] } ]);
    $no->('messages', 'cache_control|text.foo: Extra', messages => [ { role => 'user',
        content => [ { type => 'text', text => 'x', foo => 1 } ] } ]);
    $no->('messages', 'media_type', messages => [ { role => 'user', content => [ { type => 'image',
        source => { type => 'base64', media_type => 'image/bmp', data => '' } } ] } ]);
    $no->('messages', 'custom.name: String should match', tools => [ { name => 'a b',
        input_schema =>
        { type => 'object' } } ]);
    $no->('messages', 'description: Input should be', tools => [ { %$mtool,
        description => undef } ]);
    $no->('messages', 'tool_choice.none.disable', tools => [$mtool], tool_choice =>
        { type => 'none', disable_parallel_tool_use => JSON::PP::true });
    $no->('messages', 'forces tool use', tools => [$mtool], tool_choice => { type => 'any' },
          thinking => { type => 'enabled', budget_tokens => 1024 });
    $no->('messages', 'must be greater than `thinking.budget', thinking => { type => 'enabled',
        budget_tokens => 9000 });
    $no->('messages', 'greater than or equal to 1024', thinking => { type => 'enabled',
        budget_tokens => 100 });
    $no->('messages', 'cannot both be specified', temperature => 0.5, top_p => 0.5);
    $no->('messages', 'temperature: range', temperature => 1.5);
    $no->('messages', "'minimum' is not supported", output_config => { format => { type =>
        'json_schema', schema => { type => 'object', additionalProperties => JSON::PP::false,
            properties => { n => { type => 'integer', minimum => 1 } } } } });
    $no->('messages', 'must start with a thinking block', messages => [ $user,
        { role => 'assistant',
        content => [ $use->('a') ] }, { role => 'user', content => [ $result->('a') ] } ],
        thinking => { type => 'enabled', budget_tokens => 1024 }, tools => [$mtool]);
    is post($path{messages}, body('messages', 'x'), 'anthropic-version' => '')->{status}, 200,
        'messages: any version';
    is $http->post($base . $path{messages}, { content => $json->encode(body('messages', 'x')) })
        ->{status}, 400, 'messages: but a version header';
    is post($path{messages}, body('messages', 'x', context_management => {}),
        'anthropic-beta' => 'b')
        ->{status}, 200, 'messages: beta members with a beta header';
    is post($path{messages}, body('messages', 'x', messages => [ $user, { role => 'system',
        content => 's' } ]), 'x-sim' => 'no-system-role=1')->{status}, 400,
            'messages: no-system-role';
    is post($path{messages}, body('messages', 'x', messages => [ $user, { role => 'assistant',
        content => [ $use->('a'), $use->('b') ] }, { role => 'user',
            content => [ $result->('b') ] },
        { role => 'user', content => [ $result->('a'), { type => 'text', text => 't' } ] } ]))
        ->{status}, 200, 'messages: results in two user messages are fine';

    my $call = { id => 'c', type => 'function', function => { name => 'f', arguments => '{}' } };
    $no->('chat', 'Unrecognized request argument supplied: xyz', xyz => 1);
    $no->('chat', 'must be a response to a preceeding', messages => [ $user,
        { role => 'tool', tool_call_id => 'c', content => 'r' } ]);
    $no->('chat', 'did not have response messages: c', messages => [ $user,
        { role => 'assistant', tool_calls => [$call] }, $user ]);
    $no->('chat', 'maximum length 64', tools => [ { type => 'function', function =>
        { name => 'n' x 65 } } ]);
    $no->('chat', 'is only allowed when', tool_choice => 'auto');
    $no->('chat', 'empty array', tools => []);
    $no->('chat', "when 'store' is enabled", metadata => { a => 'b' });
    $no->('chat', 'same time is not supported', max_tokens => 1, max_completion_tokens => 2);
    $no->('chat', "Supported values are: 'text'", messages => [ { role => 'user', content =>
        [ { type => 'input_text', text => 'x' } ] } ]);
    $no->('chat', "contain the word 'json'", response_format => { type => 'json_object' });
    $no->('chat', "Missing 'a'", response_format => { type => 'json_schema',
        json_schema => { name =>
        's', strict => JSON::PP::true, schema => { type => 'object', required => [],
            additionalProperties => JSON::PP::false, properties => { a => {} } } } });

    my $fc = { type => 'function_call', call_id => 'c', name => 'f', arguments => '{}' };
    my $fo = { type => 'function_call_output', call_id => 'c', output => 'r' };
    $no->('responses', "Unknown parameter: 'stop'", stop => ['x']);
    $no->('responses', "moved to 'text.format'", response_format => {});
    $no->('responses', 'integer below minimum value', max_output_tokens => 1);
    $no->('responses', 'No tool call found', input => [ $user, $fo ]);
    $no->('responses', 'No tool output found', input => [ $user, $fc ]);
    $no->('responses', 'maximum length 64', input => [ $user, { %$fc, call_id => 'c' x 65 },
        { %$fo, call_id => 'c' x 65 } ]);
    $no->('responses', "begins with 'fc'", input => [ $user, { %$fc, id => 'call_1' }, $fo ]);
    $no->('responses', "'output_text' and 'refusal'", input => [ { role => 'assistant', content =>
        [ { type => 'input_text', text => 'x' } ] } ]);
    $no->('responses', 'previous_response_not_found', previous_response_id => 'resp_x');
    $no->('responses', 'expected an image URL', input => [ { role => 'user', content => [ { type =>
        'input_image', image_url => { url => 'x' } } ] } ]);
    is post($path{responses}, body('responses', 'x', input => [ $user, $fc, $user,
        $fo ]))->{status},
        200, 'responses: an answered call is fine';
    is post($path{chat}, body('chat', 'x', max_tokens => 9000),
        'x-sim' => 'max-out=4096')->{status},
        400, 'max-out=';
};

done_testing;
