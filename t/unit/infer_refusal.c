/* What an upstream's refusal becomes, whatever words it is put in. */
#include "tap.h"

#include "infer/refusal.h"

static void
says(const char *type, const char *body, bool same_family, const char *message,
     const char *verbatim, const char *what)
{
    struct mg_err err = MG_ERR_INIT;
    mg_refusal_of_status(400, type, NULL, mg_span_z(body), same_family, &err);
    ok(err.status == 400 && strcmp(err.message, message) == 0, "%s", what);
    if (strcmp(err.message, message) != 0)
        printf("# %s\n", err.message);
    ok((verbatim == NULL) == (err.verbatim == NULL)
       && (verbatim == NULL || strcmp(err.verbatim_type, verbatim) == 0),
       "%s: %s", what, verbatim ? "handed on as it is" : "put anew");
    mg_err_free(&err);
}

int
main(void)
{
    static const char html[] = "<html><body><script>alert(1)</script></body></html>";
    plan(0);
    says("application/json", "{\"error\":{\"message\":\"too long\"}}", true, "too long",
         "application/json", "an error of the format");
    says("application/json; charset=utf-8", "{\"error\":\"no such thing\"}", true, "no such thing",
         "application/json; charset=utf-8", "an error that is a text");
    says("text/html", "{\"message\":\"no\"}", true, "no", "application/json",
         "an error that is called something else");
    says(NULL, "[{\"error\":{\"code\":400,\"message\":\"bad schema\",\"status\":\"X\"}}]", false,
         "bad schema", NULL, "a list with an error");
    says(NULL, "{\"detail\":[{\"loc\":[\"body\"],\"msg\":\"field required\"}]}", false,
         "field required", NULL, "a list of details");
    says(NULL, "{\"detail\":\"not here\"}", false, "not here", NULL, "a detail");
    says(NULL, "{\"object\":\"error\",\"message\":{\"detail\":[{\"msg\":\"extra field\"}]}}", false,
         "extra field", NULL, "details inside a message");
    says("text/html", html, true, "The upstream refused the request.", NULL, "a page");
    says(NULL, "", true, "The upstream refused the request.", NULL, "nothing");
    says(NULL, "[]", false, "The upstream refused the request.", NULL, "an empty list");
    return done();
}
