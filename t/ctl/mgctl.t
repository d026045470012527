#!/usr/bin/perl
# mgctl: every command against a private MariaDB, with right and with wrong input.

use strict;
use warnings;

use File::Temp 'tempdir';
use IO::Socket::INET;
use JSON::PP;
use Test::More;

my $source = $ENV{MG_SRCDIR} // '.';
my $mgctl = $ENV{MG_CTL} // (($ENV{MG_BUILDDIR} // '.') . '/ctl/mgctl');
plan skip_all => "$mgctl is not built" if !-x $mgctl;

my $dir = tempdir('mg-ctl-XXXXXX', TMPDIR => 1, CLEANUP => 1);
chmod 0755, $dir;
my $socket = `$source/t/mariadb.sh start $dir/db 2>$dir/start.log`;
plan skip_all => 'MariaDB server is not installed' if $? >> 8 == 77;
BAIL_OUT("mariadb.sh: " . slurp("$dir/start.log")) if $?;
chomp $socket;
my $main = $$;
END {
    if (defined $main && $$ == $main && $socket) {
        local $?;
        system "$source/t/mariadb.sh kill $dir/db";
    }
}

delete $ENV{$_} for grep { /^MG_(?!SRCDIR|BUILDDIR)/ } keys %ENV;

sub slurp {
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!";
    local $/;
    return scalar <$in>;
}

sub spew {
    my ($path, $text, $mode) = @_;
    open my $out, '>', $path or die "$path: $!";
    print {$out} $text;
    close $out;
    chmod $mode // 0600, $path;
    return $path;
}

spew("$dir/master.key", '0123456789abcdef' x 4);
my $owner = getpwuid $<;
my $settings = "db_hosts = unix:$socket\ndb_name = gw-test\ndb_admin_user = $owner\n"
    . "db_user = gw_service\nmaster_key_file = $dir/master.key\nstate_dir = $dir\n";
our $conf = spew("$dir/gateway.conf", $settings);

# Runs mgctl; returns exit status, output, error output.
sub ctl {
    my @args = @_;
    my $pid = fork // die $!;
    if (!$pid) {
        open STDOUT, '>', "$dir/out" or die $!;
        open STDERR, '>', "$dir/err" or die $!;
        exec $mgctl, '--config', $conf, @args or die $!;
    }
    waitpid $pid, 0;
    return ($? & 127 ? 'signal ' . ($? & 127) : $? >> 8, slurp("$dir/out"), slurp("$dir/err"));
}

sub does {
    my ($args, $pattern, $name) = @_;
    my ($status, $out, $err) = ctl(@$args);
    is("$status$err", '0', "$name: no complaint");
    like($out, $pattern, $name);
    return $out;
}

sub refuses {
    my ($args, $want, $pattern, $name) = @_;
    my ($status, $out, $err) = ctl(@$args);
    is($status, $want, "$name: exit status $want");
    like($err, $pattern, $name);
    is($out, '', "$name: nothing on standard output");
}

sub json {
    my ($status, $out, $err) = ctl('--json', @_);
    is("$status$err", '0', "--json @_");
    return eval { decode_json($out) } // fail("not JSON: $out");
}

sub sql {
    my ($text, @client) = @_;
    open my $in, '|-', "$source/t/mariadb.sh", 'sql', "$dir/db", @client or die $!;
    print {$in} $text;
    close $in;
    return $? == 0;
}

# What a query answers, as the owner.
sub ask {
    my ($query) = @_;
    open my $in, '-|', 'mariadb', '--no-defaults', "--socket=$socket", "--user=$owner", 'gw-test',
        '-sN', '-e', $query or die $!;
    local $/;
    return scalar <$in> // '';
}

# What the service's own user may do: 1 when the statement is accepted.
sub service_may {
    my ($statement) = @_;
    my $rc = system 'mariadb', '--no-defaults', "--socket=$socket", '--user=gw_service',
        'gw-test', '-e', "$statement", '-sN';
    return $rc == 0;
}

subtest 'help' => sub {
    for my $args (['help'], ['--help'], ['-h'], []) {
        does($args, qr/^  price set MODEL +give a model a new price$/m, "mgctl @$args");
    }
    does(['help', 'key'], qr/^  key rotate-system ACCOUNT/m, 'the help of an area');
    does(['help', 'model', 'add'], qr/usage: mgctl model add MODEL --upstream NAME/, 'a command');
    does(['model', 'add', '--help'], qr/--cache-read P +of input read/, 'asked for at the place');
    does(['help', 'serve'], qr/SIGHUP/, 'the supervisor');
    does(['--version'], qr/^mgctl \d+\.\d+\.\d+$/, 'the version');
    my ($status, $out) = ctl('help');
    for my $line ($out =~ /^  ([a-z][a-z-]*(?: [a-z][a-z-]*)?) /mg) {
        does(['help', split ' ', $line], qr/^usage: mgctl \Q$line\E/, "help $line");
    }
    refuses(['help', 'nothing'], 2, qr/no help for 'nothing'/, 'help for nothing');
};

subtest 'command line' => sub {
    refuses(['frobnicate'], 2, qr/unknown command 'frobnicate'/, 'an unknown command');
    refuses(['model'], 2, qr/needs one of: add set list remove/, 'a missing verb');
    refuses(['model', 'eat'], 2, qr/needs one of: add set list remove/, 'an unknown verb');
    refuses(['model', 'add'], 2, qr/is missing: MODEL/, 'a missing operand');
    refuses(['model', 'list', 'x'], 2, qr/'x' is one word too many/, 'one word too many');
    refuses([qw(model add x --inptu 1)], 2, qr/unknown option --inptu/, 'a typing mistake');
    refuses(['model', 'add', 'x', '-v'], 2, qr/unknown option -v/, 'an unknown short option');
    refuses(['model', 'add', 'x', '--input'], 2, qr/--input needs a value/, 'a missing value');
    refuses(['model', 'add', 'x', '--input', '--output', '1'], 2, qr/--input needs a value/,
        'an option instead of a value');
    refuses(['model', 'add', 'x', '--input', '1', '--input=2'], 2, qr/--input is there twice/,
        'an option twice');
    refuses(['model', 'add', 'x', '--premium=yes'], 2, qr/--premium takes no value/, 'a flag');
    refuses([qw(model add x --input 1 --output 2)], 2, qr/--upstream NAME is needed/,
        'a missing option');
    refuses(['audit', '--watch', 'often'], 2, qr/'often' is no whole number/, 'no number');
    refuses(['--config'], 2, qr/--config needs/, '--config without a file');
};

subtest 'settings' => sub {
    does(['config'], qr/^db_name = gw-test$/m, 'every setting is printed');
    my $all = json('config');
    is((grep { $_->{name} eq 'db_name' } @$all)[0]{value}, 'gw-test', 'also as JSON');
    {
        local $conf = spew("$dir/bad.conf", "db_name = x\nthreds = 5\n");
        refuses(['config'], 2, qr/bad\.conf:2: unknown setting 'threds'/, 'a wrong setting');
        $conf = "$dir/none.conf";
        refuses(['config'], 2, qr/none\.conf: No such file/, 'a file that is not there');
        $conf = spew("$dir/away.conf", "db_hosts = unix:$dir/nowhere.sock\n");
        refuses(['account', 'list'], 3, qr/no database host is usable/, 'no database');
    }
};

subtest 'migrate' => sub {
    my @migrate = ('migrate', '--sql-dir', "$source/sql");
    refuses(['migrate', '--sql-dir', $dir], 1, qr/holds no migrations/, 'a folder without files');
    refuses(['migrate', '--sql-dir', "$dir/no"], 1, qr/No such file/, 'no folder');
    refuses(['account', 'list'], 1, qr/gw-test|No database|doesn't exist/, 'nothing works yet');
    my ($status, $out, $err) = ctl(@migrate);
    is($status, 1, 'without the user of the service it fails at the end');
    like($err, qr/no user 'gw_service' \(db_user\); make it first: CREATE USER/, 'and says so');
    like($out, qr/made the database gw-test/, 'the database is made');
    like($out, qr/^0001-account\.sql +applied$/m, 'and the tables');
    ok(sql("CREATE USER gw_service\@localhost; CREATE USER gw_service\@'10.%'"), 'a user is made');
    $out = does(\@migrate, qr/gw_service has its rights \(2 hosts\)/, 'the rights are given');
    like($out, qr/^0001-account\.sql +done$/m, 'and nothing is applied twice');
    my $list = json(@migrate);
    is_deeply([map { $_->{state} } @$list], [('done') x @$list], 'as JSON too');
    my $files = () = glob "$source/sql/0*.sql";
    is(scalar @$list, $files, 'every file is there');
    mkdir "$dir/sql";
    system "cp $source/sql/*.sql $dir/sql/";
    spew("$dir/sql/9999-broken.sql", "CREATE TABLE ok_so_far (id INT);\nCREATE TABEL x (i INT);\n");
    refuses([qw(account show x)], 1, qr/no account/, 'the tables work');
    ($status, $out, $err) = ctl('migrate', '--sql-dir', "$dir/sql");
    is($status, 1, 'a broken migration stops');
    like($err, qr/9999-broken\.sql: statement 2: .*syntax/, 'and says where');
    spew("$dir/sql/9999-broken.sql", "CREATE TABLE IF NOT EXISTS ok_so_far (id INT);\n");
    does(['migrate', '--sql-dir', "$dir/sql"], qr/^9999-broken\.sql +applied$/m, 'mended');
    spew("$dir/sql/9999-broken.sql", "SELECT 1;\n");
    ($status, $out, $err) = ctl('migrate', '--sql-dir', "$dir/sql");
    like($out, qr/^9999-broken\.sql +changed$/m, 'a file that changed later is not applied again');
    like($err, qr/is not the file that was applied/, 'but reported');
    sql("DROP TABLE ok_so_far; DELETE FROM schema_migration WHERE name LIKE '9999%'", 'gw-test');
};

subtest 'schema' => sub {
    my $bare = ask("SELECT CONCAT(table_name, '.', column_name) FROM information_schema.columns
        WHERE table_schema = 'gw-test' AND column_comment = ''");
    is($bare, '', 'every column says what it holds');
    $bare = ask("SELECT table_name FROM information_schema.tables
        WHERE table_schema = 'gw-test' AND table_comment = ''");
    is($bare, '', 'and every table');
};

subtest 'rights of the service' => sub {
    open my $saved, '>&', \*STDERR;
    open STDERR, '>', '/dev/null';
    ok(service_may('SELECT COUNT(*) FROM account'), 'it reads accounts');
    ok(service_may('SELECT id FROM account WHERE id = 1 FOR UPDATE'), 'and locks them');
    ok(service_may('SELECT COUNT(*) FROM price'), 'it reads prices');
    for my $statement (
        'INSERT INTO price (model, input, output, cache_read, cache_write_5m, cache_write_1h,'
            . ' created_ms) VALUES ("x", 0, 0, 0, 0, 0, 0)',
        'UPDATE model SET premium = 0', 'UPDATE upstream SET url = "http://evil"',
        'UPDATE catalogue_version SET version = 1', 'DELETE FROM alias', 'DELETE FROM account',
        'DELETE FROM api_key', 'UPDATE ledger SET amount = 0', 'DELETE FROM ledger',
        'DROP TABLE wallet', 'ALTER TABLE wallet ADD x INT', 'CREATE TABLE x (id INT)',
        'TRUNCATE TABLE hold', 'INSERT INTO schema_migration VALUES ("x", "x", 0)',
        'SELECT * FROM mysql.user') {
        ok(!service_may($statement), "it may not: $statement");
    }
    open STDERR, '>&', $saved;
};

subtest 'upstream' => sub {
    my @add = qw(upstream add);
    spew("$dir/up.key", "sk-upstream-secret\n");
    my $out = does([@add, 'main', '--formats', 'responses,chat', '--url', 'https://up.example',
            '--key-file', "$dir/up.key"], qr{chat +https://up\.example/v1/chat/completions},
        'an address without a path gets /v1');
    unlike($out, qr/messages/, 'only its own formats are shown');
    does([@add, 'deep', '--formats=messages', '--url=https://up.example:8443/api/anthropic/v2///'],
        qr{messages +https://up\.example:8443/api/anthropic/v2/messages$}m,
        'one with a path is used as it is');
    my ($status, undef, $err) = ctl(@add, 'plain', qw(--formats chat --url http://[::1]:8080
        --key-file), "$dir/up.key");
    is($status, 0, 'plain http is possible');
    like($err, qr/will travel unencrypted/, 'with a warning when there is a credential');
    for my $bad ('ftp://x', 'x.example', 'https://', 'https:///v1', 'https://user:pw@x.example/v1',
        'https://x.example/v1?a=b', 'https://x.example/v1#a', 'https://x.example:0/v1',
        'https://x.example:99999/', 'https://x.example/v1/chat/completions',
        'https://x.example/v1/messages/', 'https://x.example/v1/responses', 'https://x y/v1',
        'https://x.example/v1 ', "https://x.example/v1\n", 'https://[zz]/v1',
        'https://' . 'x' x 300 . '/v1') {
        refuses([@add, 'bad', '--formats', 'chat', '--url', $bad], 2, qr/cannot be the address/,
            "URL " . substr($bad, 0, 50) =~ s/\n/ /r);
    }
    for my $bad ('', 'chat,', 'chat,chat', 'gopher', 'completions', 'completions,chat', 'chat;x') {
        refuses([@add, 'bad', '--url', 'https://x.example', '--formats', $bad], 2,
            qr/format|has to speak/,
            "formats '$bad'");
    }
    for my $bad ('', 'a b', '-x', 'ä', 'x' x 64, "a\nb") {
        my ($rc) = ctl(@add, '--formats', 'chat', '--url', 'https://x.example', '--', $bad);
        is($rc, 2, "a name that cannot be one");
    }
    refuses([@add, 'main', qw(--formats chat --url https://x.example)], 1,
        qr/there is an upstream 'main' already/, 'a name twice');
    refuses([@add, 'nokey', qw(--formats chat --url https://x.example --key-file), "$dir/missing"],
        1, qr/missing: No such file/, 'a key file that is not there');
    spew("$dir/odd.key", "two words\n");
    refuses([@add, 'odd', qw(--formats chat --url https://x.example --key-file), "$dir/odd.key"], 2,
        qr/visible ASCII/, 'a credential that no header can carry');
    spew("$dir/long.key", 'x' x 5000);
    refuses([@add, 'odd', qw(--formats chat --url https://x.example --key-file), "$dir/long.key"],
        1, qr/larger than 4096/, 'one that is too long');
    my $list = json('upstream', 'list');
    is_deeply([map { [@$_{qw(upstream url formats key models)}] } @$list],
        [['deep', 'https://up.example:8443/api/anthropic/v2', 'messages', JSON::PP::false, 0],
         ['main', 'https://up.example/v1', 'responses,chat', JSON::PP::true, 0],
         ['plain', 'http://[::1]:8080/v1', 'chat', JSON::PP::true, 0]], 'the list, by name');
    does(['upstream', 'set', 'deep', '--url', 'https://deep.example'],
        qr/upstream deep is set/, 'an address is changed');
    is((grep { $_->{upstream} eq 'deep' } @{json('upstream', 'list')})[0]{formats}, 'messages',
        'and the rest stays');
    refuses(['upstream', 'set', 'none', '--formats', 'chat'], 1, qr/no upstream 'none'/,
        'one that is not there');
    does(['upstream', 'remove', 'plain'], qr/is removed/, 'one is removed');
    refuses(['upstream', 'remove', 'plain'], 1, qr/no upstream 'plain'/, 'only once');
    my $dump = ask('SELECT * FROM upstream');
    unlike($dump, qr/upstream-secret/, 'the credential is not readable in the database');
    spew("$dir/other.key", 'f' x 64);
    local $conf = spew("$dir/other.conf", $settings =~ s{master\.key}{other.key}r);
    refuses([@add, 'x', qw(--formats chat --url https://x.example --key-file), "$dir/up.key"], 1,
        qr/another master key/, 'another master key is noticed before it does harm');
};

subtest 'models and prices' => sub {
    my @add = (qw(model add m-1 --upstream main --input 1.25 --output 10));
    my $m = json(@add, qw(--cache-read 0.125 --label), 'Größer', qw(--premium --context 400000));
    is_deeply([@$m{qw(input output cache_read cache_write_5m cache_write_1h)}],
        [qw(1.25 10 0.125 1.25 1.25)], 'a model is added, prices that are not given are as input');
    $m = json(qw(model add m-2 --upstream deep --upstream-model claude-x --input 3 --output 15
        --cache-write-5m 3.75 --capabilities), 'tools,image', '--efforts', 'max,low');
    is($m->{cache_write_1h}, '3.75', 'a long cache write is as a short one');
    refuses(\@add, 1, qr/there is a model 'm-1' already/, 'an id twice');
    for my $bad ('-1', 'x', '1.0000001', '1e3', '2000000', '', '1,5') {
        refuses([qw(model add m-3 --upstream main --output 1), "--input=$bad"], 2,
            qr/input: .*(price|credits per million)/, "price '$bad'");
    }
    refuses([qw(model add m-3 --upstream none --input 1 --output 1)], 1, qr/no upstream 'none'/,
        'an unknown upstream');
    refuses([qw(model add m-3 --upstream main --input 1 --output 1 --capabilities fly)], 2,
        qr/'fly' is no capability/, 'an unknown capability');
    refuses([qw(model add m-3 --upstream main --input 1 --output 1 --efforts), 'low,huge'], 2,
        qr/'huge' is no effort/, 'an unknown effort');
    refuses([qw(model add m-3 --upstream main --input 1 --output 1 --thinking hard)], 2,
        qr/'hard' is no way to think/, 'an unknown way to think');
    refuses(['model', 'add', 'm 3', qw(--upstream main --input 1 --output 1)], 2,
        qr/cannot be a model id/, 'an id with a space');
    refuses(['model', 'add', 'x' x 128, qw(--upstream main --input 1 --output 1)], 2,
        qr/cannot be a model id/, 'a long id');
    refuses([qw(model add m-3 --upstream main --input 1 --output 1 --context 99999999999)], 2,
        qr/at most 1000000000/, 'an absurd context');
    refuses([qw(model add m-3 --upstream main --input 1 --output 1 --label), "a\tb"], 2,
        qr/label has to be/, 'a label with a control character');
    my $list = json('model', 'list');
    is_deeply($list, [
        {model => 'm-1', upstream => 'main', upstream_model => 'm-1', input => '1.25',
         output => '10', label => "Gr\x{f6}\x{df}er", premium => JSON::PP::true, context => 400000,
         max_output => 0, capabilities => 'image,pdf,tools,structured,reasoning,sampling',
         thinking => 'budget', efforts => '', token_factor => '1.000'},
        {model => 'm-2', upstream => 'deep', upstream_model => 'claude-x', input => '3',
         output => '15', label => '', premium => JSON::PP::false, context => 0, max_output => 0,
         capabilities => 'image,tools', thinking => 'adaptive', efforts => 'low,max',
         token_factor => '1.000'}], 'the list');
    does([qw(model set m-1 --no-premium --label), '', qw(--max-output 128000 --capabilities none)],
        qr/m-1 is set/, 'a model is changed');
    $m = json('model', 'list')->[0];
    is_deeply([@$m{qw(premium label max_output capabilities context upstream)}],
        [JSON::PP::false, '', 128000, '', 400000, 'main'], 'where it was said, and nowhere else');
    does([qw(model set m-2 --token-factor 1.15)], qr/m-2 is set/, 'how its provider counts');
    is(json('model', 'list')->[1]{token_factor}, '1.150', 'is noted');
    refuses([qw(model set m-2 --token-factor), $_], 2, qr/factor/, "$_ is no factor") for qw(0 11 1.1234 x);
    does([qw(model set m-2 --thinking budget --efforts), 'none,low'], qr/m-2 is set/, 'how it thinks');
    is_deeply([@{json('model', 'list')->[1]}{qw(thinking efforts capabilities)}],
        ['budget', 'none,low', 'image,tools'], 'can be changed');
    does([qw(model set m-2 --capabilities any --thinking), '', '--efforts', ''], qr/m-2 is set/,
        'and taken back');
    is_deeply([@{json('model', 'list')->[1]}{qw(thinking efforts capabilities)}],
        ['budget', '', 'image,pdf,tools,structured,reasoning,sampling'], 'as if nothing was said');
    refuses([qw(model set m-1 --premium --no-premium)], 2, qr/exclude each other/, 'both at once');
    refuses([qw(model set m-9 --premium)], 1, qr/no model 'm-9'/, 'a model that is not there');
    $m = json(qw(price set m-1 --input 2 --output 8));
    is($m->{cache_read}, '2', 'a new price is stated whole');
    refuses([qw(price set m-1 --input 2)], 2, qr/--output P is needed/, 'a half one');
    refuses([qw(price set m-9 --input 2 --output 8)], 1, qr/no model 'm-9'/, 'of nothing');
    is_deeply([map { $_->{input} } @{json(qw(price list m-1))}], ['2', '1.25'], 'its history');
    is(json('model', 'list')->[0]{input}, '2', 'the newest is the price of today');
    is(scalar @{json('price', 'list')}, 3, 'all prices');
    refuses([qw(upstream remove main)], 1, qr/1 model is served by 'main' \(m-1\)/, 'in use');
};

subtest 'alias' => sub {
    does([qw(alias set power-ai m-1)], qr/power-ai means m-1/, 'an alias is made');
    does([qw(alias set power-ai m-2)], qr/power-ai means m-2/, 'and moved');
    is(json(qw(alias list))->[0]{upstream}, 'deep', 'the list says where it leads');
    refuses([qw(alias set power-ai none)], 1, qr/no model 'none'/, 'to nowhere');
    refuses([qw(alias set m-1 m-2)], 1, qr/is a model itself/, 'over a model');
    refuses([qw(alias set other power-ai)], 1, qr/no model 'power-ai'/, 'to an alias');
    refuses([qw(model add power-ai --upstream main --input 1 --output 1)], 1, qr/is an alias/,
        'a model over an alias');
    refuses([qw(model remove m-2)], 1, qr/alias 'power-ai' means this model/, 'a model in use');
    does([qw(alias set spare m-1)], qr/means/, 'another one');
    does([qw(alias remove spare)], qr/is removed/, 'is removed');
    refuses([qw(alias remove spare)], 1, qr/no alias 'spare'/, 'only once');
    my $version = sub { ask('SELECT version FROM catalogue_version') };
    my $before = $version->();
    does([qw(alias set power-ai m-1)], qr/means/, 'a change');
    cmp_ok($version->(), '==', $before + 1, 'makes the version one more');
    ctl(qw(alias set power-ai none));
    cmp_ok($version->(), '==', $before + 1, 'a refused one does not');
};

my $system;
subtest 'accounts' => sub {
    my $alice = json(qw(account create alice --email alice@example.com --credit 5));
    like($system = $alice->{system_key}, qr/^sk-mg-[0-9A-Za-z]{49}$/, 'a System Key is made');
    my $show = json(qw(account show alice));
    is_deeply([@$show{qw(id username email state balance available rows)}],
        [1, 'alice', 'alice@example.com', 'active', '5', '5', 1], 'and its credit');
    does([qw(account create bob)], qr/^System Key +sk-mg-/m, 'one without mail and credit');
    is(json(qw(account show bob))->{balance}, '0', 'has nothing');
    refuses([qw(account create ALICE)], 1, qr/'ALICE' is taken/, 'a name in another case');
    refuses([qw(account create carol --email Alice@Example.com)], 1, qr/mail address exists/,
        'an address twice');
    for my $bad ('1st', 'a b', 'a@b', '', 'x' x 64, 'ä', '.a') {
        refuses(['account', 'create', $bad], 2, qr/username/, "username '$bad'");
    }
    for my $bad ('x', '@', 'a@', '@b.c', 'a@b', 'a@b..c', 'a b@c.d', 'a@b.c@d.e', '.a@b.c', 'ä@b.c',
        "a\n\@b.c", 'x' x 65 . '@b.c') {
        refuses([qw(account create carol --email), $bad], 2, qr/email/, "address '"
            . ($bad =~ s/\n/ /r) . "'");
    }
    refuses([qw(account create carol --credit many)], 2, qr/no amount/, 'credit that is none');
    refuses([qw(account show carol)], 1, qr/no account 'carol'/, 'nothing is left of all that');
    is(json(qw(account show ALICE@example.com))->{id}, 1, 'an account is found by its address');
    is(json(qw(account show 1))->{username}, 'alice', 'and by its id');
    refuses([qw(account show 99)], 1, qr/no account '99'/, 'but not by another');
    refuses([qw(account show), "x' OR '1'='1"], 1, qr/no account/, 'nor by SQL');
    does([qw(account suspend alice)], qr/alice is suspended/, 'it is suspended');
    does([qw(account suspend alice)], qr/alice is suspended/, 'again changes nothing');
    is(json(qw(account list))->[0]{state}, 'suspended', 'the list shows it');
    does([qw(account resume alice)], qr/alice is active/, 'and resumed');
    is_deeply([map { $_->{username} } @{json(qw(account list --after 1))}], ['bob'], 'a page');
    is(scalar @{json(qw(account list --limit 1))}, 1, 'a short page');
    refuses([qw(account list --limit 0)], 2, qr/from 1 to/, 'an empty one');
};

subtest 'credit' => sub {
    my @give = qw(account credit alice);
    my $given = json(@give, qw(2.5 --reason sorry --ref t-1));
    is_deeply([@$given{qw(amount balance applied)}], ['2.5', '7.5', JSON::PP::true], 'credit');
    $given = json(@give, qw(2.5 --reason sorry --ref t-1));
    is_deeply([@$given{qw(balance applied)}], ['7.5', JSON::PP::false], 'the same one once');
    is(json(qw(account credit bob 1 --ref t-1))->{applied}, JSON::PP::true, 'once an account');
    is(json(@give, '1')->{balance}, '8.5', 'without a reference every time');
    is(json(@give, '1')->{balance}, '9.5', 'so twice is two');
    is(json(@give, '-0.5')->{balance}, '9', 'credit is taken');
    is(json(@give, qw(1 --expires 2999-12-31))->{balance}, '10', 'some expires');
    my $lots = json(qw(account lots alice));
    is($lots->[0]{expires}, '2999-12-31T00:00:00Z', 'and is used first');
    for my $bad ('0', 'x', '', '1.0000000001', '99999999999999999999') {
        refuses([@give, $bad], 2, qr/no amount of credit/, "amount '$bad'");
    }
    refuses([@give, qw(1 --expires yesterday)], 2, qr/no date/, 'a date that is none');
    refuses([@give, qw(1 --expires 2020-01-01)], 2, qr/is over already/, 'one that is over');
    refuses([@give, qw(-1 --expires 2999-01-01)], 2, qr/given can expire/, 'a debt that expires');
    refuses([@give, '1', '--reason', 'x' x 200], 2, qr/at most 127/, 'a long story');
    refuses([qw(account credit nobody 1)], 1, qr/no account/, 'to nobody');
    my $rows = json(qw(account history alice --limit 2));
    is_deeply([map { $_->{amount} } @$rows], ['1', '-0.5'], 'the history, newest first');
    is($rows->[0]{row}, 6, 'numbered without a gap');
    is(json(qw(account history alice --before 3))->[0]{what}, 'sorry', 'older rows');
};

subtest 'keys' => sub {
    my $key = json(qw(key create alice --name), 'my laptop', qw(--expires 2999-01-01));
    like($key->{secret}, qr/^sk-mg-/, 'a key is made');
    my $list = json(qw(key list alice));
    is_deeply([map { [@$_{qw(kind name state)}, $_->{last4}] } @$list],
        [['system', 'System Key', 'active', substr($system, -4)],
         ['user', 'my laptop', 'active', substr($key->{secret}, -4)]], 'the list');
    does([qw(key revoke alice), $key->{key}], qr/is revoked/, 'it is revoked');
    does([qw(key revoke alice), $key->{key}], qr/is revoked/, 'again changes nothing');
    is(json(qw(key list alice))->[1]{state}, 'revoked', 'the list shows it');
    refuses([qw(key revoke bob), $key->{key}], 1, qr/no User API Key/, 'it is not another one\'s');
    refuses([qw(key revoke alice 1)], 1, qr/rotated, not revoked/, 'the System Key');
    refuses([qw(key revoke alice laptop)], 2, qr/is no key/, 'a name is no key');
    refuses([qw(key create alice --name), ''], 2, qr/needs a name/, 'no name');
    refuses([qw(key create alice --name), 'x' x 64], 2, qr/63 bytes/, 'a long one');
    refuses([qw(key create alice --name), "a\nb"], 2, qr/control characters/, 'a broken one');
    refuses([qw(key create nobody --name x)], 1, qr/no account/, 'for nobody');
    is(json(qw(key show-system alice))->{secret}, $system, 'the System Key can be shown');
    my $new = json(qw(key rotate-system alice))->{secret};
    isnt($new, $system, 'and rotated');
    is(json(qw(key show-system alice))->{secret}, $new, 'then the new one is shown');
    $list = json(qw(key list alice));
    is_deeply([map { $_->{state} } @$list], [qw(revoked revoked active)], 'the old one is revoked');
    my $dump = ask('SELECT * FROM api_key');
    unlike($dump, qr/sk-mg-|\Q$new\E/, 'no secret is readable in the database');
    sql('UPDATE api_key a JOIN api_key b ON b.account_id = 2 SET a.sealed = b.sealed'
        . ' WHERE a.system_of = 1', 'gw-test');
    refuses([qw(key show-system alice)], 1, qr/row was altered/, 'a seal of another account');
    sql("UPDATE api_key SET sealed = 'x' WHERE system_of = 1", 'gw-test');
    refuses([qw(key show-system alice)], 1, qr/cut off/, 'a damaged seal');
    does([qw(key rotate-system alice)], qr/sk-mg-/, 'is mended by a rotation');
};

subtest 'audit' => sub {
    does(['audit'], qr/the books are right: 2 wallets/, 'the books are right');
    is(json('audit')->{findings}, 0, 'also as JSON');
    does([qw(audit alice)], qr/the books are right: 1 wallet/, 'of one account');
    sql('UPDATE wallet SET balance = balance + 1 WHERE id = 1', 'gw-test');
    my ($status, $out) = ctl('audit');
    is($status, 1, 'a nano-credit too many is found');
    like($out, qr/THE BOOKS ARE WRONG/, 'and said');
    is((ctl(qw(audit bob)))[0], 0, 'another wallet is right');
    is((ctl(qw(audit --watch 1)))[0], 1, 'watching ends at the first finding');
    sql('UPDATE wallet SET balance = balance - 1 WHERE id = 1', 'gw-test');
    is((ctl('audit'))[0], 0, 'put back they are right again');
};

subtest 'upstream test' => sub {
    my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 5) or die $!;
    my $port = $server->sockport;
    my $pid = fork // die $!;
    if (!$pid) {
        $socket = '';
        serve($server);
    }
    close $server;
    ctl(qw(upstream add stub --formats), 'chat,responses,messages', '--key-file', "$dir/up.key",
        '--url', "http://127.0.0.1:$port");
    my $probes = json(qw(upstream test stub --model m --timeout 5));
    is_deeply([map { "$_->{request} $_->{result} $_->{status}" } @$probes],
        ['GET /models ok 200', 'POST /chat/completions ok 200', 'POST /responses ok 200',
         'POST /messages ok 200'], 'the list and every format are asked');
    like($probes->[0]{says}, qr/Bearer sk-upstream-secret/, 'with the stored credential');
    like($probes->[1]{says}, qr/"max_completion_tokens":16/, 'the smallest chat request');
    like($probes->[2]{says}, qr/"store":false/, 'the smallest response');
    like($probes->[3]{says}, qr/x-api-key: sk-upstream-secret/i, 'Messages has its own header');
    kill 'KILL', $pid;
    waitpid $pid, 0;
    my ($status, $out) = ctl(qw(upstream test stub));
    is($status, 1, 'an upstream that is away fails the test');
    like($out, qr/FAILED +0 .*connect/i, 'and it says why');
    refuses([qw(upstream test none)], 1, qr/no upstream 'none'/, 'one that is not there');
};

# Answers with what it was sent: credential and body.
sub serve {
    my ($server) = @_;
    while (my $client = $server->accept) {
        my ($head, $body) = ('', '');
        while (my $line = <$client>) {
            last if $line eq "\r\n";
            $head .= $line;
        }
        read $client, $body, $1 if $head =~ /^content-length: (\d+)/mi;
        my ($key) = $head =~ /^((?:authorization|x-api-key): .*?)\r/mi;
        my $reply = "$key $body";
        print {$client} "HTTP/1.1 200 OK\r\nContent-Length: ", length $reply,
            "\r\nConnection: close\r\n\r\n$reply";
        close $client;
    }
    exit 0;
}

subtest 'sign-in' => sub {
    my $password = spew("$dir/password", "a good password\n");
    my @given = ('--password-file', $password);
    json(qw(account create dora --email dora@example.com), @given);
    my $hash = ask("SELECT password FROM account WHERE username = 'dora'");
    like($hash, qr/^\$s1\$0f0801\$/, 'an account is made with a password, hashed');
    json(qw(account create emil));
    is(ask("SELECT password FROM account WHERE username = 'emil'"), "NULL\n", 'one without');
    does([qw(account password emil), @given], qr/emil has another password/, 'it is given one');
    isnt(ask("SELECT password FROM account WHERE username = 'emil'"), $hash, 'which has a salt of its own');
    spew($password, 'short');
    refuses([qw(account password emil), @given], 2, qr/at least 10/, 'a short one');
    refuses([qw(account create x --password-file), "$dir/none"], 1, qr/No such file/, 'a file that is not there');
    sql("INSERT INTO session (account_id, hash, created_ms, seen_ms, expires_ms) SELECT id, REPEAT('x', 32), 1,"
        . " UNIX_TIMESTAMP() * 1000, 9e12 FROM account WHERE username = 'dora'", 'gw-test');
    is(scalar @{json(qw(account sessions dora))}, 1, 'its sessions are listed');
    is(scalar @{json(qw(account sessions emil))}, 0, 'and nobody else\'s');
    does([qw(account sessions dora --end)], qr/1 sessions? of account dora/, 'they are ended');
    is(ask('SELECT COUNT(*) FROM session'), "0\n", 'and gone');
    is(json(qw(account show dora))->{email_verified}, JSON::PP::false, 'an address of the operator is not confirmed');
    my $verified = json(qw(account verify dora));
    is("$verified->{trial} $verified->{credit}", '1 5', 'confirming it gives the trial');
    is(json(qw(account show dora))->{balance}, '5', 'to the wallet');
    is(json(qw(account verify dora))->{trial}, JSON::PP::false, 'once');
    is(json(qw(account show dora))->{email_verified}, JSON::PP::true, 'it is confirmed now');
    refuses([qw(account verify emil)], 1, qr/has no mail address/, 'nothing to confirm');
    refuses([qw(account reset-password emil)], 1, qr/take --show/, 'nowhere to mail to');
    like(json(qw(account reset-password emil --show))->{link}, qr{/reset/#t=mgt_\w{49}$}, 'a link is shown');
    does([qw(account reset-password dora)], qr/a mail to dora\@example\.com/, 'another one is mailed');
};

subtest 'mails' => sub {
    my $list = json(qw(mail list));
    is_deeply([map { "$_->{to} $_->{state}" } @$list], ['dora@example.com queued'], 'a mail waits');
    does([qw(mail show), $list->[0]{id}], qr{^To: dora\@example\.com\nSubject: .*/reset/#t=mgt_}s, 'and can be read');
    unlike(ask('SELECT HEX(body) FROM mail'), qr/6D67745F/, 'but not in the database');
    is(scalar @{json(qw(mail list --account emil))}, 0, 'nobody else has one');
    refuses([qw(mail show 99)], 1, qr/no mail 99/, 'one that is not there');
    refuses([qw(mail show x)], 2, qr/is no mail/, 'a name is no mail');
    refuses([qw(mail list --limit 0)], 2, qr/from 1 to/, 'an empty list');
    sql("UPDATE mail SET account_id = 1", 'gw-test');
    refuses([qw(mail show), $list->[0]{id}], 1, qr/altered/, 'a mail that was moved to another account does not open');
};

done_testing;
