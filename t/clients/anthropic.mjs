// The Anthropic SDK (MG_PACKAGE: which edition) against a gateway, on every kind of upstream.

import { baseUrl, key, kinds, load, poorKey } from './lib/suite.mjs';
import { faults } from './anthropic-faults.mjs';
import { messages, models } from './anthropic-messages.mjs';

const library = process.env.MG_PACKAGE;
const { Anthropic } = load(library);

const keyOf = ({ poor, wrong }) => (poor ? poorKey : wrong ? 'sk-wrong' : key);

const make = ({ poor, wrong, ...more } = {}) =>
    new Anthropic({ baseURL: baseUrl, apiKey: keyOf({ poor, wrong }), maxRetries: 1, ...more });

await models(make(), kinds[0].model);
for (const { model, formats } of kinds) {
    const name = `${library}, ${formats} upstream`;
    await messages(make(), model, name, library);
    await faults(make, model, name);
}
