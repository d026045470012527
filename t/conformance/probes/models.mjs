// Probes of /v1/models in both of its styles: the version header selects the Messages style.

import { UNKNOWN_MODEL } from './common.mjs';

const PATH = '/v1/models';
const asMessages = { family: 'messages' };

async function list(t, kind, options) {
    const { data } = await t.object('GET', PATH, kind, options);
    t.expect(data.length > 0, 'the list is empty');
    t.expect(
        new Set(data.map((model) => model.id)).size === data.length,
        'a model is listed twice',
    );
    return data;
}

async function pages(t) {
    const whole = await list(t, 'messages-list', asMessages);
    const first = await t.object('GET', `${PATH}?limit=1`, 'messages-list', asMessages);
    t.expect(
        first.data.length === 1 && first.first_id === first.data[0].id,
        'limit=1 is not a page of one',
    );
    t.expect(
        first.has_more === whole.length > 1,
        `has_more ${first.has_more} with ${whole.length} models`,
    );
    if (whole.length > 1) {
        const next = await t.object(
            'GET',
            `${PATH}?limit=1&after_id=${encodeURIComponent(first.last_id)}`,
            'messages-list',
            asMessages,
        );
        t.expect(next.data[0]?.id === whole[1].id, 'after_id does not go on where the page ended');
    }
}

async function one(t, kind, options) {
    const [first] = await list(t, kind === 'model' ? 'list' : 'messages-list', options);
    const model = await t.object('GET', `${PATH}/${encodeURIComponent(first.id)}`, kind, options);
    t.expect(model.id === first.id, `asked for ${first.id}, got ${model.id}`);
}

async function head(t) {
    const reply = await t.send('HEAD', PATH);
    t.expect([200, 404, 405].includes(reply.status), `HEAD is answered with ${reply.status}`);
    t.expect(reply.bytes.length === 0, 'HEAD is answered with a body');
}

export const models = [
    { id: 'models.list', run: (t) => list(t, 'list') },
    { id: 'models.one', run: (t) => one(t, 'model') },
    { id: 'models.unknown', run: (t) => t.refused([404], 'GET', `${PATH}/${UNKNOWN_MODEL}`) },
    { id: 'models.head', run: head },
    { id: 'models.no-key', run: (t) => t.refused([401], 'GET', PATH, { auth: 'none' }) },
    { id: 'models.messages-pages', run: pages },
    { id: 'models.messages-one', run: (t) => one(t, 'messages-model', asMessages) },
    {
        id: 'models.messages-unknown',
        run: (t) => t.refused([404], 'GET', `${PATH}/${UNKNOWN_MODEL}`, asMessages),
    },
];
