package MG::Kinds;
# The kinds of upstream there are: one that speaks every format, and three that speak one each.
# Behind all of them is the one simulated provider.
use strict;
use warnings;

# {model, formats} of each kind.
sub kinds {
    return (
        {model => 'any-format', formats => 'chat,responses,completions,messages'},
        {model => 'only-chat', formats => 'chat'},
        {model => 'only-responses', formats => 'responses'},
        {model => 'only-messages', formats => 'messages'},
    );
}

# Those that real clients and probes are to go through: all of them, or with MG_BRIEF the one of this
# model. They need seconds a task and send the same bytes to either web server and to every build.
sub for_client {
    my ($model) = @_;
    return grep { !$ENV{MG_BRIEF} || $_->{model} eq $model } kinds();
}

# Adds an upstream and a model for each kind. Some clients know models by how their names begin:
# each further argument is such a beginning, and makes one more model a kind.
sub offer {
    my ($stack, @prefixes) = @_;
    for my $kind (kinds()) {
        my $name = "$kind->{model}-upstream";
        $stack->mgctl('upstream', 'add', $name, '--formats', $kind->{formats},
            '--url', $stack->sim_url);
        for my $model ($kind->{model}, map {"$_$kind->{model}"} @prefixes) {
            $stack->mgctl('model', 'add', $model, '--upstream', $name,
                '--upstream-model', 'sim-large', '--input', '3', '--output', '15',
                '--cache-read', '0.3', '--cache-write-5m', '3.75', '--cache-write-1h', '6',
                '--context', '200000', '--max-output', '64000');
        }
    }
    return;
}

1;
