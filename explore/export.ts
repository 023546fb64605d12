import { faults as catalogue } from '../faults/catalogue.ts';
import { capabilitiesOf, deploymentOf, scenarioOf, servedExpectations } from './generated.ts';
import { daemonSetOf, earlyDaemonSets } from './scenario-data.ts';
import type { ScenarioData, Step } from './scenario-data.ts';
import { truthsOf } from './truths.ts';
import { volumeObjects } from './volumes.ts';

/**
 * The scenario as a TypeScript module, in the language of a user's own scenarios: what was found becomes a test. Its trials are those
 * of the data, to the byte of what happens in them.
 */
export function exportedSource(data: ScenarioData): string {
  const { id, title, needs, mostNodes, podStopMs, origin } = scenarioOf(data);
  const truths = truthsOf(data);
  const expected = servedExpectations(data, truths);
  const lines = [
    ...earlyDaemonSets(data).map((one) => `await t.daemonSet(${literal(one)});`),
    ...data.steps.flatMap((step) => sourceOf(step, { data, expected, truths })),
  ];
  const variables = data.faults.map(({ name }) => camel(name));
  const names = [...(data.faults.length === 0 ? [] : ['faults', 'mayFire']), 'pool', 'scenario'];
  return [
    `import { ${names.join(', ')} } from 'scaleproof';`,
    '',
    `export const ${camel(data.name)} = scenario({`,
    `  id: ${literal(id)},`,
    `  title: ${literal(title)},`,
    ...(needs.features.length === 0 ? [] : [`  features: ${literal(needs.features)},`]),
    `  capabilities: ${literal(capabilitiesOf(data))},`,
    `  mostNodes: ${literal(mostNodes)},`,
    `  podStopMs: ${literal(podStopMs)},`,
    `  origin: ${literal(origin)},`,
    '  pools: [',
    ...data.pools.map((one) => `    ${poolSource(one)},`),
    '  ],',
    ...(data.faults.length === 0
      ? []
      : [
          '  faults: {',
          ...data.faults.map((one) => `    ${camel(one.name)}: mayFire(faults.${keyOf(one.fault)}(${literal(one.params)})),`),
          '  },',
        ]),
    `  async run(t${variables.length === 0 ? '' : `, { ${variables.join(', ')} }`}) {`,
    ...lines.map((line) => `    ${line}`),
    '  },',
    '});',
    '',
  ].join('\n');
}

interface Known {
  readonly data: ScenarioData;
  readonly expected: ReadonlyMap<string, string>;
  readonly truths: ReturnType<typeof truthsOf>;
}

function sourceOf(step: Step, { data, expected, truths }: Known): string[] {
  switch (step.do) {
    case 'deploy': {
      const agent = daemonSetOf(data, step);
      if (agent !== undefined) return [`await t.daemonSet(${literal(agent)});`];
      const spec = data.workloads.find(({ name }) => name === step.workload);
      const known = truths.get(step.workload);
      const bound = expected.get(step.workload);
      if (spec === undefined || known === undefined) throw new Error(`there is no workload "${step.workload}"`);
      const objects = volumeObjects(spec);
      const name = workloadName(step.workload);
      const isUsed =
        known.launchless ||
        bound !== undefined ||
        data.steps.some((one) => one !== step && 'workload' in one && one.workload === step.workload);
      return [
        ...(objects.length === 0 ? [] : [`await t.apply(${literal(objects)});`]),
        `${isUsed ? `const ${name} = ` : ''}await t.deploy(${literal(deploymentOf(spec, known.truth))});`,
        ...(known.launchless ? [`t.expect.noLaunchFor(${name});`] : []),
        ...(bound === undefined ? [] : [`t.expect.served(${name}, ${literal(bound)});`]),
      ];
    }
    case 'scale':
      return [`await t.scale(${workloadName(step.workload)}, ${step.replicas});`];
    case 'remove':
      return [`await t.remove(${workloadName(step.workload)});`];
    case 'roll-out':
      return [`await t.rollOut(${workloadName(step.workload)});`];
    case 'inject': {
      const isUsed = data.steps.some((one) => (one.do === 'heal' || one.do === 'until-fired') && one.fault === step.fault);
      return [`${isUsed ? `const ${activeName(step.fault)} = ` : ''}await t.inject(${camel(step.fault)});`];
    }
    case 'heal':
      return [`await ${activeName(step.fault)}.heal();`];
    case 'until-fired':
      return [`await t.untilFired(${activeName(step.fault)}, 'provision');`];
    case 'change-pool':
      return [`await t.changePool(${poolSource(step.pool)});`];
    case 'withdraw-pool':
      return [`await t.withdrawPools(${literal(step.pool)});`];
    case 'keep-nodes':
      return ['await t.keepNodes();'];
    case 'restart-target':
      return ['await t.restartTarget();'];
    case 'pass':
      return [`await t.pause({ minMs: ${step.seconds * 1_000}, maxMs: ${step.seconds * 1_000} });`];
    case 'until-served':
      return [`await t.untilServed(${workloadName(step.workload)}, 'provision');`];
  }
}

function poolSource({ name, ...options }: ScenarioData['pools'][number]): string {
  return `pool(${literal(name)}${Object.keys(options).length === 0 ? '' : `, ${literal(options)}`})`;
}

const workloadName = (name: string): string => camel(`${name}-pods`);
const activeName = (name: string): string => camel(`active-${name}`);

/** The name of a fault as users write it. */
function keyOf(fault: string): string {
  return Object.entries(catalogue).find(([, one]) => one.name === fault)?.[0] ?? camel(fault);
}

/** A valid name of a variable. */
function camel(name: string): string {
  const joined = name.replaceAll(/[^a-zA-Z0-9]+(.)?/g, (_match, next: string | undefined) => (next ?? '').toUpperCase());
  return /^[a-z]/i.test(joined) ? joined : `found${joined}`;
}

/** A value as source on one line. */
function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  // A constraint without a selector has to say so.
  const fields = Object.entries(value).filter(([key, one]) => one !== undefined || key === 'labelSelector');
  if (fields.length === 0) return '{}';
  return `{ ${fields.map(([key, one]) => `${/^[a-z_$][\w$]*$/i.test(key) ? key : literal(key)}: ${literal(one)}`).join(', ')} }`;
}
