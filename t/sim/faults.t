#!/usr/bin/perl
# The simulated provider: times, framing, and everything that can break. Run: MG_SIM=path prove
# t/sim
use strict;
use warnings;

use FindBin qw($Bin);
use lib "$Bin/lib";

use IO::Uncompress::Gunzip qw(gunzip);
use JSON::PP;
use SimTest;
use Test::More;
use Time::HiRes qw(sleep time);

subtest 'time' => sub {
    my $t = time;
    ask('chat', 'delay=300');
    cmp_ok time - $t, '>=', 0.29, 'delay= before the head';
    $t = time;
    stream('chat', 'words=10 first=200 gap=20');
    my $took = time - $t;
    ok $took >= 0.4 && $took < 1.5, "first= and gap= between events ($took s)";
    my @reads;
    raw('chat', 'words=3 gap=50 close=1', reads => \@reads);
    cmp_ok scalar @reads, '>=', 5, 'each event is a write of its own';
    @reads = ();
    raw('chat', 'words=3 gap=50 events-per-write=3 close=1', reads => \@reads);
    cmp_ok scalar @reads, '<=', 4, 'events-per-write=3 joins them';
};

subtest 'framing' => sub {
    my $text = 'text=a%20b%20%C3%A9%20c';
    for my $v ('crlf=1', 'eol=cr', 'comments=1', 'nospace=1', 'multiline=1', 'nofinal=1', 'bom=1',
               'chunk=1', 'chunk=7 chunk-gap=1') {
        my @e = stream('messages', "$text $v");
        is join('', map { ref $_->[1] ? $_->[1]{delta}{text} // '' : '' } @e), "a b \x{e9} c",
            "$v carries the same text";
        is $e[-1][0], 'message_stop', '  to the end';
    }
    my $content = sub {
        return post($path{messages}, body('messages', "x [[sim $_[0]]]", stream => JSON::PP::true))
            ->{content};
    };
    like $content->('crlf=1'), qr/^event: message_start\r\ndata: .*\r\n\r\n/, 'CRLF';
    like $content->('eol=cr'), qr/^event: message_start\rdata: [^\n]*\r\r/, 'CR';
    like $content->('comments=1'), qr/^: simulated comment\n/, 'comment lines';
    like $content->('nospace=1'), qr/^event:message_start\ndata:\{/, 'no space';
    like $content->('multiline=1'),
        qr/^event: message_start\ndata: \{"type":"message_start",\ndata: /,
        'several data lines';
    like $content->('nofinal=1'), qr/[^\n]\n\z/, 'no last blank line';
    like $content->('noname=1'), qr/^data: /, 'no event names';
    like $content->('bom=1'), qr/^\xEF\xBB\xBFevent/, 'a byte order mark';
    unlike $content->('no-done=1'), qr/message_stop"/, 'no-done in messages';
    is scalar(grep { $_->[0] eq 'ping' } events($content->('pings=3'))), 3, 'pings=3';
    unlike $content->('pings=0'), qr/event: ping/, 'pings=0';
    unlike post($path{chat}, body('chat', '[[sim no-done=1]]',
        stream => JSON::PP::true))->{content},
        qr/DONE/, 'no-done in chat';
    my $r = post($path{chat}, body('chat', '[[sim gzip=1 words=3]]'), 'accept-encoding' => 'gzip');
    is $r->{headers}{'content-encoding'}, 'gzip', 'gzip=1 when accepted';
    gunzip(\$r->{content}, \my $plain);
    is at($json->decode($plain), 'choices', 0, 'message', 'content'), 'alpha beta gamma', 'opens';
    $r = post($path{messages}, body('messages', '[[sim gzip=force words=3]]',
        stream => JSON::PP::true));
    gunzip(\$r->{content}, \$plain);
    is((events($plain))[-1][0], 'message_stop', 'a stream, too');
    ok !post($path{chat}, body('chat', '[[sim gzip=1]]'))->{headers}{'content-encoding'},
        'not when nobody accepts it';
    my ($all) = raw('chat', 'words=1 close=1');
    unlike $all, qr/chunked/, 'close=1: the connection ends the body';
};

subtest 'failures' => sub {
    my ($e, $r) = both('chat', 'status=429 message=slow%20down hdr-Retry-After=3 code=rate');
    is_deeply [ $r->{status}, $r->{headers}{'retry-after'}, $e->{error}{message},
        $e->{error}{code} ],
        [ 429, 3, 'slow down', 'rate' ], 'status, message, header, code';
    ($e, $r) = both('messages', 'status=529');
    is_deeply [ $r->{status}, $e->{type}, $e->{error}{type} ], [ 529, 'error', 'overloaded_error' ],
        'in the words of messages';
    is $e->{request_id}, $r->{headers}{'request-id'}, 'with the request id of the header';
    my ($all, $closed) = raw('chat', 'words=5 fault=cut at=3');
    is scalar(() = $all =~ /data: /g), 3, 'cut after three events';
    is $closed, 'end', 'the connection ends';
    unlike $all, qr/\r\n0\r\n\r\n\z/, 'without the end of the body';
    ($all) = raw('chat', 'words=5 fault=cut at=-1');
    like $all, qr/"finish_reason":"stop"/, 'at=-1: all but the last event';
    ($all) = raw('chat', 'words=5 fault=cut at-byte=10');
    like $all, qr/\r\na\r\ndata: \{"id\r\n\z/, 'at-byte=10';
    ($all, $closed) = raw('chat', 'words=5 fault=reset at=2');
    is $closed, 'reset', 'reset';
    ($all, $closed) = raw('chat', 'fault=hangup');
    is "$all$closed", 'end', 'hangup: no byte';
    ($all, $closed) = raw('chat', 'fault=abort');
    is "$all$closed", 'reset', 'abort: no byte and RST';
    my @e = stream('chat', 'words=5 fault=end at=3');
    is scalar @e, 3, 'end: a clean end too early';
    ($all, $closed) = raw('chat', 'words=5 fault=silence at=2', time => 0.5);
    is "$closed" . scalar(() = $all =~ /data: /g), '02', 'silence: open, nothing more';
    my $t = time;
    @e = stream('chat', 'words=5 fault=silence at=2 silence=300');
    ok time - $t >= 0.29 && $e[-1][1] eq '[DONE]', 'silence=300: goes on after it';
    @e = stream('messages', 'words=5 fault=garble at=3');
    is scalar(grep { !ref $_->[1] } @e), 1, 'garble: one event is no JSON';
    is $e[-1][0], 'message_stop', 'the others are whole';
    @e = stream('messages', 'words=5 fault=error-event at=4 message=boom');
    is_deeply [ scalar @e, $e[-1][0], $e[-1][1]{error}{message} ], [ 5, 'error', 'boom' ],
        'error-event in messages';
    @e = stream('responses', 'words=5 fault=error-event at=4 message=boom code=server_error');
    is_deeply [ @{ $e[-1][1] }{qw(type message code sequence_number)}, $e[-1][1]{error}{message} ],
        [ 'error', 'boom', 'server_error', 4, 'boom' ], 'in responses';
    @e = stream('chat', 'words=5 fault=error-event at=4 message=boom');
    is $e[-1][1]{error}{message}, 'boom', 'in chat';
    $r = post($path{chat}, body('chat', '[[sim fault=html]]'));
    is "$r->{status} $r->{headers}{'content-type'}", '502 text/html', 'html';
    $r = post($path{chat}, body('chat', '[[sim fault=empty]]'));
    is "$r->{status}$r->{content}", '200', 'empty';
    $r = post($path{chat}, body('chat', '[[sim fault=bad-length]]'));
    is $r->{status}, 599, 'bad-length: the client misses bytes';
    is post($path{chat}, body('chat', '[[sim fault=nonsense]]'))->{status}, 400, 'unknown fault';
    my @s = map { post($path{chat}, body('chat',
        '[[sim status=503 times=2 skip=1 tag=x]]'))->{status} }
        1 .. 5;
    is "@s", '200 503 503 200 200', 'times= and skip=';
};

done_testing;
