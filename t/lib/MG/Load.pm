package MG::Load;
# Clients that go on asking until they are told to stop, each a process of its own, and what they
# were answered: for tests that kill or restart things meanwhile.
#
#   my $load = MG::Load->new($stack, key => $key, clients => 8);
#   ...
#   my @replies = $load->stop;    # [{family, stream, status, id, whole, charged, text, why}]
use strict;
use warnings;
use POSIX ();
use Time::HiRes qw(sleep);
use MG::Family;
use MG::Http;

# Options: key, clients, words (of every answer), gap (ms between events), pause (s after an
# answer that is none, so that a service that is down is not flooded), families.
sub new {
    my ($class, $stack, %o) = @_;
    my $self = bless {%o, dir => "$stack->{dir}/load" . time . int rand 1e6, pids => [], owner => $$}, $class;
    $self->{families} ||= [@MG::Family::NAMES];
    mkdir $self->{dir} or die $!;
    for my $n (1 .. $o{clients}) {
        my $pid = fork // die $!;
        if (!$pid) {
            $SIG{PIPE} = 'IGNORE';
            eval { $self->ask_on($n, $stack->base_url) } or print STDERR "client $n: $@";
            POSIX::_exit(0);
        }
        push @{$self->{pids}}, $pid;
    }
    return $self;
}

# In a child: asks until the file `stop` is there; one line a reply.
sub ask_on {
    my ($self, $client, $url) = @_;
    my $http = MG::Http->new($url, key => $self->{key}, timeout => 60);
    open my $log, '>', "$self->{dir}/$client" or die $!;
    srand $client;
    my $number = 0;
    while (!-e "$self->{dir}/stop") {
        my $family = $self->{families}[rand @{$self->{families}}];
        my $reply = $self->ask($http, $family, rand() < 0.5, "c$client-" . ++$number . '-');
        print {$log} $MG::Http::JSON->encode($reply), "\n";
        sleep($self->{pause} // 0.1) if $reply->{status} != 200;
    }
    close $log;
    return 1;
}

# One request with a text that no other has.
sub ask {
    my ($self, $http, $family, $stream, $mark) = @_;
    my $words = $self->{words} // 10;
    my $text = join '%20', map { "$mark$_" } 1 .. $words;
    my $gap = $self->{gap} // 5;
    my %reply = (family => $family, stream => $stream ? 1 : 0, status => 0, mark => $mark);
    my $r = eval { $http->post(MG::Family::path($family), MG::Family::script($family, "text=$text gap=$gap",
        stream => $stream ? \1 : \0)) };
    if (!$r) {
        $reply{why} = "$@";
        return \%reply;
    }
    $reply{status} = $r->{status};
    $reply{id} = $r->{headers}{'x-request-id'};
    $reply{charged} = $r->{headers}{'x-credits-charged'};
    $reply{retry_after} = $r->{headers}{'retry-after'};
    $reply{cut} = $r->{cut} ? 1 : 0;
    my $s = $stream && $r->{status} == 200 ? MG::Family::read_stream($family, $r->{body}) : undef;
    $reply{why} = !$s ? ($r->{status} == 200 ? '' : substr $r->{body}, 0, 200) : MG::Family::is_not_whole($family, $s);
    my $got = $s ? $s->{text} : MG::Family::text_of_json($family, $r->{json});
    $reply{whole} = $r->{status} == 200 && !$r->{cut} && !$reply{why} && ($got // '') eq join(' ', map { "$mark$_" } 1 .. $words) ? 1 : 0;
    $reply{foreign} = 1 if defined $got && grep { index($_, $mark) != 0 } split ' ', $got;
    return \%reply;
}

# Ends all clients after their last reply; everything they were answered.
sub stop {
    my ($self) = @_;
    open my $flag, '>', "$self->{dir}/stop" or die $!;
    close $flag;
    waitpid $_, 0 for splice @{$self->{pids}};
    return $self->replies;
}

# What has been answered so far.
sub replies {
    my ($self) = @_;
    my @replies;
    for my $file (grep { !m{/stop$} } glob "$self->{dir}/*") {
        open my $in, '<', $file or next;
        while (<$in>) {
            push @replies, $MG::Http::JSON->decode($_) if /\n$/;
        }
    }
    return @replies;
}

sub DESTROY {
    my ($self) = @_;
    return if $$ != $self->{owner};
    local ($?, $@);
    kill 'KILL', @{$self->{pids}};
    waitpid $_, 0 for @{$self->{pids}};
}

1;
