# The model list in both styles: what it holds, pages in every direction, single models under any
# spelling of their id, and what changes with the catalogue.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Check qw(is_error ids_fault);
use MG::Http;
use MG::Stack;

my $stack = MG::Stack->new;
my $http = MG::Http->new($stack);
my %messages = (headers => {'anthropic-version' => '2023-06-01'});

sub ids { my ($r) = @_; return [map { $_->{id} } @{$r->{json}{data}}] }

my @expected = qw(power-ai coder frontier mini swift);

# The default style.
{
    my $r = $http->get('/v1/models');
    is($r->{status}, 200, 'the list is there');
    is(ids_fault($r), '', 'with its request id');
    is_deeply([sort keys %{$r->{json}}], ['data', 'object'], 'a list and nothing else');
    is($r->{json}{object}, 'list', 'called list');
    is_deeply([sort @{ids($r)}], [sort @expected], 'of the alias and all models');
    for my $m (@{$r->{json}{data}}) {
        is_deeply([sort keys %$m], [qw(created id object owned_by)], "$m->{id}: the members of the format");
        ok($m->{object} eq 'model' && $m->{created} =~ /^\d{10}$/, "$m->{id}: and their values");
        my $one = $http->get("/v1/models/$m->{id}");
        is_deeply($one->{json}, $m, "$m->{id}: alone it says the same");
    }
    unlike($r->{body}, qr/sim-|127\.0\.0\.1/, 'nothing of the upstream shows');
}

# For clients that tell their version.
{
    my $r = $http->get('/v1/models?client_version=0.99.0');
    is(scalar @{$r->{json}{models}}, scalar @expected, 'with client_version there is a models array, too');
    is_deeply([map { $_->{slug} } @{$r->{json}{models}}], ids($r), 'of the same models');
    for my $m (@{$r->{json}{models}}) {
        my @missing = grep { !exists $m->{$_} } qw(slug display_name supported_reasoning_levels shell_type
            visibility supported_in_api priority support_verbosity truncation_policy
            supports_parallel_tool_calls experimental_supported_tools base_instructions);
        is("@missing", '', "$m->{slug}: nothing is missing in its entry");
    }
    my ($mini) = grep { $_->{slug} eq 'mini' } @{$r->{json}{models}};
    is($mini->{context_window}, 128000, 'the context window is the one of the catalogue');
}

# The Messages style.
{
    my $r = $http->get('/v1/models', %messages);
    is_deeply([sort keys %{$r->{json}}], [qw(data first_id has_more last_id)], 'messages: the members of a page');
    is_deeply([sort @{ids($r)}], [sort @expected], 'messages: the same models');
    is_deeply([$r->{json}{first_id}, $r->{json}{last_id}, $r->{json}{has_more}],
        [ids($r)->[0], ids($r)->[-1], JSON::PP::false()], 'messages: one page');
    my ($coder) = grep { $_->{id} eq 'coder' } @{$r->{json}{data}};
    is_deeply([@$coder{qw(type display_name max_input_tokens max_tokens)}], ['model', 'Coder', 200000, 64000],
        'messages: what a model is');
    like($coder->{created_at}, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'messages: since when');
    ok($coder->{capabilities}{image_input}{supported} && $coder->{capabilities}{pdf_input}{supported},
        'messages: and what it can do');
    for my $m (@{$r->{json}{data}}) {
        is_deeply($http->get("/v1/models/$m->{id}", %messages)->{json}, $m, "messages: $m->{id} alone says the same");
    }
    for my $name ('vendorb-version', 'anthropic-version', 'Anthropic-Version') {
        ok(exists $http->get('/v1/models', headers => {$name => 'whatever'})->{json}{has_more},
            "messages: chosen by the header $name alone");
    }
    ok(!exists $http->get('/v1/models', headers => {'x-api-version' => '1', 'anthropic-beta' => 'x'})->{json}{has_more},
        'messages: not by others');
}

# Pages in both directions, of every size.
for my $limit (1 .. 6) {
    my (@forward, @backward, $at);
    my $longest = 0;
    for (1 .. 10) {
        my $r = $http->get("/v1/models?limit=$limit" . (defined $at ? "&after_id=$at" : ''), %messages);
        push @forward, @{ids($r)};
        $longest = @{ids($r)} if @{ids($r)} > $longest;
        last if !$r->{json}{has_more};
        $at = $r->{json}{last_id};
    }
    is_deeply(\@forward, \@expected, "messages: pages of $limit forward give every model once");
    $at = $expected[-1];
    @backward = ($at);
    for (1 .. 10) {
        my $r = $http->get("/v1/models?limit=$limit&before_id=$at", %messages);
        unshift @backward, @{ids($r)};
        $longest = @{ids($r)} if @{ids($r)} > $longest;
        last if !$r->{json}{has_more};
        $at = $r->{json}{first_id};
    }
    is_deeply(\@backward, \@expected, "messages: and backward");
    is($longest, $limit < @expected ? $limit : @expected, "messages: no page of $limit is longer");
}
{
    my $r = $http->get("/v1/models?after_id=$expected[-1]", %messages);
    is_deeply($r->{json}, {data => [], first_id => undef, last_id => undef, has_more => JSON::PP::false()},
        'messages: behind the last there is an empty page');
    is_error($http->get("/v1/models?$_=nothing", %messages), 404, 'messages', "messages: an unknown $_")
        for 'after_id', 'before_id';
    for my $limit ('0', '-1', '1001', 'x', '') {
        my $bad = $http->get("/v1/models?limit=$limit", %messages);
        is_error($bad, 422, 'messages', "messages: limit '$limit' is refused");
        is_deeply($bad->{json}{detail}[0]{loc}, ['query', 'limit'], "messages: limit '$limit' is named");
    }
}

# Ids with everything in them.
$stack->mgctl('model', 'add', 'vendor/coder-3:free', '--upstream', 'sim', '--upstream-model', 'sim-x',
    '--input', 1, '--output', 2);
for my $spelling ('vendor%2Fcoder-3:free', 'vendor%2fcoder-3%3Afree', '%76endor%2Fcoder%2D3:free') {
    my $r = $http->get("/v1/models/$spelling");
    is($r->{json}{id}, 'vendor/coder-3:free', "an id as $spelling") or diag $r->{body};
}
is($http->get('/v1/models/coder/')->{json}{id}, 'coder', 'a slash behind does not matter');
is_deeply([sort @{ids($http->get('/v1/models'))}], [sort @expected, 'vendor/coder-3:free'],
    'a new model is in the next list');

# Unknown ones.
for my $id ('nothing', 'CODER', 'coder%20', 'cod', 'coder%2F', '%E4%B8%AD', 'sim-coder', 'a' x 2000) {
    my $short = substr $id, 0, 20;
    my $r = $http->get("/v1/models/$id");
    is_error($r, 404, 'openai', "no model $short", code => 'model_not_found');
    is_error($http->get("/v1/models/$id", %messages), 404, 'messages', "messages: no model $short",
        type => 'not_found_error');
}
is_error($http->get('/v1/models/a/b'), 404, 'openai', 'a path with too many parts');

# The catalogue changes under the list.
$stack->mgctl('alias', 'set', 'best', 'frontier');
$stack->mgctl('model', 'remove', 'mini');
is_deeply([sort @{ids($http->get('/v1/models'))}],
    [sort qw(best power-ai coder frontier swift), 'vendor/coder-3:free'], 'removed and added ones show at once');
is_error($http->get('/v1/models/mini'), 404, 'openai', 'a removed model is gone');
is_error($http->post('/v1/chat/completions', {model => 'mini', messages => [{role => 'user', content => 'x'}]}),
    404, 'openai', 'also for generations', code => 'model_not_found');

done_testing;
