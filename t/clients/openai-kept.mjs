// The OpenAI SDK (MG_PACKAGE: which edition) and what a gateway keeps, on every kind of upstream.

import { baseUrl, key, kinds, load } from './lib/suite.mjs';
import { stored } from './openai-stored.mjs';

const library = process.env.MG_PACKAGE;
const { OpenAI } = load(library);

for (const { model, formats } of kinds) {
    const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key, maxRetries: 0 });
    await stored(client, model, `${library}, ${formats} upstream`);
}
