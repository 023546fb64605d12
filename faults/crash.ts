import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeOperations, describeWhen, triggerParams } from './trigger-params.ts';

const params = z
  .strictObject({
    ...triggerParams,
    moment: z.enum(['before', 'after']).describe('before: the request is never sent; after: it took effect, and its answer is not read'),
    /** Set to crash at the k-th side effect. */
    applied: z.boolean().default(false).describe('only requests that changed the world (only with the moment after)'),
  })
  .refine(({ moment, applied }) => !(applied && moment === 'before'), {
    path: ['applied'],
    message: 'applied requires the moment after: what a request changes is not known before it is sent',
  });

/** The target is killed, as by SIGKILL, at a request of its own. Legal: any process can die at any moment. */
export const crash = defineFault({
  name: 'crash',
  summary: 'the target is killed at a chosen request, before it is sent or after it takes effect',
  params,
  legal: true,
  capabilities: () => ['target.kill'],
  color: '#b91c1c',
  fis: ['aws:eks:pod-delete'],
  chaosMesh: ['PodChaos pod-kill'],
  describe: ({ operations, when, moment, applied }) => {
    const which = `${describeWhen(when)} ${describeOperations(operations)}${applied ? ' that changed the world' : ''}`;
    return moment === 'before'
      ? `the target is killed before ${which} is sent`
      : `the target is killed after ${which} took effect and before its answer`;
  },
  inject: ({ operations, when, moment, applied }, { arm, fired }) =>
    arm({
      trigger: { match: { operations, ...(applied ? { applied } : {}) }, when, moment },
      effect: { kind: 'kill' },
      fired: (span) => fired(span),
    }),
});

const effectParams = {
  /** Number of the target's side effect over both wires, from 1. */
  nth: z.number().int().positive(),
  /** The request with this effect, from the trial without the crash. */
  span: z.number().int().nonnegative(),
  operation: z.string().min(1),
};
const pointParams = z.strictObject({ moment: z.enum(['before', 'after']), ...effectParams });

/** An answer that waits for an upgrade is released by then, whatever becomes of it. */
const MAX_HELD_MS = 600_000;

/**
 * The target is killed at one of its side effects. This is not in the catalogue of faults: which request has the effect is
 * known only from the same trial without the crash.
 */
export const crashPoint = defineFault({
  name: 'crash-point',
  summary: 'the target is killed before or after one of its side effects',
  params: pointParams,
  legal: true,
  capabilities: () => ['target.kill', 'time.virtual'],
  color: crash.color,
  describe: ({ moment, nth, operation }) =>
    moment === 'before'
      ? `the target is killed before its side effect number ${nth}, ${operation}, takes effect`
      : `the target is killed after its side effect number ${nth}, ${operation}, took effect and before its answer`,
  inject: ({ moment, span, operation }, { arm, fired }) =>
    arm({
      trigger: {
        match: { operations: [operation], span, ...(moment === 'after' ? { applied: true } : {}) },
        when: { kind: 'first', count: 1 },
        moment,
      },
      effect: { kind: 'kill' },
      fired: (at) => fired(at),
    }),
});

/**
 * The target is replaced by the one that it is upgraded to at one of its side effects. The answer is held until it has been told to
 * stop, which heals this. Who arms it replaces the target when it fires.
 */
export const upgradePoint = defineFault({
  name: 'upgrade-point',
  summary: 'the target is upgraded at one of its side effects',
  params: z.strictObject(effectParams),
  legal: true,
  hinders: false,
  capabilities: () => ['time.virtual'],
  color: crash.color,
  describe: ({ nth, operation }) =>
    `the target is upgraded after its side effect number ${nth}, ${operation}, took effect, and told to stop before its answer`,
  inject: ({ span, operation }, { arm, fired }) =>
    arm({
      trigger: { match: { operations: [operation], span, applied: true }, when: { kind: 'first', count: 1 }, moment: 'after' },
      effect: { kind: 'delay', delayMs: MAX_HELD_MS },
      fired: (at) => fired(at),
    }),
});
