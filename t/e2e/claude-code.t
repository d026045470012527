# Claude Code as it comes from npm, set up the way its users do, completes tasks on every kind of
# upstream.
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

my $clients = MG::Clients->new;
my $stack = MG::Stack->new;
my $sim = MG::Sim->new($stack);
$clients->offer($stack);

my @asked; # requests upstream that no schema has seen yet

# Runs `claude -p` in a place. Options: more (arguments), env.
sub claude {
    my ($dir, $model, $prompt, %o) = @_;
    return $clients->run([$clients->program('claude'), '-p', $prompt, @{$o{more} || []}],
        cwd => "$dir/work", timeout => 60, env => {
            HOME => "$dir/home",
            ANTHROPIC_BASE_URL => $stack->base_url,
            ANTHROPIC_AUTH_TOKEN => $clients->key,
            ANTHROPIC_MODEL => $model,
            (map { ("ANTHROPIC_DEFAULT_${_}_MODEL" => $model) } qw(OPUS SONNET HAIKU)),
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC => 1,
            DISABLE_AUTOUPDATER => 1,
            DISABLE_TELEMETRY => 1,
            %{$o{env} || {}},
        });
}

# One task; what Claude Code complains of is a failure.
sub complete {
    my ($name, $requests, $run) = @_;
    my ($said, @requests) = task($clients, $sim, $name, $requests, $run);
    unlike($said, qr/API Error/, "$name: nothing is complained of");
    push @asked, @requests;
    return ($said, @requests);
}

sub json { return JSON::PP->new->canonical->encode($_[0]) }

my @reasoning = (['reasoning', 6], ['reasoning-field', 'reasoning_content']);
my @twice = (['agent', 'echo one > made.txt'], ['agent', 'echo two >> made.txt; cat made.txt']);

for my $kind (MG::Kinds::for_client('only-chat')) {
    my ($model, $name) = ($kind->{model}, "$kind->{formats} upstream");
    my $dir = place();
    my ($said, @requests) = complete("$name, two commands", 3, sub {
        claude($dir, $model, script(@reasoning, @twice), more => ['--allowedTools', 'Bash']);
    });
    is(slurp("$dir/work/made.txt"), "one\ntwo\n", "$name, two commands: the file is made");
    like($said, qr/The command printed:\s+one\s+two/, "$name, two commands: the answer is shown");
    ($said, @requests) = complete("$name, the session goes on", 1,
        sub { claude($dir, $model, 'And now?', more => ['--continue']) });
    like($requests[0]{body}, qr/echo two.*And now\?/s, "$name: the first turn is sent again");

    $dir = place();
    complete("$name, parallel calls", 2, sub {
        claude($dir, $model, script(['tool', 'Bash'], ['args', json({command => 'echo 1 > one'})],
            ['tool2', 'Bash'], ['args2', json({command => 'echo 2 > two'})],
            ['tool3', 'Write'], ['args3', json({file_path => "$dir/work/three",
                content => "a \"quoted\"\n\tline"})]),
            more => ['--allowedTools', 'Bash,Write']);
    });
    is(slurp("$dir/work/one") . slurp("$dir/work/two"), "1\n2\n", "$name: both commands ran");
    is(slurp("$dir/work/three"), "a \"quoted\"\n\tline", "$name: the file is written exactly");

    $dir = place();
    write_file("$dir/work/dot.png", dot_png());
    (undef, @requests) = complete("$name, a picture in a tool's result", 2, sub {
        claude($dir, $model, script(['tool', 'Read'],
            ['args', json({file_path => "$dir/work/dot.png"})]), more => ['--allowedTools', 'Read']);
    });
    like($requests[1]{body}, qr/iVBORw0KGgo/, "$name: the picture arrives");

    $dir = place();
    my $sub = {description => 'sub', subagent_type => 'general-purpose',
        prompt => script(['agent', 'echo sub > made.txt'])};
    complete("$name, an agent of its own", 5, sub {
        claude($dir, $model, script(['tool', 'Task'], ['args', json($sub)]),
            more => ['--allowedTools', 'Bash,Task']);
    });
    is(slurp("$dir/work/made.txt"), "sub\n", "$name: the agent did its work");

    for my $size (qw(opus sonnet haiku)) {
        complete("$name, the model called $size", 1,
            sub { claude(place(), $model, 'Hello', more => ['--model', $size]) });
    }
    complete("$name, a stream that breaks", 2, sub {
        claude(place(), $model, script(['words', 30], ['fault', 'cut'], ['at', 8], ['times', 1]));
    });
    complete("$name, an overloaded upstream", 1, sub {
        claude(place(), $model, script(['status', 503], ['times', 1], ['hdr-retry-after', 1]));
    });
    is(($sim->requests)[0]{status}, 503, "$name, an overloaded upstream: it refused before");
    MG::Conform::requests_ok($name, 'messages', splice @asked);
}

# It reads from the text of a 400 what an upstream does not take, and asks again without that.
for my $case (['no-system-role', 1, qr/"role":"system"/], ['max-out', 8192, qr/"max_tokens":32000/]) {
    my ($command, $value, $given_up) = @$case;
    for my $model (qw(any-format only-messages)) {
        my $dir = place();
        $sim->forget;
        my $r = claude($dir, $model, script([$command, $value], @twice),
            more => ['--allowedTools', 'Bash']);
        is(slurp("$dir/work/made.txt"), "one\ntwo\n", "$model with $command: the work is done");
        my @requests = $sim->requests;
        unlike($requests[-1]{body}, $given_up, "$model with $command: by another request")
            or diag substr "$r->{out}$r->{err}", -500;
    }
}

{
    my $r = claude(place(), 'only-chat', 'Hello',
        env => {ANTHROPIC_AUTH_TOKEN => '', ANTHROPIC_API_KEY => $clients->key});
    is($r->{status}, 0, 'the other way to give the key works, too') or diag "$r->{out}$r->{err}";
    $sim->forget;
    $r = claude(place(), 'any-format', 'Hello', env => {ANTHROPIC_AUTH_TOKEN => $clients->poor_key});
    isnt($r->{status}, 0, 'without credit a task fails');
    like("$r->{out}$r->{err}", qr/credit balance is too low/i, 'and says why');
    is(scalar $sim->requests, 0, 'and nothing is asked upstream');
}
ok($stack->audit_is_clean, 'the ledger is sound after all of it') or diag $stack->{audit};

done_testing;
