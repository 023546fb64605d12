import type { Check } from '../../checks/check.ts';
import type { Bound } from '../../history/events.ts';
import type { Suite } from '../catalogue.ts';
import { specification } from './catalogue.ts';
import { coverage } from './coverage.ts';
import type { Covered } from './coverage.ts';
import type { Area, Requirement } from './requirement.ts';

/** The inputs of the page besides the specification itself. */
export interface DocumentInputs {
  readonly suites: readonly Suite[];
  readonly checks: readonly Check[];
  /** Resolved for the bundled reference in the embedded world. */
  readonly bounds: readonly Bound[];
}

/** The issue trackers of repositories. */
const REPOSITORIES: Readonly<Record<string, string>> = {
  karpenter: 'kubernetes-sigs/karpenter',
  'karpenter-provider-aws': 'aws/karpenter-provider-aws',
  'karpenter-provider-azure': 'Azure/karpenter-provider-azure',
  autoscaler: 'kubernetes/autoscaler',
  kops: 'kubernetes/kops',
};

/**
 * The text of docs/specification.md: pure.
 * @throws Error for an incident in an unknown repository, or an unknown bound
 */
export function formatSpecification({ suites, checks, bounds }: DocumentInputs): string {
  const covered = coverage(suites);
  const parts = [
    INTRODUCTION,
    contents(covered),
    ...specification.map((area) =>
      [
        `## ${headingOf(area)}`,
        `${capitalized(area.summary)}.`,
        ...covered.filter((one) => one.area === area).map((one) => formatRequirement(one, bounds)),
      ].join('\n\n'),
    ),
    formatBounds(bounds),
    formatFindings(checks),
  ];
  return `${parts.join('\n\n')}\n`;
}

const INTRODUCTION = `\
# The specification of a conforming node autoscaler

<!-- Generated from suites/specification/. To change it, change that, and run:
     npx playwright test quality/specification.test.ts --update-snapshots -->

A node autoscaler launches machines for pods that have no node, and terminates machines that no pod needs. This page says
what users can rely on: one testable statement per requirement, why it matters, how it is observed, how long it may take,
and which public incidents it answers. It names no product, and asks for nothing that only one product could do.

## What conformance means

**Levels.** MUST and SHOULD as in RFC 2119. An autoscaler may break a SHOULD for a reason that its users know; the breach is
reported like any other.

**Profiles.** *Core* applies to every node autoscaler and cannot be declined. *Extended* applies only to autoscalers that
declare the features that a requirement names. *Robustness* covers faults that no correct API server or cloud causes; it has its
own heading in each report, and a failure there fails the run too. *Endurance* has scenarios of a day, of a storm of
interruptions and of a large cluster, which are only run if they are asked for.

**Observation.** An autoscaler acts only through the Kubernetes API and the cloud's API. What crosses these two wires, and
its effects, are recorded, and nothing else counts: no metrics, and no access to its memory. Only how much memory it holds
is measured, for [CRA-07](#cra-07). Each requirement lists the findings that are a breach of it; their meaning is explained [at the end](#findings).

**Verdicts.** A scenario names the requirements that it tests. A finding breaches those of them that list it,
or all of them if none does. A requirement *holds* when every scenario that tests it ran
without a breach of it, is *broken* by any breach, and is *unknown* when a trial could not be judged: a fault that never
fired proves nothing. A scenario that was not run, because the autoscaler lacks a feature or the world lacks a capability,
has no verdict and is counted separately. A profile passes when all its scenarios ran and passed; if
some were not run or not requested, the result is *partial*.

**Bounds.** "Within the bound" means the value under *Bound*: the most that a conforming autoscaler takes. The project sets no
numbers of its own. Each bound is a [formula](#bounds) over the periods and timeouts that the autoscaler declares, the largest
delays of the world that it runs in, and what the scenario asks for. A slow autoscaler therefore has long bounds, and reports
print them with what was measured. Numbers on this page are for the bundled reference in the embedded world.

**What is allowed.** Nothing here forbids what a correct autoscaler does: it may launch replacements before the old
nodes are gone; a fleet may return more than was requested, as long as the surplus is terminated; an instance may be
launched twice around a crash if the surplus is collected within the declared time; pods may wait below a limit because a
launch may have to be counted at the size of its largest option; the autoscaler may exit at startup while it can reach nothing, or on a
lost lease. Requirements about need are judged after the world has settled, those about spread at each bind by the
scheduler's own rules, and those about notices from the moment the notice is delivered. A write that timed out counts neither as done nor as
refused.

\`npx scaleproof list requirements\` shows which scenarios test each requirement. \`npx scaleproof run\` judges an autoscaler,
and its report has a table of the requirements with the evidence.`;

function contents(covered: readonly Covered[]): string {
  const rows = specification.map((area) => {
    const own = covered.filter((one) => one.area === area);
    const count = (level: Requirement['level']): number => own.filter(({ requirement }) => requirement.level === level).length;
    const tests = new Set(own.flatMap(({ scenarios }) => scenarios.map(({ id }) => id)));
    return `| [${headingOf(area)}](#${anchorOf(headingOf(area))}) | ${area.prefix} | ${count('MUST')} | ${count('SHOULD')} | ${tests.size} |`;
  });
  const total = (level: Requirement['level']): number => covered.filter(({ requirement }) => requirement.level === level).length;
  const tests = new Set(covered.flatMap(({ scenarios }) => scenarios.map(({ id }) => id)));
  return [
    '## Areas',
    '',
    '| area | ids | MUST | SHOULD | scenarios |',
    '| --- | --- | ---: | ---: | ---: |',
    ...rows,
    `| all | | ${total('MUST')} | ${total('SHOULD')} | ${tests.size} |`,
  ].join('\n');
}

function formatRequirement({ requirement, scenarios }: Covered, bounds: readonly Bound[]): string {
  const { id, level, profile, title, rationale, observed, breaches, features, incidents } = requirement;
  const findings = Object.entries(breaches).map(([check, codes]) => `\`${check}\` (${codes.map((code) => `\`${code}\``).join(', ')})`);
  const facts = [
    `Observed: ${observed}.`,
    `Breach: ${findings.join('; ')}.`,
    `Bound: ${formatBound(requirement, bounds)}.`,
    ...(features.length === 0 ? [] : [`Features: ${features.join(', ')}.`]),
    scenarios.length === 0 ? 'Tested by: no scenario yet.' : `Tested by: ${scenarios.map((scenario) => `\`${scenario.id}\``).join(', ')}.`,
    ...(incidents.length === 0 ? [] : [`Incidents: ${incidents.map(linkTo).join(', ')}.`]),
  ];
  return [`### ${id}`, '', `**${level}** (${profile}): ${title}`, '', rationale, '', ...facts.map((fact) => `- ${fact}`)].join('\n');
}

function formatBound({ bound }: Requirement, bounds: readonly Bound[]): string {
  if (typeof bound !== 'string') return `none: ${bound.none}`;
  const found = bounds.find(({ name }) => name === bound);
  if (found === undefined) throw new Error(`there is no bound ${bound}`);
  return `[${bound}](#bounds), ${found.least === true ? 'at least' : 'at most'} ${found.unit === 'ms' ? `${found.value / 1_000} s` : found.value}`;
}

function formatBounds(bounds: readonly Bound[]): string {
  return [
    '## Bounds',
    '',
    'A step is a request and its effect, up to the moment at which watchers have seen it. In the formulas, some names are',
    'values that the target declares (such as `batchMax`); the others are the largest delays of the world. A name before parentheses stands for the sum in them. `harness/bounds.ts` defines all names.',
    '',
    '| bound | formula | reason |',
    '| --- | --- | --- |',
    ...bounds.map(({ name, formula, reason }) => `| ${name} | ${formula} | ${reason} |`),
  ].join('\n');
}

function formatFindings(checks: readonly Check[]): string {
  return [
    '## Findings',
    '',
    '| check | finding | meaning |',
    '| --- | --- | --- |',
    ...checks.flatMap(({ name, codes }) => Object.entries(codes).map(([code, meaning]) => `| ${name} | ${code} | ${meaning} |`)),
  ].join('\n');
}

function linkTo(incident: string): string {
  const [repository = '', number = ''] = incident.split('#');
  const path = REPOSITORIES[repository];
  if (path === undefined) throw new Error(`${incident}: where is ${repository}?`);
  return `[${incident}](https://github.com/${path}/issues/${number})`;
}

function headingOf({ name }: Area): string {
  return capitalized(name);
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The anchor that GitHub generates for a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
