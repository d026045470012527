package SimTest;

# What the tests of the simulated provider share: it is started on a free port when this module is
# loaded and ended with the test.
use strict;
use warnings;

use Exporter qw(import);
use File::Temp qw(tempdir);
use HTTP::Tiny;
use IO::Select;
use IO::Socket::INET;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw($sim $dir $json $http $port $base %path $ftool $rtool $mtool
                 start post get body ask both events stream names raw at);

our $sim = $ENV{MG_SIM} || ($ENV{MG_BUILDDIR} // '.') . '/t/sim/mg-sim';
plan skip_all => "no program at $sim (set MG_SIM)" unless -x $sim;

our $dir = tempdir(CLEANUP => 1);
our $json = JSON::PP->new->utf8->canonical;
our $http = HTTP::Tiny->new(timeout => 20);
our $port;
my $pid;
($pid, $port) = start();
our $base = "http://127.0.0.1:$port";

# Starts the program; returns its process and port.
sub start {
    my (@args) = @_;
    my $file = "$dir/port" . scalar(@args) . time();
    my $child = fork() // die "fork: $!";
    if (!$child) {
        open STDOUT, '>', "$file.out" or die;
        exec $sim, '--port-file', $file, @args or die "exec: $!";
    }
    for (1 .. 100) {
        last if -s $file;
        sleep 0.05;
    }
    open my $fh, '<', $file or die "mg-sim did not start";
    chomp(my $p = <$fh>);
    return ($child, $p);
}

END {
    my $rc = $?;
    if ($pid) {
        kill 'TERM', $pid;
        waitpid $pid, 0;
        if ($?) {
            diag "the provider ended with status $?";
            $rc ||= 1;
        }
    }
    $? = $rc;
}

sub post {
    my ($path, $body, %headers) = @_;
    $headers{'anthropic-version'} //= '2023-06-01' if $path =~ m{/messages};
    return $http->request('POST', $base . $path, {
        content => ref $body ? $json->encode($body) : $body,
        headers => { 'content-type' => 'application/json', %headers },
    });
}

sub get { return $json->decode($http->get($base . $_[0])->{content}) }

# The smallest request of each family, with a text.
our %path = (chat => '/v1/chat/completions', responses => '/v1/responses',
            completions => '/v1/completions', messages => '/v1/messages');

sub body {
    my ($family, $text, %more) = @_;
    my %of = (
        chat => { messages => [ { role => 'user', content => $text } ] },
        responses => { input => [ { role => 'user', content => $text } ] },
        completions => { prompt => $text, max_tokens => 1000 },
        messages => { messages => [ { role => 'user', content => $text } ], max_tokens => 4000 },
    );
    return { model => 'any', %{ $of{$family} }, %more };
}

sub ask {
    my ($family, $commands, %more) = @_;
    my $r = post($path{$family}, body($family, "hi [[sim $commands]]", %more));
    return $json->decode($r->{content});
}

# The same, with the HTTP reply.
sub both {
    my ($family, $commands, %more) = @_;
    my $r = post($path{$family}, body($family, "hi [[sim $commands]]", %more));
    return ($json->decode($r->{content}), $r);
}

# Splits an event stream; returns [name, decoded data or text] pairs.
sub events {
    my ($content) = @_;
    my @events;
    $content =~ s/\r\n?/\n/g;
    $content =~ s/^\x{EF}\x{BB}\x{BF}//;
    for my $block (split /\n\n/, $content) {
        my ($name) = $block =~ /^event: ?(.*)$/m;
        my $data = join "\n", $block =~ /^data: ?(.*)$/mg;
        next if $data eq '';
        push @events, [ $name, $data eq '[DONE]' ? $data : eval { $json->decode($data) } // $data ];
    }
    return @events;
}

sub stream {
    my ($family, $commands, %more) = @_;
    return events(post($path{$family}, body($family, "hi [[sim $commands]]",
        stream => JSON::PP::true,
                                            %more))->{content});
}

sub names { return join ' ', map { $_->[0] // 'data' } @_ }

# Writes one request by hand and reads until the peer closes or the time is over.
sub raw {
    my ($family, $commands, %opt) = @_;
    my $b = $json->encode(body($family, "hi [[sim $commands]]", stream => JSON::PP::true,
                               %{ $opt{more} || {} }));
    my $s = $opt{socket} || IO::Socket::INET->new("127.0.0.1:$port") or die "connect: $!";
    my $all = '';
    my $closed = 0;
    print $s "POST $path{$family} HTTP/1.1\r\nhost: sim\r\nanthropic-version: 1\r\n"
        . ($opt{headers} // '') . "content-length: " . length($b) . "\r\n\r\n$b";
    my $until = time() + ($opt{time} // 3);
    while (time() < $until && !$closed) {
        next unless IO::Select->new($s)->can_read(0.05);
        my $n = sysread $s, $all, 65536, length $all;
        $closed = !defined $n ? 'reset' : $n == 0 ? 'end' : 0;
        push @{ $opt{reads} }, $n if $n;
    }
    return ($all, $closed);
}

our $ftool = { type => 'function', function => { name => 'get_weather', parameters => {
    type => 'object', properties => { city => { type => 'string' } }, required => ['city'] } } };
our $rtool = { type => 'function', %{ $ftool->{function} } };
our $mtool = { name => 'get_weather', input_schema => $ftool->{function}{parameters} };

# What lies in a tree under that path of keys and places.
sub at {
    my ($o, @path) = @_;
    for (@path) {
        $o = ref $o eq 'ARRAY' ? $o->[$_] : $o->{$_};
    }
    return $o;
}

1;
