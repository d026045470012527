# The database goes away while streams run: they finish, their settles land when it is back, also
# when the responder has been killed meanwhile; new requests are refused politely.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Select;
use Test::More;
use Time::HiRes qw(sleep time);
use MG::Books qw(pids_of is_answering are_right);
use MG::Check qw(is_error);
use MG::Family;
use MG::Http;
use MG::Stack;

my $stack = MG::Stack->new(conf => {heartbeat_ms => 300, stale_ms => 5000, slice_tokens => 16});
my %style = (chat => 'openai', responses => 'openai', completions => 'openai', messages => 'messages');

# Starts a stream of every family that goes on while $during runs; their replies.
sub streams_during {
    my ($http, $commands, $during) = @_;
    my %sock;
    for my $family (@MG::Family::NAMES) {
        $sock{$family} = $http->connect;
        print {$sock{$family}} $http->format_request('POST', MG::Family::path($family),
            body => MG::Family::script($family, $commands, stream => \1));
    }
    # Every one of them has begun when its head is there.
    IO::Select->new($sock{$_})->can_read(20) for @MG::Family::NAMES;
    $during->();
    return map { my $family = $_;
        my $r = $http->read_reply($sock{$family}, time);
        my $s = MG::Family::read_stream($family, $r->{body});
        {family => $family, stream => 1, status => $r->{status}, id => $r->{headers}{'x-request-id'}, body => $r->{body},
            whole => !$r->{cut} && !MG::Family::is_not_whole($family, $s), why => MG::Family::is_not_whole($family, $s),
            words => scalar(split ' ', $s->{text})};
    } @MG::Family::NAMES;
}

sub row_of {
    my ($http, $id) = @_;
    for (1 .. 300) {
        my $r = $http->get("/api/v1/billing/token-usage?request_id=$id");
        return $r->{json}{data}[0] if $r->{status} == 200 && @{$r->{json}{data}};
        sleep 0.1;
    }
    return undef;
}

sub charges_are_right {
    my ($what, $http, @replies) = @_;
    for my $reply (@replies) {
        my $row = row_of($http, $reply->{id});
        ok($row, "$what, $reply->{family}: its row is in the ledger") or next;
        is("$row->{usage}{input_tokens} $row->{usage}{output_tokens}", '123 60', "$what, $reply->{family}: with its tokens");
        is($row->{charge}{nano}, 123 * 3000 + 60 * 15000, "$what, $reply->{family}: and its charge");
    }
}

# Away in the middle of streams, back after them.
{
    my (undef, $key) = $stack->account(10);
    my $http = MG::Http->new($stack, key => $key);
    my @replies = streams_during($http, 'words=60 gap=50 in=123 out=60', sub {
        $stack->stack('stop', '--signal', 'KILL', 'db');
        for my $family (@MG::Family::NAMES) {
            for my $stream (0, 1) {
                my $r = $http->post(MG::Family::path($family), MG::Family::script($family, 'words=1', stream => $stream ? \1 : \0));
                is_error($r, 503, $style{$family}, "$family: a new request is refused meanwhile" . ($stream ? ', streamed' : ''));
                like($r->{headers}{'retry-after'} // '', qr/^[1-9]\d?$/, "$family: and told when to come again");
                isnt($r->{headers}{'x-should-retry'} // '', 'false', "$family: which helps");
            }
        }
        is_error($http->get($_), 503, 'openai', "$_ is unavailable, too") for '/v1/models', '/api/v1/wallet/status';
    });
    for my $reply (@replies) {
        is("$reply->{why} $reply->{words}", ' 60', "database away: $reply->{family}: the stream that ran finishes, whole");
    }
    $stack->stack('start', 'db');
    ok(is_answering($http), 'all answers again when it is back');
    charges_are_right('database away', $http, @replies);
    are_right($stack, 'database away', @replies);
}

# The same, and the responders are killed before it is back: their journals survive them.
{
    my (undef, $key) = $stack->account(10);
    my $http = MG::Http->new($stack, key => $key);
    my @replies = streams_during($http, 'words=60 gap=30 in=123 out=60', sub {
        $stack->stack('stop', '--signal', 'KILL', 'db') });
    is("$_->{why} $_->{words}", ' 60', "responders killed, too: $_->{family}: the stream finishes, whole") for @replies;
    my @journals = grep { -s } glob "$stack->{dir}/var/*";
    cmp_ok(scalar @journals, '>', 0, 'what is owed is on disk') or diag `ls -laR $stack->{dir}/var`;
    kill 'KILL', pids_of($stack);
    sleep 0.5;
    kill 'KILL', pids_of($stack); # also those that were started without a database
    sleep 0.5;
    $stack->stack('start', 'db');
    ok(is_answering($http), 'all answers again');
    charges_are_right('responders killed, too', $http, @replies);
    are_right($stack, 'responders killed, too', @replies);
    @journals = grep { -s } glob "$stack->{dir}/var/*";
    is("@journals", '', 'the journals are empty now') or diag `ls -laR $stack->{dir}/var`;
}

# Away for less than a stream's life: it comes back under running streams, whose holds go on growing.
{
    my (undef, $key) = $stack->account(10);
    my $http = MG::Http->new($stack, key => $key);
    my @replies = streams_during($http, 'words=60 gap=60 in=123 out=60', sub {
        $stack->stack('stop', '--signal', 'KILL', 'db');
        sleep 0.5;
        $stack->stack('start', 'db');
    });
    is("$_->{why} $_->{words}", ' 60', "back early: $_->{family}: the stream does not notice") for @replies;
    charges_are_right('back early', $http, @replies);
    are_right($stack, 'back early', @replies);
}

# Replies in one piece wait for their settle, or go out without credit headers; never lost.
{
    my (undef, $key) = $stack->account(10);
    my $http = MG::Http->new($stack, key => $key, timeout => 100);
    my %sock;
    for my $family (@MG::Family::NAMES) {
        $sock{$family} = $http->connect;
        print {$sock{$family}} $http->format_request('POST', MG::Family::path($family),
            body => MG::Family::script($family, 'words=60 delay=1500 in=123 out=60'));
    }
    sleep 0.7;
    $stack->stack('stop', '--signal', 'KILL', 'db');
    sleep 2;
    my @replies = map { my $family = $_;
        my $r = $http->read_reply($sock{$family}, time);
        is(scalar(split ' ', MG::Family::text_of_json($family, $r->{json}) // ''), 60, "in one piece: $family: the answer arrives");
        {family => $family, stream => 1, status => $r->{status}, id => $r->{headers}{'x-request-id'}, whole => $r->{status} == 200};
    } @MG::Family::NAMES;
    $stack->stack('start', 'db');
    ok(is_answering($http), 'in one piece: all answers again');
    charges_are_right('in one piece', $http, @replies);
    are_right($stack, 'in one piece', @replies);
}

done_testing;
