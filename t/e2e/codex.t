# Codex as it comes from npm, set up the way its users do, completes tasks on every kind of upstream.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use MG::Clients;
use MG::Conform;
use MG::Kinds;
use MG::Sim;
use MG::Stack;
use MG::Task qw(dot_png place script slurp task write_file);

# Models that Codex knows work in another way than unknown ones: the first has a free-text tool
# for patches, the second gets its tools as an input item and runs them from a script.
my ($patching, $scripting) = ('gpt-5.5-', 'gpt-6.1-sol-');

my $clients = MG::Clients->new;
my $stack = MG::Stack->new;
my $sim = MG::Sim->new($stack);
$clients->offer($stack, $patching, $scripting);

my @asked; # requests upstream that no schema has seen yet

# A place with Codex's configuration. Without an entry for the gateway Codex takes its built-in
# provider, which tries WebSocket first.
sub configured {
    my ($built_in) = @_;
    my $dir = place();
    mkdir "$dir/home/.codex";
    my $url = $stack->base_url;
    write_file("$dir/home/.codex/config.toml", ($built_in ? <<BUILT_IN : <<ENTRY) . <<ANY);
openai_base_url = "$url/v1"
BUILT_IN
model_provider = "model-gateway"
ENTRY
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.model-gateway]
name = "Model Gateway"
base_url = "$url/v1"
env_key = "MG_API_KEY"
wire_api = "responses"
ANY
    return $dir;
}

# Runs `codex exec` in a place. Options: more (arguments), key.
sub codex {
    my ($dir, $model, $prompt, %o) = @_;
    my $key = $o{key} // $clients->key;
    return $clients->run([$clients->program('codex'), 'exec', @{$o{before} || []},
        '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-m', $model,
        @{$o{more} || []}, $prompt], cwd => "$dir/work", timeout => 40,
        env => {HOME => "$dir/home", MG_API_KEY => $key, CODEX_API_KEY => $key});
}

# One task; what Codex complains of is a failure.
sub complete {
    my ($name, $requests, $run) = @_;
    my ($said, @requests) = task($clients, $sim, $name, $requests, $run);
    unlike($said, qr/^ERROR|Reconnecting|Falling back/m, "$name: nothing is complained of");
    push @asked, @requests;
    return ($said, @requests);
}

my @reasoning = (['reasoning', 6], ['reasoning-field', 'reasoning_content']);
my @twice = (['agent', 'echo one > made.txt'], ['agent', 'echo two >> made.txt; cat made.txt']);

for my $kind (MG::Kinds::for_client('only-messages')) {
    my ($model, $name) = ($kind->{model}, "$kind->{formats} upstream");
    for my $prefix ('', $patching, $scripting) {
        my $dir = configured();
        my $what = "$name, two commands as $prefix$model";
        my ($said) = complete($what, 3,
            sub { codex($dir, "$prefix$model", script(@reasoning, @twice)) });
        is(slurp("$dir/work/made.txt"), "one\ntwo\n", "$what: the file is made");
        like($said, qr/The command printed:.*one\b.*two\b/s, "$what: the answer is shown");
    }

    my $dir = configured();
    my $patch = "*** Begin Patch\n*** Add File: added.txt\n+a \"quoted\" line\n*** End Patch\n";
    my $free = $kind->{formats} =~ /responses/;
    my $args = $free ? $patch : JSON::PP->new->encode({input => $patch});
    complete("$name, a patch", 2, sub {
        codex($dir, "$patching$model", script(['tool', 'apply_patch'], ['args', $args]));
    });
    is(slurp("$dir/work/added.txt"), "a \"quoted\" line\n", "$name, a patch: it is applied");

    $dir = configured();
    write_file("$dir/work/dot.png", dot_png());
    write_file("$dir/work/schema.json", '{"type":"object","properties":{"seen":{"type":"boolean"}},'
        . '"required":["seen"],"additionalProperties":false}');
    my ($said, @requests) = complete("$name, an image and a schema", 1, sub {
        codex($dir, $model, 'Look.', more => ['--output-schema', 'schema.json', '-i', 'dot.png',
            '-o', 'answer.json', '--']);
    });
    like(slurp("$dir/work/answer.json"), qr/^\{"seen":(true|false)\}\s*$/, "$name: the schema holds");
    like($requests[0]{body}, qr/iVBORw0KGgo/, "$name: the image arrives");
    ($said, @requests) = complete("$name, the session is resumed", 1, sub {
        codex($dir, $model, 'And now?', before => ['resume', '--last']);
    });
    like($requests[0]{body}, qr/Look\..*And now\?/s, "$name: the first turn is sent again");

    $dir = configured();
    complete("$name, a stream that breaks", 2, sub {
        my $r = codex($dir, $model, script(['words', 30], ['fault', 'cut'], ['at', 8], ['times', 1]));
        $r->{$_} =~ s/^.*Reconnecting\.\.\. 1\/5.*$//m for qw(out err);
        return $r;
    });

    # Its built-in provider: WebSocket is tried, refused, and nothing is said about it. A
    # conversation that has become too long is compacted, by the way that each provider has.
    for my $built_in (0, 1) {
        $dir = configured($built_in);
        my $what = "$name, " . ($built_in ? 'built-in provider' : 'own entry') . ', compaction';
        ($said) = complete($what, 3, sub {
            codex($dir, "$scripting$model",
                script(['in', 200000], ['times', 1], ['agent', 'echo one > made.txt']),
                more => ['-c', 'model_auto_compact_token_limit=50000']);
        });
        is(slurp("$dir/work/made.txt"), "one\n", "$what: the work is done");
        like($said, qr/context compacted/, "$what: it happened");
    }
    MG::Conform::requests_ok($name, 'responses', splice @asked);
}

{
    $sim->forget;
    my $r = codex(configured(), 'any-format', 'Hello', key => $clients->poor_key);
    isnt($r->{status}, 0, 'without credit a task fails');
    like("$r->{out}$r->{err}", qr/402 Payment Required: The credit balance is too low/,
        'and Codex says why');
    is(scalar $sim->requests, 0, 'and nothing is asked upstream');
}
ok($stack->audit_is_clean, 'the ledger is sound after all of it') or diag $stack->{audit};

done_testing;
