#!/usr/bin/perl
# htdocs/openapi.json describes every published route and nothing else: compared with the route
# tables of fcgi/ both ways, by method, path and authentication. What is for payment providers and
# for trying things out is in no published schema.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use MG::Source qw(files text none);
use Test::More;

my $unpublished = qr{^/api/(webhooks|sandbox)/};

my %security = (
    MG_AUTH_NONE => '',
    MG_AUTH_FORM => '',
    MG_AUTH_KEY => 'ServiceBearer',
    MG_AUTH_SESSION => 'DashboardBearer DashboardSession',
);

# The rows of all tables: {"GET /v1/models" => {auth, flags, file}}.
my (%route, @unread);
for my $file (files(qr{^fcgi/[\w-]+\.c$})) {
    my $text = text($file);
    my $rows = () = $text =~ m[\{\s*"(?:GET|POST|PUT|PATCH|DELETE)",\s*"/]g;
    while ($text =~ m[\{\s*"(GET|POST|PUT|PATCH|DELETE)",\s*"(/[^"]*)",\s*(\w+),\s*([\w\s|]+),\s*\w+,\s*\w+\}]g) {
        $route{"$1 $2"} = {auth => $3, flags => $4, file => $file};
        $rows--;
    }
    push @unread, "$file: $rows rows" if $rows;
}
none(\@unread, 'every row of the route tables can be read here');
cmp_ok(scalar keys %route, '>', 12, 'there are routes');

my $doc = JSON::PP->new->utf8->decode(do {
    open my $in, '<:raw', MG::Source::top() . '/htdocs/openapi.json' or die $!;
    local $/;
    <$in>;
});
my %operation;
for my $path (keys %{$doc->{paths}}) {
    $operation{uc($_) . " $path"} = $doc->{paths}{$path}{$_} for keys %{$doc->{paths}{$path}};
}

none([grep { !$operation{$_} && (split / /)[1] !~ $unpublished } sort keys %route],
    'every published route is described');
none([grep { !$route{$_} } sort keys %operation], 'everything described is a route');
none([grep { /$unpublished|admin/ || (split / /)[1] =~ $unpublished } sort keys %operation],
    'no route of operators and payment providers is described');

my (@auth, @body, @parameters, %ids, @unclear);
for my $name (sort grep { $route{$_} } keys %operation) {
    my ($o, $row) = ($operation{$name}, $route{$name});
    my $described = join ' ', sort map { keys %$_ } @{$o->{security} || [{missing => []}]};
    my $wanted = $security{$row->{auth}} // "what $row->{auth} is";
    push @auth, "$name: '$described', not '$wanted'" if $described ne $wanted;
    push @body, "$name: a body is asked for that the route does not read"
        if $o->{requestBody} && $o->{requestBody}{required} && $row->{flags} !~ /BODY/;
    my @in_path = $name =~ /\{(\w+)\}/g;
    my @declared = map { $_->{name} } grep { $_->{in} eq 'path' } @{$o->{parameters} || []};
    push @parameters, "$name: (@declared)" if "@in_path" ne "@declared";
    push @parameters, "$name has no 422" if @in_path && !$o->{responses}{422};
    push @unclear, $name if !$o->{summary} || !$o->{tags} || $ids{$o->{operationId} // ''}++;
}
none(\@auth, 'each says how it authenticates');
none(\@body, 'none asks for a body that is not read');
none(\@parameters, 'path parameters are declared, and refused with 422');
none(\@unclear, 'each has a summary, a tag and an id of its own');

is($doc->{openapi}, '3.1.0', 'it is OpenAPI 3.1');
is($doc->{info}{version}, '1.0.0', 'of version 1.0.0');
is($doc->{components}{securitySchemes}{ServiceBearer}{scheme}, 'bearer', 'keys are bearer keys');

# The specification gives these to the letter.
my $schema = $doc->{components}{schemas};
my %plain = (
    LoginBody => 'password:string username:string required(password username)',
    ModelPreferenceBody => 'model:string required(model)',
    HTTPValidationError => 'detail:array required()',
    ValidationError => 'ctx:object input: loc:array msg:string type:string required(loc msg type)',
);
for my $name (sort keys %plain) {
    my $s = $schema->{$name};
    my $said = join ' ', map({ "$_:" . ($s->{properties}{$_}{type} // '') } sort keys %{$s->{properties}}),
        'required(' . join(' ', sort @{$s->{required} || []}) . ')';
    is($said, $plain{$name}, "$name is that of the specification");
}
is_deeply([map { $_->{type} } @{$schema->{ValidationError}{properties}{loc}{items}{anyOf}}],
    ['string', 'integer'], 'places in a body are names and numbers');
is($schema->{HTTPValidationError}{properties}{detail}{items}{'$ref'},
    '#/components/schemas/ValidationError', 'and their list is that of 422');

done_testing();
