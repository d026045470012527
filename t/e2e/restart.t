# A rolling restart under load loses no request and cuts no stream, again and again; new settings
# hold afterwards, and wrong ones change nothing.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Time::HiRes qw(sleep time);
use MG::Books qw(pids_of are_right);
use MG::Family;
use MG::Http;
use MG::Load;
use MG::Stack;

my $stack = MG::Stack->new(conf => {heartbeat_ms => 300, stale_ms => 10000, keepalive_ms => 5000});
my (undef, $key) = $stack->account(10000);
my $http = MG::Http->new($stack, key => $key, timeout => 120);

# Streams that are longer than all of it.
my %long;
for my $family (@MG::Family::NAMES) {
    $long{$family} = $http->connect;
    print {$long{$family}} $http->format_request('POST', MG::Family::path($family),
        body => MG::Family::script($family, 'words=300 gap=40', stream => \1));
}
my $whole = $http->connect;
print {$whole} $http->format_request('POST', '/v1/messages', body => MG::Family::script('messages', 'words=5 delay=9000'));
sleep 1;

my %before = map { $_ => 1 } pids_of($stack);
my $load = MG::Load->new($stack, key => $key, clients => 8, words => 30, gap => 15);
sleep 0.5;
for my $round (1 .. 4) {
    my ($status, $out) = $stack->run_stack('reload', '--state', $stack->{dir}, '--conf', "processes=" . (1 + $round % 2));
    is($status, 0, "restart $round under load is done") or diag $out;
    sleep 0.3;
}
my @replies = $load->stop;
my @bad = grep { !$_->{whole} } @replies;
is(scalar @bad, 0, 'of ' . @replies . ' requests none is lost and no stream is cut')
    or diag join "\n", map { "$_->{family} stream=$_->{stream} status=$_->{status} cut=" . ($_->{cut} // '') . " $_->{why}" } @bad[0 .. ($#bad < 5 ? $#bad : 5)];
cmp_ok(scalar @replies, '>', 50, 'and they were many');

for my $family (@MG::Family::NAMES) {
    my $r = $http->read_reply($long{$family}, time);
    my $s = MG::Family::read_stream($family, $r->{body});
    is(MG::Family::is_not_whole($family, $s), '', "$family: a stream that began before the first restart ends whole");
    is(scalar(split ' ', $s->{text}), 300, "$family: with every word");
}
my $r = $http->read_reply($whole, time);
is(MG::Family::text_of_json('messages', $r->{json}), 'alpha beta gamma delta omega', 'a reply in one piece, too');

# The old processes go when their last stream is over.
my @left;
for (1 .. 300) {
    @left = grep { $before{$_} } pids_of($stack);
    last if !@left;
    sleep 0.1;
}
is("@left", '', 'no process of before is left');

are_right($stack, 'after restarts', @replies);

# What takes longer than a stop may take is cut off, and the process still ends in order: with
# generations in the background, somebody who follows, and streams that are to be kept.
{
    $stack->stack('reload', '--conf', 'shutdown_seconds=1');
    my @input = (model => 'coder', input => 'Go [[sim words=2000 gap=50]]');
    my @ids = map { $http->post('/v1/responses', {@input, background => \1})->{json}{id} } 1 .. 4;
    my @socks = map { my $s = $http->connect; print {$s} $http->format_request(@$_); $s }
        (map { ['GET', "/v1/responses/$_?stream=true"] } @ids),
        (map { ['POST', '/v1/responses', body => {@input, stream => \1}] } 1 .. 4);
    for my $s (@socks) {
        open my $copy, '<&', $s or die $!; # what is read from is closed
        my $r = $http->read_reply($copy, time, until => sub { $_[0]{body} =~ /output_text\.delta/ });
        like($r->{body}, qr/output_text\.delta/, 'a stream runs');
    }
    my %old = map { $_ => 1 } pids_of($stack);
    my $charges = sub { ($stack->sql("SELECT COUNT(*) FROM ledger WHERE kind = 'charge' AND amount < 0"))[0][0] };
    my $before = $charges->();
    $stack->stack('reload', '--conf', 'shutdown_seconds=300');
    ok($stack->wait_for(sub { !grep { $old{$_} } pids_of($stack) }, 60), 'no process waits for them any longer');
    is($charges->() - $before, 8, 'what they have generated until then is charged');
    my @ends = map { my $s = $_; local $/; (<$s> // '') =~ /^event: (response\.failed)\n/m ? $1 : 'cut' } @socks[4 .. 7];
    is("@ends", join(' ', ('response.failed') x 4), 'and their clients are told that it is not whole');
    for my $id (@ids) {
        ok($stack->wait_for(sub { ($http->get("/v1/responses/$id")->{json}{status} // '') eq 'failed' }, 60),
            'what it generated in the background has failed');
    }
    is(join("\n", grep { /ended by signal|Sanitizer/ } split /\n/, $stack->log_text), '', 'and none has crashed');
    are_right($stack, 'after a stop in the middle', @replies);
}

# New settings hold, wrong ones do not.
{
    my $body = {model => 'coder', max_tokens => 10, messages => [{role => 'user', content => 'x' x 4000}]};
    is($http->post('/v1/messages', $body)->{status}, 200, 'a body of 4000 bytes is taken');
    $stack->stack('reload', '--conf', 'body_limit=2048');
    is($http->post('/v1/messages', $body)->{status}, 413, 'and not under the new limit');
    my ($status, $out) = $stack->run_stack('reload', '--state', $stack->{dir}, '--conf', 'no_such_setting=1');
    isnt($status, 0, 'a wrong setting is told');
    like($out, qr/no_such_setting/, 'by its name');
    is($http->post('/v1/messages', $body)->{status}, 413, 'and all goes on as before');
}
done_testing;
