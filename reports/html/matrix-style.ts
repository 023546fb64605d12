import { FIGURES_STYLE } from './compare.ts';
import { SIDE_STYLE } from './sides.ts';
import { PAGE_STYLE } from './style.ts';

/** The style of a matrix, in addition to that of the report. In a narrow window each cell names its version. */
export const MATRIX_STYLE = `${PAGE_STYLE}${SIDE_STYLE}${FIGURES_STYLE}
.riskiest { font-size: 17px; margin: 0 0 6px; } .riskiest strong { overflow-wrap: anywhere; } .reason { max-width: 110ch; overflow-wrap: anywhere; margin: 0; }
.versions { list-style: none; margin: 24px 0 0; padding: 0; display: grid; gap: 6px; } .versions li { display: flex; flex-wrap: wrap; gap: 2px 14px; align-items: baseline; font-size: 14px; } .versions a { font-weight: 600; overflow-wrap: anywhere; }
.upgrade { background: var(--surface); border-left: 4px solid var(--not-run); border-radius: 4px 8px 8px 4px; box-shadow: var(--shadow); margin-top: 10px; padding: 14px 20px 12px; } .upgrade.fail { border-color: var(--fail); } .upgrade.unknown, .upgrade.worse { border-color: var(--unknown); } .upgrade.none { border-color: var(--pass); }
.upgrade > h3 { margin: 0; font-size: 16px; display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: baseline; overflow-wrap: anywhere; } .upgrade > p { margin: 4px 0 0; } .upgrade h4 { margin: 16px 0 4px; }
.upgrade ul { margin: 0; padding: 0; list-style: none; } .upgrade li { border-top: 1px solid var(--line); padding: 7px 0; max-width: 110ch; overflow-wrap: anywhere; } .upgrade li:first-child { border-top: 0; } .upgrade li p { margin: 0; font-size: 14px; } .upgrade li small { display: block; font-size: 13px; }
.upgrade .kind { font-weight: 650; } .kind.fail { color: var(--fail); } .kind.pass { color: var(--pass); } .kind.unknown { color: var(--unknown); }
.filters { display: flex; flex-wrap: wrap; gap: 6px 8px; align-items: center; margin: 0 0 12px; } .filters [aria-pressed="true"] { background: var(--ink); color: var(--surface); border-color: var(--ink); } .filters button, .filters input { height: 32px; } .filters input { flex: 0 1 260px; min-width: 120px; margin-left: auto; } .filters [role="status"] { font-size: 13px; color: var(--muted); min-width: 90px; }
.grid-wrap { overflow: auto; max-height: calc(100vh - 24px); background: var(--surface); border-radius: 8px; box-shadow: var(--shadow); padding: 0 20px 6px; }
.grid-wrap th, .grid-wrap td { padding: 6px 14px 6px 0; border-top: 1px solid var(--line); }
.results thead th { position: sticky; top: 0; z-index: 2; background: var(--surface); border-top: 0; padding-top: 12px; box-shadow: 0 1px 0 var(--line); vertical-align: bottom; min-width: 84px; } .results thead th:first-child { left: 0; z-index: 3; }
.results tbody th { position: sticky; left: 0; z-index: 1; background: var(--surface); width: 46%; min-width: 300px; font-weight: 400; } .results tr.requirement th b { font-weight: 650; margin-right: 4px; } .results tr.requirement th { font-weight: 500; } .results tr.sub th { padding-left: 24px; } .results th small { display: block; } .results th code { overflow-wrap: anywhere; }
.results tr.group th { padding-top: 22px; font-weight: 650; border-top: 0; position: static; } .results tr.group th::first-letter { text-transform: uppercase; }
.results tr.requirement.changed th, .results tr.sub.changed th { box-shadow: -12px 0 0 var(--surface), -14px 0 0 var(--fail); }
.results td a { text-decoration: none; font-weight: 650; white-space: nowrap; } .results td a:hover { text-decoration: underline; } .results a.pass { color: var(--pass); } .results a.fail { color: var(--fail); } .results a.unknown { color: var(--unknown); } .results a.not-run, .results a.missing { color: var(--muted); font-weight: 500; } .results td small { display: block; overflow-wrap: normal; } .results td small.was { font-weight: 650; color: var(--ink); }
.results tr { scroll-margin-top: 60px; } .results .more { margin-left: 6px; padding: 0 8px; font-size: 12px; white-space: nowrap; }
.measured thead th { vertical-align: bottom; } .measured small.worse { color: var(--fail); font-weight: 650; } .measured small.better { color: var(--pass); font-weight: 650; }
@media (max-width: 820px) { .results.data { display: table; overflow: visible; } .results tbody th { min-width: 220px; } }
@media (max-width: 560px) {
  .grid-wrap { max-height: none; padding: 0 12px 6px; } .filters input { margin-left: 0; flex: 1 1 100%; } .upgrade { padding: 12px 14px; }
  .results.data, .results tbody { display: block; } .results thead { display: block; position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } .results tr { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 4px 14px; padding: 9px 0; border-top: 1px solid var(--line); } .results tr.group { display: block; padding: 18px 0 4px; border: 0; }
  .results tbody th, .results td { position: static; width: auto; min-width: 0; padding: 0 !important; border: 0; } .results tbody th { grid-column: 1 / -1; } .results tr.sub { padding-left: 14px; } .results td[data-head]::before { content: attr(data-head); display: block; color: var(--muted); font-size: 12px; overflow-wrap: anywhere; } .results tr.changed th { box-shadow: none !important; }
}
@media print { .filters, .results .more { display: none; } .grid-wrap { max-height: none; overflow: visible; box-shadow: none; } .results th, .results tbody th { position: static; } .upgrade { box-shadow: none; break-inside: avoid; } }
`;
