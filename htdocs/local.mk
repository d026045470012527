# The dashboard: static files for the web server's document root, installed as they are.
EXTRA_DIST += htdocs/README.md tools/vendor.sh
nobase_dist_pkgdata_DATA += \
    htdocs/assets/VENDOR.sha256 \
    htdocs/assets/api.js \
    htdocs/assets/dom.js \
    htdocs/assets/favicon.svg \
    htdocs/assets/format.js \
    htdocs/assets/gate.js \
    htdocs/assets/landing.css \
    htdocs/assets/landing.js \
    htdocs/assets/lost.js \
    htdocs/assets/parts.js \
    htdocs/assets/shell.js \
    htdocs/assets/style.css \
    htdocs/assets/theme.js \
    htdocs/assets/vendor/geist-5.3.0/LICENSE \
    htdocs/assets/vendor/geist-5.3.0/geist-latin-wght-normal.woff2 \
    htdocs/assets/vendor/geist-mono-5.3.0/LICENSE \
    htdocs/assets/vendor/geist-mono-5.3.0/geist-mono-latin-wght-normal.woff2 \
    htdocs/assets/vendor/icons-601ebbd5/icons.svg \
    htdocs/assets/vendor/lucide-static-1.62.0/LICENSE

# The way in
nobase_dist_pkgdata_DATA += \
    htdocs/404.html \
    htdocs/index.html \
    htdocs/reset/index.html \
    htdocs/reset/page.js \
    htdocs/signin/index.html \
    htdocs/signin/page.js \
    htdocs/signup/index.html \
    htdocs/signup/page.js \
    htdocs/verify/index.html \
    htdocs/verify/page.js

# The account's pages
nobase_dist_pkgdata_DATA += \
    htdocs/app/account/index.html \
    htdocs/app/account/page.js \
    htdocs/app/index.html \
    htdocs/app/keys/index.html \
    htdocs/app/keys/page.js \
    htdocs/app/page.js \
    htdocs/app/setup/index.html \
    htdocs/app/setup/page.js

# Usage, money, what the account has, and what anybody may read
nobase_dist_pkgdata_DATA += \
    htdocs/app/checkin/index.html \
    htdocs/app/checkin/page.css \
    htdocs/app/checkin/page.js \
    htdocs/app/credit/index.html \
    htdocs/app/credit/page.css \
    htdocs/app/credit/page.js \
    htdocs/app/credit/return/index.html \
    htdocs/app/credit/return/page.js \
    htdocs/app/playground/index.html \
    htdocs/app/playground/page.css \
    htdocs/app/playground/page.js \
    htdocs/app/playground/wire.js \
    htdocs/app/usage/charts.js \
    htdocs/app/usage/drawer.js \
    htdocs/app/usage/filters.js \
    htdocs/app/usage/index.html \
    htdocs/app/usage/ledger.js \
    htdocs/app/usage/page.css \
    htdocs/app/usage/page.js \
    htdocs/app/vip/index.html \
    htdocs/app/vip/page.js \
    htdocs/assets/chart.css \
    htdocs/assets/chart.js \
    htdocs/docs/guides.json \
    htdocs/docs/index.html \
    htdocs/docs/llms.txt \
    htdocs/docs/page.css \
    htdocs/docs/page.js \
    htdocs/docs/snippets.js \
    htdocs/models/index.html \
    htdocs/models/page.css \
    htdocs/models/page.js \
    htdocs/openapi.json \
    htdocs/status/index.html \
    htdocs/status/page.js
