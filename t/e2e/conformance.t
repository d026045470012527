# Every probe of the conformance checker, in its strict mode, on every kind of upstream: what the
# gateway translates and what it hands through are both in the full form.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Conform;
use MG::Http;
use MG::Kinds;
use MG::Sim;
use MG::Stack;

if (my $why = MG::Conform::missing()) {
    plan skip_all => $why;
}
my $stack = MG::Stack->new;
my $sim = MG::Sim->new($stack);
MG::Kinds::offer($stack);
my (undef, $key) = $stack->account(1000);
my $http = MG::Http->new($stack, key => $key);

# Probes of endpoints that this gateway does not have at all.
sub is_absent {
    my ($method, $path) = @_;
    my $r = $http->request($method, $path, $method eq 'POST' ? (body => {}) : ());
    return $r->{status} == 405 || ($r->{status} == 404 && $r->{body} =~ /There is no endpoint/);
}
my @absent = map { @{$_->[2]} } grep { is_absent($_->[0], $_->[1]) } (
    ['GET', '/v1/chat/completions', ['chat.stored']],
    ['GET', '/v1/responses/resp_x', ['responses.previous*', 'responses.stored', 'responses.replay']],
    ['POST', '/v1/responses/compact', ['responses.compact']],
    ['POST', '/v1/responses/input_tokens', ['responses.count']],
    ['POST', '/v1/messages/count_tokens', ['messages.count*']],
);
diag "without @absent" if @absent;

# What a format cannot say, the gateway refuses: these probes may be skipped, no others.
my $one_prompt = qr/^completions\.(prompts|choices)$/;
my %refused = (
    'any-format' => qr/^$/,
    'only-chat' => $one_prompt,
    'only-responses' => qr/$one_prompt|^(chat|completions)\.stop$|^chat\.choices$|^messages\.stop-sequence$/,
    'only-messages' => qr/$one_prompt|^chat\.choices$/,
);

# The first run asks for what depends on nothing; the others have the provider say what their
# probes look for. How near a count of tokens is cannot be seen here: this provider counts words.
my @runs = (
    ['', [], ['*.parallel*', '*.stop*', 'messages.thinking*', 'responses.reasoning*',
        'messages.count-near']],
    ['tools=2', ['*.parallel*'], []],
    ['tools=3 interleave=1', ['*.parallel*'], []],
    ['tools=1 args-chunk=0', ['*.tools*'], []],
    ['tools=1 args-chunk=1', ['*.tools*'], []],
    ['parts=text,tool tools=2 words=4', ['*.parallel*'], []],
    ['text=1%202%203%204%205%206%207%208', ['*.stop*'], []],
    ['reasoning=20 summary=1 words=5 reasoning-field=reasoning_content',
        ['messages.thinking*', 'responses.reasoning*', 'chat.reasoning'], []],
    ['reasoning=9 summary=1 tools=1 parts=reasoning,text,tool words=4 reasoning-field=reasoning_content',
        ['*.tools*'], []],
);

# A Chat upstream does not tell which stop sequence it met, or whether it met one.
my %untold = ('only-chat' => ['messages.stop-sequence']);

sub probe {
    my ($model, $commands, $only, $skip) = @_;
    $sim->defaults($commands);
    my @lines = MG::Conform::probe($stack->base_url, $key, $model,
        (map { ('--only', $_) } @$only), (map { ('--skip', $_) } @$skip, @absent,
            @{$untold{$model} || []}));
    $sim->defaults('');
    return @lines;
}

for my $kind (MG::Kinds::for_client('only-responses')) {
    my $model = $kind->{model};
    for my $run (@runs) {
        my ($commands, $only, $skip) = @$run;
        my $count = 0;
        for my $probe (probe($model, $commands, $only, $skip)) {
            $count++;
            my $name = "$kind->{formats} upstream, $probe->{id}" . ($commands && ", $commands");
            ok($probe->{result} eq 'PASS'
                || ($probe->{result} eq 'SKIP' && $probe->{id} =~ $refused{$model}), $name)
                or diag "$probe->{result} $probe->{said}";
        }
        ok($count, "$kind->{formats} upstream: probes for " . ($commands || 'everything')) if $only;
    }
    # The others are what probes sent to be refused.
    MG::Conform::requests_ok("$kind->{formats} upstream", '',
        grep { $_->{status} == 200 } $sim->requests);
    $sim->forget;
}
ok($stack->audit_is_clean, 'the ledger is sound after all of it') or diag $stack->{audit};

done_testing;
