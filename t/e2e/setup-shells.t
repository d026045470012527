# Setup scripts in every shell there is, with each tool that asks the gateway, and cut on their way.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use Test::More;
use MG::Clients;
use MG::Stack;
use MG::Task qw(place slurp write_file);

# No client is needed here, only how one is run.
my $clients = bless {slow => $ENV{MG_SLOW} || 1}, 'MG::Clients';
my $stack = MG::Stack->new;
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
done_testing;
