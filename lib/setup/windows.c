#include "setup/windows.h"

#include "setup/script.h"
#include "setup/templates.h"

/* Several templates one behind the other. */
static int
fill_all(const char *const *texts, const struct mg_setup_value *values, struct mg_str *out,
         struct mg_err *err)
{
    for (; *texts != NULL; texts++)
        if (mg_template_fill(*texts, values, out, err) != 0)
            return -1;
    return 0;
}

int
mg_setup_windows(struct mg_setup_value *values, size_t count, bool uninstall, struct mg_str *out,
                 struct mg_err *err)
{
    static const char *const undo[] = {mg_setup_windows_head_undo_ps1,
                                       mg_setup_windows_common_ps1, mg_setup_windows_main_ps1,
                                       NULL};
    static const char *const install[] = {mg_setup_windows_head_ps1, mg_setup_windows_common_ps1,
                                          mg_setup_windows_install_ps1,
                                          mg_setup_windows_main_ps1, NULL};
    struct mg_str uninstaller;
    values[count] = (struct mg_setup_value){"act", "Uninstall-ModelGateway"};
    values[count + 1] = (struct mg_setup_value){NULL, NULL};
    if (uninstall)
        return fill_all(undo, values, out, err);
    mg_str_init(&uninstaller, MG_SETUP_SCRIPT_MAX);
    int rc = fill_all(undo, values, &uninstaller, err);
    if (rc == 0) {
        values[count].value = "Install-ModelGateway";
        values[count + 1] = (struct mg_setup_value){"uninstaller", uninstaller.p};
        values[count + 2] = (struct mg_setup_value){NULL, NULL};
        rc = fill_all(install, values, out, err);
    }
    mg_str_free(&uninstaller);
    return rc;
}
