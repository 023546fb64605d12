import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { Effect, Operation, Principal } from '../model/operation.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import type { When } from './effects.ts';
import { Gate } from './gate.ts';

const PODS: Operation = { wire: 'kube', name: 'list pods', mutating: false };
const NOTHING: Effect = { kind: 'none' };
const SEED = 7;

const count = fc.integer({ min: 1, max: 6 });
const anyWhen: fc.Arbitrary<When> = fc.oneof(
  fc.constant({ kind: 'always' as const }),
  fc.record({ kind: fc.constant('first' as const), count }),
  fc.record({ kind: fc.constant('every' as const), nth: count }),
  fc.record({ kind: fc.constant('nth' as const), nth: count }),
  fc.record({ kind: fc.constant('probability' as const), probability: fc.constantFrom(0, 0.3, 0.7, 1) }),
  fc.record({ kind: fc.constant('window' as const), fromMs: fc.nat(50), toMs: fc.integer({ min: 1, max: 80 }) }),
);
const anyStep = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('arm' as const), when: anyWhen }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('disarm' as const), which: fc.nat(10) }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('ask' as const), principal: fc.constantFrom<Principal>('target', 'node') }), weight: 6 },
  { arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(30) }), weight: 2 },
);

/** The model that the gate is compared with: one armed trigger, in the simplest form. */
interface Model {
  readonly id: number;
  readonly when: When;
  readonly atMs: number;
  readonly dice: () => boolean;
  seen: number;
  armed: boolean;
}

function isDue({ when, atMs, seen, dice }: Model, nowMs: number): boolean {
  switch (when.kind) {
    case 'always':
      return true;
    case 'first':
      return seen < when.count + 1;
    case 'every':
      return Number.isInteger(seen / when.nth);
    case 'nth':
      return seen === when.nth;
    case 'probability':
      return dice();
    case 'window':
      return nowMs >= atMs + when.fromMs && nowMs < atMs + when.toMs;
  }
}

test('armed and disarmed in any order, triggers strike only matching requests of the target, in the order of arming', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 60 }), async (steps) => {
      const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(SEED) });
      const clock = timeline.scope('test');
      const gate = new Gate(clock, createRandom(SEED));
      const models: Model[] = [];
      const disarms: (() => void)[] = [];
      const struck: string[] = [];
      const expected: string[] = [];
      let span = 0;
      for (const step of steps) {
        switch (step.do) {
          case 'arm': {
            const id = models.length + 1;
            const { when } = step;
            const random = createRandom(SEED).fork(`injection ${id}`);
            const dice = (): boolean => when.kind === 'probability' && random.chance(when.probability);
            models.push({ id, when, atMs: clock.nowMs(), dice, seen: 0, armed: true });
            disarms.push(
              gate.arm({
                trigger: { match: { operations: [PODS.name] }, when, moment: 'after' },
                effect: { kind: 'kill' },
                fired: (at) => struck.push(`${id} strikes ${at}`),
              }),
            );
            break;
          }
          case 'disarm': {
            const which = step.which % Math.max(models.length, 1);
            disarms[which]?.();
            const model = models[which];
            if (model !== undefined) model.armed = false;
            break;
          }
          case 'ask': {
            span += 1;
            const caller = { principal: step.principal, incarnation: 1, span };
            expect([...gate.consult('before', PODS, caller, NOTHING)]).toEqual([]);
            expect([...gate.consult('after', { ...PODS, name: 'get pods' }, caller, NOTHING)]).toEqual([]);
            for (const strike of gate.consult('after', PODS, caller, NOTHING)) strike.fired();
            if (step.principal !== 'target') break;
            for (const model of models.filter(({ armed }) => armed)) {
              model.seen += 1;
              if (isDue(model, clock.nowMs())) expected.push(`${model.id} strikes ${span}`);
            }
            break;
          }
          case 'wait':
            await timeline.run(clock.sleep(step.ms));
            break;
        }
      }
      expect(struck).toEqual(expected);
    }),
  );
});

test('a trigger with `applied` counts only requests that changed the world', () => {
  const clock = createVirtualTimeline({ startMs: 0, random: createRandom(SEED) }).scope('test');
  const gate = new Gate(clock, createRandom(SEED));
  gate.arm({
    trigger: { match: { operations: ['*'], applied: true }, when: { kind: 'nth', nth: 2 }, moment: 'after' },
    effect: { kind: 'kill' },
    fired: () => undefined,
  });
  const strikes = ([NOTHING, { kind: 'applied', ids: [] }, NOTHING, { kind: 'applied', ids: [] }] as const).map(
    (effect, index) => [...gate.consult('after', PODS, { principal: 'target', incarnation: 1, span: index }, effect)].length,
  );
  expect(strikes).toEqual([0, 0, 0, 1]);
});

test('an injection counts a request only when it is reached: an earlier one that ends the request spares it', () => {
  const gate = new Gate(createVirtualTimeline({ startMs: 0, random: createRandom(1) }).scope('world'), createRandom(1));
  const fired: string[] = [];
  for (const name of ['first', 'second']) {
    gate.arm({
      trigger: { match: { operations: [PODS.name] }, when: { kind: 'first', count: 1 }, moment: 'after' },
      effect: { kind: 'break', code: 'ECONNRESET' },
      fired: () => fired.push(name),
    });
  }
  for (const span of [1, 2]) {
    for (const strike of gate.consult('after', PODS, { principal: 'target', incarnation: 1, span }, NOTHING)) {
      strike.fired();
      break;
    }
  }
  expect(fired).toEqual(['first', 'second']);
});
