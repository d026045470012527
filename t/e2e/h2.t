# HTTP/2, in clear text and with TLS: the same replies, events one by one, many streams on one
# connection, and leaving one stream of many.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Check qw(is_error ids_fault);
use MG::Family;
use MG::Http;
use MG::Sim;
use MG::Stack;

plan skip_all => 'curl without HTTP/2' if `curl --version 2>/dev/null` !~ /HTTP2/;

my $stack = MG::Stack->new(tls => 1, conf => {drain_seconds => 1, keepalive_ms => 500});
my $sim = MG::Sim->new($stack);
my (undef, $key) = $stack->account(100);
my $json = $MG::Http::JSON;
my %way = (
    'in clear' => [$stack->base_url, '--http2-prior-knowledge'],
    'with TLS' => [$stack->tls_url, '--http2', '--cacert', $stack->env->{MG_TLS_CA}],
);

sub quoted { return join ' ', map { my $a = $_; $a =~ s/'/'\\''/g; "'$a'" } @_ }

sub body_file {
    my ($name, $body) = @_;
    open my $file, '>', "$stack->{dir}/$name.json" or die $!;
    print {$file} $json->encode($body);
    close $file;
    return "\@$stack->{dir}/$name.json";
}

# curl's arguments for one request.
sub arguments {
    my ($way, $path, @more) = @_;
    my ($url, @options) = @{$way{$way}};
    return ('--silent', '--no-buffer', '--noproxy', '*', '--max-time', 60, @options, '-H', "authorization: Bearer $key",
        '-H', 'content-type: application/json', @more, "$url$path");
}

# One request as MG::Http gives it.
sub curl {
    my ($way, $path, @more) = @_;
    my $out = `curl --include @{[quoted(arguments($way, $path, @more))]} 2>&1`;
    my ($head, $body) = split /\r?\n\r?\n/, $out, 2;
    my %r = (head => $head, body => $body // '', headers => {}, status => 0);
    ($r{version}, $r{status}) = ($1, $2) if $head =~ m{^HTTP/(\S+) (\d+)};
    $r{headers}{lc $1} = $2 while $head =~ /^([\w-]+): (.*?)\r?$/mg;
    $r{json} = eval { $json->decode($r{body}) };
    return \%r;
}

for my $way (sort keys %way) {
    my $r = curl($way, '/v1/models');
    is("$r->{version} $r->{status}", '2 200', "$way: a reply in HTTP/2");
    is($r->{json}{object}, 'list', "$way: whole");
    is(ids_fault($r), '', "$way: with request ids");
    is_error(curl($way, '/v1/models/none'), 404, 'openai', "$way: an error in JSON");
    is(curl($way, '/v1/models', '--head')->{status}, 200, "$way: HEAD");
    is(curl($way, '/v1/models', '--request', 'OPTIONS')->{status}, 204, "$way: OPTIONS");

    for my $family (@MG::Family::NAMES) {
        my $path = MG::Family::path($family);
        $r = curl($way, $path, '--data-binary', body_file('whole', MG::Family::script($family, 'words=4')));
        is($r->{status} . ' ' . (MG::Family::text_of_json($family, $r->{json}) // ''), '200 alpha beta gamma delta',
            "$way, $family: a reply in one piece") or diag $r->{body};
        $r = curl($way, $path, '--data-binary', body_file('stream', MG::Family::script($family, 'words=300', stream => \1)));
        my $s = MG::Family::read_stream($family, $r->{body});
        is(MG::Family::is_not_whole($family, $s), '', "$way, $family: a stream");
        is(scalar(split ' ', $s->{text}), 300, "$way, $family: with all its text");
        $r = curl($way, $path, '--data-binary', body_file('cut', MG::Family::script($family, 'words=30 fault=cut at=9', stream => \1)));
        is(MG::Family::is_not_failed($family, MG::Family::read_stream($family, $r->{body})), '',
            "$way, $family: a cut upstream is told inside the stream");

        # The provider says seven events and then nothing: they arrive all the same. Then curl is
        # stopped, which a web server may notice only at the next sign of life.
        my $data = body_file('hold', MG::Family::script($family, 'pings=0 words=50 fault=silence at=7', stream => \1));
        my $pid = open my $pipe, '-|', 'curl', arguments($way, $path, '--data-binary', $data) or die $!;
        my ($text, $seen) = ('');
        while (sysread $pipe, my $piece, 65536) {
            $text .= $piece;
            next if 7 > grep { MG::Family::kind_of_event($family, $_) ne 'alive' } MG::Http::events($text);
            $seen = $sim->last_request;
            last;
        }
        is($seen && $seen->{outcome}, 'open', "$way, $family: events arrive while the provider holds the next one back");
        kill 'KILL', $pid;
        close $pipe;
        for (1 .. 200) {
            ($seen) = $sim->requests(since => $seen->{seq} - 1);
            last if $seen->{outcome} ne 'open';
            select undef, undef, undef, 0.05;
        }
        is($seen->{outcome}, 'client-gone', "$way, $family: a client that leaves stops the provider");
    }

    # A large body up and a large reply down.
    $r = curl($way, '/v1/messages', '--data-binary', body_file('large',
        MG::Family::script('messages', 'words=1', system => 'word ' x 2_000_000)));
    cmp_ok($r->{json}{usage}{input_tokens} // 0, '>=', 2_000_000, "$way: a body of 10 MB arrives") or diag substr $r->{body}, 0, 300;
    $r = curl($way, '/v1/messages', '--data-binary', body_file('long', MG::Family::script('messages', 'bytes=4000000', max_tokens => 1_000_000)));
    is(length(MG::Family::text_of_json('messages', $r->{json}) // ''), 4_000_000, "$way: a reply of 4 MB, too");
}

# Forty streams at a time on one connection, each with a text of its own.
for my $way (sort keys %way) {
    my @config;
    for my $n (1 .. 40) {
        my $family = $MG::Family::NAMES[$n % 4];
        my $body = MG::Family::script($family, "text=" . "marker-$n-" x 30 . " gap=10", stream => \1);
        my $url = $way{$way}[0];
        push @config, join "\n", "url = \"$url" . MG::Family::path($family) . '"', "header = \"authorization: Bearer $key\"",
            'header = "content-type: application/json"', 'data-binary = "' . body_file("many-$n", $body) . '"',
            "output = \"$stack->{dir}/many-$n.out\"", $way eq 'with TLS' ? ('http2', "cacert = \"$way{$way}[3]\"") : 'http2-prior-knowledge',
            'silent', 'noproxy = "*"', 'max-time = 90';
    }
    open my $file, '>', "$stack->{dir}/many.conf" or die $!;
    print {$file} join "\nnext\n", @config;
    close $file;
    system "curl --parallel --parallel-max 40 --config '$stack->{dir}/many.conf' > /dev/null 2> '$stack->{dir}/many.err'";
    my @bad;
    for my $n (1 .. 40) {
        my $family = $MG::Family::NAMES[$n % 4];
        open my $in, '<', "$stack->{dir}/many-$n.out" or next;
        my $s = MG::Family::read_stream($family, do { local $/; <$in> } // '');
        push @bad, $n if MG::Family::is_not_whole($family, $s) || $s->{text} ne "marker-$n-" x 30;
    }
    is("@bad", '', "$way: forty streams over few connections, each whole and its own");
}

is(MG::Http->new($stack, key => $key)->get('/api/v1/wallet/status')->{json}{held}{nano}, 0, 'nothing is held');
ok($stack->audit_is_clean, 'the audit is clean') or diag $stack->{audit};
done_testing;
