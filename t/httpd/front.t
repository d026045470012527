#!/usr/bin/perl
# The configurations of lighttpd and Apache: same paths, same headers, same streams.
# MG_HTTPD=lighttpd or apache runs one of them, otherwise both are tested.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use Digest::MD5 'md5_hex';
use JSON::PP;
use MG::Front;
use Test::More;
use Time::HiRes qw(sleep time);

my @servers = $ENV{MG_HTTPD} || qw(lighttpd apache);

sub write_file {
    my ($path, $text) = @_;
    open my $out, '>', $path or die "$path: $!";
    print {$out} $text;
    close $out;
}

sub slurp {
    open my $in, '<', $_[0] or return '';
    local $/;
    return <$in>;
}

sub json { return eval { decode_json($_[0]) } // {} }

sub test_paths {
    my ($front) = @_;
    my %expected = (
        '/api/health' => 'account', '/api' => 'account', '/api/' => 'account',
        '/api/hello' => 'account', '/api/v1/me' => 'account', '/api/authority' => 'account',
        '/api/no/such' => 'account', '/api/auth/login' => 'auth', '/api/v1/auth/login' => 'auth',
        '/api/auth' => 'auth', '/v1' => 'models', '/v1/' => 'models',
        '/v1/models' => 'models', '/v1/models/a%2Fb' => 'models', '/v1/nothing' => 'models',
        '/v1/responses' => 'responses', '/v1/responses/resp_1/cancel' => 'responses',
        '/v1/chat/completions' => 'chat', '/v1/chat/completions/x/messages' => 'chat',
        '/v1/completions' => 'chat', '/v1/messages' => 'messages',
        '/v1/messages/count_tokens' => 'messages', '/v1/messagesx' => 'models',
        '/v1/.hidden' => 'models', '/v1/models/x~' => 'models',
    );
    for my $path (sort keys %expected) {
        my ($status, undef, $body) = $front->curl($path);
        is(json($body)->{family} // "nobody: $status", $expected{$path}, "$path is for $expected{$path}");
    }
    for my $path ('/v1x', '/apis', '/index.html') {
        my (undef, undef, $body) = $front->curl($path);
        ok(!json($body)->{family}, "$path is for no responder");
    }
}

sub test_requests {
    my ($front) = @_;
    for my $method (qw(GET POST PUT PATCH DELETE OPTIONS)) {
        # curl sends no length with an empty POST unless it is given data.
        my @data = $method =~ /^P/ ? ('-d', '') : ();
        my (undef, undef, $body) = $front->curl('/v1/models', '-X', $method, @data);
        is(json($body)->{method}, $method, "$method reaches the responder");
    }
    my ($status, $head) = $front->curl('/api/hello', '-I');
    is($status, 200, 'HEAD as well');
    if ($front->{server} eq 'apache') {    # lighttpd leaves it to the responder
        ($status) = $front->curl('/v1/models', '-X', 'TRACE');
        is($status, 405, 'TRACE is refused');
    }

    my $uri = '/v1/models/a%2Fb%20c?beta=true&x=%2F&include%5B%5D=y&z[]=1';
    my (undef, undef, $body) = $front->curl($uri, '-H', 'Authorization: Bearer sk-test-1234',
        '-H', 'x-api-key: sk-other', '-H', 'vendorb-version: 2023-06-01',
        '-H', 'MG-VIP: 1', '-H', 'MG_VIP: 1', '-H', 'x-long: ' . 'y' x 15000);
    my $param = json($body)->{params};
    is($param->{REQUEST_URI}, $uri, 'the address arrives as it was sent');
    is($param->{HTTP_AUTHORIZATION}, 'Bearer sk-test-1234', 'the bearer key arrives');
    is($param->{HTTP_X_API_KEY}, 'sk-other', 'so does x-api-key');
    is($param->{HTTP_VENDORB_VERSION}, '2023-06-01', 'and the version header');
    is(length($param->{HTTP_X_LONG} // ''), 15000, 'a header of 15 KB is no problem');
    is($param->{MG_VIP}, undef, 'a client cannot give itself the VIP mark');
    ($status) = $front->curl('/v1/models', '-H', 'x-long: ' . 'y' x 40000);
    cmp_ok($status, '>=', 400, 'one of 40 KB is refused');
    ($status) = $front->curl('/v1/chat/completions?status=402');
    is($status, 402, 'the status is the responder\'s');

}

# lighttpd writes its log every few seconds, so this comes late.
sub test_log {
    my ($front) = @_;
    my $log = "$front->{dir}/log/access.log";
    # Both show the path half decoded.
    my $entry = qr{"GET /v1/models/a(?:/|%2F)b(?: |%20)c HTTP/1.1" 200 \d+ \d+ "dummy"};
    for (1 .. 80) { slurp($log) =~ $entry ? last : sleep 0.1 }
    like(slurp($log), $entry, 'the access log has the request id');
    unlike(slurp($log), qr/sk-test|sk-other/, 'and no key');
}

sub test_bodies {
    my ($front) = @_;
    my $text = join '', map { pack 'N', $_ * 2654435761 % 4294967296 } 1 .. 400_000;
    my $file = "$front->{dir}/body";
    for my $way ([], ['-H', 'Transfer-Encoding: chunked'], ['--http2-prior-knowledge']) {
        write_file($file, $text);
        my (undef, undef, $body) = $front->curl('/v1/messages', @$way, '--data-binary', "\@$file");
        is(json($body)->{md5}, md5_hex($text), "1.6 MB arrive whole (@$way)");
    }
    write_file($file, 'x' x 3_000_000);
    my ($status, $head, $body) = $front->curl('/v1/messages', '--data-binary', "\@$file");
    is($status, 413, 'more than the limit is refused');
    is(json($body)->{error}{type}, 'request_too_large', 'in JSON');
    like($head, qr{^content-type: application/json}mi, 'which says so');
    ($status, $head, $body) = $front->curl('/v1/models?size=5000000');
    is(length $body, 5_000_000, 'a reply of 5 MB arrives whole');
}

# When each event was written and read, in seconds.
sub stream_delays {
    my ($front, @arguments) = @_;
    my $url = "http://127.0.0.1:$front->{port}/v1/messages?events=10&gap=100";
    my @delays;
    open my $in, '-|', 'curl', '-sSN', '--noproxy', '*', '--max-time', 20, @arguments, $url or die $!;
    while (my $line = <$in>) {
        push @delays, time - $1 if $line =~ /"at":([\d.]+)/;
    }
    close $in;
    return sort { $a <=> $b } @delays;
}

sub test_streams {
    my ($front) = @_;
    for my $way (['--http1.1'], ['--http2-prior-knowledge']) {
        my @delays = stream_delays($front, @$way, '-H', 'Accept-Encoding: gzip, br, zstd');
        is(scalar @delays, 10, "all events arrive (@$way)");
        cmp_ok($delays[-2] // 9, '<', 0.1, 'each when it was written, although compression is on');
    }
    # Between two events lighttpd passes a client's leaving on, Apache finds out with the next.
    my $gap = $front->{server} eq 'lighttpd' ? 5000 : 100;
    my $note = "$front->{dir}/run/gone";
    my $begun = time;
    $front->curl("/v1/messages?events=100&gap=$gap&gone=$note",
        '--max-time', '0.5', '--no-show-error');
    for (1 .. 60) { -s $note ? last : sleep 0.05 }
    my ($noticed) = slurp($note) =~ /([\d.]+)/;
    cmp_ok(($noticed // 1e12) - $begun, '<', 1.5, 'the responder notices a client that leaves');
}

sub test_absence {
    my ($front) = @_;
    my ($pid) = $front->{pids}[5];    # messages
    kill 'KILL', $pid;
    waitpid $pid, 0;
    unlink "$front->{dir}/run/messages.sock";
    my ($status, $head, $body) = $front->curl('/v1/messages', '-d', '{}');
    is($status, 503, 'no responder is a 503');
    is(json($body)->{error}{code}, 'service_unavailable', 'in JSON');
    like($head, qr{^content-type: application/json}mi, 'which says so');
    $front->start_responder('messages');
    for (1 .. 30) {
        ($status) = $front->curl('/v1/messages', '-d', '{}');
        $status == 200 ? last : sleep 0.1;
    }
    is($status, 200, 'and it is found again soon');
}

sub test_files {
    my ($front) = @_;
    my ($status, $head, $body) = $front->curl('/');
    is($status, 200, 'the start page is there');
    like($head, qr/^content-security-policy: default-src 'none'; script-src 'self';.*trusted-types 'none'\r$/mi,
        'with the content policy');
    for my $want ('x-content-type-options: nosniff', 'referrer-policy: same-origin',
        'x-frame-options: DENY', 'cross-origin-opener-policy: same-origin',
        'cache-control: no-cache', 'content-type: text/html; charset=utf-8')
    {
        like($head, qr/^\Q$want\E\r$/mi, $want);
    }
    my ($etag) = $head =~ /^etag: (\S+)/mi;
    ($status) = $front->curl('/', '-H', "If-None-Match: $etag");
    is($status, 304, 'and is not sent twice');
    (undef, $head) = $front->curl('/', '-H', 'Accept-Encoding: gzip');
    like($head, qr/^content-encoding: gzip/mi, 'a page is compressed');
    like($head, qr/^vary: accept-encoding/mi, 'and caches know');
    (undef, $head) = $front->curl('/assets/vendor/lib-1.0/lib.js');
    like($head, qr/^cache-control: public, max-age=31536000, immutable/mi, 'vendored files never change');
    like($head, qr{^content-type: text/javascript}mi, 'scripts are scripts');
    unlike($head, qr/lighttpd|apache\/|^server:.*\d/mi, 'no version is told');
    for my $path ('/.git/config', '/index.html~', '/assets/.hidden', '/../httpd.conf', '/%2e%2e/httpd.conf') {
        ($status, undef, $body) = $front->curl($path);
        cmp_ok($status, '>=', 400, "$path is refused");
        unlike($body, qr/ServerRoot|server\.modules|secret/, 'and shows nothing');
    }
    ($status) = $front->curl('/assets/');
    cmp_ok($status, '>=', 400, 'folders are not listed');
    ($status) = $front->curl('/', '-X', 'POST', '-d', 'x');
    cmp_ok($status, '!=', 500, 'a POST to a page is no accident');
}

sub fill_htdocs {
    my ($front) = @_;
    my $htdocs = "$front->{dir}/htdocs";
    system 'mkdir', '-p', "$htdocs/assets/vendor/lib-1.0", "$htdocs/.git";
    write_file("$htdocs/index.html", '<!doctype html><title>x</title>' . "<p>text\n" x 200);
    write_file("$htdocs/index.html~", 'secret');
    write_file("$htdocs/.git/config", 'secret');
    write_file("$htdocs/assets/.hidden", 'secret');
    write_file("$htdocs/assets/vendor/lib-1.0/lib.js", 'export {}');
}

# A client that keeps its connection must find it again, also after a quiet time in which the
# server looks for processes that it could spare (Apache does so once a second).
sub test_quiet {
    my ($server) = @_;
    my $front = MG::Front->new(server => $server, families => ['models'],
        settings => { APACHE_THREADS => 300, APACHE_WORKERS => 600 });
    $front->start;
    my $request = "HEAD /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n";
    my @kept = map { IO::Socket::INET->new(PeerAddr => "127.0.0.1:$front->{port}") } 1 .. 40;
    local $SIG{PIPE} = 'IGNORE';
    my $answered = sub {
        return scalar grep {
            my $reply = '';
            $_->syswrite($request);
            1 while $reply !~ /\r\n\r\n\z/ && $_->sysread($reply, 65536, length $reply);
            $reply =~ m{^HTTP/1.1 200 };
        } @kept;
    };
    is($answered->(), 40, 'forty connections are answered');
    sleep 4;
    is($answered->(), 40, 'and are answered again after a quiet time');
}

sub make_certificate {
    my ($path) = @_;
    system "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
        . " -addext subjectAltName=DNS:localhost,DNS:vip.localhost -keyout $path.key -out $path.pem 2> /dev/null";
    chmod 0644, "$path.key";
}

sub test_tls {
    my ($server) = @_;
    my $dir = File::Temp::tempdir(CLEANUP => 1);
    chmod 0755, $dir;
    make_certificate("$dir/tls");
    my $port = MG::Front::free_port();
    my $front = MG::Front->new(server => $server, families => [qw(account models)], settings => {
        HTTPS_PORT => $port, CERT_FILE => "$dir/tls.pem", KEY_FILE => "$dir/tls.key",
        REDIRECT => 'yes', HSTS => 'yes', VIP_NAME => 'vip.localhost',
    });
    my ($output, $status) = $front->check;
    is($status, 0, 'a configuration with TLS and VIP is accepted') or diag $output;
    $front->start;
    my @tls = ('--cacert', "$dir/tls.pem", '--resolve', "localhost:$port:127.0.0.1",
        '--resolve', "vip.localhost:$port:127.0.0.1");
    for my $version ('--http1.1', '--http2') {
        my ($code, $head, $body) = $front->curl("https://localhost:$port/v1/models", @tls, $version);
        is(json($body)->{family}, 'models', "$version over TLS");
        is(json($body)->{params}{HTTPS}, 'on', 'and the responder knows');
        like($head, qr{^HTTP/2 }m, 'as HTTP/2') if $version eq '--http2';
        like($head, qr/^strict-transport-security: max-age/mi, 'with HSTS');
    }
    my (undef, undef, $body) = $front->curl("https://localhost:$port/v1/chat/completions", @tls);
    is(json($body)->{family}, 'models', 'a family that is not installed falls into the net');
    (undef, undef, $body) = $front->curl("https://localhost:$port/api/auth/login", @tls);
    is(json($body)->{family}, 'account', 'on the side of /api as well');
    is(json($body)->{params}{MG_VIP}, undef, 'the normal name has no VIP mark');
    (undef, undef, $body) = $front->curl("https://vip.localhost:$port/api/v1/me", @tls);
    is(json($body)->{params}{MG_VIP}, '1', 'the VIP name has');
    my ($code, $head) = $front->curl('/app/');
    is($code, 308, 'plain HTTP is redirected');
    like($head, qr{^location: https://\S+/app/}mi, 'to the same page');
}

for my $server (@servers) {
    subtest $server => sub {
        plan skip_all => "$server is not installed" if !MG::Front::program($server);
        plan skip_all => 'curl is not installed' if !grep { -x "$_/curl" } split /:/, $ENV{PATH};
        my $deflate = $server eq 'apache' || -e '/usr/lib/lighttpd/mod_deflate.so';
        my $front = MG::Front->new(server => $server,
            settings => { BODY_LIMIT_KB => 2048, DEFLATE => $deflate ? 'yes' : '' });
        my ($output, $status) = $front->check;
        is($status, 0, 'the server accepts the configuration') or diag $output;
        fill_htdocs($front);
        $front->start;
        test_paths($front);
        test_requests($front);
        test_bodies($front);
        test_streams($front);
        test_absence($front);
        test_files($front);
        test_log($front);
        test_tls($server);
        test_quiet($server);
    };
}

done_testing();
