import { html } from './markup.ts';
import type { Markup } from './markup.ts';

/**
 * The colours of compared sides, the same on a whole page: `--side` and `--side-soft` in elements of the class. Curves also differ in
 * their dashes. None has the colour of a verdict.
 */
export const SIDE_STYLE = `
.side-0 { --side: var(--target); --side-soft: var(--target-soft); --dash: 7 3; } .side-1 { --side: var(--pod); --side-soft: var(--pod-soft); --dash: none; } .side-2 { --side: var(--claim); --side-soft: var(--claim-soft); --dash: 2 2; } .side-3 { --side: var(--instance); --side-soft: var(--instance-soft); --dash: 9 3 2 3; }
.side-4 { --side: var(--node); --side-soft: var(--node-soft); --dash: 12 4; } .side-5 { --side: var(--tick); --side-soft: var(--ending); --dash: 4 4; } .side-6 { --side: var(--ink); --side-soft: var(--line); --dash: 1 4; } .side-7 { --side: var(--link); --side-soft: var(--line); --dash: 9 3 2 3 2 3; }
.key { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 6px; vertical-align: -1px; background: var(--side); }
`;

/** A square in the colour of a side. @param index of the side, from 0 */
export function sideKey(index: number): Markup {
  return html`<span class="key side-${index}" aria-hidden="true"></span>`;
}
