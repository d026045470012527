# Streams: events pass one by one, silence is bridged with signs of life, slow readers do not cost
# memory, and recorded traffic cut at any place arrives as it was.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use Time::HiRes qw(sleep time);
use MG::Check qw(is_error ids_fault);
use MG::Family;
use MG::Http;
use MG::Sim;
use MG::Stack;

my $stack = MG::Stack->new(conf => {keepalive_ms => 300, drain_seconds => 1});
my $sim = MG::Sim->new($stack);
my (undef, $key) = $stack->account(5000);
my $http = MG::Http->new($stack, key => $key, timeout => 100);

sub stream {
    my ($family, $commands, %o) = @_;
    my $more = delete $o{more} || {};
    return $http->post(MG::Family::path($family),
        MG::Family::script($family, "pings=0 $commands", stream => \1, %$more), %o);
}

# The newest request of the provider.
sub provider { return $sim->last_request }

# Events arrive while the provider holds the next one back: it says so many and then nothing.
for my $family (@MG::Family::NAMES) {
    for my $count (1, 2, 5, 12) {
        my $seen;
        my $r = stream($family, "words=30 fault=silence at=$count", until => sub {
            my ($r) = @_;
            my $events = grep { MG::Family::kind_of_event($family, $_) ne 'alive' } MG::Http::events($r->{body});
            return 0 if $events < $count;
            $seen = provider();
            return 1;
        });
        is($seen->{outcome}, 'open',
            "$family: event $count arrives before the provider has sent another");
        is(ids_fault($r), '', "$family: the head of the stream names the request") if $count == 1;
        like($r->{headers}{'content-type'}, qr{^text/event-stream}, "$family: it is an event stream") if $count == 1;
    }
}

# Signs of life: while nothing at all has come from upstream, and between events.
my %sign = (
    chat => qr/^: keep-alive$/m, completions => qr/^: keep-alive$/m,
    messages => qr/^event: ping\ndata: \{"type": ?"ping"\}$/m, responses => qr/^data: \{"type": ?"keepalive"/m,
);
# Helpers of SDKs want `response.created` to be the first event, if it does not take too long.
my %early_sign = (%sign, responses => qr/\A: keep-alive$/m);
for my $family (@MG::Family::NAMES) {
    for my $case (['before the head', 'delay'], ['before the first event', 'first']) {
        my ($what, $command) = @$case;
        # The provider answers only when two signs have come: its reply waits in the queue.
        my $r = stream($family, "words=5 $command=1500");
        my $s = MG::Family::read_stream($family, $r->{body});
        is(MG::Family::is_not_whole($family, $s), '', "$family: a stream with silence $what is whole");
        is($s->{text}, 'alpha beta gamma delta omega', "$family: $what: and complete");
        like($r->{body}, $early_sign{$family}, "$family: $what: a sign of life comes");
        cmp_ok($s->{kinds}{alive} // 0, '>=', 2, "$family: $what: more than one");
    }
    my $r = stream($family, 'words=12 fault=silence at=8 silence=1500');
    my $s = MG::Family::read_stream($family, $r->{body});
    is(MG::Family::is_not_whole($family, $s), '', "$family: a stream with silence inside is whole");
    is($s->{text}, 'alpha beta gamma delta omega sigma kappa theta alpha beta gamma delta', "$family: and complete");
    cmp_ok($s->{kinds}{alive} // 0, '>=', 2, "$family: and shows signs of life inside");
    like($r->{body}, $sign{$family}, "$family: of its own kind");
    my @kinds = map { MG::Family::kind_of_event($family, $_) } @{$s->{events}};
    is($kinds[-1], 'good', "$family: none of them behind its end");
}
{
    # A failure after the first sign of life cannot be a status any more.
    for my $family (@MG::Family::NAMES) {
        my $r = stream($family, 'delay=1000 status=400 message=too%20long');
        my $s = MG::Family::read_stream($family, $r->{body});
        is($r->{status}, 200, "$family: after a sign of life the status is out");
        is(MG::Family::is_not_failed($family, $s), '', "$family: so a refusal is told inside the stream");
        like($s->{error}{message} // '', qr/too long/, "$family: in its own words");
    }
    # A reply in one piece gets no signs of life.
    for my $family (@MG::Family::NAMES) {
        my $r = $http->post(MG::Family::path($family), MG::Family::script($family, 'delay=1000 words=2'));
        is(MG::Family::text_of_json($family, $r->{json}), 'alpha beta', "$family: a reply in one piece waits in silence");
    }
}

# Slow readers. What is resident of a responder is bounded, the reply arrives whole.
sub resident {
    my ($family) = @_;
    my $sum = 0;
    for my $dir (glob '/proc/[0-9]*') {
        open my $in, '<', "$dir/cmdline" or next;
        my $line = <$in> // '';
        next if $line !~ m{mg-$family\0.*\Q$stack->{dir}\E}s;
        open my $status, '<', "$dir/status" or next;
        while (<$status>) { $sum += $1 if /^VmRSS:\s+(\d+)/ }
    }
    return $sum;
}
my $MB = 1 << 20;
{
    my $before = resident('messages');
    cmp_ok($before, '>', 0, 'the responder is found');
    my ($most, $text, $reads) = (0, '', 0);
    my $sock = $http->connect;
    setsockopt $sock, 1, 8, pack 'i', 65536; # a small window for what was not read yet
    print {$sock} $http->format_request('POST', '/v1/messages',
        body => MG::Family::script('messages', 'bytes=' . 50 * $MB . ' events-per-write=500', stream => \1, max_tokens => 10 * $MB));
    sleep 2; # reads nothing at all for a while
    my $r = $http->read_reply($sock, time, until => sub {
        if (++$reads % 400 == 0) {
            my $now = resident('messages');
            $most = $now if $now > $most;
            sleep 0.002;
        }
        return 0;
    });
    ok(!$r->{cut}, 'a slow reader gets all of a large stream');
    my $words = () = $r->{body} =~ /"text_delta"/g;
    my ($told) = $r->{body} =~ /"output_tokens": ?(\d+)\}/;
    like(substr($r->{body}, -200), qr/message_stop/, 'with its end');
    cmp_ok(length $r->{body}, '>', 50 * $MB, sprintf 'of %d MB', length($r->{body}) / $MB);
    is($words, 6.25 * $MB, 'and no event is missing');
    # AddressSanitizer keeps what was freed for a while (256 MB of it).
    my $little = ($ENV{ASAN_OPTIONS} ? 320 : 40) * 1024;
    cmp_ok($most - $before, '<', $little, "the responder needed little memory for it ($before KB before, $most KB at most)");
}

# A stream request that is answered in one piece.
for my $family (@MG::Family::NAMES) {
    my $whole = MG::Http->new($stack->sim_url, key => undef)->post(MG::Family::path($family), MG::Family::script($family, 'words=3'),
        headers => {'anthropic-version' => '2023-06-01'});
    $sim->replay(body => $whole->{body}, headers => {'content-type' => 'application/json'});
    my $r = stream($family, 'words=3');
    is($r->{status}, 200, "$family: an upstream that does not stream is no failure") or diag $r->{body};
    like($r->{headers}{'content-type'}, qr{^text/event-stream}, "$family: its answer arrives as the stream that was asked for");
    my $s = MG::Family::read_stream($family, $r->{body});
    is($s->{text}, 'alpha beta gamma', "$family: with all of its text");
    is(MG::Family::is_not_whole($family, $s), '', "$family: and one end");
    # The other way round, and streams that are called something else.
    my $events = MG::Http->new($stack->sim_url, key => undef)->post(MG::Family::path($family), MG::Family::script($family, 'words=3',
        stream => \1), headers => {'anthropic-version' => '2023-06-01'});
    $sim->replay(body => $events->{body}, headers => {'content-type' => 'text/event-stream'});
    $r = $http->post(MG::Family::path($family), MG::Family::script($family, 'words=3'));
    is(MG::Family::text_of_json($family, $r->{json}), 'alpha beta gamma', "$family: a stream that nobody asked for arrives in one piece");
    like($r->{headers}{'x-credits-charged'}, qr/^[\d.]+$/, "$family: and is charged");
    for my $type ('text/plain', '') {
        $sim->replay(body => $events->{body}, headers => {$type ? ('content-type' => $type) : ()});
        $r = stream($family, 'words=3');
        is(MG::Family::read_stream($family, $r->{body})->{text}, 'alpha beta gamma', "$family: a stream that is called '$type' is one");
    }
}

# Recorded traffic, cut into writes of every kind of size.
my $recordings = "$FindBin::Bin/../golden/recordings";
my %folder = (chat => 'chat-completions', responses => 'responses', messages => 'anthropic');
my %framed = (chat => 'chat', responses => 'responses', messages => 'messages');
my $json = JSON::PP->new->canonical->allow_nonref;
my %count;
for my $family (sort keys %folder) {
    for my $file (sort glob "$recordings/*/$folder{$family}/*response-streaming.json") {
        my $events = do { open my $in, '<', $file or die $!; local $/; $json->decode(<$in>) };
        my ($name) = $file =~ m{recordings/([^/]+)/};
        # The provider's own bytes, and what the client has to see: the same but for the model.
        $sim->replay(events => $events, framing => $framed{$family});
        my $sent = MG::Http->new($stack->sim_url, key => undef)->post('/v1/x', {})->{body};
        (my $want = $sent) =~ s/"model": ?"[^"]*"/"model":"*"/g;
        my @bad;
        for my $size ($count{$family}++ ? (4096, 17) : (1, 2, 3, 5, 16, 100, 1000, 65536)) {
            $sim->replay(body => $sent, headers => {'content-type' => 'text/event-stream'}, stream => \1, chunks => [$size]);
            my $r = stream($family, 'words=1', more => $family eq 'chat' ? {stream_options => {include_usage => \1}} : {});
            (my $got = $r->{body}) =~ s/"model": ?"[^"]*"/"model":"*"/g;
            push @bad, "pieces of $size: status $r->{status}, " . substr $got, 0, 500
                if $got ne $want || $r->{status} != 200;
        }
        is("@bad", '', "$family: the recording $name arrives as it was");
    }
    cmp_ok($count{$family} // 0, '>', 3, "$family: there are recordings");
}
$sim->call('DELETE', 'replay');
is(provider()->{outcome}, 'complete', 'the provider delivered what it had');

done_testing;
