#!/usr/bin/perl
# The dashboard's files hold what its Content-Security-Policy promises: no way from a string to
# markup or code, nothing inline, nothing from elsewhere. And they are all installed.

use strict;
use warnings;

use Digest::SHA;
use FindBin;
use lib "$FindBin::Bin/../lib";
use MG::Source qw(files text none top);
use Test::More;

# Files of the client library bundle are for other people's programs, not for these pages.
my @page = grep { !m{^htdocs/sdk/} } files(qr{^htdocs/.*\.(html|js|mjs|css|svg)$});
my @script = grep {/\.m?js$/} @page;
my @html = grep {/\.html$/} @page;
cmp_ok(scalar @html, '>', 0, 'there are pages');

# Lines where the pattern matches, comments of scripts left out.
sub hits {
    my ($pattern, @paths) = @_;
    my @hits;
    for my $path (@paths) {
        my $number = 0;
        for my $line (split /\n/, text($path)) {
            $number++;
            $line =~ s{(^|\s)//.*}{} if $path =~ /\.m?js$/;
            push @hits, "$path:$number $line" if $line =~ $pattern;
        }
    }
    return \@hits;
}

none(hits(qr/\b(inner|outer)HTML\b|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|setHTMLUnsafe|srcdoc(?!\$)/,
    @script), 'no string becomes markup');
none(hits(qr/\beval\s*\(|\bnew\s+Function\b|\bFunction\s*\(|set(Timeout|Interval)\s*\(\s*['"`]|javascript:/, @script),
    'no string becomes code');
none(hits(qr/setAttribute\(\s*['"](style|on\w+)['"]|\.cssText\b/, @script), 'no style or handler as an attribute');
none(hits(qr/\son[a-z]+\s*=|\sstyle\s*=|<style\b|javascript:/i, @html), 'pages have no inline style or handler');
none(hits(qr/<script(?![^>]*\ssrc=)/i, @html), 'pages have no inline script');
none(hits(qr{(?:src|href|action)\s*=\s*["'](?:https?:)?//|url\(\s*["']?(?:https?:)?//|\@import}i,
    grep {/\.(html|css|svg)$/} @page), 'nothing is loaded from elsewhere');
none(hits(qr{\bfrom\s+['"](?!/|\./)|\bimport\s*\(?\s*['"](?!/|\./)}, @script), 'modules come from this site');
none(hits(qr/\bsessionStorage\b|\bindexedDB\b|document\.cookie/, @script), 'nothing is kept but preferences');
none(hits(qr/\blocalStorage\b/, grep { !m{^htdocs/assets/(theme|shell|format)\.js$} } @script),
    'preferences go through the shell');
none(hits(qr/parseFloat|\.toFixed\(/, @script), 'no amount becomes a floating-point number');

my @head;
for my $path (@html) {
    my $text = text($path);
    push @head, "$path: doctype" if $text !~ /\A<!doctype html>\n<html lang="en"/;
    push @head, "$path: title" if $text !~ m{<title>[^<]+ · Model Gateway</title>|<title>Model Gateway\b[^<]*</title>};
    push @head, "$path: viewport" if $text !~ /<meta name="viewport" content="width=device-width, initial-scale=1">/;
    push @head, "$path: theme before style"
        if $text !~ m{<script src="/assets/theme\.js"></script>.*<link rel="stylesheet" href="/assets/style\.css">}s;
    push @head, "$path: noscript" if $text !~ /<noscript>/;
}
none(\@head, 'every page has its title, theme, viewport and a word for those without scripts');

# Icons: every name that is used is in the sprite.
my ($sprite) = text('htdocs/assets/dom.js') =~ m{'/(assets/vendor/icons-\w+/icons\.svg)'};
my %icon = map { $_ => 1 } text("htdocs/$sprite") =~ /<symbol id="([\w-]+)"/g;
my @no_icon;
for my $path (@script) {
    my @used = text($path) =~ /\bicon(?:\(|:\s*)'([\w-]+)'/g;
    push @no_icon, map {"$path: $_"} grep { !$icon{$_} } @used;
}
none(\@no_icon, 'every icon is in the sprite (add it in tools/vendor.sh)');

# What is installed is what is there.
my %listed = map { $_ => 1 } text('htdocs/local.mk') =~ m{\b(htdocs/[^\s\\]+)}g;
none([grep { !$listed{$_} && !m{/local\.mk$} } files(qr{^htdocs/})], 'htdocs/local.mk names every file');

# Vendored files are what tools/vendor.sh took.
my (@changed, %vendored);
for my $line (split /\n/, text('htdocs/assets/VENDOR.sha256')) {
    my ($sum, $path) = $line =~ /^([0-9a-f]{64})  (\S+)$/ or next;
    my $file = top() . "/htdocs/assets/$path";
    $vendored{$path} = 1;
    push @changed, $path if !-f $file || Digest::SHA->new(256)->addfile($file)->hexdigest ne $sum;
}
none(\@changed, 'vendored files have the checksums of VENDOR.sha256');
my $folder = top() . '/htdocs/assets';
none([grep { !$vendored{$_} } map { s{^\Q$folder\E/}{}r } grep {-f} glob "$folder/vendor/*/*"],
    'and there are no others');

done_testing();
