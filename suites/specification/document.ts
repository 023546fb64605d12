import type { Check } from '../../checks/check.ts';
import type { Bound } from '../../history/events.ts';
import type { Suite } from '../catalogue.ts';
import { specification } from './catalogue.ts';
import { coverage } from './coverage.ts';
import type { Covered } from './coverage.ts';
import type { Area, Requirement } from './requirement.ts';

/** What the page is made of besides the specification itself. */
export interface DocumentInputs {
  readonly suites: readonly Suite[];
  readonly checks: readonly Check[];
  /** Resolved for the bundled reference in the embedded world. */
  readonly bounds: readonly Bound[];
}

/** Where the incidents of a repository are. */
const REPOSITORIES: Readonly<Record<string, string>> = {
  karpenter: 'kubernetes-sigs/karpenter',
  'karpenter-provider-aws': 'aws/karpenter-provider-aws',
  'karpenter-provider-azure': 'Azure/karpenter-provider-azure',
  autoscaler: 'kubernetes/autoscaler',
  kops: 'kubernetes/kops',
};

/**
 * The text of docs/specification.md: pure.
 * @throws Error for an incident of a repository that has no address, or a bound that is not there
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

A node autoscaler launches machines for pods that have none, and ends machines that no pod needs. This page says what can be
relied on in whoever does that: one observable sentence each, why it matters, how it is observed, within which time, and
which public incidents it answers. It names no product, and asks for nothing that only one of them could do.

## What conformance means

**Levels.** MUST and SHOULD as in RFC 2119. A SHOULD may be broken for a reason that its users know of; that it is broken is
reported like everything else.

**Profiles.** *Core* is owed by every node autoscaler and can't be declined. *Extended* is owed by those that declare the
features which a requirement names, and by nobody else. *Robustness* is about what no correct API server or cloud would do;
it has a heading of its own in each report, and a failure there fails the run too.

**Observation.** An autoscaler meets the world through the Kubernetes API and the cloud's API only. What crosses these two
wires, and what becomes of it, is recorded, and nothing else counts: no metric, no look into its memory. The findings that
are a breach of a requirement stand with it; what each of them means is told [at the end](#findings).

**Verdicts.** A scenario names the requirements that it tests. A finding is a breach of those of them that list it; a
finding that none of them lists counts against all of them. A requirement *holds* when every scenario that tests it ran
without a breach of it, is *broken* by any breach, and is *unknown* when a trial could not be judged: a fault that never
fired proves nothing. What was not run, for want of a feature or of something in the world, is no verdict and is counted
apart. A profile is met when all its scenarios ran and passed.

**Bounds.** "Within the bound" means the value under *Bound*: the most that a conforming autoscaler takes. No bound is a
number of ours. Each is a [formula](#bounds) over the periods and time-outs that the autoscaler declares of itself, the
largest delays of the world that it runs in, and what the scenario asks for; so a patient autoscaler has long bounds, and
they are printed with what came of them. Numbers on this page are for the bundled reference in the embedded world.

**What is not asked.** Nothing here forbids what a correct autoscaler does: replacements that are launched before what they
replace ends; a fleet that gives more than was asked, as long as the surplus ends; an instance that is launched twice
around a crash and collected within the declared time; pods that wait below a limit because a launch may have to be counted
as its largest option; an exit at start while nothing can be reached, or on a lost lease. Requirements about need are judged
after the world has settled, those about spread at each bind by the scheduler's own rules, those about notices from their
delivery on. A write that was answered by a time-out counts neither as done nor as refused.

\`npx scaleproof list requirements\` shows which scenarios test what; \`npx scaleproof run\` judges an autoscaler by them, and
its report has a table of the requirements with the evidence.`;

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
    'A step is a request and the change that comes of it, seen by whoever watches. Names of the target: what it declares of',
    'itself. The others: the largest delays of the world. `harness/bounds.ts` is where they are defined.',
    '',
    '| bound | formula | why so long |',
    '| --- | --- | --- |',
    ...bounds.map(({ name, formula, reason }) => `| ${name} | ${formula} | ${reason} |`),
  ].join('\n');
}

function formatFindings(checks: readonly Check[]): string {
  return [
    '## Findings',
    '',
    '| check | finding | what it means |',
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

/** As GitHub makes it of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
