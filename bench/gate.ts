import { parseArgs } from 'node:util';
import { parsePolicy } from '../gate/policy.ts';
import { lowerSuccessBound, upperSuccessBound } from '../history/confidence.ts';
import { errorLimits } from '../gate/statistics/sequential.ts';
import { GOOD, tally } from './gate-simulation.ts';
import type { Case, Truth } from './gate-simulation.ts';

/**
 * Measures how often a gate is wrong: runs gates with the default policy on simulated episodes with known true effects. Prints
 * false alarms and misses with exact bounds next to the promised rates; exits with 1 if a promise is broken.
 *
 *     node bench/gate.ts [--gates N]
 */

const policy = parsePolicy({});
const sequential = errorLimits(policy.success);
const latency = policy.latency.alpha;
const budget = policy.budgets.alpha;

const FALSE_ALARMS: Case['promises'] = [
  { of: 'success', atMost: sequential.falseAlarm },
  // `scenarios` has no promised rate of its own: it has to keep that of the criterion that it refines.
  { of: 'scenarios', atMost: sequential.falseAlarm },
  { of: 'latency-shift', atMost: latency },
  { of: 'latency-tail', atMost: latency },
  { of: 'cost', atMost: budget },
  { of: 'requests', atMost: budget },
];
const BELOW = { promises: [], note: '  less than the margin: nothing is promised' };
const missed = (atMost: number): Pick<Case, 'promises'> => ({ promises: [{ of: 'promoted', atMost }] });

/** With few scenarios each has many episodes; with many, as in a whole profile, each has few. */
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

/** For the printed bounds, per side. */
const SHOWN_ALPHA = 0.025;
/** Significance for calling a promise broken. It is small because many promises are tested. */
const BROKEN_ALPHA = 0.001;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

function main(): number {
  const { values } = parseArgs({ options: { gates: { type: 'string', default: '4000' } } });
  const total = Number(values.gates);
  const shares = CASES.reduce((sum, { gates }) => sum + gates, 0);
  const row = (...cells: readonly string[]): void =>
    print(cells.map((cell, index) => (index === 0 ? cell.padEnd(34) : cell.padStart(index === 6 ? 34 : 10))).join(''));
  row('true effect of candidate', 'gates', 'promoted', 'held', 'rejected', 'pairs', 'error (95 % bounds)', 'promised');
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
  print(isKept ? 'all promises are kept' : 'a promise is broken');
  return isKept ? 0 : 1;
}

process.exit(main());
