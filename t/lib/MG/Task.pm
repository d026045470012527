package MG::Task;
# Tasks for the coding programs that people use: a place to work in, a script for the simulated
# provider's agent, and what has to hold when a task is done.
use strict;
use warnings;
use Exporter 'import';
use File::Temp ();
use MIME::Base64 qw(decode_base64);
use Test::More;

our @EXPORT_OK = qw(place write_file slurp script dot_png task);

sub write_file {
    my ($path, $bytes) = @_;
    open my $out, '>', $path or die "$path: $!";
    print {$out} $bytes;
    close $out or die "$path: $!";
}

sub slurp {
    open my $in, '<', $_[0] or return '';
    local $/;
    return <$in> // '';
}

# A scratch folder with an empty home/ and an empty work/. Gone with the object.
sub place {
    my $dir = File::Temp->newdir;
    mkdir "$dir/$_" or die $! for qw(home work);
    return $dir;
}

my $scripts = 0;

# Commands for the provider, [name, value] each, as text of the user's. A number makes every text
# another one, so that `times=` counts it alone.
sub script {
    return '[[sim ' . join(' ', map {
        my ($name, $value) = @$_;
        $value =~ s/([^A-Za-z0-9_.-])/sprintf '%%%02X', ord $1/ge;
        "$name=$value";
    } @_, ['tag', ++$scripts]) . ']]';
}

# A picture of one red dot. In base64 it begins with iVBORw0KGgo.
sub dot_png {
    return decode_base64('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8j'
        . 'x0gAAAABJRU5ErkJggg==');
}

# Runs one task ($run answers what MG::Clients::run does), and holds it to its result: the program
# ends well, the upstream answered $requests times, and each time was charged once, and exactly
# unless the stream was cut. Answers what the program said, and the requests that were answered.
sub task {
    my ($clients, $sim, $name, $requests, $run) = @_;
    $sim->forget;
    my $before = $clients->newest;
    my $r = $run->();
    my $said = "$r->{out}$r->{err}";
    ok($r->{status} == 0 && !$r->{timeout}, "$name: comes to its end") or diag substr $said, -1500;
    my @requests = grep { $_->{status} == 200 } $sim->requests;
    is(scalar @requests, $requests, "$name: requests upstream");
    my @rows = $clients->rows($before, $requests);
    is(scalar(grep { $_->{charge}{nano} > 0 } @rows), $requests, "$name: each is charged once");
    ok(!(grep { $_->{estimated} && !$_->{cut} } @rows), "$name: and exactly, if it was not cut");
    return ($said, @requests);
}

1;
