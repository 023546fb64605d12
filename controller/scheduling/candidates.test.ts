import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { Candidates } from './candidates.ts';
import { PodClass } from './pod-class.ts';
import { pod } from './testing/simulator.ts';

const CLASSES = ['1', '2'].map((cpu) => new PodClass(pod(cpu, cpu)));

class Candidate {
  readonly rejected = new Set<PodClass>();

  rejects(podClass: PodClass): boolean {
    return this.rejected.has(podClass);
  }
}

const step = fc.oneof(
  fc.constant('add' as const),
  fc.record({
    kind: fc.nat(CLASSES.length - 1),
    /** What each candidate says. */ says: fc.array(fc.constantFrom('yes', 'not now', 'never')),
  }),
);

test('the first candidate that takes a pod is found, and those that rejected its class are not asked', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50, size: 'max' }), (steps) => {
      const all: Candidate[] = [];
      const candidates = new Candidates(all);
      const seen: unknown[] = [];
      const wanted: unknown[] = [];
      for (const one of steps) {
        if (one === 'add') {
          all.push(new Candidate());
          continue;
        }
        const podClass = CLASSES[one.kind] as PodClass;
        const asked: number[] = [];
        const open = all.filter((candidate) => !candidate.rejects(podClass));
        const taker = open.find((candidate) => one.says[all.indexOf(candidate)] === 'yes');
        wanted.push(
          all.indexOf(taker as Candidate),
          open.slice(0, taker && open.indexOf(taker) + 1).map((candidate) => all.indexOf(candidate)),
        );
        const found = candidates.find(podClass, (candidate) => {
          const index = all.indexOf(candidate);
          asked.push(index);
          if (one.says[index] === 'never') candidate.rejected.add(podClass);
          return one.says[index] === 'yes';
        });
        seen.push(all.indexOf(found as Candidate), asked);
      }
      expect(seen).toEqual(wanted);
    }),
  );
});

test('any number of candidates may be left when one of them rejects a class', () => {
  const [podClass] = CLASSES as [PodClass];
  const all = Array.from({ length: 200_000 }, () => new Candidate());
  const candidates = new Candidates(all);
  all[0]?.rejected.add(podClass);
  candidates.find(podClass, () => false);
  all[1]?.rejected.add(podClass);
  expect(candidates.find(podClass, () => false)).toBeUndefined();
  expect(candidates.find(podClass, () => true)).toBe(all[2]);
});
