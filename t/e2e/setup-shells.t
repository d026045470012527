# Setup scripts in every shell there is, with each tool that asks the gateway, and cut on their way.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use MG::Clients;
use MG::Http;
use MG::Stack;
use MG::Task qw(place slurp write_file);

# No client is needed here, only how one is run.
my $clients = bless {slow => $ENV{MG_SLOW} || 1}, 'MG::Clients';
my $src = $ENV{MG_SRCDIR} || "$FindBin::Bin/../..";
my $stack = MG::Stack->new(conf => {vip_base_url => 'https://vip.example'});
my ($web, $name, $key) = $stack->member(5);

sub targets { return map { $_->{id} => $_ } @{$web->get('/api/setup')->{json}{targets}} }
sub sh {
    my ($dir, $text, %o) = @_;
    return $clients->run([@{$o{shell} || ['sh']}, '-c', $text], cwd => "$dir/work",
        env => {HOME => "$dir/home", %{$o{env} || {}}});
}
sub file { my ($dir, $path) = @_; return slurp("$dir/home/$path") }

# Path of a program, '' when there is none.
sub found { my ($path) = grep { -x } map { "$_/$_[0]" } split /:/, $ENV{PATH}; return $path // '' }

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

# Every shell and both tools; and the key never stands on a command line.
{
    my %target = targets();
    my $dir = place();
    write_file("$dir/work/setup.sh", $target{linux}{script});
    mkdir "$dir/$_" for qw(curl wget neither);
    for my $tool (qw(sh awk cat chmod cmp cp dirname mkdir mktemp mv rm rmdir)) {
        my $path = found($tool);
        symlink $path, "$dir/$_/$tool" for qw(curl wget neither);
    }
    for my $tool (qw(curl wget)) {
        my $path = found($tool);
        write_file("$dir/$tool/$tool", "#!/bin/sh\necho \"\$0 \$*\" >> '$dir/work/argv'\nexec $path \"\$@\"\n");
        chmod 0755, "$dir/$tool/$tool";
        my $r = sh($dir, 'sh setup.sh', shell => ['/bin/sh'], env => {PATH => "$dir/$tool"});
        is($r->{status}, 0, "$tool alone will do") or diag $r->{err};
        my $seen = slurp("$dir/work/argv");
        ok($seen =~ m{/api/v1/me} && $seen !~ /sk-mg-/, "and $tool is not given the key as an argument");
        unlink "$dir/work/argv";
        my $old = $target{linux}{script} =~ s/sk-mg-\w{40}/'sk-mg-' . 'A' x 40/ger;
        write_file("$dir/work/old.sh", $old);
        $r = sh($dir, 'sh old.sh', shell => ['/bin/sh'], env => {PATH => "$dir/$tool"});
        like($r->{err}, qr/not valid any more/, "$tool tells a refused key");
    }
    my $r = sh($dir, 'sh setup.sh', shell => ['/bin/sh'], env => {PATH => "$dir/neither"});
    like($r->{err}, qr/neither curl nor wget/, 'without both it says so');
    for my $shell (['dash'], ['bash'], ['bash', '--posix'], ['busybox', 'sh'], ['zsh', '--emulate', 'sh']) {
        my $there = found($shell->[0]);
        SKIP: {
            skip "no $shell->[0] here", 1 if !$there;
            my $home = furnished();
            write_file("$home/work/$_.sh", $target{$_}{script}) for qw(macos opencode);
            my $r = $clients->run(['sh', '-c', "@$shell macos.sh && @$shell opencode.sh && @$shell opencode.sh --uninstall"
                . " && @$shell macos.sh --uninstall"], cwd => "$home/work", env => {HOME => "$home/home"});
            is($r->{status}, 0, "@$shell: runs it") or diag $r->{err};
            untouched($home, "@$shell: undone");
        }
    }
    my $cut = place();
    write_file("$cut/work/cut.sh", substr $target{linux}{script}, 0, length($target{linux}{script}) - 12);
    sh($cut, 'sh cut.sh');
    ok(!-e "$cut/home/.codex", 'a script that was cut on its way does nothing');
    my %powershell = (script => $target{windows}{script}, uninstall => $target{windows}{uninstall});
    for my $part (sort keys %powershell) {
        my $r = $clients->run(["$src/t/powershell/check"], input => $powershell{$part}, timeout => 120,
            env => {HOME => $ENV{HOME}});
        SKIP: {
            skip 'PyPI has no parser for this machine', 1 if $r->{status} >> 8 == 77;
            is("$r->{out}$r->{err}", '', "a parser of PowerShell understands the $part");
        }
    }
    SKIP: {
        skip 'no shellcheck here', 1 if !found('shellcheck');
        for my $id (grep { $target{$_}{language} eq 'sh' } sort keys %target) {
            for my $part (qw(script uninstall)) {
                my $r = $clients->run(['shellcheck', '-s', 'sh', '-'], input => $target{$id}{$part});
                is($r->{out}, '', "$id: shellcheck has nothing to say of its $part");
            }
        }
    }
}

# Continue and LibreChat: an item in a list of a YAML file that has others.
{
    my %target = targets();
    my %yaml = (
        'an empty home' => ['', ''],
        'lists of others' => ["name: Mine\n# models: no\nmodels:\n  # first\n  - name: A\n    model: x\nrules:\n  - kind\n",
            "version: 1.2.1\nendpoints:\n  agents:\n    x: 1\n  custom:\n  - name: Old\n    baseURL: y\ncache: true"],
        'keys without lists' => ["models:\n", "endpoints:\n    agents: {}\n"],
        'other keys' => ["rules:\n- kind", "# nothing\ncache: true\n"],
    );
    for my $what (sort keys %yaml) {
        my ($continue, $librechat) = @{$yaml{$what}};
        my $dir = place();
        mkdir "$dir/home/$_" for '.continue', 'LibreChat';
        write_file("$dir/work/$_.sh", $target{$_}{script}) for qw(vscode librechat);
        my %mine = ('.continue/config.yaml' => $continue, 'LibreChat/librechat.yaml' => $librechat,
            'LibreChat/.env' => $librechat && "A=b\n");
        $mine{$_} ne '' and write_file("$dir/home/$_", $mine{$_}) for keys %mine;
        my $r = sh($dir, 'sh vscode.sh && sh librechat.sh && sh vscode.sh && sh librechat.sh');
        is($r->{status}, 0, "$what: the scripts run twice") or diag $r->{err};
        my ($models, $endpoints) = map { my $r = $clients->run(['python3', '-c',
            'import json,sys,yaml; print(json.dumps(yaml.safe_load(sys.stdin)))'], input => file($dir, $_));
            $MG::Http::JSON->decode($r->{out} || '{}') } '.continue/config.yaml', 'LibreChat/librechat.yaml';
        my @ours = grep { $_->{name} eq 'Model Gateway' } @{$models->{models}};
        is_deeply([map { @$_{qw(provider model apiBase apiKey)} } @ours],
            ['openai', 'power-ai', $stack->base_url . '/v1', $key], "$what: Continue has one model of ours");
        @ours = grep { $_->{name} eq 'Model Gateway' } @{$endpoints->{endpoints}{custom}};
        is_deeply([map { ($_->{baseURL}, $_->{apiKey}, $_->{models}{default}[0]) } @ours],
            [$stack->base_url . '/v1', '${MODEL_GATEWAY_API_KEY}', 'power-ai'], "$what: LibreChat has one endpoint of ours");
        like(file($dir, 'LibreChat/.env'), qr/^MODEL_GATEWAY_API_KEY=\Q$key\E$/m, "$what: and its key");
        if ($what eq 'lists of others') {
            is_deeply([$models->{models}[1]{name}, $models->{rules}, $endpoints->{endpoints}{custom}[1]{name},
                $endpoints->{cache}], ['A', ['kind'], 'Old', JSON::PP::true], "$what: others stay");
            sh($dir, 'printf "later: 1\\n" >> ~/LibreChat/librechat.yaml; printf "B=c\\n" >> ~/LibreChat/.env');
            $mine{'LibreChat/librechat.yaml'} .= "\nlater: 1\n";
            $mine{'LibreChat/.env'} .= "B=c\n";
        }
        $r = sh($dir, 'sh vscode.sh --uninstall && sh librechat.sh --uninstall');
        is($r->{status}, 0, "$what: undone") or diag $r->{err};
        is(file($dir, $_), $mine{$_}, "$what: $_ is as before") for sort keys %mine;
    }
    my $dir = place();
    my $app = "$dir/home/" . 'LibreChat';
    mkdir $app;
    write_file("$dir/work/librechat.sh", $target{librechat}{script});
    write_file("$app/librechat.yaml", "endpoints: {custom: []}\n");
    my $r = sh($dir, 'sh librechat.sh');
    like($r->{err}, qr/has its endpoints in one line/, 'a list in one line stops it');
    is(file($dir, 'LibreChat/librechat.yaml'), "endpoints: {custom: []}\n", 'and stays');
}

# The VIP Server, for those who have it.
{
    ok(!exists {targets()}->{vip}, 'no VIP script without VIP access');
    $stack->mgctl('vip', 'grant', $name);
    my $vip = {targets()}->{vip};
    like($vip->{script}, qr{^base_url='https://vip\.example'$}m, 'with it there is one, for its own address');
    like($vip->{script}, qr{"https://vip\.example/v1"}, 'in all places');
    my $command = $web->post('/api/setup/vip', {})->{json}{command};
    like($command, qr{/api/setup/vip\?t=}, 'and a command');
    $stack->mgctl('vip', 'revoke', $name);
    my $r = sh(place(), $command);
    ok($r->{status} != 0 && $r->{out} eq '', 'which gives nothing when access is over');
}
done_testing;
