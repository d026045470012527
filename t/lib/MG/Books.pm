package MG::Books;
# Compares what clients were answered with what the ledger says, after faults.
use strict;
use warnings;
use Exporter qw(import);
use Test::More;
use Time::HiRes qw(sleep time);
use MG::Http;

our @EXPORT_OK = qw(pids_of is_answering are_right);

# Responder processes of a stack, all or those of one family.
sub pids_of {
    my ($stack, $family) = @_;
    my @pids;
    for my $dir (glob '/proc/[0-9]*') {
        open my $in, '<', "$dir/cmdline" or next;
        my $line = do { local $/; <$in> } // '';
        my ($program) = $line =~ m{^[^\0]*mg-(\w+)\0} or next;
        next if index($line, "$stack->{dir}/") < 0 || $program eq 'sim' || $family && $program ne $family;
        push @pids, $dir =~ /(\d+)$/;
    }
    return @pids;
}

# Waits until every family answers a request of this key again; true when they do.
sub is_answering {
    my ($http, $seconds) = @_;
    my $end = time + ($seconds // 30);
    for my $path ('/api/v1/me', '/v1/models', map { MG::Family::path($_) } @MG::Family::NAMES) {
        my ($family) = grep { MG::Family::path($_) eq $path } @MG::Family::NAMES;
        my $status = 0;
        while ($status != 200) {
            my $r = eval { $family ? $http->post($path, MG::Family::script($family, 'words=1')) : $http->get($path) };
            $status = $r->{status} if $r;
            last if $status == 200;
            return 0 if time > $end;
            sleep 0.1;
        }
    }
    return 1;
}

# Tests that all replies stand in the ledger once, that nothing is held and the audit is clean.
sub are_right {
    my ($stack, $what, @replies) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $held = 'unknown';
    for (1 .. 300) { # holds of killed processes are released by a sweeper
        my ($status, $out) = $stack->run_stack('sql', '--state', $stack->{dir}, '-e',
            'SELECT COALESCE(SUM(held), 0) + (SELECT COUNT(*) FROM hold) FROM wallet');
        ($held) = $out =~ /^(\d+)$/m if !$status;
        last if $held eq '0';
        sleep 0.1;
    }
    is($held, 0, "$what: nothing stays held");
    my %rows;
    $rows{'req_' . lc $_->[0]} = $_->[1]
        for $stack->sql("SELECT HEX(ref), COUNT(*) FROM ledger WHERE kind = 'charge' GROUP BY ref");
    my @owed = grep { $_->{status} == 200 && ($_->{stream} ? $_->{whole} : defined $_->{charged}) } @replies;
    my @lost = map { "$_->{family} $_->{id}" } grep { !$rows{$_->{id}} } @owed;
    is("@lost[0 .. ($#lost < 9 ? $#lost : 9)]", '', "$what: every answer of " . @owed . ' is in the ledger');
    my @twice = grep { $rows{$_} != 1 } sort keys %rows;
    is("@twice", '', "$what: none of them twice");
    my @foreign = map { $_->{mark} } grep { $_->{foreign} } @replies;
    is("@foreign", '', "$what: nobody got a text of somebody else");
    ok($stack->audit_is_clean, "$what: the audit is clean") or diag $stack->{audit};
    return scalar @owed;
}

1;
