# Somebody has the whole database, but not the master key: nothing in it opens anything.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use MIME::Base64 qw(encode_base64);
use Test::More;
use MG::Http;
use MG::Stack;

my $stack = MG::Stack->new;
my $nobody = MG::Http->new($stack, key => undef);

# Something of every kind: an account with keys, sessions, links that wait in mails.
my ($web, $name, $system) = $stack->member(5);
my $user = $MG::Http::JSON->decode($stack->mgctl('--json', 'key', 'create', $name, '--name', 'laptop'))->{secret};
$nobody->post('/api/auth/register', {username => 'alice', email => 'alice@example.com', password => 'correct horse'});
my ($verify) = ($stack->mails('alice@example.com'))[0]{text} =~ /(mgt_\w+)/;
$stack->sql("UPDATE account SET email = 'owner\@example.com', email_verified_ms = 1 WHERE username = '$name'");
$nobody->post('/api/auth/forgot', {email => 'owner@example.com'});
ok($stack->wait_for(sub { $stack->mails('owner@example.com') }), 'a link to another password waits');
my ($reset) = ($stack->mails('owner@example.com'))[0]{text} =~ /(mgt_\w+)/;
$web->post('/api/setup/linux', {});

my %secret = (
    'the System Key' => $system,
    'a User API Key' => $user,
    'a session' => $web->{session}{token},
    'the link that confirms an address' => $verify,
    'the link that sets a password' => $reset,
    'a password' => 'correct horse',
    'the password of the operator' => "password of $name",
);

# Every value of every column of every table, as bytes.
my @values;
my @columns = $stack->sql("SELECT table_name, column_name FROM information_schema.columns"
    . " WHERE table_schema = 'model_gateway' ORDER BY table_name, ordinal_position");
my %of;
push @{$of{$_->[0]}}, $_->[1] for @columns;
for my $table (sort keys %of) {
    my $list = join ', ', map { "COALESCE(HEX(`$_`), '')" } @{$of{$table}};
    push @values, map { map { pack 'H*', $_ } @$_ } $stack->sql("SELECT $list FROM `$table`");
}
cmp_ok(scalar keys %of, '>', 10, 'all tables were read');
cmp_ok(scalar @values, '>', 300, 'with everything in them');

my $dump = join "\n", @values;
for my $what (sort keys %secret) {
    my $bytes = $secret{$what};
    ok(length $bytes > 9, "$what is known to this test");
    my @found = grep { index($dump, $_->[1]) >= 0 } ['as it is', $bytes], ['in hexadecimal', unpack 'H*', $bytes],
        ['backwards', scalar reverse $bytes], ['in base64', encode_base64($bytes, '')],
        ['without its prefix', $bytes =~ s/^(sk-mg-|mg[st]_)//r];
    is("@{[map { $_->[0] } @found]}", '', "$what is not in the database");
}

# And every text in it, tried as whatever it could be.
my %tried;
for my $value (@values) {
    next if length $value < 8 || length $value > 300;
    my $hex = unpack 'H*', $value;
    $tried{$_} = 1 for grep { /^[\x21-\x7e]+$/ } $value, $hex, encode_base64($value, ''), split /\s+/, $value;
}
my @text = grep { length > 7 } sort keys %tried;
my @opened;
for my $text (@text) {
    my %headers = (authorization => "Bearer $text");
    push @opened, "key or session: $text" if grep { $nobody->get($_, headers => \%headers)->{status} != 401 }
        '/api/v1/me', '/api/auth/sessions';
}
$stack->sql('DELETE FROM throttle');
for my $text (grep { /^mgt_|^[0-9a-f]{64}$/ } @text) {
    $stack->sql('DELETE FROM throttle') if !(++$tried{links} % 10);
    push @opened, "link: $text" if $nobody->post('/api/auth/verify', {token => $text})->{status} == 200
        || $nobody->post('/api/auth/reset', {token => $text, password => 'a new horse'})->{status} == 200;
}
is_deeply(\@opened, [], 'none of ' . @text . ' texts in it opens anything');
is($nobody->post('/api/auth/verify', {token => $verify})->{status}, 200, 'while the link itself does');
is($nobody->post('/api/auth/reset', {token => $reset, password => 'a new horse'})->{status}, 200, 'and the other one');

done_testing;
