# Request bodies as clients send them: chunked, compressed, slow, large, expecting, lying. What is
# within the limits reaches the provider whole, the rest is refused in the format of its family.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Compress::Deflate ();
use IO::Compress::Gzip ();
use IO::Compress::RawDeflate ();
use IO::Select;
use Test::More;
use Time::HiRes qw(sleep time);
use MG::Check qw(is_error);
use MG::Family;
use MG::Http;
use MG::Sim;
use MG::Stack;

$SIG{PIPE} = 'IGNORE';
my $stack = MG::Stack->new;
my $sim = MG::Sim->new($stack);
my (undef, $key) = $stack->account(5000);
my $http = MG::Http->new($stack, key => $key);
my %style = (chat => 'openai', responses => 'openai', completions => 'openai', messages => 'messages');
my $MB = 1 << 20;

sub wallet { return $http->get('/api/v1/wallet/status')->{json} }

# Sends pieces of text one after the other and stops when the server answers before the end.
sub send_pieces {
    my ($pause, @pieces) = @_;
    my $sock = $http->connect;
    my $select = IO::Select->new($sock);
    PIECE: for my $piece (@pieces) {
        my $at = 0;
        while ($at < length $piece) {
            last PIECE if $select->can_read(0);
            my $n = syswrite $sock, $piece, 65536, $at;
            last PIECE if !defined $n;
            $at += $n;
        }
        sleep $pause if $pause;
    }
    return $http->read_reply($sock, time);
}

sub head {
    my ($path, %headers) = @_;
    return $http->format_request('POST', $path, headers => {'content-type' => 'application/json', %headers});
}

sub chunked {
    my ($body, $size, $extension) = @_;
    my $out = '';
    for (my $at = 0; $at < length $body; $at += $size) {
        my $piece = substr $body, $at, $size;
        $out .= sprintf "%x%s\r\n%s\r\n", length $piece, $extension // '', $piece;
    }
    return $out;
}

sub json { return $MG::Http::JSON->encode($_[0]) }

# A request that goes up as it is but for the model.
sub plain {
    my ($family, %more) = @_;
    $more{store} = \0 if $family eq 'responses';
    return json(MG::Family::script($family, 'words=3 strict=0', %more));
}

# The provider got these bytes but for the model's name.
sub arrived {
    my ($body) = @_;
    my $seen = $sim->last_request->{body};
    s/"model":"[^"]*"/"model":"*"/ for $seen, $body;
    return $seen eq $body;
}

# Chunked.
for my $family (@MG::Family::NAMES) {
    my $body = plain($family, note => 'n' x 3000);
    for my $case (['one chunk', length $body], ['chunks of 7 bytes', 7], ['chunks of 1000 bytes', 1000]) {
        my $r = send_pieces(0, head(MG::Family::path($family), 'transfer-encoding' => 'chunked')
            . chunked($body, $case->[1]) . "0\r\n\r\n");
        ok($r->{status} == 200 && arrived($body), "$family: a body in $case->[0] arrives") or diag substr $r->{body}, 0, 300;
    }
}
{
    my $body = json(MG::Family::script('chat', 'words=3'));
    my $r = send_pieces(0, head('/v1/chat/completions', 'transfer-encoding' => 'chunked')
        . chunked($body, 50, ';name=value') . "0\r\nx-trailer: y\r\n\r\n");
    ok($r->{status} == 200 && arrived($body), 'chunk extensions and trailers do not matter') or diag substr $r->{body}, 0, 300;
    for my $broken ("zz\r\nabc\r\n0\r\n\r\n", "-5\r\nabc\r\n0\r\n\r\n", "fffffffffffffffffff\r\nabc\r\n0\r\n\r\n") {
        $r = send_pieces(0, head('/v1/chat/completions', 'transfer-encoding' => 'chunked') . $broken);
        ok($r->{status} =~ /^4\d\d$/ || $r->{cut}, "broken chunks are refused ($r->{status})");
    }
    $r = send_pieces(0, head('/v1/chat/completions', 'transfer-encoding' => 'chunked') . "0\r\n\r\n");
    is_error($r, 400, 'openai', 'an empty chunked body is no request');
}

# Compressed.
sub gzip { my ($in) = @_; IO::Compress::Gzip::gzip(\$in, \my $out) or die; return $out }
sub zlib { my ($in) = @_; IO::Compress::Deflate::deflate(\$in, \my $out) or die; return $out }
sub raw { my ($in) = @_; IO::Compress::RawDeflate::rawdeflate(\$in, \my $out) or die; return $out }
sub zstd {
    my ($in) = @_;
    open my $file, '>', "$stack->{dir}/body" or die $!;
    print {$file} $in;
    close $file;
    return scalar `zstd -q -c '$stack->{dir}/body'`;
}
my $has_zstd = `zstd --version 2>/dev/null` ne '';
my @codings = (['gzip', 'gzip', \&gzip], ['X-GZIP', 'gzip', \&gzip], ['deflate', 'zlib', \&zlib], ['deflate', 'raw', \&raw],
    ['identity', 'nothing', sub { $_[0] }]);
push @codings, ['zstd', 'zstd', \&zstd] if $has_zstd;
for my $family (@MG::Family::NAMES) {
    my $body = plain($family, note => join ' ', 1 .. 20000);
    for my $coding (@codings) {
        my ($name, $format, $encode) = @$coding;
        my $sent = $encode->($body);
        my $r = $http->post(MG::Family::path($family), $sent, headers => {'content-encoding' => $name});
        ok($r->{status} == 200 && arrived($body), "$family: a body as $name ($format) is understood") or diag substr $r->{body}, 0, 300;
        next if $family ne 'responses';
        $r = send_pieces(0, head('/v1/responses', 'content-encoding' => $name, 'transfer-encoding' => 'chunked')
            . chunked($sent, 333) . "0\r\n\r\n");
        ok($r->{status} == 200 && arrived($body), "also in chunks: $name ($format)") or diag substr $r->{body}, 0, 300;
    }
}
{
    my $good = json(MG::Family::script('messages', 'words=3'));
    my ($front, $back) = $good =~ /^(.{40})(.*)$/s;
    my $r = $http->post('/v1/messages', gzip($front) . gzip($back), headers => {'content-encoding' => 'gzip'});
    is($r->{status}, 200, 'gzip in two members is one body') or diag substr $r->{body}, 0, 300;
}
my $good = json(MG::Family::script('messages', 'words=3'));
for my $case (
    ['plain text called gzip', 'gzip', $good, 400], ['plain text called zstd', 'zstd', $good, 400],
    ['plain text called deflate', 'deflate', $good, 400],
    ['a gzip body without its sum', 'gzip', substr(gzip($good), 0, -8), 400],
    ['half a gzip body', 'gzip', substr(gzip($good), 0, 40), 400], ['half a deflate body', 'deflate', substr(zlib($good), 0, 40), 400],
    ['gzip with a wrong sum', 'gzip', substr(gzip($good), 0, -8) . 'AAAA' . substr(gzip($good), -4), 400],
    ['gzip with something behind', 'gzip', gzip($good) . 'garbage', 400],
    ['nothing called gzip', 'gzip', '', 400],
    ['brotli', 'br', $good, 415], ['two codings', 'gzip, gzip', gzip(gzip($good)), 415], ['a coding of nobody', 'x-mine', $good, 415],
    ['gzip inside gzip', 'gzip', gzip(gzip($good)), 400],
    ($has_zstd ? ['half a zstd body', 'zstd', substr(zstd($good), 0, 30), 400] : ()),
) {
    my ($what, $name, $sent, $status) = @$case;
    is_error($http->post('/v1/messages', $sent, headers => {'content-encoding' => $name}), $status, 'messages', "$what is refused");
}
for my $case (['gzip', \&gzip], ['deflate', \&zlib], $has_zstd ? ['zstd', \&zstd] : ()) {
    my ($name, $encode) = @$case;
    my $bomb = $encode->('{"a":"' . 'x' x (200 * $MB) . '"}');
    my $r = $http->post('/v1/messages', $bomb, headers => {'content-encoding' => $name});
    is_error($r, 413, 'messages', sprintf('%s: %d bytes that become 200 MB are refused', $name, length $bomb));
    my $fits = $encode->(' ' x (60 * $MB) . $good);
    $r = $http->post('/v1/messages', $fits, headers => {'content-encoding' => $name});
    is($r->{status}, 200, "$name: what stays below the limit is taken") or diag substr $r->{body}, 0, 300;
}
SKIP: {
    skip 'no zstd program', 1 if !$has_zstd;
    open my $file, '>', "$stack->{dir}/body" or die $!;
    print {$file} ' ' x $MB, $good;
    close $file;
    # The length of what comes through a pipe is not known, so the frame names its window.
    my $wide = `cat '$stack->{dir}/body' | zstd -q -c --ultra -22 --long=31`;
    is_error($http->post('/v1/messages', $wide, headers => {'content-encoding' => 'zstd'}), 400, 'messages',
        'a zstd body cannot ask for 2 GB of memory');
}

# Large.
{
    my $words = 20 * $MB; # of two bytes and a bit: 50 MB in all
    my $body = json(MG::Family::script('messages', 'words=2'));
    my $text = 'a ' x $words . 'b' x (10 * $MB);
    $body =~ s/Say something/$text Say something/;
    my $before = $sim->stats->{bytes_in};
    my $r = $http->post('/v1/messages', $body);
    is($r->{status}, 200, sprintf 'a body of %d MB is taken', length($body) / $MB) or diag substr $r->{body}, 0, 300;
    cmp_ok($sim->stats->{bytes_in} - $before, '>=', length $body, 'and reaches the provider');
    cmp_ok($r->{json}{usage}{input_tokens}, '>=', $words, 'whole, by its count of words');
    $sim->forget;
    my $fill = 64 * $MB - length $good;
    $r = $http->post('/v1/messages', ' ' x $fill . $good);
    is($r->{status}, 200, 'a body of exactly the limit is taken') or diag substr $r->{body}, 0, 300;
    $sim->forget;
    $r = send_pieces(0, head('/v1/messages', 'content-length' => 64 * $MB + 1), ' ' x ($fill + 1), $good);
    ok($r->{status} == 413 && ref $r->{json}{error} eq 'HASH', 'one byte more is refused in JSON') or diag $r->{status}, substr $r->{body}, 0, 300;
    $r = send_pieces(0, head('/v1/messages', 'content-length' => 1 << 40), ' ' x $MB);
    ok($r->{status} == 413 && ref $r->{json}{error} eq 'HASH', 'so is the announcement of a terabyte') or diag $r->{status}, substr $r->{body}, 0, 300;
    $r = send_pieces(0, head('/v1/messages', 'transfer-encoding' => 'chunked'), (chunked(' ' x $MB, $MB)) x 80, "0\r\n\r\n");
    ok($r->{status} == 413 && ref $r->{json}{error} eq 'HASH', 'and 80 MB that were not announced') or diag $r->{status}, substr $r->{body}, 0, 300;
    is(scalar($sim->requests), 0, 'the provider saw none of these');
    is($http->get('/api/v1/me')->{status}, 200, 'and all goes on');
}

# Slow and broken off.
{
    my $body = plain('responses');
    my @pieces = $body =~ /(.{1,5})/gs;
    my $r = send_pieces(0.05, head('/v1/responses', 'content-length' => length $body), @pieces);
    ok($r->{status} == 200 && arrived($body), 'a slow upload arrives') or diag substr $r->{body}, 0, 300;
    my @left = map { my $s = $http->connect; print {$s} head('/v1/messages', 'content-length' => 1000), '{"model":'; $s } 1 .. 20;
    is($http->post('/v1/messages', $good)->{status}, 200, 'twenty uploads that stand still do not block others');
    close $_ for @left;
    $sim->forget;
    my $wallet = wallet();
    for my $head (head('/v1/messages', 'content-length' => 1 + length $good), head('/v1/messages', 'transfer-encoding' => 'chunked')) {
        my $sock = $http->connect;
        print {$sock} $head, $head =~ /chunked/ ? sprintf("%x\r\n%s\r\n", length $good, $good) : $good;
        shutdown $sock, 1;
        my $cut = $http->read_reply($sock, time);
        ok($cut->{status} == 0 || $cut->{status} =~ /^40[08]$/, "a body that ends too early is no request ($cut->{status})");
    }
    is(scalar($sim->requests), 0, 'the provider saw none of these');
    is_deeply(wallet(), $wallet, 'and nobody pays for them');
}

# Lengths that lie.
for my $case (['a word', 'many'], ['a negative number', '-1'], ['an empty one', ''], ['two numbers', '10, 20'],
    ['more digits than there are', '9' x 40], ['a hexadecimal one', '0x10'], ['one with a sign', '+5']) {
    my $r = send_pieces(0, head('/v1/messages', 'content-length' => $case->[1]), $good);
    ok($r->{status} =~ /^4\d\d$/ || $r->{cut}, "as Content-Length $case->[0] is refused ($r->{status})");
}
{
    my $r = send_pieces(0, head('/v1/messages', 'content-length' => length($good) - 1) . $good);
    is_error($r, 400, 'messages', 'a length that is too short cuts the body');
    my $twice = head('/v1/messages', 'content-length' => length $good);
    $twice =~ s/\r\n\r\n$/\r\ncontent-length: 5\r\n\r\n/;
    $r = send_pieces(0, $twice . $good);
    ok($r->{status} =~ /^4\d\d$/, "two lengths are refused ($r->{status})");
    my $sock = $http->connect;
    my $smuggled = "GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n";
    print {$sock} $http->format_request('POST', '/v1/messages', headers => {connection => 'keep-alive',
        'transfer-encoding' => 'chunked', 'content-length' => length($smuggled) + 5}), "0\r\n\r\n", $smuggled;
    shutdown $sock, 1;
    my $all = '';
    while (sysread $sock, my $piece, 65536) { $all .= $piece }
    unlike($all, qr/"object":"list"/, 'a length beside chunks smuggles no second request in');
}

# Expect.
{
    my $sock = $http->connect;
    print {$sock} head('/v1/messages', 'content-length' => length $good, expect => '100-continue');
    my $continued = IO::Select->new($sock)->can_read(10) ? do { sysread $sock, my $line, 4096; $line } : 'nothing';
    like($continued, qr{^HTTP/1.1 100}, 'a client that expects 100 Continue gets it');
    print {$sock} $good;
    is($http->read_reply($sock, time)->{status}, 200, 'and its answer');
    my $r = send_pieces(0, head('/v1/messages', 'content-length' => 100 * $MB, expect => '100-continue'));
    ok($r->{status} =~ /^41[37]$/, "a body that will not be taken is not asked for ($r->{status})");
}

is(wallet()->{held}{nano}, 0, 'nothing is held');
ok($stack->audit_is_clean, 'the audit is clean') or diag $stack->{audit};
done_testing;
