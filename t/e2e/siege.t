# Attempts in masses: guessing passwords through several processes, signing in by the hundred while
# others work, making accounts and mails by the dozen.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Select;
use IO::Socket::INET;
use Test::More;
use Time::HiRes qw(time);
use MG::Check qw(is_error);
use MG::Family;
use MG::Http;
use MG::Stack;

my $stack = MG::Stack->new(conf => {processes => 2, signin_failures => 3, register_per_hour => 4, password_cost => 14});
my $nobody = MG::Http->new($stack, key => undef);
my ($port) = $stack->base_url =~ /:(\d+)$/;

# A request from one of the many addresses of this machine: its socket.
sub begin {
    my ($from, $path, $body) = @_;
    my $sock = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, LocalAddr => $from, Proto => 'tcp')
        or die "from $from: $@";
    print {$sock} $nobody->format_request('POST', $path, body => $body);
    return $sock;
}

sub finish { return map { $nobody->read_reply($_, time) } @_ }

sub guess {
    my ($from, $name, $password) = @_;
    return begin($from, '/api/auth/login', {username => $name, password => $password});
}

sub count {
    my ($status, @replies) = @_;
    return scalar grep { $_->{status} == $status } @replies;
}

my ($owner, $name) = $stack->member(5);
my $password = "password of $name";

# From one address, in parallel, so that both processes get their share.
for my $victim ($name, 'nobody-here') {
    my @replies = finish(map { guess('127.0.0.9', $victim, "guess $_") } 1 .. 8);
    is(count(401, @replies), 3, "$victim: three guesses are looked at, however many processes there are");
    is(count(429, @replies), 5, "$victim: the others are refused");
    my ($refused) = grep { $_->{status} == 429 } @replies;
    is_error($refused, 429, 'openai', "$victim: with a reason", code => 'too_many_attempts');
    cmp_ok($refused->{headers}{'retry-after'}, '>=', 1, "$victim: and when to come back");
    cmp_ok($refused->{headers}{'retry-after'}, '<=', 90, "$victim: which is soon");
}
is((finish(guess('127.0.0.9', $name, $password)))[0]{status}, 429, 'the right password does not help there then');
is((finish(guess('127.0.0.1', $name, $password)))[0]{status}, 200, 'the owner signs in elsewhere meanwhile');

# From many addresses: the name has a limit of its own, but not where its owner has signed in before.
{
    my $begun = time;
    my @replies = map { my $n = $_; finish(map { guess("127.0.1.$n", $name, "guess $_") } 1 .. 3) } 1 .. 14;
    my $looked = count(401, @replies);
    my $more = int((time - $begun) / 30) + 1;
    cmp_ok($looked, '<=', 30 + $more, 'from many addresses together no more than thirty guesses are looked at');
    cmp_ok($looked, '>=', 30, '(these were)');
    # As if no time went by from here on.
    $stack->sql("UPDATE throttle SET full_ms = full_ms + 600000"
        . " WHERE bucket = UNHEX(SUBSTR(SHA2('sign-in name\n$name', 256), 1, 32))");
    is((finish(guess('127.0.2.1', $name, $password)))[0]{status}, 429, 'a new address has to wait then');
    is((finish(guess('127.0.0.1', $name, $password)))[0]{status}, 200, 'but the owner is never locked out');
    is((finish(guess('127.0.2.1', $name, $password)))[0]{status}, 200, 'and has it forgotten by that');
}

# Whoever states somebody else's address for an account of his own cannot forgive his guesses at
# that address's password by signing in himself.
{
    my $address = "$name\@example.org";
    my $own = 'password of squatter';
    my ($r) = finish(begin('127.0.7.1', '/api/auth/register', {username => 'squatter', email => $address, password => $own}));
    is($r->{status}, 201, 'an account states the address of another one');
    my (@guesses, @own);
    for my $i (1 .. 4) {
        push @guesses, (finish(guess('127.0.7.2', $address, "guess $i")))[0]{status};
        push @own, map { (finish(guess('127.0.7.2', $_, $own)))[0]{status} } $i < 3 ? ('squatter', $address) : 'squatter';
    }
    is("@own", '200 200 200 200 200 200', 'which opens it by both of its names');
    is("@guesses", '401 401 401 429', 'and makes no room for further guesses');
    is(($stack->sql("SELECT COUNT(*) FROM throttle WHERE bucket ="
        . " UNHEX(SUBSTR(SHA2('sign-in name\n$address', 256), 1, 32))"))[0][0], 1, 'nor anywhere else');
}

# Time goes by.
{
    $stack->sql("UPDATE throttle SET full_ms = UNIX_TIMESTAMP() * 1000 + 3 * 60000 - 61000"
        . " WHERE bucket = UNHEX(SUBSTR(SHA2('sign-in\nnobody-here 127.0.0.9', 256), 1, 32))");
    my @replies = finish(map { guess('127.0.0.9', 'nobody-here', "later $_") } 1 .. 3);
    is(count(401, @replies), 1, 'after a minute one more guess is looked at');
}

# Accounts and mails.
{
    my @replies = finish(map { begin('127.0.3.1', '/api/auth/register', {username => "many$_",
        email => "many$_\@example.com", password => "password of many$_"}) } 1 .. 6);
    is(count(201, @replies), 4, 'one address makes so many accounts in an hour');
    is(count(429, @replies), 2, 'and no more');
    # Any of the six may be among the four.
    my ($made) = map { "many$_\@example.com" } grep { $replies[$_ - 1]{status} == 201 } 1 .. 6;
    @replies = finish(map { begin("127.0.4.$_", '/api/auth/resend', {email => $made}) } 1 .. 8);
    is(count(202, @replies), 8, 'asking for a mail is always answered alike');
    my $mails = sub { ($stack->sql("SELECT COUNT(*) FROM mail WHERE recipient = '$made'"))[0][0] };
    ok($stack->wait_for(sub { $mails->() == 5 }), 'but five mails to one address are enough') or diag $mails->();
    @replies = finish(map { begin('127.0.5.1', '/api/auth/forgot', {email => "x$_\@example.com"}) } 1 .. 22);
    is(count(429, @replies), 2, 'and one address may ask twenty times');
    is($mails->(), 5, 'no further mail came');
}

# Nobody who works waits for those who sign in.
{
    $stack->stack('reload', '--conf', 'signin_failures=1000', '--conf', 'password_cost=17', '--conf', 'processes=1');
    my $http = MG::Http->new($stack);
    my @socks = map { guess('127.0.6.1', "flood$_", 'some password') } 1 .. 60;
    my $r = $http->post(MG::Family::path('messages'), MG::Family::script('messages', 'words=5'));
    my @answered = IO::Select->new(@socks)->can_read(0);
    is($r->{status}, 200, 'a request is served while sixty sign in');
    cmp_ok(scalar @answered, '<', 60, 'before they are done');
    my @replies = finish(@socks);
    is(count(401, @replies) + count(429, @replies), 60, 'every one of them is answered');
    my @busy = grep { $_->{status} == 429 } @replies;
    cmp_ok(scalar @busy, '>', 0, 'most by being told to come back');
    is_error($busy[0], 429, 'openai', 'because others are at it', code => 'busy');
    cmp_ok($busy[0]{headers}{'retry-after'}, '>=', 1, 'in some seconds');
}

done_testing;
