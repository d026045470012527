# After requests of every kind, good and bad, nothing of what was said and no key is in any log, in
# any file on disk, in any reply to somebody else, or in what a process shows of itself.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Find ();
use Test::More;
use Time::HiRes qw(sleep time);
use MG::Books qw(pids_of);
use MG::Family;
use MG::Http;
use MG::Sim;
use MG::Stack;

my $stack = MG::Stack->new(conf => {log_level => 'debug', keepalive_ms => 300, drain_seconds => 1});
my $sim = MG::Sim->new($stack);
my ($account, $system) = $stack->account(100);
my $json = $MG::Http::JSON;
my $user = $json->decode($stack->mgctl('--json', 'key', 'create', $account, '--name', 'app'))->{secret};
my (undef, $poor) = $stack->account(0);
my $rotated = do {
    my ($name, $old) = $stack->account(1);
    $stack->mgctl('key', 'rotate-system', $name);
    $old;
};

# What must not be found. Some of it is put together here, for the words of the test itself are on disk, too.
my %said = (
    'a prompt' => 'zanzi' . 'barprompt',
    'an answer' => 'quok' . 'kaanswer',
    'a system text' => 'wom' . 'batsystem',
    'a tool argument' => 'narw' . 'haltool',
    'an error text of the provider' => 'oka' . 'pierror',
);
my %secret = (
    'the System Key' => $system, 'a User API Key' => $user, 'the key of a poor account' => $poor,
    'a System Key of before' => $rotated, 'the key toward the provider' => 'sk-upstream-' . 'pangolin0123456789',
    'a key that is not ours' => 'sk-for' . 'eign-0123456789abcdef',
);
{
    my $file = "$stack->{dir}/upstream.key";
    open my $out, '>', $file or die $!;
    print {$out} $secret{'the key toward the provider'}, "\n";
    close $out;
    chmod 0644, $file;
    $stack->mgctl('upstream', 'set', 'sim', '--key-file', $file);
    unlink $file;
}

# A request that says all of it.
sub full {
    my ($family, $commands, %more) = @_;
    my $body = MG::Family::script($family, "$commands text=$said{'an answer'}", %more);
    my $prompt = "$said{'a prompt'} ";
    if ($family eq 'chat') {
        $body->{messages}[0]{content} = $prompt . $body->{messages}[0]{content};
        unshift @{$body->{messages}}, {role => 'system', content => $said{'a system text'}};
    } elsif ($family eq 'responses') {
        @$body{qw(input instructions store)} = ($prompt . $body->{input}, $said{'a system text'}, \0);
    } elsif ($family eq 'completions') {
        $body->{prompt} = $prompt . $body->{prompt};
    } else {
        $body->{messages}[0]{content} = $prompt . $body->{messages}[0]{content};
        $body->{system} = $said{'a system text'};
    }
    return $body;
}

my @replies; # [what, key that was sent, reply]
sub ask {
    my ($what, $key, $family, $body, %o) = @_;
    my $http = MG::Http->new($stack, key => $key);
    my $r = $http->post(MG::Family::path($family), $body, %o);
    push @replies, [$what, $key, $r];
    return $r;
}

my $good = 0;
for my $family (@MG::Family::NAMES) {
    for my $stream (0, 1) {
        my @stream = (stream => $stream ? \1 : \0);
        for my $key ($system, $user) {
            my $r = ask('good', $key, $family, full($family, 'gap=1', @stream));
            $good++ if $r->{status} == 200 && $r->{body} =~ /$said{'an answer'}/;
        }
        ask('as x-api-key', undef, $family, full($family, '', @stream), headers => {'x-api-key' => $user});
        ask('a bad key', $_, $family, full($family, '', @stream)) for $secret{'a key that is not ours'}, $rotated, "${user}x";
        ask('two keys', $system, $family, full($family, '', @stream), headers => {'x-api-key' => $user});
        ask('no credit', $poor, $family, full($family, '', @stream));
        for my $status (400, 401, 403, 404, 413, 422, 429, 500, 503) {
            ask("the provider says $status", $user, $family, full($family,
                "status=$status message=$said{'an error text of the provider'}%20$said{'a prompt'}", @stream));
        }
        ask("the provider $_", $user, $family, full($family, $_, @stream))
            for 'fault=cut at=3', 'fault=reset at=3', 'fault=garble at=2', 'fault=hangup', 'fault=html', 'fault=bad-length',
                "fault=error-event at=2 message=$said{'an error text of the provider'}";
        $sim->replay(body => "$said{'an answer'} {", headers => {'content-type' => $_}) and
            ask("nonsense as $_", $user, $family, full($family, '', @stream)) for 'application/json', 'text/event-stream';
        ask('no JSON', $user, $family, "{\"model\": $said{'a prompt'}");
        ask('no UTF-8', $user, $family, "{\"model\": \"$said{'a prompt'}\xff\"}");
        ask('a wrong type', $user, $family, full($family, '', max_tokens => $said{'a prompt'}, stream => $said{'a prompt'}));
        ask('no coding', $user, $family, full($family, ''), headers => {'content-encoding' => 'gzip'});
    }
    # The client leaves.
    ask('left', $user, $family, full($family, 'gap=20 words=50', stream => \1), until => sub { length $_[0]{body} });
}
is($good, 16, 'the good ones were answered');
ask('tools', $user, 'chat', full('chat', "tool=f args=%7B%22a%22:%22$said{'a tool argument'}%22%7D",
    tools => [{type => 'function', function => {name => 'f', parameters => {type => 'object'}}}]));
ask('thread', $user, 'messages', full('messages', '', thread => {id => $said{'a prompt'}}));
ask('background', $user, 'responses', full('responses', '', background => \1));

# Keys where they do not belong.
for my $path ("/v1/models?api_key=$user", "/v1/models?key=$system", "/v1/messages?x-api-key=$user", "/api/v1/me?token=$user") {
    push @replies, ['a key in the query', undef, MG::Http->new($stack, key => undef)->get($path)];
}
push @replies, ['a key in a cookie', undef, MG::Http->new($stack, key => undef)->get('/api/v1/me', headers => {cookie => "key=$user"})];
push @replies, ['a key in Basic', undef, MG::Http->new($stack, key => undef)->get('/api/v1/me', headers => {authorization => "Basic $user"})];
push @replies, ['a User API Key asks for me', $user, MG::Http->new($stack, key => $user)->get('/api/v1/me')];
push @replies, ['usage', $user, MG::Http->new($stack, key => $user)->get('/api/v1/billing/token-usage?limit=500')];
push @replies, ['wallet', $user, MG::Http->new($stack, key => $user)->get('/api/v1/wallet/status')];
push @replies, ['models', $user, MG::Http->new($stack, key => $user)->get('/v1/models')];

# No reply shows a key, and none but an answer shows what was said.
for my $what (sort keys %secret) {
    my @found = map { $_->[0] } grep { index($_->[2]{body} . $json->encode($_->[2]{headers}), $secret{$what}) >= 0 } @replies;
    is("@found", '', "no reply shows $what");
}
for my $what ('a prompt', 'a system text') {
    # The provider may repeat a prompt in its refusal, and a response object its instructions.
    my @found = map { "$_->[0] ($_->[2]{status})" } grep { $_->[2]{status} != 200 && $_->[0] !~ /^the provider says 4/
        && index($_->[2]{body}, $said{$what}) >= 0 } @replies;
    is("@found", '', "no error repeats $what");
}
my @hidden = map { $_->[0] } grep { $_->[0] =~ /says (401|403|404|429|5)/ && index($_->[2]{body}, $said{'an error text of the provider'}) >= 0 } @replies;
is("@hidden", '', 'what a provider says of itself stays with us');

# What a process shows to others on its machine.
my @mine = pids_of($stack);
cmp_ok(scalar @mine, '>', 4, 'the responders run');
my $shown = '';
for my $pid (@mine) {
    for my $name ('cmdline', 'environ') {
        open my $in, '<', "/proc/$pid/$name" or next;
        $shown .= do { local $/; <$in> } // '';
    }
}
my @master = map { open my $in, '<', "$stack->{dir}/etc/$_" or die $!; local $/; <$in> =~ s/\s+$//r } 'master.key', 'db.password', 'db-owner.password';
ok(!(grep { index($shown, $_) >= 0 } values %secret, @master), 'neither command line nor environment holds a secret');

# Logs, while all runs.
sleep 1;
my $log = $stack->log_text;
cmp_ok(length $log, '>', 20000, 'there are logs');
like($log, qr/status=200.*charge=/, 'of requests');
for my $what (sort keys %said) { ok(index($log, $said{$what}) < 0, "no log holds $what") }
for my $what (sort keys %secret) {
    ok(index($log, $secret{$what}) < 0, "no log holds $what");
    ok(index($log, substr $secret{$what}, 6, 20) < 0, "nor a part of it that would help");
}
ok(!(grep { index($log, $_) >= 0 } @master), 'no log holds a password or the master key');

# The disk, after everything was stopped and written.
$stack->stack('stop', 'httpd', 'serve', 'db');
my (%found, $bytes);
my %look = (%said, %secret);
File::Find::find({no_chdir => 1, wanted => sub {
    return if !-f $_ || !-s $_;
    open my $in, '<:raw', $_ or return;
    my $tail = '';
    while (read $in, my $piece, 8 << 20) {
        $bytes += length $piece;
        my $text = $tail . $piece;
        for my $what (keys %look) {
            push @{$found{$what}}, s/\Q$stack->{dir}\E//r if index($text, $look{$what}) >= 0;
        }
        $tail = substr $text, -200;
    }
}}, $stack->{dir});
cmp_ok($bytes, '>', 10 << 20, 'the files of the database were read, too');
is(join(' ', @{$found{$_} || []}), '', "no file on disk holds $_") for sort keys %look;

done_testing;
