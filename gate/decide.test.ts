import { expect, test } from '@playwright/test';
import { decideGate } from './decide.ts';
import type { Episode } from './episode.ts';
import { parsePolicy } from './policy.ts';
import { LIMIT_MS, episode, failed, side, slower } from './testing/episodes.ts';
import { gateDecisionSchema } from './verdict.ts';
import type { CRITERIA, Criterion, GateDecision } from './verdict.ts';

const policy = parsePolicy({});
const decide = (baseline: readonly Episode[], candidate: readonly Episode[], paired = true): GateDecision =>
  gateDecisionSchema.parse(decideGate(baseline, candidate, policy, { paired, seed: 1 }));
const acceptingPolicy = parsePolicy({ existing: { failures: 'accept' } });
const accepting = (baseline: readonly Episode[], candidate: readonly Episode[]): GateDecision =>
  gateDecisionSchema.parse(decideGate(baseline, candidate, acceptingPolicy, { paired: true, seed: 1 }));
function of(decision: GateDecision, name: (typeof CRITERIA)[number]): Criterion {
  const found = decision.criteria.find(({ criterion }) => criterion === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}
const verdicts = ({ criteria }: GateDecision): Record<string, string> =>
  Object.fromEntries(criteria.filter(({ verdict }) => verdict !== 'pass').map(({ criterion, verdict }) => [criterion, verdict]));

test('equal sides are promoted at the first look', () => {
  const decision = decide(side(75), side(75));
  expect(decision).toMatchObject({ verdict: 'pass', action: 'promote', needs: { episodes: 0 } });
  expect(decision.sentence).toBe('Promote: every criterion is met, by 75 pairs.');
  expect(of(decision, 'success').sentence).toContain('this shows at least 96.0 %, with 95 % confidence');
  expect(of(decision, 'latency-tail').numbers).toMatchObject({ estimate: 1, lower: 1, upper: 1 });
});

test('equal arguments give equal decisions, with episodes in any order', () => {
  const candidate = side(75, (seed) => slower(1 + (seed % 9) / 50)(seed));
  expect(decide(side(75), candidate)).toEqual(decide(side(75), candidate));
  expect(verdicts(decide(side(75).reverse(), [...candidate].reverse()))).toEqual(verdicts(decide(side(75), candidate)));
});

test('too few episodes hold, and the decision says how many more are needed', () => {
  const decision = decide(side(40), side(40));
  expect(decision).toMatchObject({ verdict: 'inconclusive', action: 'hold', needs: { episodes: 35 } });
  expect(of(decision, 'success').sentence).toContain('59 are needed, 19 more, if all of them are clean');
  expect(decision.needs.sentences[0]).toBe('35 more pairs, to 75 of at most 300.');
  expect(decision.sentence).toContain('Neither promote nor roll back.');
});

test('after the maximum of the policy it holds without asking for more', () => {
  const decision = decide(
    side(300),
    side(300, (seed) => (seed % 75 === 20 ? failed(seed) : {})),
  );
  expect(verdicts(decision)).toEqual({ success: 'inconclusive' });
  expect(decision.needs.episodes).toBe(0);
  expect(decision.needs.sentences[0]).toContain('the policy allows 300: it holds');
  expect(of(decision, 'success').evidence.map(({ seed }) => seed)).toEqual([20, 95, 170, 245]);
});

test('no violation is tolerated, not even one that the baseline has', () => {
  const violations = [{ check: 'launches', code: 'double-launch', object: 'instance/i-1', message: 'two for one claim' }];
  const own = decide(
    side(75),
    side(75, (seed) => (seed === 7 ? { violations } : {})),
  );
  expect(own).toMatchObject({ verdict: 'fail', action: 'reject' });
  expect(of(own, 'invariants').sentence).toBe('1 episode of 75 violated invariants: launches/double-launch.');
  expect(of(own, 'invariants').evidence).toEqual([
    { scenario: 'topology', seed: 7, replay: 'sp1,seed=7', what: 'launches/double-launch (instance/i-1): two for one claim' },
  ]);
  const both = decide(
    side(75, (seed) => (seed === 7 ? { violations } : {})),
    side(75, (seed) => (seed === 7 || seed === 9 ? { violations } : {})),
  );
  expect(of(both, 'invariants')).toMatchObject({ verdict: 'fail', numbers: { bad: 2, shared: 1 } });
  expect(of(both, 'invariants').sentence).toContain('In 1 of them the baseline did the same with the same seed, which is no excuse.');
  expect(of(both, 'invariants').evidence.map(({ seed }) => seed)).toEqual([9, 7]);
  // A finding counts, even if the episode is unknown otherwise, and with any number of episodes.
  expect(decide(side(1), [episode(0, { verdict: 'unknown', violations })]).verdict).toBe('fail');
});

test('failures that the baseline has too are accepted if the policy says so, only in the same scenario', () => {
  const broken = (code: string): Partial<Episode> => ({
    violations: [{ check: 'launches', code, object: 'instance/i-1', message: 'two for one claim' }],
  });
  const spot = (change: Partial<Episode>) => (seed: number) => (seed % 2 === 0 ? change : {});
  // All episodes of the scenario violate an invariant and leave a pod unserved, on both sides.
  const both = (code: string) => (seed: number) => spot({ ...failed(seed), ...broken(code) })(seed);
  expect(verdicts(decide(side(160, both('double')), side(160, both('double'))))).toEqual({
    invariants: 'fail',
    success: 'fail',
    // It is unknown how long pods that neither side serves would have waited.
    'latency-tail': 'inconclusive',
  });
  const same = accepting(side(160, both('double')), side(160, both('double')));
  expect(same.verdict).toBe('pass');
  expect(of(same, 'existing-failures').numbers).toEqual({ accepted: 2, scenarios: 1, gone: 0, worse: 0, undecided: 0, tooFew: 0 });
  expect(of(same, 'success').numbers).toMatchObject({ trials: 80, baselineTrials: 80 });
  // Fixed: nothing is left to accept.
  const gone = accepting(side(160, both('double')), side(160));
  expect(of(gone, 'existing-failures').numbers).toMatchObject({ accepted: 0, gone: 2 });
  expect(of(gone, 'success').numbers).toMatchObject({ trials: 160 });
  // Another code, or another scenario, is new.
  expect(verdicts(accepting(side(160, both('double')), side(160, both('other'))))).toEqual({ invariants: 'fail' });
  const topology = side(160, (seed) => (seed % 2 === 1 ? broken('double') : {}));
  expect(verdicts(accepting(side(160, spot(broken('double'))), topology))).toEqual({ invariants: 'fail' });
  // Once in the baseline, always in the candidate: more frequent.
  const once = side(160, (seed) => (seed === 4 ? both('double')(seed) : {}));
  const worse = accepting(once, side(160, both('double')));
  expect(of(worse, 'existing-failures')).toMatchObject({ verdict: 'fail', numbers: { worse: 2 } });
  expect(of(worse, 'existing-failures').sentence).toContain('in 80 of 80 episodes, in the baseline in 1 of 80');
  // Each kind that came more often has an episode that shows it.
  const either = (seed: number): Partial<Episode> => both(seed % 4 === 0 ? 'double' : 'other')(seed);
  const rare = side(160, (seed) => (seed === 4 || seed === 6 ? either(seed) : {}));
  const shown = of(accepting(rare, side(160, either)), 'existing-failures').evidence;
  expect(shown.map(({ what }) => what.split(' ')[0])).toEqual(['launches/double', 'not-served', 'launches/other']);
  // As rare as before is not worse, even with another seed.
  expect(
    accepting(
      once,
      side(160, (seed) => (seed === 6 ? both('double')(seed) : {})),
    ).verdict,
  ).toBe('pass');
});

test('a failure that became more frequent in too few episodes is inconclusive', () => {
  const violations = [{ check: 'launches', code: 'double', object: 'instance/i-1', message: 'two for one claim' }];
  const scenarios = (change: (seed: number) => Partial<Episode>): Episode[] =>
    Array.from({ length: 75 }, (_, index) =>
      [1, 2].map((seed) => ({ ...episode(seed, index < 20 ? change(seed) : {}), scenario: `scenario-${index}` })),
    ).flat();
  const decision = accepting(
    scenarios((seed) => (seed === 1 ? { violations } : {})),
    scenarios(() => ({ violations })),
  );
  // Two seeds are also too few for any scenario.
  expect(verdicts(decision)).toEqual({ 'existing-failures': 'inconclusive', scenarios: 'inconclusive' });
  expect(of(decision, 'existing-failures').numbers).toMatchObject({ undecided: 20, worse: 0 });
  expect(of(decision, 'existing-failures').evidence).toHaveLength(20);
});

test('accepted failures must not be worse than before: no leaks, no more unserved pods, no slower ones', () => {
  const leaking = side(160, () => ({ instances: { created: 4, leaked: 1 } }));
  expect(verdicts(accepting(leaking, leaking))).toEqual({ leaks: 'fail' });
  const unserved = (pods: number): Episode[] => side(160, (seed) => (seed % 16 === 4 ? failed(seed, pods) : {}));
  expect(verdicts(accepting(unserved(1), unserved(1)))).toEqual({});
  expect(verdicts(accepting(unserved(1), unserved(10)))).toMatchObject({ success: 'fail' });
  expect(verdicts(accepting(unserved(1), side(160, slower(2))))).toMatchObject({ 'latency-shift': 'fail' });
});

test('baseline failures in episodes without a verdict are not accepted', () => {
  const violations = [{ check: 'launches', code: 'double', object: 'instance/i-1', message: 'two for one claim' }];
  const unknown = side(160, (seed) => (seed === 4 ? { violations, verdict: 'unknown' } : {}));
  const known = side(160, (seed) => (seed === 4 ? { violations } : {}));
  expect(verdicts(accepting(unknown, known))).toEqual({ invariants: 'fail' });
});

test('no leak is tolerated', () => {
  const decision = decide(
    side(75),
    side(75, (seed) => (seed === 3 ? { instances: { created: 5, leaked: 2 } } : {})),
  );
  expect(verdicts(decision)).toEqual({ leaks: 'fail' });
  expect(of(decision, 'leaks').sentence).toBe("2 of 301 instances leaked, in 1 episode of 75; of the baseline's 0.");
});

test('an episode is one trial, with any number of failed pods', () => {
  const one = decide(
    side(75),
    side(75, (seed) => (seed === 30 ? failed(seed, 1) : {})),
  );
  const all = decide(
    side(75),
    side(75, (seed) => (seed === 30 ? failed(seed, 10) : {})),
  );
  expect(of(one, 'success').numbers).toMatchObject({ trials: 75, failed: 1, cleanTrialsNeeded: 63 });
  expect(of(all, 'success').verdict).toBe('inconclusive');
  expect(of(all, 'success').numbers).toMatchObject({ trials: 75, failed: 1 });
});

test('a candidate that fails one episode in ten is rejected', () => {
  const decision = decide(
    side(75),
    side(75, (seed) => (seed % 10 === 0 ? failed(seed) : {})),
  );
  expect(of(decision, 'success').verdict).toBe('fail');
  expect(of(decision, 'success').evidence[0]?.what).toBe('9 of 10 pods served in time');
});

test('episodes without a verdict are not failures, and too many of them hold', () => {
  const few = decide(
    side(80),
    side(80, (seed) => (seed < 4 ? { ...failed(seed, 10), verdict: 'unknown' } : {})),
  );
  expect(few.verdict).toBe('pass');
  expect(of(few, 'success').numbers).toMatchObject({ trials: 76, failed: 0 });
  const many = decide(
    side(80),
    side(80, (seed) => (seed < 8 ? { verdict: 'unknown' } : {})),
  );
  expect(of(many, 'known-trials').verdict).toBe('inconclusive');
  expect(of(many, 'known-trials').sentence).toContain('80 more');
  expect(
    decide(
      side(80, () => ({ verdict: 'unknown' })),
      side(80, () => ({ verdict: 'unknown' })),
    ).verdict,
  ).toBe('inconclusive');
});

test('an episode that requested no pod does not count for success', () => {
  const decision = decide(
    side(75),
    side(75, (seed) => (seed < 20 ? { success: { served: 0, asked: 0 } } : {})),
  );
  expect(of(decision, 'success')).toMatchObject({ verdict: 'inconclusive', numbers: { trials: 55 } });
});

test('slower by a fifth fails, by a twentieth passes, faster passes', () => {
  expect(verdicts(decide(side(75), side(75, slower(1.2))))).toEqual({ 'latency-shift': 'fail' });
  expect(verdicts(decide(side(75), side(75, slower(1.5))))).toEqual({ 'latency-shift': 'fail', 'latency-tail': 'fail' });
  expect(verdicts(decide(side(75), side(75, slower(1.05))))).toEqual({});
  expect(verdicts(decide(side(75), side(75, slower(0.5))))).toEqual({});
});

test('the evidence for a slow candidate is its slowest pair', () => {
  const decision = decide(
    side(75),
    side(75, (seed) => slower(seed === 11 ? 3 : 1.3)(seed)),
  );
  const [first] = of(decision, 'latency-shift').evidence;
  expect(first).toMatchObject({ seed: 11, what: "50 % of its pods within 149.1 s, the baseline's within 49.7 s" });
});

test('a growing tail is found even if the typical episode stays the same', () => {
  const decision = decide(
    side(150),
    side(150, (seed) => slower(seed % 8 === 0 ? 3 : 1)(seed)),
  );
  expect(verdicts(decision)).toEqual({ 'latency-tail': 'fail' });
});

test('a scenario in which some pods wait long does not hide the tails of the others', () => {
  // A twentieth of all pods, in one scenario of five. Which ones is chance, on each side.
  const outage =
    (side: number) =>
    (seed: number): Partial<Episode> => {
      if (seed % 5 !== 0) return {};
      const isSlow = (pod: number): boolean => (Math.imul(seed * 10 + pod + side * 10_000, 2_654_435_761) >>> 0) % 100 < 25;
      const valuesMs = Array.from({ length: 10 }, (_, pod) => (isSlow(pod) ? 150_000 : 10_000) + 100 * pod);
      return { scenario: 'outage', latencies: [{ phase: 'pending -> running', valuesMs, censoredMs: [] }] };
    };
  expect(of(decide(side(150, outage(1)), side(150, outage(2))), 'latency-tail').verdict).toBe('pass');
  const slowTail = side(150, (seed) => ({ ...slower(seed % 8 === 1 ? 3 : 1)(seed), ...outage(2)(seed) }));
  expect(of(decide(side(150, outage(1)), slowTail), 'latency-tail').verdict).toBe('fail');
});

test('the tail of too few pairs is not judged, even if all are alike', () => {
  const small = parsePolicy({ episodes: { first: 60 } });
  const decision = decideGate(side(60), side(60), small, { paired: true, seed: 1 });
  expect(of(decision, 'latency-tail')).toMatchObject({ verdict: 'inconclusive', numbers: { unitsNeeded: 72 } });
  expect(of(decision, 'latency-tail').sentence).toContain('needs at least 72');
});

test('pods that ran out of time are the slowest, never left out', () => {
  const decision = decide(
    side(75),
    side(75, (seed) => (seed % 2 === 0 ? {} : failed(seed, 2))),
  );
  const tail = of(decision, 'latency-tail');
  expect(tail.verdict).toBe('fail');
  expect(tail.numbers).toMatchObject({ censored: 74, baselineCensored: 0 });
  expect(tail.sentence).toContain('it is at least that much, since it falls among pods of the candidate that ran out of time');
  expect(tail.sentence).toContain('74 pods of the candidate and 0 of the baseline ran out of time');
  expect(decision.phases[0]?.candidate).toMatchObject({ pods: 750, censored: 74, p95: { ms: LIMIT_MS, isAtLeast: true } });
  // An episode whose typical pod is never served is slower than any other.
  expect(
    of(
      decide(
        side(75),
        side(75, (seed) => failed(seed, 10)),
      ),
      'latency-shift',
    ).verdict,
  ).toBe('fail');
});

test('if both sides run out of time, the latency is inconclusive', () => {
  const both = side(75, (seed) => failed(seed, 10));
  expect(verdicts(decide(both, both))).toEqual({ success: 'fail', 'latency-shift': 'inconclusive', 'latency-tail': 'inconclusive' });
  expect(of(decide(both, both), 'latency-tail').sentence).toContain('On both sides');
});

test('costs and requests beyond the budget fail, within it pass', () => {
  const dear = (factor: number) =>
    side(75, (seed) => ({ usd: episode(seed).usd * factor, requests: Math.round((episode(seed).requests ?? 0) * factor) }));
  expect(verdicts(decide(side(75), dear(1.05)))).toEqual({});
  expect(verdicts(decide(side(75), dear(1.2)))).toEqual({ cost: 'fail' });
  expect(verdicts(decide(side(75), dear(1.4)))).toEqual({ cost: 'fail', requests: 'fail' });
  expect(verdicts(decide(dear(0), side(75)))).toEqual({ cost: 'fail', requests: 'fail' });
  expect(verdicts(decide(dear(0), dear(0)))).toEqual({});
});

const doubled = { check: 'launches', code: 'double', object: 'instance/i-1', message: 'two for one claim' };

test('cost and requests are compared where both sides failed in the same ways, or not at all', () => {
  const idle = (seed: number): Partial<Episode> => ({ ...failed(seed), usd: 0.001, requests: 1 });
  const all = decide(side(75, idle), side(75));
  expect(all).toMatchObject({
    verdict: 'pass',
    sentence: 'Promote: every criterion that was compared is met, by 75 pairs; not compared: cost, requests.',
  });
  expect(of(all, 'cost')).toMatchObject({ verdict: 'pass', isUntested: true });
  expect(of(all, 'cost').sentence).toContain('the sides failed in different ways in 75 of 75 pairs');
  const everyThird = side(75, (seed) => (seed % 3 === 0 ? idle(seed) : {}));
  const some = of(decide(everyThird, side(75)), 'cost');
  expect(some).toMatchObject({ verdict: 'pass', numbers: { units: 50 } });
  expect(some.isUntested).toBeUndefined();
  // Knowing a little more is no worse than knowing nothing.
  const most = side(75, (seed) => (seed % 10 === 0 ? {} : idle(seed)));
  expect(of(decide(most, side(75)), 'requests')).toMatchObject({ verdict: 'pass', isUntested: true, numbers: { units: 8 } });
  // Work that both did still counts.
  const dear = side(75, (seed) => (seed % 3 === 0 ? {} : { usd: episode(seed).usd * 2 }));
  expect(verdicts(decide(everyThird, dear))).toEqual({ cost: 'fail' });
});

test('a failure that both sides have may not grow: its cost is compared', () => {
  const broken = (factor: number) => (seed: number) => ({ violations: [doubled], usd: episode(seed).usd * factor });
  expect(verdicts(accepting(side(75, broken(1)), side(75, broken(100))))).toEqual({ cost: 'fail' });
  expect(verdicts(accepting(side(75, broken(1)), side(75, broken(1))))).toEqual({});
  // Trials that failed by latency alone have no violation, and are compared.
  const late = (factor: number) => (seed: number) => ({ verdict: 'fail' as const, usd: episode(seed).usd * factor });
  expect(verdicts(decide(side(75, late(1)), side(75, late(100))))).toEqual({ cost: 'fail' });
});

test('unpaired, a fix costs nothing, and growth is measured on what both sides do', () => {
  // The baseline fails one of two scenarios, cheaply; done right it costs three times as much as the other.
  const change = (isFixed: boolean, factor: number) => (seed: number) =>
    seed % 2 === 1 && !isFixed ? { violations: [doubled], usd: 0.01 } : { usd: (seed % 2 === 1 ? 0.3 : 0.1) * factor };
  const costOf = (factor: number) => of(decide(side(300, change(false, 1)), side(300, change(true, factor)), false), 'cost');
  expect(costOf(1).verdict).toBe('pass');
  expect(costOf(1.5).verdict).toBe('fail');
  expect(costOf(1.5).numbers['estimate']).toBeCloseTo(1.5, 5);
});

test('requests that a world does not record are unknown, not zero; a policy can leave them out', () => {
  const blind = side(75).map(({ requests: _unseen, ...rest }) => rest);
  const decision = decide(side(75), blind);
  expect(verdicts(decision)).toEqual({ requests: 'inconclusive' });
  expect(of(decision, 'requests').sentence).toContain('not known in this world, at least on one side; set budgets.requestsRatio to none');
  const without = parsePolicy({ budgets: { requestsRatio: 'none' } });
  expect(decideGate(blind, blind, without, { paired: true, seed: 1 })).toMatchObject({ verdict: 'pass' });
});

test('pairs share scenario and seed; other episodes are not compared', () => {
  const others = side(75).map((one) => ({ ...one, seed: one.seed + 1_000 }));
  const decision = decide(side(75), others);
  expect(of(decision, 'latency-shift').sentence).toContain('there are no pairs to compare');
  expect(decision).toMatchObject({ verdict: 'inconclusive', episodes: { seen: 0, candidate: 75 }, needs: { episodes: 75 } });
  expect(decide(side(75), others, false).verdict).toBe('pass');
});

test('unpaired, 50 % slower is found, too, and scenarios are compared with themselves', () => {
  expect(of(decide(side(75), side(90, slower(1.5)), false), 'latency-shift').verdict).toBe('fail');
  // One scenario is ten times as slow, and the candidate ran it more often.
  const heavy = (count: number, isHeavy: (seed: number) => boolean): Episode[] =>
    Array.from({ length: count }, (_, seed) =>
      episode(seed, isHeavy(seed) ? { ...slower(10)(seed), scenario: 'heavy', usd: 2 } : { scenario: 'light' }),
    );
  const decision = decide(
    heavy(120, (seed) => seed % 4 === 0),
    heavy(120, (seed) => seed % 2 === 0),
    false,
  );
  expect(verdicts(decision)).toEqual({});
});

test('repetitions of a seed do not count', () => {
  const decision = decide([...side(40), ...side(40)], [...side(40), ...side(40)]);
  expect(decision.episodes).toEqual({ isPaired: true, baseline: 40, candidate: 40, seen: 40 });
});

test('other phases are shown and not judged', () => {
  const withRequests = (factor: number) =>
    side(75, (seed) => ({
      latencies: [...episode(seed).latencies, { phase: 'pending -> request', valuesMs: [100 * factor], censoredMs: [] }],
    }));
  const decision = decide(withRequests(1), withRequests(9));
  expect(decision.verdict).toBe('pass');
  expect(decision.phases.find(({ phase }) => phase === 'pending -> request')).toMatchObject({
    isJudged: false,
    candidate: { pods: 75, p50: { ms: 900, isAtLeast: false } },
  });
});

test('with very many episodes, only the first are compared, and all count for success', () => {
  const decision = decide(side(2_100), side(2_100));
  expect(decision.verdict).toBe('pass');
  expect(of(decision, 'success').numbers['trials']).toBe(2_100);
  expect(of(decision, 'latency-shift').sentence).toContain('in 2000 pairs; that is within the +10 % allowed.');
});

test('nothing at all is inconclusive', () => {
  expect(decide([], [])).toMatchObject({ verdict: 'inconclusive', action: 'hold', needs: { episodes: 75 } });
});

test('a scenario that always fails is noticed among many others', () => {
  const two = parsePolicy({ episodes: { seeds: 2 } });
  const decideTwo = (baseline: readonly Episode[], candidate: readonly Episode[]): GateDecision =>
    gateDecisionSchema.parse(decideGate(baseline, candidate, two, { paired: true, seed: 1 }));
  // 150 pairs: 145 scenarios, of which one fails with each of its seeds.
  const among = (change: (seed: number) => Partial<Episode>): Episode[] =>
    Array.from({ length: 290 }, (_, index) => {
      const scenario = `scenario-${index % 145}`;
      const seed = Math.floor(index / 145);
      return { ...episode(seed, scenario === 'scenario-7' ? change(seed) : {}), scenario, seed };
    });
  const ours = among(() => ({}));
  const broken = decideTwo(
    ours,
    among((seed) => failed(seed, 10)),
  );
  expect(verdicts(broken)).toMatchObject({ scenarios: 'fail' });
  expect(of(broken, 'scenarios').sentence).toBe(
    '1 scenario of 145 is not served as by the baseline: scenario-7 failed in 2 of 2 episodes, in the baseline in 0 of 2.',
  );
  expect(of(broken, 'scenarios').evidence).toMatchObject([{ scenario: 'scenario-7' }]);
  const once = decideTwo(
    ours,
    among((seed) => (seed === 0 ? failed(seed) : {})),
  );
  expect(of(once, 'scenarios').verdict, 'one of two').toBe('inconclusive');
  expect(
    of(
      decideTwo(
        among((seed) => failed(seed)),
        among((seed) => failed(seed)),
      ),
      'scenarios',
    ).verdict,
    'as before',
  ).toBe('pass');
  const fewer = decideTwo(
    ours,
    ours.filter(({ scenario }) => scenario !== 'scenario-7'),
  );
  expect(of(fewer, 'scenarios').sentence).toContain('scenario-7 has verdicts for the baseline, but hardly any for the candidate');
  expect(of(fewer, 'scenarios').verdict).toBe('inconclusive');
});

test('nothing is promoted before each scenario has run with three seeds', () => {
  const scenarios = (seeds: (scenario: number) => number): Episode[] =>
    Array.from({ length: 80 }, (_, index) =>
      Array.from({ length: seeds(index) }, (_none, seed) => ({ ...episode(seed), scenario: `scenario-${index}` })),
    ).flat();
  const whole = scenarios(() => 3);
  expect(decide(whole, whole).verdict).toBe('pass');
  const thin = scenarios((index) => (index < 5 ? 2 : 3));
  const decision = decide(thin, thin);
  expect(verdicts(decision)).toEqual({ scenarios: 'inconclusive' });
  expect(of(decision, 'scenarios').sentence).toBe(
    'None of 80 scenarios leaves pods unserved in half of its episodes or more where the baseline does not. 5 scenarios of 80 ran with fewer than 3 seeds: a failure that needs an unlucky order of events may not have shown yet.',
  );
});
