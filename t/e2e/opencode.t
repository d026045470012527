# opencode as it comes from npm completes tasks through each of its three kinds of provider, on
# every kind of upstream.
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
my ($program) = glob $clients->folder . '/node_modules/opencode-linux-*/bin/opencode';
my $place = place();
plan skip_all => 'npm has no opencode for this machine' if !$program
    || $clients->run([$program, '--version'], env => {HOME => "$place/home"})->{status} != 0;
my $stack = MG::Stack->new;
my $sim = MG::Sim->new($stack);
$clients->offer($stack);

# The format that each provider speaks.
my @providers = (
    ['chat', '@ai-sdk/openai-compatible'],
    ['responses', '@ai-sdk/openai'],
    ['messages', '@ai-sdk/anthropic'],
);

sub configuration {
    my %model = map { $_->{model} => {
        name => $_->{model}, tool_call => JSON::PP::true, reasoning => JSON::PP::true,
        attachment => JSON::PP::true, limit => {context => 200000, output => 32000},
        modalities => {input => ['text', 'image'], output => ['text']},
    } } MG::Kinds::kinds();
    my %provider = map { my ($format, $package) = @$_; "gateway-$format" => {
        npm => $package, name => "Model Gateway, $format", models => \%model,
        options => {baseURL => $stack->base_url . '/v1', apiKey => '{env:MG_API_KEY}'},
    } } @providers;
    return JSON::PP->new->canonical->encode({'$schema' => 'https://opencode.ai/config.json',
        autoupdate => JSON::PP::false, share => 'disabled', provider => \%provider});
}

write_file("$place/work/opencode.json", configuration());
write_file("$place/work/dot.png", dot_png());

for my $kind (MG::Kinds::for_client('only-responses')) {
    for my $provider (@providers) {
        my $format = $provider->[0];
        my $name = "$format provider, $kind->{formats} upstream";
        unlink "$place/work/made.txt";
        # One request is for the title of the session.
        my ($said, @requests) = task($clients, $sim, $name, 4, sub {
            $clients->run([$program, 'run', '-m', "gateway-$format/$kind->{model}",
                script(['reasoning', 6], ['reasoning-field', 'reasoning_content'],
                    ['agent', 'echo one > made.txt'],
                    ['agent', 'echo two >> made.txt; cat made.txt']),
                '-f', 'dot.png'], cwd => "$place/work", timeout => 60, env => {
                    HOME => "$place/home", MG_API_KEY => $clients->key,
                    map { ("OPENCODE_DISABLE_$_" => 1) }
                        qw(MODELS_FETCH AUTOUPDATE LSP_DOWNLOAD SHARE),
                });
        });
        is(slurp("$place/work/made.txt"), "one\ntwo\n", "$name: the file is made");
        like($said, qr/The command printed:\s+one\s+two/, "$name: the answer is shown");
        ok((grep { $_->{body} =~ /iVBORw0KGgo/ } @requests) >= 3, "$name: the picture arrives");
        MG::Conform::requests_ok($name, $format, @requests);
    }
}
ok($stack->audit_is_clean, 'the ledger is sound after all of it') or diag $stack->{audit};

done_testing;
