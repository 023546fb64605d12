import type { Truth } from '../../history/events.ts';
import { wasKilled } from '../../history/lives.ts';
import { expectationsOf } from '../../history/view.ts';
import type { View } from '../../history/view.ts';
import { outcomeOf } from '../outcome.ts';
import { formatCount, formatDuration, formatMoment, formatTimes } from '../format.ts';
import { formatList } from '../../model/format-list.ts';
import type { TrialReport } from '../run-report.ts';

/** A description of a trial; each part is a list of sentences. */
interface Story {
  readonly done: readonly Sentence[];
  readonly broken: readonly Sentence[];
  readonly seen: readonly Sentence[];
  readonly judged: readonly Sentence[];
}

/** A sentence, with an optional moment. */
export interface Sentence {
  readonly tMs?: number;
  readonly text: string;
}

/** Most kinds of API errors that are named. */
const MAX_ERRORS = 5;

/** Actions, faults with their times, observations, and reasons for the verdict. */
export function buildStory(view: View, trial: TrialReport): Story {
  const plain = (texts: readonly string[]): Sentence[] => texts.map((text) => ({ text }));
  return { done: doneIn(view), broken: brokenIn(view), seen: plain(seenIn(view, trial)), judged: plain(judgedIn(trial)) };
}

function doneIn(view: View): Sentence[] {
  const workloads = [...view.workloads.values()].map(({ name, truth, deployed }) => {
    const bounds = expectationsOf(view, 'served').filter(({ workload }) => workload === name);
    const limits = bounds.map(({ bound }) => `${bound} (${formatDuration(view.bounds.get(bound)?.value ?? 0)})`);
    const wanted = limits.length === 0 ? '' : ` They had to run within the bound ${formatList([...new Set(limits)])}.`;
    const what = deployed.note === '' ? formatCount(deployed.replicas, 'pod') : deployed.note;
    return { tMs: deployed.t, text: `Workload ${name} was deployed: ${what}. ${describeTruth(truth)}${wanted}` };
  });
  const heal = view.phases.get('heal');
  const remove = view.phases.get('remove');
  return [
    ...(workloads.length === 0 ? [{ text: 'No workload was deployed.' }] : workloads),
    ...(heal === undefined
      ? []
      : [
          {
            tMs: heal.t,
            text: view.faults.length === 0 ? 'The world had to settle.' : 'Every fault was healed and the world had to settle.',
          },
        ]),
    ...(remove === undefined
      ? []
      : [{ tMs: remove.t, text: 'All workloads and pools were removed; everything created for them had to be removed.' }]),
  ];
}

function describeTruth(truth: Truth): string {
  switch (truth.kind) {
    case 'schedulable':
      return 'These pods can be served.';
    case 'impossible':
      return `These pods can never be served: ${truth.why}.`;
    case 'daemon':
      return 'Each node gets one of these pods; nothing has to be launched for them.';
    case 'schedulable-after-heal':
      return `These pods can be served only after the heal: ${truth.why}.`;
    case 'malformed':
      return `These pods are not valid (${truth.field}: ${truth.why}); they count neither as served nor as unserved.`;
  }
}

function brokenIn(view: View): Sentence[] {
  if (view.faults.length === 0) return [{ text: 'Nothing: this scenario injects no fault.' }];
  return view.faults.map(({ armed, fired, healed }) => {
    const { fault, description, legal, firing } = armed.fault;
    const moments = fired.slice(0, 3).map(({ t, note }) => `${formatMoment(t)}${note === undefined ? '' : ` (${note})`}`);
    const times =
      fired.length === 0
        ? firing === 'must-fire'
          ? 'it never fired, although it had to'
          : 'it never fired'
        : `it fired ${formatTimes(fired.length)}, at ${formatList(moments)}${fired.length > 3 ? ' and later' : ''}`;
    const until = healed === undefined ? 'never healed' : `healed at ${formatMoment(healed.t)}`;
    const robustness = legal ? '' : ' No correct API would do this: it tests robustness.';
    return { tMs: armed.t, text: `${fault} was armed: ${description}; ${times}; ${until}.${robustness}` };
  });
}

function seenIn(view: View, { success, instances, truncated }: TrialReport): string[] {
  const sentences: string[] = [];
  if (success.asked > 0) sentences.push(`${success.served} of ${formatCount(success.asked, 'pod')} that could be served ran in time.`);
  const leaked = instances.leaked > 0 ? `; ${instances.leaked} leaked` : '';
  sentences.push(
    instances.created === 0
      ? 'The target launched no instance.'
      : `The target launched ${formatCount(instances.created, 'instance')}; ${instances.terminated} terminated, ${instances.live === 0 ? 'none' : instances.live} still running at the end${leaked}.`,
  );
  const lives = view.incarnations.flatMap(({ number, start, exit }) =>
    exit === undefined
      ? []
      : [
          `incarnation ${number}, started at ${formatMoment(start.t)}, ${wasKilled(exit) ? 'was killed' : 'exited by itself'} at ${formatMoment(exit.t)}`,
        ],
  );
  if (lives.length > 0) sentences.push(`The target ran in ${formatCount(view.incarnations.length, 'incarnation')}: ${lives.join('; ')}.`);
  for (const { t, message, recovered } of view.panics.slice(0, 3))
    sentences.push(`The target panicked at ${formatMoment(t)}${recovered ? ' and recovered' : ''}: ${message}.`);
  const errors = countErrors(view);
  if (errors.length > 0) {
    const named = errors.slice(0, MAX_ERRORS).map(([what, count]) => `${what} ×${count}`);
    sentences.push(
      `Requests that failed or got no response: ${named.join(', ')}${errors.length > MAX_ERRORS ? ` and ${errors.length - MAX_ERRORS} more kinds` : ''}.`,
    );
  }
  for (const { message, cause } of view.supervisor) sentences.push(`The supervisor aborted the trial (${cause}): ${message}.`);
  for (const { message } of view.harnessErrors) sentences.push(`The harness itself failed: ${message}.`);
  if (truncated) sentences.push('The history is truncated in the middle of a line: the process was killed.');
  return sentences;
}

/** Kinds of errors, the most frequent first. */
function countErrors(view: View): [string, number][] {
  const counts = new Map<string, number>();
  for (const request of view.requests.values()) {
    const outcome = outcomeOf(request, view);
    if (outcome !== 'fail' && outcome !== 'info') continue;
    const { start, end } = request;
    const what = `${start.operation} ${(outcome === 'info' ? undefined : (end?.code ?? end?.status?.toString())) ?? 'without a response'}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}

function judgedIn({ verdict, checks }: TrialReport): string[] {
  const count = (wanted: string): number => checks.filter((check) => check.verdict === wanted).length;
  if (verdict === 'pass') return [`Pass: ${formatCount(count('pass'), 'check')} held.`];
  const reasons = checks
    .filter((check) => check.verdict !== 'pass')
    .sort((a, b) => (a.verdict === b.verdict ? 0 : a.verdict === 'fail' ? -1 : 1));
  const intro =
    verdict === 'fail' ? 'Fail: a single finding is enough.' : 'Unknown: there are no findings, but not everything could be judged.';
  return [
    intro,
    ...reasons.map(({ check, summary, verdict: own }) => `${check} (${own}): ${summary}.`),
    ...(count('pass') === 0 ? [] : [`${formatCount(count('pass'), 'other check')} passed.`]),
  ];
}
