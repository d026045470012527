import {get, request} from '/assets/api.js';
import {h} from '/assets/dom.js';
import {clockText} from '/assets/format.js';
import {badge, button, card, facts} from '/assets/parts.js';
import {announce, site} from '/assets/shell.js';

const {main} = site({current: 'status'});
const place = h('div', {class: 'stack'});
main.append(place);

const row = (name, ok, text) => [name, badge(text, ok ? 'positive' : 'danger', ok ? 'circle-check' : 'circle-alert')];

async function look() {
    const begin = performance.now();
    // A degraded service may answer 503 with the same body.
    const health = await get('/api/health', {timeout: 8000}).catch(error => ({status: 'unreachable', said: error.status}));
    const ms = Math.round(performance.now() - begin);
    const models = await request('GET', '/api/models', undefined, {timeout: 8000, signIn: false}).then(r => r.data.length, () => null);
    const good = health.status === 'ok';
    main.querySelector('.lede').textContent = good ? 'Everything this browser can reach works.' : 'Something does not work right now.';
    place.replaceChildren(card({title: 'Now', actions: button('Look again', {icon: 'refresh-cw', kind: 'small', on: {click: look}})}, facts([
        row('API', good || health.status === 'degraded', health.status === 'unreachable' ? (health.said ? `answers ${health.said}` : 'not reachable') : 'answers'),
        row('Database', health.database === 'ok', health.database ?? 'unknown'),
        row('Model catalogue', models > 0, models === null ? 'not readable' : `${models} ids offered`),
        ['Round trip', h('span', {class: 'num'}, `${ms} ms`)], ['As of', clockText(Date.now())]])),
    h('p', {class: 'muted small'}, 'For programs: ', h('code', 'GET /api/health'), ' answers without a key and costs nothing. ',
        'Faults of a model behind the service are told in its own errors, see ', h('a', {href: '/docs/#502'}, '502 and 503'), '.'));
    announce(good ? 'The service works.' : 'The service has a problem.');
}
look();
