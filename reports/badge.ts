import type { Verdict } from '../history/verdict.ts';
import type { RunReport } from './run-report.ts';

/** The content of a badge. */
export interface Badge {
  readonly label: string;
  readonly message: string;
  /** CSS color of the message. */
  readonly color: string;
}

const LABEL = 'scaleproof';
/** Unknown is never green. White text has a contrast of at least 4.5 on each colour. */
const COLORS: Readonly<Record<Verdict | 'partial', string>> = { pass: '#1a7f37', partial: '#8a6100', unknown: '#6e7781', fail: '#c62828' };

/** The verdict of a run in a few words: `12 of 12 passed`, `3 of 12 failed`, `1 of 12 unknown`. */
export function badgeOf({ verdict, totals: { scenarios } }: RunReport): Badge {
  const { passed, failed, unknown, notRun } = scenarios;
  const all = passed + failed + unknown;
  if (all === 0) return { label: LABEL, message: 'nothing was run', color: COLORS.unknown };
  if (verdict === 'fail') return { label: LABEL, message: `${failed} of ${all} failed`, color: COLORS.fail };
  if (verdict === 'unknown') return { label: LABEL, message: `${unknown} of ${all} unknown`, color: COLORS.unknown };
  const rest = notRun === 0 ? '' : `, ${notRun} not run`;
  return { label: LABEL, message: `${passed} of ${all} passed${rest}`, color: notRun === 0 ? COLORS.pass : COLORS.partial };
}

/** JSON for `https://img.shields.io/endpoint?url=`. */
export function formatEndpoint({ label, message, color }: Badge): string {
  return `${JSON.stringify({ schemaVersion: 1, label, message, color, isError: color === COLORS.fail }, undefined, 2)}\n`;
}

/** Average width of a character in 11 px Verdana; texts are stretched to the reserved width. */
const CHARACTER_PX = 6.6;
const PADDING_PX = 7;
const HEIGHT_PX = 20;

/** The badge as an SVG image. */
export function formatBadge({ label, message, color }: Badge): string {
  const parts = [label, message].map((text) => Math.round(text.length * CHARACTER_PX));
  const [labelPx = 0, messagePx = 0] = parts;
  const left = labelPx + 2 * PADDING_PX;
  const width = left + messagePx + 2 * PADDING_PX;
  const text = (x: number, lengthPx: number, content: string): string =>
    `<text x="${x}" y="14" textLength="${lengthPx}" lengthAdjust="spacingAndGlyphs">${escape(content)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT_PX}" role="img" aria-label="${escape(`${label}: ${message}`)}">`,
    `<title>${escape(`${label}: ${message}`)}</title>`,
    `<clipPath id="r"><rect width="${width}" height="${HEIGHT_PX}" rx="3"/></clipPath>`,
    `<g clip-path="url(#r)"><rect width="${left}" height="${HEIGHT_PX}" fill="#444d56"/><rect x="${left}" width="${width - left}" height="${HEIGHT_PX}" fill="${escape(color)}"/></g>`,
    `<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">`,
    text(PADDING_PX, labelPx, label),
    text(left + PADDING_PX, messagePx, message),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
