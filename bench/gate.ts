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

const candidateWith = (change: Partial<Truth>): Truth => ({ ...GOOD, ...change });
const FALSE_ALARMS: Case['promises'] = [
  { of: 'success', atMost: sequential.falseAlarm },
  { of: 'latency-shift', atMost: latency },
  { of: 'latency-tail', atMost: latency },
  { of: 'cost', atMost: budget },
  { of: 'requests', atMost: budget },
];
const missed = (atMost: number): Case['promises'] => [{ of: 'promoted', atMost }];
const BELOW = { promises: [], note: '  less than the margin: nothing is promised' };

const CASES: readonly Case[] = [
  { name: 'equal, disjoint seeds, unpaired', paired: false, candidate: GOOD, gates: 0.2, promises: FALSE_ALARMS },
  { name: 'equal, paired seeds', paired: true, candidate: GOOD, gates: 0.2, promises: FALSE_ALARMS },
  { name: 'success -5 % (0.95)', paired: true, candidate: candidateWith({ success: 0.95 }), gates: 0.1, promises: missed(sequential.miss) },
  {
    name: 'success -20 % (0.80)',
    paired: true,
    candidate: candidateWith({ success: 0.8 }),
    gates: 0.05,
    promises: missed(sequential.miss),
  },
  { name: 'latency +5 %', paired: true, candidate: candidateWith({ latency: 1.05 }), gates: 0.05, ...BELOW },
  { name: 'latency +5 %, unpaired', paired: false, candidate: candidateWith({ latency: 1.05 }), gates: 0.05, ...BELOW },
  { name: 'latency +20 %', paired: true, candidate: candidateWith({ latency: 1.2 }), gates: 0.05, promises: missed(latency) },
  { name: 'latency +20 %, unpaired', paired: false, candidate: candidateWith({ latency: 1.2 }), gates: 0.05, promises: missed(latency) },
  {
    name: 'tail: 10 % of episodes x 3',
    paired: true,
    candidate: candidateWith({ slowShare: 0.1 }),
    gates: 0.05,
    promises: missed(latency),
  },
  { name: 'cost +5 %', paired: true, candidate: candidateWith({ cost: 1.05 }), gates: 0.05, ...BELOW },
  { name: 'cost +20 %', paired: true, candidate: candidateWith({ cost: 1.2 }), gates: 0.05, promises: missed(budget) },
  { name: 'requests +50 %', paired: true, candidate: candidateWith({ requests: 1.5 }), gates: 0.05, promises: missed(budget) },
];

/** Of the bounds that are printed, each side. */
const SHOWN_ALPHA = 0.025;
/** A promise is broken when what was seen would be so unlikely if it held: there are many promises, and one is kept by luck alone. */
const BROKEN_ALPHA = 0.001;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

function main(): number {
  const { values } = parseArgs({ options: { gates: { type: 'string', default: '2200' } } });
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
