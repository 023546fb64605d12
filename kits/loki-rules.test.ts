import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@grafana/lezer-logql';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { z } from 'zod';
import { formatOutcome } from '../cli/canary/terminal.ts';
import type { CanaryOutcome } from '../cli/canary/roll-out.ts';
import { root } from '../quality/sources.ts';

const rulesSchema = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      interval: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.strictObject({ summary: z.string(), description: z.string(), runbook: z.string(), source: z.string() }),
        }),
      ),
    }),
  ),
});

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const rules = rulesSchema.parse(parse(textOf('fixtures/templates/loki/rules.yaml'))).groups.flatMap((group) => group.rules);

/** What Karpenter 1.14.1 logged in trials, a line each; comments say in which. */
const recorded = textOf('kits/loki/karpenter.log')
  .split('\n')
  .filter((line) => line.startsWith('{'));

type Fields = Readonly<Record<string, string>>;
/** A stage of a pipeline: the fields of a line after it, or undefined if it drops the line. */
type Stage = (line: string, fields: Fields) => Fields | undefined;
type Compare = (text: string, wanted: string) => boolean;

/** How LogQL compares, by the parser's names. A label has to match as a whole, a line in a part. */
const COMPARE: Readonly<Record<string, Compare>> = {
  PipeExact: (text, wanted) => text.includes(wanted),
  PipeMatch: (text, wanted) => new RegExp(wanted).test(text),
  Eq: (text, wanted) => text === wanted,
  Re: (text, wanted) => new RegExp(`^(?:${wanted})$`).test(text),
};

function compareBy(name: string | undefined): Compare {
  const compare = COMPARE[name ?? ''];
  if (compare === undefined) throw new Error(`${name ?? 'an unknown comparison'} is not evaluated here`);
  return compare;
}

/**
 * The stages of the pipeline in an expression. Selector, window and threshold are not evaluated.
 * @throws Error for what is not LogQL, and for stages that no rule has
 */
function stagesOf(expr: string): Stage[] {
  const stages: Stage[] = [];
  parser.parse(expr).iterate({
    enter: ({ type, from, node }) => {
      // LogQL's strings are Go's; those of the rules are JSON's, too.
      const wanted = (of = node): string => {
        const string = of.getChild('String');
        return z.string().parse(JSON.parse(expr.slice(string?.from, string?.to)));
      };
      if (type.isError) throw new Error(`this is not LogQL: ${expr.slice(from)}`);
      if (type.name === 'LineFilter') {
        const [compare, text] = [compareBy(node.getChild('Filter')?.firstChild?.name), wanted()];
        stages.push((line, fields) => (compare(line, text) ? fields : undefined));
      } else if (type.name === 'Json') {
        stages.push((line, fields) => ({ ...fields, ...fieldsOf(line) }));
      } else if (type.name === 'LabelFilter') {
        const matcher = node.getChild('Matcher') ?? undefined;
        const label = matcher?.getChild('Identifier');
        const [name, compare, text] = [expr.slice(label?.from, label?.to), compareBy(label?.nextSibling?.name), wanted(matcher)];
        stages.push((_, fields) => (compare(fields[name] ?? '', text) ? fields : undefined));
      } else if (type.name === 'PipelineStage' && !['LineFilters', 'LabelParser', 'LabelFilter'].includes(node.lastChild?.name ?? '')) {
        throw new Error(`${expr.slice(from)} is not evaluated here`);
      }
    },
  });
  return stages;
}

/** The fields of a line of JSON as LogQL names them: nested ones are joined by `_`, arrays left out. */
function fieldsOf(line: string): Fields {
  const flatten = (value: object, prefix: string): [string, string][] =>
    Object.entries(value).flatMap(([key, one]: [string, unknown]): [string, string][] => {
      const name = `${prefix}${key.replaceAll(/\W/g, '_')}`;
      if (Array.isArray(one)) return [];
      return typeof one === 'object' && one !== null ? flatten(one, `${name}_`) : [[name, String(one)]];
    });
  try {
    return Object.fromEntries(flatten(z.record(z.string(), z.unknown()).parse(JSON.parse(line)), ''));
  } catch {
    return { __error__: 'JSONParserErr' };
  }
}

/** The lines that a rule counts, with their fields. */
function counted(expr: string, lines: readonly string[]): { readonly line: string; readonly fields: Fields }[] {
  const stages = stagesOf(expr);
  return lines.flatMap((line) => {
    const fields = stages.reduce<Fields | undefined>((so, stage) => so && stage(line, so), {});
    return fields === undefined ? [] : [{ line, fields }];
  });
}

function ruleOf(name: string): (typeof rules)[number] {
  const rule = rules.find(({ alert }) => alert === name);
  if (rule === undefined) throw new Error(`there is no alert ${name}`);
  return rule;
}

/** What `scaleproof canary` prints when it ends like this. */
function printed(how: CanaryOutcome['how']): string[] {
  const probes = { candidate: 0, baseline: 0 };
  const outcome = { how, why: 'a hook failed', stage: 2, places: ['cluster-1'], decision: undefined, probes, directories: [] };
  return formatOutcome(outcome, { command: 'scaleproof canary', notes: [] }, { color: false, columns: 80 }).split('\n');
}

/** A line of Karpenter in short: its message, its controller and AWS's code. */
function briefly(line: string): string {
  const { message, controller, aws_error_code: code } = fieldsOf(line);
  return [message ?? line, controller, code].filter((part) => part !== undefined).join(', ');
}

/** What each rule counts. */
const COUNTED: Readonly<Record<string, readonly string[]>> = {
  KarpenterInterruptionMessageUnreadable: ['failed parsing interruption message, interruption'],
  KarpenterInterruptionQueueUnread: ['Reconciler error, interruption, ExpiredToken', 'Reconciler error, interruption, ServiceUnavailable'],
  KarpenterNodePoolSkipped: ['ignoring nodepool, not ready, provisioner'],
  KarpenterRequestsDenied: [
    'Reconciler error, capacityreservation.capacitytype, RequestExpired',
    // By the API server, which has no code.
    'Reconciler error, eviction-queue',
    'Reconciler error, instanceprofile.garbagecollection, RequestExpired',
    'Reconciler error, interruption, ExpiredToken',
    'Reconciler error, node.termination, UnauthorizedOperation',
    'Reconciler error, nodeclaim.garbagecollection, RequestExpired',
    'failed terminating instances, node.termination, UnauthorizedOperation',
    'unable to hydrate the AWS launch template cache, RequestExpired',
    'unauthorized to call ec2:CreateFleet, nodeclass, UnauthorizedOperation',
  ],
  ScaleproofCanaryHeld: ['? HELD in stage 2: a hook failed'],
  ScaleproofCanaryNotRolledBack: ['✗ NOT ROLLED BACK in stage 2: a hook failed'],
  // Its text is in the source only.
  ScaleproofVerdictNotWritten: [],
};

test('each rule counts the lines that it is for, of what was logged in trials, and no other', () => {
  const lines = [...recorded, ...(['rolled-out', 'rolled-back', 'not-rolled-back', 'held'] as const).flatMap(printed)];
  const found = rules.map(
    ({ alert, expr }) => [alert, [...new Set(counted(expr, lines).map(({ line }) => briefly(line)))].sort()] as const,
  );
  expect(Object.fromEntries(found)).toEqual(COUNTED);
  const all = Object.values(COUNTED).flat();
  const others = recorded.filter((line) => !all.includes(briefly(line))).map((line) => fieldsOf(line)['level']);
  expect(new Set(others)).toEqual(new Set(['INFO', 'ERROR']));
});

test('what is not JSON, and a message inside another field, is not counted', () => {
  const message = 'failed parsing interruption message';
  const { expr } = ruleOf('KarpenterInterruptionMessageUnreadable');
  const lines = [
    message,
    JSON.stringify({ level: 'INFO', message: 'retrying', error: message }),
    JSON.stringify({ level: 'ERROR', message }),
  ];
  expect(counted(expr, lines).map(({ line }) => line)).toEqual(lines.slice(2));
});

test('each rule is LogQL; what is not, and stages that are not evaluated here, are refused', () => {
  const { expr } = ruleOf('KarpenterNodePoolSkipped');
  for (const [from, to] of [
    ['|~', '|'],
    ['[5m]', ''],
    ['count_over_time', 'counts_over_time'],
    ['| json', '| logfmt'],
    ['message=~', 'message!~'],
  ] as const)
    expect(() => stagesOf(expr.replace(from, to)), to).toThrow();
  for (const rule of rules) expect(stagesOf(rule.expr).length, rule.alert).toBeGreaterThan(0);
});

/** The texts that the filters of an expression look for: alternatives apart, and without what is between them. */
function textsIn(expr: string): string[] {
  const [, pipeline = ''] = /\}([^[]*)\[/.exec(expr) ?? [];
  const strings = [...pipeline.matchAll(/"([^"]*)"/g)].map(([, string = '']) => string);
  return strings.flatMap((string) => string.replaceAll(/[\^()]/g, '').split(/\||\.[*+]/)).filter((text) => text !== '');
}

const goModules = spawnSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' });
const MODULES = goModules.error === undefined ? goModules.stdout.trim() : '';

test('every text that a rule looks for was logged in a trial, or is at the line of the source that the rule names', () => {
  const missing: string[] = [];
  const absent = new Set<string>();
  for (const { alert, expr, annotations } of rules) {
    const [, place = '', file = '', numbers] = /^(\S+) ([^\s:]+)(?::([\d,]+))?$/.exec(annotations.source) ?? [];
    const folder = place === 'scaleproof' ? root : join(MODULES, place);
    if (!existsSync(folder)) {
      absent.add(place);
      continue;
    }
    const all = readFileSync(join(folder, file), 'utf8').split('\n');
    const named = numbers?.split(',').map((number) => all[Number(number) - 1] ?? '');
    const texts = textsIn(expr);
    const logged = [...counted(expr, recorded).map(({ line }) => line), ...printed('held'), ...printed('not-rolled-back')];
    const known = [...logged, ...(named ?? [all.join('\n')])];
    missing.push(...texts.filter((text) => !known.some((line) => line.includes(text))).map((text) => `${alert}: nothing logs "${text}"`));
    // A line that has moved.
    const moved = (named ?? []).filter((line) => !texts.some((text) => line.includes(text)));
    missing.push(...moved.map((line) => `${alert}: ${annotations.source} is now "${line.trim()}"`));
  }
  expect(missing).toEqual([]);
  test.skip(absent.size > 0, `not in Go's module cache: ${[...absent].join(', ')}; scaleproof target build karpenter@1.14.1 gets them`);
});

test('docs/integrations.md has every alert of the rules', () => {
  const rows = textOf('docs/integrations.md').split('\n');
  expect(rules.filter(({ alert }) => !rows.some((row) => row.startsWith(`| \`${alert}\` | `))).map(({ alert }) => alert)).toEqual([]);
});
