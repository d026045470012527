/* The templates of the setup scripts: the files of this folder's own folders as strings, made by
 * embed.awk at build time. Inside of this room. */
#ifndef MG_SETUP_TEMPLATES_H
#define MG_SETUP_TEMPLATES_H

/* posix/: pieces of the shell scripts … */
extern const char mg_setup_posix_head_sh[], mg_setup_posix_head_undo_sh[],
    mg_setup_posix_common_sh[], mg_setup_posix_undo_sh[], mg_setup_posix_tail_sh[],
    mg_setup_posix_main_sh[], mg_setup_posix_codex_sh[], mg_setup_posix_codex_undo_sh[],
    mg_setup_posix_claude_sh[], mg_setup_posix_claude_undo_sh[], mg_setup_posix_opencode_sh[],
    mg_setup_posix_opencode_undo_sh[], mg_setup_posix_continue_sh[],
    mg_setup_posix_continue_undo_sh[], mg_setup_posix_librechat_sh[],
    mg_setup_posix_librechat_undo_sh[], mg_setup_posix_librechat_env_sh[];
/* … the editors of foreign files, and what is put into them. */
extern const char mg_setup_posix_json_awk[], mg_setup_posix_toml_awk[],
    mg_setup_posix_yaml_awk[], mg_setup_posix_codex_top_toml[],
    mg_setup_posix_codex_provider_toml[], mg_setup_posix_opencode_json[],
    mg_setup_posix_continue_yaml[], mg_setup_posix_librechat_yaml[];

/* windows/: pieces of the PowerShell script. */
extern const char mg_setup_windows_head_ps1[], mg_setup_windows_head_undo_ps1[],
    mg_setup_windows_common_ps1[], mg_setup_windows_install_ps1[], mg_setup_windows_main_ps1[];

#endif
