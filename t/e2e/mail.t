# Mails: over TLS and with a login, once, later when the server is away or says so, given up when it
# refuses for good; and whatever stands in them cannot become a header.
use strict;
use utf8;
use warnings;
use Encode qw(encode_utf8);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use MG::Http;
use MG::MailSink;
use MG::Stack;

my $stack = MG::Stack->new(sim => 0);
my $nobody = MG::Http->new($stack, key => undef);
my $number = 0;

sub register {
    my ($email) = @_;
    my $name = 'user' . ++$number;
    my $r = $nobody->post('/api/auth/register', {username => $name, email => $email, password => "password of $name"});
    is($r->{status}, 201, "$email is registered");
    return $name;
}

sub row {
    my ($email) = @_;
    my ($row) = $stack->sql("SELECT state, attempts, error, LENGTH(body) FROM mail WHERE recipient = '$email'");
    return {state => $row->[0], attempts => $row->[1], error => $row->[2], length => $row->[3]};
}

sub hex_of { return "X'" . unpack('H*', encode_utf8($_[0])) . "'" }

sub again { return $stack->sql("UPDATE mail SET next_ms = 0 WHERE state = 'queued'") }

# No mail server yet: nothing is lost.
register('early@example.com');
is(row('early@example.com')->{state}, 'queued', 'without a mail server a mail waits');
like($stack->log_text, qr/smtp_url is not set/, 'and the log says why');

my $sink = MG::MailSink->new($stack);
{
    my $mail = $sink->wait_for('early@example.com');
    ok($mail, 'a mail that waited is sent as soon as there is a server');
    ok($mail->{tls}, 'over TLS');
    is($mail->{user}, 'gateway', 'with a login');
    is($mail->{from}, 'no-reply@example.com', 'by the sender of the settings');
    my %header = map { lc $_->[0] => $_->[1] } @{$mail->{headers}};
    like($header{date}, qr/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000$/, 'with a date');
    like($header{'message-id'}, qr/^<[^@<> ]+\@example\.com>$/, 'and an id');
    is($header{'auto-submitted'}, 'auto-generated', 'which vacation programs leave alone');
    unlike($mail->{raw}, qr/[^\r]\n/, 'and lines as mail has them');
    my ($token) = $mail->{text} =~ m{/verify/#t=(mgt_\w+)};
    is($nobody->post('/api/auth/verify', {token => $token})->{status}, 200, 'its link works');
    ok($stack->wait_for(sub { row('early@example.com')->{state} eq 'sent' }), 'it is noted as sent');
    is(row('early@example.com')->{length}, 0, 'and its text, with the link, is gone');
}

# Said no for now, and for good.
{
    register('defer-1-x@example.com');
    register('refuse-550-x@example.com');
    ok($stack->wait_for(sub { row('defer-1-x@example.com')->{error} ne '' }), 'a server that says "later" is noted');
    is(row('defer-1-x@example.com')->{state}, 'queued', 'and the mail waits');
    again();
    ok($sink->wait_for('defer-1-x@example.com'), 'and is sent at the next attempt');
    ok($stack->wait_for(sub { row('refuse-550-x@example.com')->{error} ne '' }), 'a server that says "never" is noted');
    is(row('refuse-550-x@example.com')->{state}, 'queued', 'and asked again');
    $stack->sql("UPDATE mail SET attempts = 5, next_ms = 0 WHERE state = 'queued'");
    ok($stack->wait_for(sub { row('refuse-550-x@example.com')->{state} eq 'failed' }), 'what is refused for good is given up');
    like(row('refuse-550-x@example.com')->{error}, qr/550/, 'with the reason');
    is(row('refuse-550-x@example.com')->{length}, 0, 'and its link is gone');
}

# The worker dies while it has a mail in hand.
{
    my $subject = 'Grüße an «alle»: "=?x?=", in einer langen Zeile, die in mehr als ein Wort zerfällt';
    my $text = "Schöne Grüße\n.\nBcc: eve\@example.com\n..\n" . 'ü' x 300 . "\nEnde \n";
    $stack->stack('stop', '--signal', 'KILL', 'serve');
    $stack->sql("INSERT INTO mail (account_id, recipient, subject, body, sealed, next_ms, created_ms, attempts)"
        . " VALUES (0, 'lost\@example.com', CONVERT(" . hex_of($subject) . " USING utf8mb4), " . hex_of($text) . ", 0,"
        . " UNIX_TIMESTAMP() * 1000 + 3600000, UNIX_TIMESTAMP() * 1000, 1)");
    $stack->stack('start', 'serve');
    is(row('lost@example.com')->{attempts}, 1, 'a mail that a dead worker has claimed is left alone until its lease ends');
    again();
    my $mail = $sink->wait_for('lost@example.com');
    ok($mail, 'and is sent then');
    is($mail->{subject}, $subject, 'a subject may be any text');
    is($mail->{text} =~ s/\r//gr, $text, 'and so may the body, dots included');
    is_deeply($mail->{to}, ['lost@example.com'], 'nobody else gets it');
    is(scalar(grep { $_->{to}[0] eq 'lost@example.com' } $sink->mails), 1, 'once');
}

# The server's certificate is not one to trust, its login is wrong, it speaks no TLS: nothing is sent.
{
    $sink->stop;
    my $other = MG::MailSink->new($stack, reload => 0);
    my %set = ($other->settings, smtp_ca_file => '');
    for my $case (['an unknown certificate', smtp_ca_file => ''],
        ['a wrong password', smtp_user => 'gatewai', smtp_ca_file => "$other->{dir}/cert.pem"]) {
        my ($what, %change) = @$case;
        my %now = (%set, %change);
        $stack->stack('reload', map { ('--conf', "$_=$now{$_}") } sort keys %now);
        my $email = "x$number\@example.com";
        register($email);
        ok($stack->wait_for(sub { row($email)->{error} ne '' }), "$what: the attempt fails");
        is(row($email)->{state}, 'queued', "$what: the mail waits") or diag explain row($email);
    }
    is(scalar($other->mails), 0, 'and nothing was sent');
    $other->stop;
    my $clear = MG::MailSink->new($stack, tls => 0, login => 0, conf => {smtp_tls => 'required', smtp_user => ''});
    my $email = "x$number\@example.com";
    register($email);
    ok($stack->wait_for(sub { row($email)->{error} ne '' }), 'no TLS: the attempt fails');
    is(scalar($clear->mails), 0, 'and nothing goes out in clear');
    $stack->stack('reload', '--conf', 'smtp_tls=optional');
    again();
    my $mail = $clear->wait_for($email);
    ok($mail && !$mail->{tls}, 'unless the settings allow it');
}
unlike($stack->log_text, qr/mgt_\w{40}|mail secret/, 'no log has a link or the password');

done_testing;
