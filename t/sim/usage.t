#!/usr/bin/perl
# The simulated provider: usage figures, and the ways they can be wrong.
# Run: MG_SIM=path prove t/sim
use strict;
use warnings;

use FindBin qw($Bin);
use lib "$Bin/lib";

use JSON::PP;
use SimTest;
use Test::More;

subtest 'usage' => sub {
    my $set = 'in=10 out=20 cache_read=5 cache_write_5m=3 cache_write_1h=2 reasoning_tokens=7';
    my $u = ask('chat', $set)->{usage};
    is_deeply [ $u->{prompt_tokens}, $u->{completion_tokens}, $u->{total_tokens},
        $u->{prompt_tokens_details}{cached_tokens}, $u->{prompt_tokens_details}{cache_write_tokens},
        $u->{completion_tokens_details}{reasoning_tokens} ], [ 20, 20, 40, 5, 5, 7 ],
        'chat counts the cache into its prompt';
    $u = ask('responses', $set)->{usage};
    is_deeply [ $u->{input_tokens}, $u->{output_tokens},
        $u->{input_tokens_details}{cached_tokens} ],
        [ 20, 20, 5 ], 'responses too';
    $u = ask('messages', $set)->{usage};
    is_deeply [ $u->{input_tokens}, $u->{output_tokens}, $u->{cache_read_input_tokens},
        $u->{cache_creation_input_tokens}, $u->{cache_creation}{ephemeral_5m_input_tokens},
        $u->{cache_creation}{ephemeral_1h_input_tokens} ], [ 10, 20, 5, 5, 3, 2 ],
        'messages does not';
    for my $f (qw(chat messages responses)) {
        ok !exists ask($f, 'usage=missing')->{usage}, "$f: usage=missing";
        ok !defined ask($f, 'usage=null')->{usage}, "$f: usage=null";
        my $out = $f eq 'chat' ? 'completion_tokens' : 'output_tokens';
        is ask($f, 'usage=zero')->{usage}{$out}, 0, "$f: usage=zero";
        is ask($f, 'usage-json=%7B%22x%22:1%7D')->{usage}{x}, 1, "$f: usage-json=";
    }
    my $asked = { include_usage => JSON::PP::true };
    my $count = sub {
        return scalar grep { ref $_->[1] && defined $_->[1]{usage} } stream('chat', "words=2 $_[0]",
            stream_options => $asked);
    };
    is $count->('usage=missing'), 0, 'a stream without usage';
    is $count->('usage=double'), 2, 'with usage twice';
    is $count->('usage=each'), 4, 'with usage in every chunk';
    my @e = stream('chat', 'usage=early', stream_options => $asked);
    ok $e[0][1]{usage}, 'early: in the first chunk';
    @e = stream('chat', 'usage=finish', stream_options => $asked);
    ok $e[-2][1]{usage} && $e[-2][1]{choices}[0]{finish_reason}, 'finish: beside the reason';
    @e = stream('chat', 'usage=late', stream_options => $asked);
    is scalar @{ $e[-2][1]{choices} }, 1, 'late: beside a choice';
    ok scalar(grep { ref $_->[1] && $_->[1]{usage} } stream('chat', 'usage=always')),
        'always: unasked';
    @e = stream('messages', 'usage=late in=9');
    is $e[0][1]{message}{usage}{input_tokens}, 0, 'messages, late: zero at the start';
    is $e[-2][1]{usage}{input_tokens}, 9, 'and all at the end';
    @e = stream('messages', 'usage=early out=9');
    is $e[0][1]{message}{usage}{output_tokens}, 9, 'messages, early: all at the start';
    @e = stream('messages', 'usage=double');
    is scalar(grep { $_->[0] eq 'message_delta' } @e), 2, 'messages, double: two message_delta';
    @e = stream('responses', 'usage=early');
    ok $e[0][1]{response}{usage} && !$e[-1][1]{response}{usage}, 'responses, early';
    my $image = ask('messages', '', messages => [ { role => 'user', content => [
        { type => 'text', text => 'two words' }, { type => 'image', source => { type => 'base64',
            media_type => 'image/png', data => 'AAAA' } } ] } ])->{usage}{input_tokens};
    is $image, 2 + 100, 'an image counts 100';
    my $tools = ask('chat', '', tools => [$ftool])->{usage}{prompt_tokens};
    is $tools, 2 + 1 + 1 + 1, 'words of text, of the tool name, and of its strings are counted';
};

done_testing;
