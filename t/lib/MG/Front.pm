package MG::Front;

# A web server made by httpd-conf/mkconf in front of dummy responders, for tests of the
# configuration alone: no database, no program of ours.

use strict;
use warnings;

use Cwd 'realpath';
use File::Basename;
use File::Path 'make_path';
use File::Temp 'tempdir';
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX ();
use Time::HiRes qw(sleep time);

my $lib = realpath(dirname(dirname(__FILE__)));
my $source = dirname(dirname($lib));
our $mkconf = "$source/httpd-conf/mkconf";

sub program {
    my ($server) = @_;
    my $name = { lighttpd => 'lighttpd', apache => 'apache2' }->{$server};
    return (grep { -x } map {"$_/$name"} split(/:/, $ENV{PATH}), '/usr/sbin')[0];
}

sub free_port {
    my $probe = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1) or die $!;
    return $probe->sockport;
}

# new(server => lighttpd|apache, families => [...], settings => {NAME => value}): everything but
# the processes.
sub new {
    my ($class, %self) = @_;
    $self{families} //= [qw(auth account models responses chat messages)];
    my $dir = $self{dir} = tempdir(CLEANUP => 1);
    chmod 0755, $dir;
    make_path(map {"$dir/$_"} qw(run log spool htdocs errors));
    my $self = bless \%self, $class;
    $self->{port} = free_port();
    my %settings = (
        ADDRESS => '127.0.0.1', HTTP_PORT => $self->{port}, HTDOCS => "$dir/htdocs",
        ERROR_DIR => "$dir/errors", RUN_DIR => "$dir/run", LOG_DIR => "$dir/log",
        SPOOL_DIR => "$dir/spool", PID_FILE => "$dir/httpd.pid", MAX_FDS => 1024,
        MAX_CONNECTIONS => 400, APACHE_PROCESSES => 2, APACHE_THREADS => 32,
        APACHE_WORKERS => 64, USER => $< == 0 ? 'www-data' : '',
        GROUP => $< == 0 ? 'www-data' : '', %{ $self->{settings} // {} },
    );
    $settings{MAX_FDS} = '' if $< != 0;
    $self->{conf} = "$dir/httpd.conf";
    system("$mkconf errors $dir/errors") == 0 or die 'mkconf errors';
    my @command = ($mkconf, $self->{server}, '--families', join(',', @{ $self->{families} }),
        map {"$_=$settings{$_}"} sort keys %settings);
    open my $in, '-|', @command or die $!;
    open my $out, '>', $self->{conf} or die $!;
    print {$out} <$in>;
    close $in or die 'mkconf failed';
    close $out;
    if ($< == 0) {
        my ($uid, $gid) = (getpwnam 'www-data')[2, 3];
        chown $uid, $gid, map {"$dir/$_"} qw(run log spool);
    }
    return $self;
}

# The server's own check of the configuration: ('' , 0) when it is content.
sub check {
    my ($self) = @_;
    my $program = program($self->{server});
    my $options = $self->{server} eq 'lighttpd' ? '-tt -f' : '-t -f';
    my $output = `$program $options $self->{conf} 2>&1`;
    return ($output, $?);
}

sub spawn {
    my ($self, $before, @command) = @_;
    my $pid = fork // die $!;
    if (!$pid) {
        open STDIN, '<', '/dev/null' or die $!;
        open STDOUT, '>>', "$self->{dir}/output" or die $!;
        open STDERR, '>&', \*STDOUT or die $!;
        $before->() if $before;
        exec @command or POSIX::_exit(127);
    }
    push @{ $self->{pids} }, $pid;
    return $pid;
}

sub start_responder {
    my ($self, $family) = @_;
    my $path = "$self->{dir}/run/$family.sock";
    unlink $path;
    my $listener = IO::Socket::UNIX->new(Type => SOCK_STREAM, Local => $path, Listen => 128)
        or die "$path: $!";
    chmod 0666, $path;
    my $program = "$self->{dir}/mg-$family";
    symlink "$lib/dummy-responder", $program;
    return $self->spawn(sub { POSIX::dup2(fileno $listener, 0) }, $program);
}

# Starts responders and server; waits until it answers. Dies with the log when it does not.
sub start {
    my ($self) = @_;
    $self->start_responder($_) for @{ $self->{families} };
    my @command = (program($self->{server}), $self->{server} eq 'lighttpd'
        ? ('-D', '-f', $self->{conf}) : ('-DFOREGROUND', '-f', $self->{conf}));
    $self->{httpd} = $self->spawn(undef, @command);
    my $end = time + 10;
    while (time < $end) {
        return $self if IO::Socket::INET->new(PeerAddr => "127.0.0.1:$self->{port}");
        sleep 0.05;
    }
    die "the server does not answer:\n", `cat $self->{dir}/output $self->{dir}/log/error.log`;
}

# curl with the given arguments on a path: (status, header text, body).
sub curl {
    my ($self, $path, @arguments) = @_;
    my $url = $path =~ /^http/ ? $path : "http://127.0.0.1:$self->{port}$path";
    my @command = ('curl', '-sS', '-g', '--path-as-is', '--max-time', 30, '--noproxy', '*',
        '-D', "$self->{dir}/head", @arguments, $url);
    unlink "$self->{dir}/head";
    open my $in, '-|', @command or die $!;
    local $/;
    my $body = <$in> // '';
    close $in;
    open my $head, '<', "$self->{dir}/head" or return (0, '', $body);
    my $text = <$head> // '';
    my $status = (() = $text =~ m{^HTTP/\S+ (\d+)}mg) ? ($text =~ m{^HTTP/\S+ (\d+)}mg)[-1] : 0;
    return ($status, $text, $body);
}

sub DESTROY {
    my ($self) = @_;
    local ($?, $!);
    for my $pid (reverse @{ $self->{pids} // [] }) {
        kill 'TERM', $pid;
        for (1 .. 100) {
            last if waitpid($pid, POSIX::WNOHANG()) != 0;
            sleep 0.05;
            kill 'KILL', $pid if $_ == 80;
        }
    }
    return;
}

1;
