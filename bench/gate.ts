import { parseArgs } from 'node:util';
import { parsePolicy } from '../gate/policy.ts';
import { lowerSuccessBound, upperSuccessBound } from '../history/confidence.ts';
import { errorLimits } from '../gate/statistics/sequential.ts';
import { GOOD, tally } from './gate-simulation.ts';
import type { Case, Truth } from './gate-simulation.ts';

/**
 * How often a gate is wrong: gates on made-up episodes whose truth is known, by the default policy. Prints false alarms and
 * misses with exact bounds beside what is promised; exit code 1 if a promise is broken.
 *
 *     node bench/gate.ts [--gates N]
 */

const policy = parsePolicy({});
const sequential = errorLimits(policy.success);
const latency = policy.latency.alpha;
const budget = policy.budgets.alpha;

const FALSE_ALARMS: Case['promises'] = [
  { of: 'success', atMost: sequential.falseAlarm },
  // No rate of its own is promised of `scenarios`: it is held to that of the criterion whose question it asks.
  { of: 'scenarios', atMost: sequential.falseAlarm },
  { of: 'latency-shift', atMost: latency },
  { of: 'latency-tail', atMost: latency },
  { of: 'cost', atMost: budget },
  { of: 'requests', atMost: budget },
];
const BELOW = { promises: [], note: '  less than the margin: nothing is promised' };
const missed = (atMost: number): Pick<Case, 'promises'> => ({ promises: [{ of: 'promoted', atMost }] });

/** Of few scenarios each has many episodes, of many each has few: what a whole profile is like. */
const [FEW, MANY] = [2, 60];
const paired = (name: string, change: Partial<Truth>, more: Pick<Case, 'promises' | 'note'>): Case => ({
  name,
  paired: true,
  scenarios: FEW,
  candidate: { ...GOOD, ...change },
  gates: 1,
  ...more,
});

const CASES: readonly Case[] = [
  { ...paired('equal, disjoint seeds, unpaired', {}, { promises: FALSE_ALARMS }), paired: false, gates: 4 },
  { ...paired('equal, paired seeds', {}, { promises: FALSE_ALARMS }), gates: 4 },
  { ...paired(`equal, ${MANY} scenarios`, {}, { promises: FALSE_ALARMS }), scenarios: MANY, gates: 2 },
  { ...paired('success -5 % (0.95)', { success: 0.95 }, missed(sequential.miss)), gates: 2 },
  paired('success -20 % (0.80)', { success: 0.8 }, missed(sequential.miss)),
  { ...paired(`1 of ${MANY} scenarios always fails`, { breaksScenario: true }, missed(sequential.miss)), scenarios: MANY },
  paired('latency +5 %', { latency: 1.05 }, BELOW),
  { ...paired('latency +5 %, unpaired', { latency: 1.05 }, BELOW), paired: false },
  paired('latency +20 %', { latency: 1.2 }, missed(latency)),
  { ...paired('latency +20 %, unpaired', { latency: 1.2 }, missed(latency)), paired: false },
  paired('tail: 10 % of episodes x 3', { slowShare: 0.1 }, missed(latency)),
  paired('cost +5 %', { cost: 1.05 }, BELOW),
  paired('cost +20 %', { cost: 1.2 }, missed(budget)),
  paired('requests +50 %', { requests: 1.5 }, missed(budget)),
];

/** Of the bounds that are printed, each side. */
const SHOWN_ALPHA = 0.025;
/** A promise is broken when what was seen would be so unlikely if it held: there are many promises, and one is kept by luck alone. */
const BROKEN_ALPHA = 0.001;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

function main(): number {
  const { values } = parseArgs({ options: { gates: { type: 'string', default: '4000' } } });
  const total = Number(values.gates);
  const shares = CASES.reduce((sum, { gates }) => sum + gates, 0);
  const row = (...cells: readonly string[]): void =>
    print(cells.map((cell, index) => (index === 0 ? cell.padEnd(34) : cell.padStart(index === 6 ? 34 : 10))).join(''));
  row('the truth of the candidate', 'gates', 'promoted', 'held', 'rejected', 'pairs', 'error (95 % bounds)', 'promised');
  let isKept = true;
  for (const one of CASES) {
    const gates = Math.max(1, Math.round((total * one.gates) / shares));
    const result = tally(one, gates, policy);
    const shareOf = (count: number): string => percent(count / gates);
    const cells = [`${gates}`, shareOf(result.promoted), shareOf(result.held), shareOf(result.rejected), result.meanUsed.toFixed(0)];
    if (one.promises.length === 0) row(one.name, ...cells, one.note ?? '');
    for (const [index, { of, atMost }] of one.promises.entries()) {
      const errors = of === 'promoted' ? result.promoted : (result.failedBy[of] ?? 0);
      const isBroken = lowerSuccessBound(errors, gates, BROKEN_ALPHA) > atMost;
      isKept &&= !isBroken;
      const [low, high] = [lowerSuccessBound(errors, gates, SHOWN_ALPHA), upperSuccessBound(errors, gates, SHOWN_ALPHA)];
      const what = `${of === 'promoted' ? 'missed' : of} ${shareOf(errors)} (${percent(low)}-${percent(high)})`;
      row(
        index === 0 ? one.name : '',
        ...(index === 0 ? cells : cells.map(() => '')),
        what,
        `${percent(atMost)}${isBroken ? ' BROKEN' : ''}`,
      );
    }
  }
  print(isKept ? 'every promise is kept' : 'a promise is broken');
  return isKept ? 0 : 1;
}

process.exit(main());
