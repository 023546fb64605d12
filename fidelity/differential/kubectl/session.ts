import { defined } from '../../../model/defined.ts';
import type { Command, Kubectl, Outcome } from '../../../world/testing/kubectl.ts';

/** Commands that run one after the other, in a namespace of their own. */
export interface Session {
  readonly id: string;
  readonly steps: readonly Command[];
}

/** Recorded outcomes, one for each step. */
export interface KubectlAnswers {
  /** Versions of server and kubectl, which are the same. */
  readonly version: string;
  readonly sessions: Record<string, readonly Outcome[]>;
}

export const KUBECTL_ANSWERS = 'fixtures/recordings/kubectl-answers.json';

/** A command whose arguments have no spaces in them. @param input what it reads: text, or an object */
export function run(line: string, input?: string | object): Command {
  const args = line.split(' ').filter((word) => word !== '');
  return input === undefined ? { args } : { args, stdin: typeof input === 'string' ? input : JSON.stringify(input) };
}

/** The same with a patch. */
export function patch(line: string, content: object): Command {
  return { args: [...run(line).args, '--patch', JSON.stringify(content)] };
}

export const namespaceOf = ({ id }: Session): string => `kubectl-${id}`;

/** Runs a session, and leaves its namespace behind. @returns the outcomes as they can be compared */
export async function runSession(session: Session, kubectl: Kubectl): Promise<Outcome[]> {
  const namespace = namespaceOf(session);
  await kubectl(run(`create namespace ${namespace}`));
  // A real cluster creates it a moment later, and refuses pods before.
  await kubectl(run(`wait --namespace ${namespace} --for=create serviceaccount/default --timeout=5s`));
  const outcomes: Outcome[] = [];
  for (const { args, stdin } of session.steps) {
    const outcome = await kubectl({ args: ['--namespace', namespace, ...args], ...defined({ stdin }) });
    outcomes.push({ code: outcome.code, stdout: comparable(outcome.stdout), stderr: comparable(outcome.stderr) });
  }
  return outcomes;
}

/** What differs between two runs on one cluster, and how it is written instead. */
const CHANCE: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UID'],
  [/\/tmp\/(LIVE|MERGED)-\d+/g, '/tmp/$1'],
  [/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}/g, 'TIME'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME'],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, 'TIME'],
  [/(resourceVersion"?:\s*)"\d+"/g, '$1"N"'],
  [/(Resource Version:\s*)\d+/g, '$1N'],
  [/("(?:gitCommit|goVersion)": )"[^"]*"/g, '$1"BUILD"'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, 'TOKEN'],
  [/(?<=:)3[0-2]\d{3}(?=\/TCP)/g, 'PORT'],
  [/(kube-api-access-)[a-z0-9]{5}\b/g, '$1CHANCE'],
  [/\bhttps?:\/\/(?:127\.0\.0\.1|localhost):\d+/g, 'SERVER'],
  [/\b10\.\d+\.\d+\.\d+\b/g, 'IP'],
  [/-[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '-HASH-CHANCE'],
  [/-[bcdfghjklmnpqrstvwxz2456789]{9,10}\b/g, '-HASH'],
  [/(pod-template-hash[=:]\s*"?)[a-z0-9]+/g, '$1HASH'],
  [/\b(?:\d+[smh]){1,2}\b/g, 'AGE'],
];

/** Output without what is never the same; columns are as wide as their contents, which differ. */
export function comparable(text: string): string {
  const same = CHANCE.reduce((before, [pattern, instead]) => before.replaceAll(pattern, instead), text);
  return same
    .split('\n')
    .map((line) => line.replaceAll(/(?<=\S) {2,}/g, '  ').trimEnd())
    .join('\n')
    .trimEnd();
}
