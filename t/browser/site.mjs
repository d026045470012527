// The pages of usage, money and benefits, and the public ones; each file of site/ has one subject, and
// MG_SITE=usage,credit takes only these.

import { finish } from './lib/browser.mjs';
import { benefits } from './site/benefits.mjs';
import { credit } from './site/credit.mjs';
import { look } from './site/look.mjs';
import { playground } from './site/playground.mjs';
import { seed } from './site/seed.mjs';
import { usage } from './site/usage.mjs';

const wanted = process.env.MG_SITE;
const seeded = await seed();
for (const subject of [look, usage, credit, benefits, playground])
    if (!wanted || wanted.includes(subject.name)) await subject(seeded);
await finish();
