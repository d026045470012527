// The chosen theme and density before the first paint; the only script that is not a module.
// Preferences are all that is ever kept in web storage: never a key, a token or anybody's data.
(() => {
    const root = document.documentElement;
    const kept = name => {
        try { return localStorage.getItem(`mg.${name}`); } catch { return null; }
    };
    const theme = kept('theme');
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
    if (kept('density') === 'compact') root.dataset.density = 'compact';
})();
