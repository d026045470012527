package MG::Browser;
# Browser tests: runs a script of t/browser in node with Debian's Chromium against a stack. Each line
# that the script prints is a test, or a question that one of `answers` answers.
#
#   my $browser = MG::Browser->new;
#   $browser->script('journey.mjs', $stack, answers => {mail => sub { … return $data }});
use strict;
use warnings;
use Carp qw(croak);
use File::Temp ();
use IPC::Open3 'open3';
use JSON::PP ();
use MG::Clients;
use Test::More;

my $src = $ENV{MG_SRCDIR} || do { require FindBin; "$FindBin::Bin/../.." };
my $json = JSON::PP->new->utf8->allow_nonref->canonical;

sub new {
    my ($class) = @_;
    my $clients = MG::Clients->new;
    my ($chromium) = grep {-x} $ENV{MG_CHROMIUM} // (), '/usr/bin/chromium';
    croak 'chromium is not installed (t/lib/packages)' if !$chromium;
    return bless {clients => $clients, chromium => $chromium}, $class;
}

sub answer {
    my ($answers, $question) = @_;
    my $code = $answers->{$question->{ask}} or return {error => 'nobody answers that'};
    my $value = eval { $code->(@{$question->{args}}) };
    return $@ ? {error => "$@"} : {value => $value};
}

sub environment {
    my ($self, $stack, $home) = @_;
    return (PATH => $ENV{PATH}, HOME => $home, TMPDIR => $home, TZ => 'Europe/Berlin', LANG => 'C.UTF-8',
        MG_BASE_URL => $stack->base_url, MG_SIM_URL => $stack->sim_url, MG_CLIENTS => $self->{clients}->folder,
        MG_CHROMIUM => $self->{chromium}, MG_SITE => $ENV{MG_SITE} // '',
        $ENV{MG_SHOTS} ? (MG_SHOTS => "$ENV{MG_SHOTS}/" . $stack->httpd) : ());
}

# Runs t/browser/NAME. Options: answers => {name => code}.
sub script {
    my ($self, $name, $stack, %o) = @_;
    my $home = File::Temp->newdir;
    my $errors = File::Temp->new;
    local %ENV = $self->environment($stack, "$home");
    open my $err, '>&', $errors or croak $!;
    my $pid = open3(my $in, my $out, '>&' . fileno $err, $self->{clients}->program('node'), "$src/t/browser/$name");
    while (my $line = <$out>) {
        my $said = eval { $json->decode($line) } or next;
        if ($said->{ask}) {
            print {$in} $json->encode(answer($o{answers} // {}, $said)), "\n";
            $in->flush;
        } else {
            ok($said->{ok}, $said->{name}) or diag $said->{why};
        }
    }
    close $in;
    waitpid $pid, 0;
    seek $errors, 0, 0;
    my $text = do { local $/; <$errors> };
    ok($? == 0, "$name came to its end") or diag substr $text, -2000;
    return;
}

1;
