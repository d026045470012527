# End to end: a whole stack a file, behind each web server; run by t/check, not by make check.
EXTRA_DIST += t/browser t/e2e t/lib/MG/Browser.pm t/lib/MG/Books.pm t/lib/MG/Check.pm t/lib/MG/Clients.pm t/lib/MG/Conform.pm \
    t/lib/MG/Family.pm t/lib/MG/Http.pm t/lib/MG/Kinds.pm t/lib/MG/Load.pm t/lib/MG/MailSink.pm \
    t/lib/MG/Sim.pm t/lib/MG/Stack.pm t/lib/MG/Stripe.pm t/lib/MG/Task.pm
