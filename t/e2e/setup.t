# Setup scripts, run for real: after one command in an empty home the programs that people use
# complete a task through the gateway; run again, changed, undone.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use MG::Check qw(is_error);
use MG::Clients;
use MG::Http;
use MG::Sim;
use MG::Stack;
use MG::Task qw(place script slurp write_file);

my $clients = MG::Clients->new;
my $stack = MG::Stack->new;
my $sim = MG::Sim->new($stack);
my ($web, $name, $key) = $stack->member(50);
my $nobody = MG::Http->new($stack, key => undef);
my ($opencode) = glob $clients->folder . '/node_modules/opencode-linux-*/bin/opencode';

sub targets { return map { $_->{id} => $_ } @{$web->get('/api/setup')->{json}{targets}} }

# The command line of the dashboard, and what it says when a shell runs it in a home.
sub command { return $web->post("/api/setup/$_[0]", {})->{json}{command} }
sub sh {
    my ($dir, $text, %o) = @_;
    return $clients->run([@{$o{shell} || ['sh']}, '-c', $text], cwd => "$dir/work",
        env => {HOME => "$dir/home", %{$o{env} || {}}});
}
sub file { my ($dir, $path) = @_; return slurp("$dir/home/$path") }
sub mode { return sprintf '%04o', (stat "$_[0]/home/$_[1]")[2] & 07777 }

# A task with the clients as they are set up in a home, and nothing else.
sub codex {
    my ($dir, $prompt) = @_;
    return $clients->run([$clients->program('codex'), 'exec', '--skip-git-repo-check',
        '--dangerously-bypass-approvals-and-sandbox', $prompt], cwd => "$dir/work", timeout => 40,
        env => {HOME => "$dir/home"});
}
sub claude {
    my ($dir, $prompt, %env) = @_;
    return $clients->run([$clients->program('claude'), '-p', $prompt, '--allowedTools', 'Bash'],
        cwd => "$dir/work", timeout => 60, env => {HOME => "$dir/home", DISABLE_AUTOUPDATER => 1,
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC => 1, %env});
}
sub works {
    my ($what, $dir, $run) = @_;
    unlink "$dir/work/made.txt";
    my $r = $run->(script(['agent', 'echo one > made.txt'], ['agent', 'echo two >> made.txt; cat made.txt']));
    is($r->{status}, 0, "$what: a task comes to its end") or diag substr "$r->{out}$r->{err}", -1500;
    is(slurp("$dir/work/made.txt"), "one\ntwo\n", "$what: with its work done");
    return $r;
}

# What the dashboard is given.
{
    my $r = $web->get('/api/setup')->{json};
    is($r->{model}, 'power-ai', 'scripts are for the chosen model');
    is($r->{key_last4}, substr($key, -4), 'and the System Key');
    my %target = targets();
    ok(!exists $target{vip}, 'no VIP script without VIP access');
    for my $id (sort keys %target) {
        my $t = $target{$id};
        like($t->{script}, qr/\Q$key\E/, "$id: the script has the key");
        unlike($t->{uninstall}, qr/sk-mg-/, "$id: what undoes it has none");
        unlike($t->{script} . $t->{uninstall}, qr/<%|%>/, "$id: every place is filled");
        unlike($t->{script}, qr{/v1/v1|/v1/?"?/v1}, "$id: /v1 stands once in an address");
    }
    is_error($nobody->get('/api/setup'), 401, 'openai', 'nobody else sees them');
    is_error(MG::Http->new($stack)->get('/api/setup'), 401, 'openai', 'a key neither');
    is_error($web->post('/api/setup/vip', {}), 404, 'openai', 'no VIP command without VIP access');
    is_error($web->post('/api/setup/plan9', {}), 404, 'openai', 'there is no such target');
}

# One command in an empty home, then the clients work.
my $dir = place();
{
    my $command = command('linux');
    like($command, qr{^curl -fsSL '\Q${\$stack->base_url}\E/api/setup/linux\?t=mgt_\w{49}' \| sh$}, 'one command');
    unlike($command, qr/sk-mg-/, 'with no key in it');
    my ($url) = $command =~ /'(.*)'/;
    is($nobody->request('HEAD', substr $url, length $stack->base_url)->{status}, 200, 'looking does not use it up');
    my $r = sh($dir, $command);
    is($r->{status}, 0, 'it runs') or diag "$r->{out}$r->{err}";
    like($r->{out}, qr/key works, for the account $name/, 'says that the key works');
    like($r->{out}, qr{wrote \S+/\.codex/config\.toml\nwrote \S+/\.claude/settings\.json\n}, 'what it wrote');
    like($r->{out}, qr/Next:\n  Codex: .*\n  Claude Code: /, 'and what to do next');
    unlike("$r->{out}$r->{err}", qr/sk-mg-/, 'and not the key');
    is(mode($dir, $_), '0600', "$_ is for its owner alone") for '.codex/config.toml', '.claude/settings.json';
    $r = sh($dir, $command);
    isnt($r->{status}, 0, 'the same command once more fails');
    like($r->{err}, qr/used already, or is too old/, 'and says why');
    is(sh(place(), "curl -fsSL '$url' | sh")->{err} =~ /Copy a fresh command/, 1, 'for everybody');
    works('Codex', $dir, sub { codex($dir, @_) });
    works('Claude Code', $dir, sub { claude($dir, @_) });
    works('Claude Code with other settings around', $dir, sub { claude($dir, $_[0], ANTHROPIC_API_KEY => 'sk-ant-other',
        ANTHROPIC_BASE_URL => 'http://127.0.0.1:1', ANTHROPIC_MODEL => 'opus', CLAUDE_CODE_USE_BEDROCK => 1) });
}

# Again, with another model, after a rotation.
{
    my %before = map { $_ => file($dir, $_) } '.codex/config.toml', '.claude/settings.json';
    sh($dir, command('linux'));
    is(file($dir, $_), $before{$_}, "$_ is the same after a second run") for sort keys %before;
    $web->post('/api/model', {model => 'frontier'});
    sh($dir, command('linux'));
    $sim->forget;
    works('Codex after a change of the model', $dir, sub { codex($dir, @_) });
    my ($seen) = $sim->requests(last => 1);
    like($seen->{body}, qr/"sim-frontier"/, 'the other model is asked');
    works('Claude Code after a change of the model', $dir, sub { claude($dir, @_) });
    ($seen) = $sim->requests(last => 1);
    like($seen->{body}, qr/"sim-frontier"/, 'the other model is asked');
    my $old = {targets()}->{linux}{script};
    $stack->mgctl('key', 'rotate-system', $name);
    isnt(codex($dir, 'Hello')->{status}, 0, 'after a rotation the old setup works no more');
    my $r = sh($dir, $old);
    isnt($r->{status}, 0, 'nor does an old script');
    like($r->{err}, qr/copy a fresh script/, 'which says so');
    sh($dir, command('linux'));
    works('Codex after a fresh script', $dir, sub { codex($dir, @_) });
    works('Claude Code after a fresh script', $dir, sub { claude($dir, @_) });
    $r = sh($dir, 'sh ~/.config/model-gateway/uninstall-linux.sh');
    is($r->{status}, 0, 'it is undone') or diag $r->{err};
    ok(!-e "$dir/home/$_", "$_, which was not there before, is gone") for sort keys %before;
    ok(!-e "$dir/home/.config/model-gateway", 'and so are our own files');
    unlike(`grep -r sk-mg- '$dir/home' 2>&1`, qr/model-gateway|sk-mg/, 'no key is left anywhere');
    $web->post('/api/model', {model => 'power-ai'});
}

# Files that are there already are kept, byte for byte.
my %mine = (
    '.codex/config.toml' => "# mine\nmodel = 'gpt-5'\nmodel_provider = \"other\"\nprofile = \"work\"\n"
        . "notes = \"\"\"\n[not a table]\nmodel = \"x\"\n\"\"\"\n\n[profiles.work]\nmodel = \"o3\"\n\n"
        . "[model_providers.model-gateway]\nname = \"old\"\nbase_url = \"http://old\"\n\n[tui]\nnotifications = true",
    '.claude/settings.json' => "{\n  \"permissions\": {\"allow\": [\"Bash(ls:*)\", \"}\"]},\n  \"env\": {\n    \"EDITOR\": \"vi\","
        . "\n    \"ANTHROPIC_API_KEY\": \"sk-ant-mine\"\n  }\n}",
    '.config/opencode/opencode.json' => "{\n  // mine, with a comma too many\n  \"theme\": \"dark\",\n  \"provider\": {\n"
        . "    \"openai\": {\"options\": {\"apiKey\": \"x\"}},\n  },\n}\n",
);
sub furnished {
    my $dir = place();
    system 'mkdir', '-p', map { "$dir/home/$_" } qw(.codex .claude .config/opencode);
    write_file("$dir/home/$_", $mine{$_}) for keys %mine;
    chmod 0644, map { "$dir/home/$_" } keys %mine;
    return $dir;
}
sub untouched { my ($dir, $what) = @_; is(file($dir, $_), $mine{$_}, "$what: $_") for sort keys %mine }

{
    my $dir = furnished();
    my %target = targets();
    write_file("$dir/work/$_.sh", $target{$_}{script}), write_file("$dir/work/$_-undo.sh", $target{$_}{uninstall})
        for qw(linux macos opencode);
    my $r = sh($dir, 'sh ./linux.sh --dry-run && sh opencode.sh --dry-run');
    like($r->{out}, qr{would write \S+/\.codex/config\.toml\nwould write \S+settings\.json}, 'a dry run says what it would do');
    untouched($dir, 'and does nothing');
    ok(!-e "$dir/home/.config/model-gateway", 'nothing at all');
    $r = sh($dir, 'sh linux.sh && sh opencode.sh');
    is($r->{status}, 0, 'the scripts run') or diag $r->{err};
    my $settings = JSON::PP::decode_json(file($dir, '.claude/settings.json'));
    is_deeply($settings->{permissions}, {allow => ['Bash(ls:*)', '}']}, 'other settings stay');
    is($settings->{env}{EDITOR}, 'vi', 'other variables, too');
    is($settings->{env}{ANTHROPIC_API_KEY}, '', 'one that would win is cleared');
    my $toml = $clients->run(['python3', '-c', 'import json,sys,tomllib; print(json.dumps(tomllib.load(sys.stdin.buffer)))'],
        input => file($dir, '.codex/config.toml'));
    $toml = JSON::PP::decode_json($toml->{out} || '{}');
    is_deeply([@$toml{qw(model model_provider profile)}], ['power-ai', 'model-gateway', undef], 'Codex has its model and provider');
    is($toml->{notes}, "[not a table]\nmodel = \"x\"\n", 'texts of several lines stay');
    is_deeply([$toml->{tui}{notifications}, $toml->{profiles}{work}{model}], [JSON::PP::true, 'o3'], 'tables stay');
    like(file($dir, '.config/opencode/opencode.json'), qr{// mine.*"openai": \{"options".*"model-gateway": \{}s, 'comments stay');
    works('Codex with settings of its own', $dir, sub { codex($dir, @_) });
    works('Claude Code with settings of its own', $dir, sub { claude($dir, @_) });
    SKIP: {
        skip 'npm has no opencode for this machine', 2 if !$opencode;
        works('opencode', $dir, sub { $clients->run([$opencode, 'run', @_], cwd => "$dir/work", timeout => 60,
            env => {HOME => "$dir/home", map { ("OPENCODE_DISABLE_$_" => 1) } qw(MODELS_FETCH AUTOUPDATE LSP_DOWNLOAD SHARE)}) });
    }
    # The programs have written to their files by themselves; take them as they were before that.
    $r = sh($dir, 'cd ~/.config/model-gateway/backup && cp codex.ours ~/.codex/config.toml && cp claude.ours'
        . ' ~/.claude/settings.json && cp opencode.ours ~/.config/opencode/opencode.json; cd -;'
        . ' sh linux-undo.sh && sh opencode-undo.sh');
    is($r->{status}, 0, 'they are undone') or diag $r->{err};
    untouched($dir, 'as before');
    is(mode($dir, $_), '0644', "$_ has its mode again") for sort keys %mine;

    # What others have changed meanwhile stays changed.
    sh($dir, 'sh linux.sh && sh opencode.sh');
    sh($dir, q{printf '\n[projects."/x"]\ntrust_level = "trusted"\n' >> ~/.codex/config.toml;}
        . q{ sed -i 's/"EDITOR": "vi"/"EDITOR": "ed"/' ~/.claude/settings.json; sed -i 's/dark/light/' ~/.config/opencode/opencode.json});
    $r = sh($dir, 'sh linux.sh --uninstall && sh opencode.sh --uninstall');
    is($r->{status}, 0, 'changed files are undone, too') or diag $r->{err};
    is(file($dir, '.codex/config.toml'), "$mine{'.codex/config.toml'}\n\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n",
        'Codex keeps what it has learnt');
    $settings = JSON::PP::decode_json(file($dir, '.claude/settings.json'));
    is_deeply($settings->{env}, {EDITOR => 'ed', ANTHROPIC_API_KEY => 'sk-ant-mine'}, 'variables are as they were, but for the change');
    my $relaxed = JSON::PP->new->relaxed->decode(file($dir, '.config/opencode/opencode.json') =~ s{^\s*//.*}{}mr);
    is_deeply($relaxed, {theme => 'light', provider => {openai => {options => {apiKey => 'x'}}}}, 'the same for opencode');

    # What cannot be read is left alone.
    write_file("$dir/home/.claude/settings.json", '{"env": {"A": "b"');
    $r = sh($dir, 'sh linux.sh');
    isnt($r->{status}, 0, 'a broken file stops it');
    like($r->{err}, qr/settings\.json is not JSON/, 'with its name');
    is(file($dir, '.claude/settings.json'), '{"env": {"A": "b"', 'and stays as it is');
}

ok($stack->audit_is_clean, 'the ledger is sound after all of it') or diag $stack->{audit};

done_testing;
