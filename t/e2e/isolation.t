# Two hundred streams at a time, each with a text of its own, some of them broken, some left: nobody
# ever sees a byte of somebody else, and everybody pays for what is theirs.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Time::HiRes qw(sleep time);
use MG::Family;
use MG::Http;
use MG::Stack;

my $stack = MG::Stack->new(conf => {keepalive_ms => 300, drain_seconds => 1});
my @account = map { [$stack->account(50)] } 1 .. 4;
my $streams = 200;

# One stream; every word of its answer carries its number.
sub begin {
    my ($n, $round) = @_;
    my $family = $MG::Family::NAMES[$n % 4];
    my $account = $account[($n / 4) % 4];
    my $http = MG::Http->new($stack, key => $account->[1], timeout => 100);
    my $mark = "r${round}n${n}m";
    my $fault = $n % 10 == 7 ? 'fault=cut at=12' : $n % 10 == 8 ? 'fault=error-event at=12' : $n % 10 == 9 ? 'fault=silence at=12 silence=800' : '';
    my $chunk = (0, 0, 1, 7, 33)[$n % 5];
    my $text = join '%20', map { "$mark$_" } 1 .. 40;
    my $sock = $http->connect;
    print {$sock} $http->format_request('POST', MG::Family::path($family), body => MG::Family::script($family,
        "text=$text gap=" . (5 + $n % 20) . " $fault" . ($chunk ? " chunk=$chunk" : ''), stream => \1));
    return {n => $n, family => $family, http => $http, account => $account, mark => $mark, sock => $sock, fault => $fault,
        text => $text =~ s/%20/ /gr};
}

my (%billed, @ids);
for my $round (1 .. 2) {
    my @all = map { begin($_, $round) } 0 .. $streams - 1;
    my (@wrong, @foreign, @broken);
    for my $one (@all) {
        # A few leave in the middle.
        my $leave = $one->{n} % 25 == 3;
        my $r = $one->{http}->read_reply($one->{sock}, time, until => sub { $leave && $_[0]{body} =~ /$one->{mark}5\b/ });
        my $s = MG::Family::read_stream($one->{family}, $r->{body});
        push @ids, $r->{headers}{'x-request-id'};
        push @{$billed{$one->{account}[0]}}, $r->{headers}{'x-request-id'};
        push @foreign, $one->{n} if grep { $_ ne $one->{mark} } $r->{body} =~ /\b(r\d+n\d+m)\d/g;
        push @wrong, "$one->{n}: $r->{status} " . substr $r->{body}, 0, 100 if $r->{status} != 200;
        next if $leave;
        my $bad = $one->{fault} =~ /cut|error/ ? MG::Family::is_not_failed($one->{family}, $s) : MG::Family::is_not_whole($one->{family}, $s);
        $bad ||= 'another text' if $one->{fault} =~ /cut|error/ ? index($one->{text}, $s->{text}) != 0 : $s->{text} ne $one->{text};
        push @broken, "$one->{n} ($one->{family}, $one->{fault}): $bad" if $bad;
    }
    is("@wrong", '', "round $round: all $streams streams begin");
    is("@foreign", '', "round $round: none holds a word of another");
    is(join(', ', @broken), '', "round $round: each is what it should be");
}

# Everybody's rows are theirs.
my %seen;
is(scalar(grep { $seen{$_}++ } @ids), 0, 'no request id came twice');
for my $account (@account) {
    my ($name, $key) = @$account;
    my $http = MG::Http->new($stack, key => $key);
    my %mine = map { $_ => 1 } @{$billed{$name}};
    my ($rows, $wallet);
    for (1 .. 200) {
        $wallet = $http->get('/api/v1/wallet/status')->{json};
        $rows = $http->get('/api/v1/billing/token-usage?limit=500')->{json}{data};
        last if $wallet->{held}{nano} == 0 && @$rows >= keys %mine;
        sleep 0.05;
    }
    is(scalar(grep { !$mine{$_->{request_id}} } @$rows), 0, 'an account has no row of another');
    is(scalar @$rows, scalar keys %mine, 'and one row for every stream');
    my $sum = 0;
    $sum += $_->{charge}{nano} for @$rows;
    is($wallet->{balance}{nano}, 50_000_000_000 - $sum, 'and a balance that they explain');
    is($wallet->{held}{nano}, 0, 'with nothing held');
}
ok($stack->audit_is_clean, 'the audit is clean') or diag $stack->{audit};
done_testing;
