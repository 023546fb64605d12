import { z } from 'zod';
import { specify } from '../faults/fault.ts';
import type { Fault } from '../faults/fault.ts';
import { triggerParams } from '../faults/trigger-params.ts';
import { CAPABILITIES } from '../history/capabilities.ts';
import type { Capability } from '../history/capabilities.ts';
import { formsOf } from './parameters.ts';
import type { Form, Parameter } from './parameters.ts';

const HEAD = `# Faults

Generated from the catalogue: \`npx playwright test quality/faults-page.test.ts --update-snapshots\` regenerates it.

A fault says what happens. Its parameters say when, or a scenario arms and heals it. *Legal* is what a correct API server or EC2
may do; what is not legal belongs to the robustness profile, never to the core. A world that lacks what a fault needs does not
have the fault. Unless stated otherwise, a fault affects only the requests, watches and clock of the autoscaler, and the machines
of the cluster.

Each example injects the fault into a world that [\`world up\`](world.md) started. In a scenario the same is
\`await t.inject(faults.lostAnswer({ operations: ['ec2:CreateFleet'] }))\`.

## Triggers

Faults of requests count matching requests from 1, starting when they are armed. \`when\` says which of them are affected:

- \`{"kind": "always"}\`, in a scenario \`always\`: each
- \`{"kind": "first", "count": 3}\`, \`first(3)\`: the first three
- \`{"kind": "nth", "nth": 3}\`, \`nth(3)\`: only the third
- \`{"kind": "every", "nth": 3}\`, \`everyNth(3)\`: every third
- \`{"kind": "probability", "probability": 0.1}\`, \`withProbability(0.1)\`: one in ten, drawn from the seed
- \`{"kind": "window", "fromMs": 0, "toMs": 60000}\`, \`between(0, 60_000)\`: those of the first minute

## Composing faults

- Faults are armed and healed one by one, in any order: \`await t.inject(a)\`, \`await t.inject(b)\`, then \`heal()\` of each. Faults that
  are still armed when the world has to settle are healed before that. Healing one does not affect the others.
- If several affect the same request at the same moment, those injected first come first. A request that one of them has refused,
  broken or cut off by a kill does not reach the next, and does not count for it.
- Delays add up. Of several limits, the narrowest applies; of several lags, the longest.
- For different lags by kind, use one \`watch-lag\` per kind; for a new list from an older state, \`watch-lag\` with
  \`closed-watches\` or \`crash\`. An outage of EC2 is \`server-error\` of \`*\` with a \`window\`. A network that loses one direction
  is \`lost-answer\`, the other one \`late-request\`.
- If a fault does not fire, the trial is unknown, unless the scenario injects it as \`mayFire(...)\`.

`;

/** The text of a trigger in the forms. The page explains triggers once. */
const TRIGGER = formsOf(z.object({ when: triggerParams.when })).flatMap(({ parameters }) => parameters.map(({ takes }) => takes))[0];

/**
 * docs/faults.md: what each fault does, whether it is legal, what it needs, its parameters, an example, and what is similar in AWS FIS and Chaos Mesh.
 * @param catalogue in the order of the page
 */
export function formatFaults(catalogue: readonly Fault<unknown, unknown>[]): string {
  return `${HEAD}## The faults\n\n${catalogue.map(formatFault).join('\n')}`;
}

function formatFault(fault: Fault<unknown, unknown>): string {
  const { name, summary, legal, fis = [], chaosMesh = [] } = fault;
  const forms = formsOf(fault.params);
  const capabilities = [...new Set(forms.flatMap(({ examples }) => examples.flatMap((given) => specify(fault, given).capabilities)))];
  const facts = [
    `- ${legal ? 'Legal' : '**Not legal**'}.`,
    `- Needs ${capabilities.map((one) => `\`${one}\` (${wordsOf(one)})`).join(', ')}.`,
    ...(fis.length === 0 ? [] : [`- In AWS FIS: ${fis.map((id) => `\`${id}\``).join(', ')}.`]),
    ...(chaosMesh.length === 0 ? [] : [`- Similar in Chaos Mesh: ${chaosMesh.map((kind) => `\`${kind}\``).join(', ')}.`]),
  ];
  return [
    `### ${name}\n`,
    `${summary[0]?.toUpperCase()}${summary.slice(1)}.\n`,
    `${facts.join('\n')}\n`,
    ...forms.map((form) => formatForm(name, form)),
  ].join('\n');
}

function wordsOf(capability: Capability): string {
  return CAPABILITIES[capability];
}

function formatForm(name: string, { parameters, examples: [example = {}] }: Form): string {
  const given = Object.keys(example).length === 0 ? '' : ` '${JSON.stringify(example)}'`;
  const command = `\`\`\`sh\nnpx scaleproof world inject ${name}${given}\n\`\`\`\n`;
  return parameters.length === 0 ? command : `Parameters:\n\n${parameters.map(formatParameter).join('\n')}\n\n${command}`;
}

function formatParameter({ name, takes, required, default: fallback, description }: Parameter): string {
  const what = takes === TRIGGER ? 'a [trigger](#triggers)' : `\`${takes}\``;
  const how = required ? ', required' : fallback === undefined ? '' : `, by default \`${JSON.stringify(fallback)}\``;
  return `- \`${name}\`: ${what}${how}${description === undefined ? '' : `: ${description.replaceAll('*', '\\*')}`}`;
}
