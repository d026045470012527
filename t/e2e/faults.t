# What an upstream can do wrong, in every family, streamed and not: its refusals are passed on or
# hidden as they must be, and no broken answer ever looks like a whole one.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Time::HiRes qw(sleep);
use MG::Check qw(is_error ids_fault shape_fault);
use MG::Family;
use MG::Http;
use MG::Sim;
use MG::Stack;

my $stack = MG::Stack->new(conf => {upstream_silence_s => 1, keepalive_ms => 60000});
my $sim = MG::Sim->new($stack);
my (undef, $key) = $stack->account(500);
my $http = MG::Http->new($stack, key => $key);
my %style = (chat => 'openai', responses => 'openai', completions => 'openai', messages => 'messages');
my $secret = 'sk-upstream-0123456789abcdef';

# The upstream's credential, to see that it never shows.
open my $file, '>', "$stack->{dir}/upstream.key" or die $!;
print {$file} "$secret\n";
close $file;
chmod 0644, "$stack->{dir}/upstream.key";
$stack->mgctl('upstream', 'set', 'sim', '--key-file', "$stack->{dir}/upstream.key");

sub ask {
    my ($family, $commands, $stream) = @_;
    return $http->post(MG::Family::path($family), MG::Family::script($family, $commands, stream => $stream ? \1 : \0));
}

sub row_of {
    my ($r) = @_;
    my $id = $r->{headers}{'x-request-id'};
    for (1 .. 100) {
        my $rows = $http->get("/api/v1/billing/token-usage?request_id=$id")->{json}{data};
        return $rows->[0] if @$rows;
        sleep 0.02;
    }
    return undef;
}

my @everything;

# Refusals by status. What the provider says, what the client gets.
for my $family (@MG::Family::NAMES) {
    for my $stream (0, 1) {
        my $how = "$family, " . ($stream ? 'streamed' : 'whole');
        for my $status (400, 413, 422) {
            my $r = ask($family, "status=$status message=prompt%20is%20too%20long:%20210000%20tokens code=context_length_exceeded", $stream);
            is($r->{status}, $status, "$how: $status passes");
            my $own = MG::Http->new($stack->sim_url, key => undef)->post(MG::Family::path($family), MG::Family::script($family,
                "status=$status message=prompt%20is%20too%20long:%20210000%20tokens code=context_length_exceeded"),
                headers => {'anthropic-version' => '2023-06-01'});
            s/"request_id": ?"[^"]*"/"request_id":"*"/ for my ($got, $want) = ($r->{body}, $own->{body});
            is($got, $want, "$how: $status, word for word");
            is(ids_fault($r), '', "$how: $status, with our request id");
        }
        for my $status (401, 403, 404) {
            my $r = ask($family, "status=$status message=Incorrect%20key%20$secret", $stream);
            is_error($r, 502, $style{$family}, "$how: $status, which concerns our own key, becomes 502");
            unlike($r->{body}, qr/Incorrect|\Q$secret\E|sk-/, "$how: $status, without its text");
            push @everything, $r;
        }
        my $r = ask($family, 'status=429 hdr-retry-after=7', $stream);
        is_error($r, 429, $style{$family}, "$how: 429 stays");
        is($r->{headers}{'retry-after'}, 7, "$how: with its Retry-After");
        ok(($r->{headers}{'x-should-retry'} // '') ne 'false', "$how: and may be tried again");
        $r = ask($family, 'status=429 hdr-retry-after=99999999', $stream);
        cmp_ok($r->{headers}{'retry-after'}, '<=', 3600, "$how: an absurd Retry-After is bounded");
        $r = ask($family, 'status=429 hdr-retry-after=Fri%2C%2031%20Dec%201999%2023:59:59%20GMT', $stream);
        like($r->{headers}{'retry-after'}, qr/^\d+$/, "$how: a date as Retry-After becomes a number");
        for my $case ([500, 502], [502, 502], [503, 503], [529, 503], [418, 502], [302, 502]) {
            my ($status, $wanted) = @$case;
            $r = ask($family, "status=$status message=internal%20host%20zebra7", $stream);
            is_error($r, $wanted, $style{$family}, "$how: $status becomes $wanted");
            unlike($r->{body}, qr/zebra7/, "$how: $status, without what is inside of the provider");
            like($r->{body}, qr/request id|try again/i, "$how: $status, and says what to do");
            push @everything, $r;
        }
        $r = ask($family, 'fault=html', $stream);
        is_error($r, 502, $style{$family}, "$how: an HTML page with 502 is no answer");
        unlike($r->{body}, qr/<html/i, "$how: and is not shown");
        $r = ask($family, 'fault=html status=400', $stream);
        is_error($r, 400, $style{$family}, "$how: one with 400 is a refusal without words");
        unlike($r->{body}, qr/<html/i, "$how: and is not shown either");
    }
}

# Nothing comes back at all, or no reply of the format: a status, and no charge.
for my $family (@MG::Family::NAMES) {
    for my $stream (0, 1) {
        my $how = "$family, " . ($stream ? 'streamed' : 'whole');
        for my $case (['fault=hangup', 502], ['fault=abort', 502], ['fault=html status=200', 502], ['delay=4000', 502]) {
            my ($commands, $wanted) = @$case;
            my $r = ask($family, $commands, $stream);
            is_error($r, $wanted, $style{$family}, "$how: $commands becomes $wanted");
            ok(!exists $r->{headers}{'x-credits-charged'}, "$how: $commands is not charged");
            push @everything, $r;
        }
    }
    for my $commands ('fault=empty', 'fault=cut at-byte=20', 'fault=reset at-byte=20', 'fault=bad-length', 'fault=garble',
        'fault=end at-byte=30', 'fault=silence at-byte=20') {
        my $r = ask($family, $commands, 0);
        is_error($r, 502, $style{$family}, "$family, whole: $commands becomes 502");
        push @everything, $r;
    }
    $sim->replay(body => '{"error":{"message":"all is lost","type":"server_error"}}', headers => {'content-type' => 'application/json'});
    is_error(ask($family, 'words=1', 0), 502, $style{$family}, "$family, whole: an error with status 200 is one");
    for my $body ('[]', 'null', '"x"', '{}', '{"id":"x"}', '{"choices"', "\xff\xfe", '') {
        for my $stream (0, 1) {
            $sim->replay(body => $body, headers => {'content-type' => 'application/json'});
            my $r = ask($family, 'words=1', $stream);
            is_error($r, 502, $style{$family}, "$family: '" . ($body =~ s/[^ -~]/?/gr) . "' is no answer" . ($stream ? ', streamed' : ''));
        }
    }
}
is_deeply([map { $_->{nano} } @{$http->get('/api/v1/wallet/status')->{json}}{qw(balance held)}], [500_000_000_000, 0],
    'nothing of all this was charged, nothing is held');

# Streams that break: exactly one bad end, everything before it delivered and charged.
for my $family (@MG::Family::NAMES) {
    for my $at (1, 2, 4, 9, -2, -1) {
        for my $fault ('cut', 'reset', 'end', 'garble', 'silence', 'error-event message=it%20broke') {
            next if $fault =~ /garble/ && $at == -1 || $fault eq 'silence' && $at !~ /^(1|4|-1)$/;
            my $r = ask($family, "words=10 out=10 fault=$fault at=$at", 1);
            my $s = MG::Family::read_stream($family, $r->{body});
            my $what = "$family: $fault after event $at";
            # All was said: a chat with its finish reason, a message with its stop reason.
            if ($family ne 'responses' && $fault !~ /error|garble/ && ($at == -1 || $at == -2 && $family ne 'messages')) {
                is(MG::Family::is_not_whole($family, $s), '', "$what: only the end mark was missing, and is set");
                is($s->{text}, 'alpha beta gamma delta omega sigma kappa theta alpha beta', "$what: the text is whole");
                next;
            }
            is($r->{status}, 200, "$what: the status is out");
            is(MG::Family::is_not_failed($family, $s), '', "$what: exactly one bad end") or diag substr $r->{body}, -700;
            ok(!$r->{cut}, "$what: which ends in order");
            like($s->{error}{message} // '', qr/it broke/, "$what: with the provider's words") if $fault =~ /error/;
            unlike($r->{body}, qr/#{8}/, "$what: without the garbage") if $fault eq 'garble';
            ok(index('alpha beta gamma delta omega sigma kappa theta alpha beta', $s->{text}) == 0, "$what: text up to there");
            push @everything, $r;
        }
    }
    # What came is charged, and the row says that it is not the whole answer.
    my $r = ask($family, 'words=60 fault=cut at=40', 1);
    my $row = row_of($r);
    ok($row && $row->{cut} && $row->{estimated} && $row->{charge}{nano} > 0, "$family: what came before a cut is charged")
        or diag explain $row;
    $r = ask($family, 'words=60 fault=error-event at=40', 1);
    $row = row_of($r);
    ok($row && $row->{cut} && $row->{charge}{nano} > 0, "$family: also before an error") or diag explain $row;
}

# The upstream is not there.
$stack->stack('stop', '--signal', 'KILL', 'sim');
for my $family (@MG::Family::NAMES) {
    for my $stream (0, 1) {
        my $r = ask($family, 'words=1', $stream);
        is_error($r, 503, $style{$family}, "$family: no upstream there" . ($stream ? ', streamed' : ''));
        like($r->{headers}{'retry-after'} // '', qr/^\d+$/, "$family: and when to try again");
        push @everything, $r;
    }
}
$stack->stack('start', 'sim');
is(ask($_, 'words=1', 1)->{status}, 200, "$_: all is well when it is back") for @MG::Family::NAMES;

my $said = join "\n", map { $_->{body}, map { "@$_" } [%{$_->{headers}}] } @everything;
unlike($said, qr/\Q$secret\E/, 'no reply has shown the key toward the upstream');
unlike($said, qr/127\.0\.0\.1|sim-coder/, 'nor where it is, nor what it calls its models');
unlike($stack->log_text, qr/\Q$secret\E/, 'nor has a log');
is($http->get('/api/v1/wallet/status')->{json}{held}{nano}, 0, 'nothing is held');
ok($stack->audit_is_clean, 'the audit is clean') or diag $stack->{audit};
done_testing;
