import { createRandom } from '../../runtime/random.ts';
import { sitesOf } from './sites.ts';
import type { Site } from './sites.ts';

/** A source file: its path from the project's folder, and its text. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

/** One fault in one file. */
export interface Mutant extends Pick<Site, 'kind' | 'start' | 'end' | 'pure'> {
  /** Its place in the draw, from 0: with the same seed and files, a larger draw begins with the same mutants. */
  readonly id: number;
  readonly file: string;
  /** Of its start, from 1. */
  readonly line: number;
  /** What it replaces, and by what; nothing, for a statement that is dropped. */
  readonly original: string;
  readonly replacement: string;
}

/** Draws different mutants; fewer than asked if there are no more. Each site has the same chance, and then each of its variants. */
export function drawMutants(sources: readonly Source[], { count, seed }: { readonly count: number; readonly seed: number }): Mutant[] {
  const random = createRandom(`mutate-${seed}`);
  const all = [...sources]
    .sort((a, b) => (a.file < b.file ? -1 : 1))
    .flatMap(({ file, text }) => sitesOf(text).map((site) => ({ file, text, site })));
  return random
    .shuffle(all)
    .slice(0, count)
    .map(({ file, text, site: { kind, start, end, variants, pure } }, id) => ({
      id,
      file,
      line: text.slice(0, start).split('\n').length,
      kind,
      start,
      end,
      pure,
      original: text.slice(start, end),
      replacement: random.fork(`${file}:${start}-${end} ${kind}`).pick(variants),
    }));
}

/** The first line that a mutant changes, before and after, as in a diff. */
export function diffOf({ text }: Source, { start, end, replacement }: Mutant): { readonly before: string; readonly after: string } {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const to = text.indexOf('\n', end);
  const [before, after] = [text.slice(from, to), `${text.slice(from, start)}${replacement}${text.slice(end, to)}`].map((part) =>
    part.split('\n').map((line) => line.trim()),
  );
  const [old = [], now = []] = [before, after];
  const first = Math.max(
    0,
    old.findIndex((line, index) => line !== now[index]),
  );
  return { before: old[first] ?? '', after: now[first] ?? '' };
}
