import {get} from '/assets/api.js';
import {h, icon, replace} from '/assets/dom.js';
import {cash, momentText, time, utcText} from '/assets/format.js';
import {card, codeBlock, copyButton, facts, linkButton, load, notice} from '/assets/parts.js';
import {app} from '/assets/shell.js';

const {main} = app({current: 'vip', title: 'VIP Premium Server',
    lede: 'A second address of the same service with lower latency for Europe and the UK. Same key, same wallet, same prices.'});
const place = h('div', {class: 'stack'});
main.append(place);

// "29 days, 4 hours", "3 hours, 12 minutes": exact enough, never rounded up.
function left(seconds) {
    const [d, hours, m] = [Math.floor(seconds / 86400), Math.floor(seconds % 86400 / 3600), Math.floor(seconds % 3600 / 60)];
    const one = (n, unit) => `${n} ${unit}${n === 1 ? '' : 's'}`;
    return d ? `${one(d, 'day')}, ${one(hours, 'hour')}` : hours ? `${one(hours, 'hour')}, ${one(m, 'minute')}` : one(m, 'minute');
}

const address = (name, url) => h('div', {class: 'secret'}, h('code', {class: 'secret-text'}, url), copyButton(() => url, {label: `Copy ${name}`, done: 'Address copied.'}));

function script(setup) {
    const target = setup?.targets?.find(t => /vip/i.test(t.id));
    if (!target) return notice('info', 'The VIP setup script could not be loaded.', linkButton('Open Setup', '/app/setup/'));
    // The script holds the System Key: its text is in the page only while it is looked at.
    const body = h('div');
    const text = h('details', {class: 'more', on: {toggle: () => replace(body, text.open
        ? codeBlock(target.script, {title: target.filename, label: 'Copy script', done: 'Script copied. It holds your key.'}) : null)}},
    h('summary', 'Read the whole script'), body);
    addEventListener('pagehide', () => { text.open = false; replace(body); });
    return [h('p', {class: 'muted'}, 'One command points Codex and Claude Code to the VIP endpoint; the standard script switches back.'),
        h('div', linkButton('Set up VIP', '/app/setup/?client=vip', {kind: 'primary', icon: 'terminal'})), text];
}

function entitled(vip, setup) {
    return [
        vip.base_url ? null : notice('warning', 'The operator of this service has not set up the VIP address yet.'),
        card({title: 'Access'}, facts([
            ['State', h('span', {class: 'badge vip'}, icon('crown'), 'Active')],
            ['Ends', h('span', time(vip.expires_at, momentText), h('br'), h('span', {class: 'muted small'}, utcText(vip.expires_at)))],
            ['Left', left(vip.remaining_seconds)]])),
        vip.base_url && card({title: 'VIP endpoint'}, h('div', {class: 'stack'},
            h('p', {class: 'label'}, 'Messages-style clients'), address('base URL', vip.base_url),
            h('p', {class: 'label'}, 'Chat- and Responses-style clients'), address('base URL with /v1', `${vip.base_url}/v1`))),
        vip.base_url && card({title: 'VIP setup'}, h('div', {class: 'stack'}, script(setup))),
        notice('info', 'When it ends, the VIP address answers 403. The standard endpoint keeps working while you have credit.'),
    ];
}

const how = vip => card({title: 'How to get it'}, h('div', {class: 'prose'},
    h('p', `A single top-up of ${cash(vip.rules.minimum_cents)} or more may activate ${vip.rules.days} days of VIP access, if your account qualifies`,
        vip.rules.account_days > 0 ? `: it has to be ${vip.rules.account_days} days old by then.` : '.'),
    h('p', linkButton('See Credit', `/app/credit/?amount=${Math.floor(vip.rules.minimum_cents / 100)}`, {kind: 'primary', icon: 'wallet'}))));

function without(vip) {
    const ended = vip.expires_at && Date.parse(vip.expires_at) <= Date.now();
    return [
        ended ? notice('warning', [h('p', h('strong', 'VIP access has ended '), time(vip.expires_at, momentText), ` (${utcText(vip.expires_at)}).`),
            h('p', 'The standard endpoint keeps working while you have credit. Copy a standard setup script to go back to it.')], linkButton('Open Setup', '/app/setup/'))
            : notice('info', 'This account has no VIP access now. Everything works on the standard endpoint.'),
        vip.rules.offered ? how(vip) : null,
    ];
}

load(place, async () => {
    const vip = await get('/api/vip');
    return {vip, setup: vip.entitled ? await get('/api/setup').catch(() => null) : null};
}, ({vip, setup}) => (vip.entitled ? entitled(vip, setup) : without(vip)), {what: 'The VIP state could not be loaded.'});
