#!/usr/bin/perl
# The simulated provider: its control door, replays, HTTP, and options. Run: MG_SIM=path prove t/sim
use strict;
use warnings;

use FindBin qw($Bin);
use lib "$Bin/lib";

use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use JSON::PP;
use MIME::Base64 qw(decode_base64 encode_base64);
use SimTest;
use Test::More;
use Time::HiRes qw(sleep time);

subtest 'control' => sub {
    $http->post("$base/_sim/reset");
    post($path{chat}, '{"model":"m","messages":[{"role":"user","content":"find me"}] }',
        'x-a' => 'b');
    my $r = get('/_sim/requests?last=5&match=find%20me');
    is scalar @{ $r->{requests} }, 1, 'a request is recorded';
    my $q = $r->{requests}[0];
    is decode_base64($q->{body_base64}),
        '{"model":"m","messages":[{"role":"user","content":"find me"}] }', 'byte for byte';
    ok scalar(grep { $_->[0] eq 'x-a' && $_->[1] eq 'b' } @{ $q->{headers} }), 'with its headers';
    is_deeply [ @{$q}{qw(method path status outcome)} ], [ 'POST', $path{chat}, 200, 'complete' ],
        'and how it ended';
    is scalar @{ get("/_sim/requests?since=$q->{seq}")->{requests} }, 0, 'since=';
    my $before = get('/_sim/stats')->{client_gone};
    my $s = IO::Socket::INET->new("127.0.0.1:$port");
    raw('chat', 'words=1000 gap=20 tag=leaver', socket => $s, time => 0.3);
    is get('/_sim/stats')->{streams_open}, 1, 'an open stream is counted';
    close $s;
    sleep 0.2;
    is get('/_sim/stats')->{client_gone}, $before + 1, 'a client that leaves is noticed at once';
    is get('/_sim/stats')->{streams_open}, 0, 'and its stream ended';
    $q = get('/_sim/requests?match=leaver')->{requests}[0];
    is $q->{outcome}, 'client-gone', 'the record says so';
    cmp_ok $q->{sent_events}, '<', 100, 'and how far it came';

    $s = IO::Socket::INET->new("127.0.0.1:$port");
    raw('chat', 'words=9 fault=silence at=1 tag=quiet', socket => $s, time => 0.2);
    close $s;
    sleep 0.2;
    is get('/_sim/requests?match=quiet')->{requests}[0]{outcome}, 'client-gone',
        'one that leaves a silent stream, too';

    post('/_sim/defaults', { text => 'by default; 100%', words => 3 });
    like post($path{chat}, body('chat', 'x'))->{content}, qr/by default; 100%/, 'defaults as JSON';
    post('/_sim/defaults', 'text=plain%20text');
    like post($path{chat}, body('chat', 'x'))->{content}, qr/plain text/, 'defaults as text';
    is at(ask('chat', 'text=own'), 'choices', 0, 'message', 'content'), 'own', 'the request wins';
    is post('/_sim/defaults', 'nonsense=1')->{status}, 400, 'wrong defaults are refused';
    post('/_sim/defaults', 'status=503 times=1');
    is join(' ', map { post($path{chat}, body('chat', 'x'))->{status} } 1 .. 2), '503 200',
        'defaults with times=';
    $http->request('DELETE', "$base/_sim/defaults");
    like post($path{chat}, body('chat', 'x'))->{content}, qr/Hello/, 'and taken back';
    $http->request('DELETE', "$base/_sim/requests");
    is scalar @{ get('/_sim/requests')->{requests} }, 0, 'the recorder is emptied';
};

subtest 'replay' => sub {
    my $bytes = "\x00\xff raw \r\n bytes";
    post('/_sim/replay', { status => 418, headers => [ [ 'x-one', '1' ], [ 'content-type',
        'a/b' ] ],
                           body_base64 => encode_base64($bytes, '') });
    my $r = post($path{chat}, body('chat', 'x'));
    is_deeply [ @{$r}{qw(status content)}, @{ $r->{headers} }{qw(x-one content-type)} ],
        [ 418, $bytes, 1, 'a/b' ], 'bytes, status and headers are replayed';
    is post($path{chat}, body('chat', 'x'))->{status}, 200, 'once';
    post('/_sim/replay', [ { match => 'second', body => { n => 2 } },
                           { path => '/v1/messages', body => 'three', count => 2 } ]);
    is post($path{chat}, body('chat', 'first'))->{status}, 200, 'what does not fit is not used';
    is post($path{chat}, body('chat', 'second'))->{content}, '{"n":2}', 'chosen by match';
    is post('/v1/messages', {})->{content}, 'three', 'chosen by path';
    is post('/v1/messages', {})->{content}, 'three', 'count times';
    post('/_sim/replay', { framing => 'messages', gap => 30, events =>
        [ { type => 'message_start', x => 1.50 }, { type => 'ping' } ] });
    $r = post('/v1/messages', {});
    is names(events($r->{content})), 'message_start ping', 'recorded events are framed';
    post('/_sim/replay', { framing => 'chat', events => [ { id => 'a' } ] });
    is post($path{chat}, {})->{content}, "data: {\"id\":\"a\"}\n\ndata: [DONE]\n\n", 'chat, too';
    my @reads;
    post('/_sim/replay', { body => 'abcdefghij', chunks => [ 1, 4, 2 ], delays => [60],
                           close => JSON::PP::true });
    my ($all) = raw('chat', '', reads => \@reads);
    is_deeply [ @reads[ 1 .. 4 ] ], [ 1, 4, 2, 2 ], 'in the given writes' or diag $all;
    post('/_sim/replay', { raw => JSON::PP::true, body => "HTTP/1.1 20x garbage\r\n\r\n" });
    ($all) = raw('chat', '');
    is $all, "HTTP/1.1 20x garbage\r\n\r\n", 'even the head';
    post('/_sim/replay', { body => 'half', end => 'reset', stream => JSON::PP::true });
    is((raw('chat', ''))[1], 'reset', 'and its end');
    post('/_sim/replay', { count => 9 });
    $http->request('DELETE', "$base/_sim/replay");
    is post($path{chat}, body('chat', 'x'))->{status}, 200, 'the queue is emptied';
    is post('/_sim/replay', 'no json')->{status}, 400, 'a bad description is refused';
};

subtest 'HTTP' => sub {
    my $b = $json->encode(body('chat', 'x'));
    my $talk = sub {
        my ($text) = @_;
        my $s = IO::Socket::INET->new("127.0.0.1:$port");
        print $s $text;
        my $all = '';
        while (IO::Select->new($s)->can_read(0.4)) {
            last unless sysread $s, $all, 65536, length $all;
        }
        return $all;
    };
    my $chunks = join '', map { sprintf("%x\r\n%s\r\n", length, $_) } $b =~ /(.{1,7})/gs;
    my $all = $talk->("POST $path{chat} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        . "${chunks}0\r\n\r\n");
    like $all, qr/^HTTP\/1.1 200 /, 'a chunked body';
    my $one = "POST $path{chat} HTTP/1.1\r\ncontent-length: " . length($b) . "\r\n\r\n$b";
    is scalar(() = $talk->($one x 3) =~ /HTTP\/1.1 200/g), 3, 'three requests in one packet';
    $all = $talk->("POST $path{chat} HTTP/1.1\r\nexpect: 100-continue\r\ncontent-length: "
                   . length($b) . "\r\n\r\n");
    like $all, qr/^HTTP\/1.1 100 Continue/, 'expect: 100-continue';
    like $talk->("nonsense\r\n\r\n"), qr/^HTTP\/1.1 400/, 'nonsense';
    like $talk->("GET /v1/models HTTP/1.0\r\n\r\n"), qr/connection: close/, 'HTTP/1.0';
    like $talk->("HEAD /v1/models HTTP/1.1\r\n\r\n"), qr/\r\n\r\n\z/, 'HEAD has no body';
    my $big = body('chat', 'y' x 20_000_000);
    is post($path{chat}, $big)->{status}, 200, 'a body of 20 MB';
};

subtest 'other ways to start' => sub {
    my ($p, $q) = start('--key', 'secret', '--models', 'a,b', '--default', 'text=dflt',
        '--threads', 3);
    my $url = "http://127.0.0.1:$q/v1/chat/completions";
    my $try = sub {
        my ($model, %h) = @_;
        return $http->post($url, { headers => \%h, content => $json->encode({ model => $model,
            messages => [ { role => 'user', content => 'x' } ] }) });
    };
    is $try->('a')->{status}, 401, 'a key is demanded';
    is $try->('a', 'x-api-key' => 'secret')->{status}, 200, 'x-api-key';
    is $try->('c', authorization => 'Bearer secret')->{status}, 404, 'an unknown model';
    like $try->('b', authorization => 'Bearer secret')->{content}, qr/dflt/, 'defaults by option';
    kill 'TERM', $p;
    waitpid $p, 0;
    is $?, 0, 'SIGTERM ends it well';
    ($p) = start('--listen', "unix:$dir/sock");
    my $s = IO::Socket::UNIX->new(Peer => "$dir/sock");
    my ($all) = raw('chat', 'words=1 close=1', socket => $s);
    like $all, qr/alpha/, 'it listens on a path, too';
    kill 'TERM', $p;
    waitpid $p, 0;
    is system("$sim --help > /dev/null"), 0, '--help';
};

done_testing;
