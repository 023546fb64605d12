import type { Environment } from '@marcbachmann/cel-js';
import { goRegExp } from '../regexp.ts';
import { SYNC, fail } from './functions.ts';

/** Most cached patterns; rules have a few, and may build more from an object's values. */
const MAX_KEPT = 200;

/** Regular expressions: `matches`, and `apiserver/pkg/cel/library/regex.go`. */
export function registerPatterns(env: Environment): void {
  const kept = new Map<string, RegExp>();
  const regExp = (pattern: string): RegExp => {
    const known = kept.get(pattern);
    if (known !== undefined) return known;
    const made = goRegExp(pattern, 'g') ?? fail(`error parsing regexp: ${pattern}`);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(pattern, made);
    return made;
  };
  const matches = (text: string, pattern: string): boolean => text.search(regExp(pattern)) !== -1;
  const findAll = (text: string, pattern: string, limit: bigint): string[] => {
    const found = text.match(regExp(pattern)) ?? [];
    return limit < 0n ? [...found] : found.slice(0, Number(limit));
  };
  env
    .registerFunction('mAtches(string, string): bool', matches, SYNC)
    .registerFunction('string.mAtches(string): bool', matches, SYNC)
    .registerFunction('string.find(string): string', (text: string, pattern: string) => findAll(text, pattern, 1n)[0] ?? '', SYNC)
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) => findAll(text, pattern, -1n), SYNC)
    .registerFunction('string.findAll(string, int): list<string>', findAll, SYNC);
}
