// The OpenAI SDK (MG_PACKAGE: which edition) against a gateway, on every kind of upstream.

import { baseUrl, key, kinds, load, poorKey } from './lib/suite.mjs';
import { chat, models } from './openai-chat.mjs';
import { faults } from './openai-faults.mjs';
import { responses } from './openai-responses.mjs';
import { running } from './openai-running.mjs';

const library = process.env.MG_PACKAGE;
const { OpenAI } = load(library);

const make = ({ poor, ...more } = {}) =>
    new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: poor ? poorKey : key, maxRetries: 1, ...more });

await models(make(), kinds[0].model);
for (const { model, formats } of kinds) {
    const name = `${library}, ${formats} upstream`;
    await chat(make(), model, name);
    await responses(make(), model, name, library);
    await running(make(), model, name);
    await faults(make, model, name);
}
