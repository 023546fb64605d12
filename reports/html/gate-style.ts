import { SIDE_STYLE } from './sides.ts';
import { PAGE_STYLE } from './style.ts';
import { CURVES_STYLE } from './wait-curves.ts';

/** The style of a gate's page, in addition to that of the report. */
export const GATE_STYLE = `${PAGE_STYLE}${SIDE_STYLE}${CURVES_STYLE}
.gate h1 { flex-wrap: wrap; } .gate h1 .badge { font-size: 30px; padding: 6px 26px 6px 20px; } .gate h1 small { font-size: 17px; font-weight: 500; flex: 1 1 300px; color: var(--ink); line-height: 1.4; }
.gate .sides { list-style: none; margin: 22px 0 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr)); gap: 1px; background: var(--line); border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
.gate .sides li { background: var(--surface); padding: 14px 18px; overflow-wrap: anywhere; display: flex; flex-direction: column; gap: 2px; } .gate .sides strong { font-size: 17px; }
.gate .sides .who, .gate .who { font-size: 12.5px; color: var(--muted); } .gate .sides .chip { align-self: flex-start; margin-top: 6px; font-weight: 600; }
.stopped { margin: 18px 0 0; }
.caution { margin: 10px 0 0; }
.criteria { list-style: none; margin: 0; padding: 0; background: var(--surface); border-radius: 8px; box-shadow: var(--shadow); }
.criteria li { display: grid; grid-template-columns: 128px 150px minmax(0, 1fr) minmax(0, 1fr); gap: 4px 20px; padding: 13px 20px; border-top: 1px solid var(--line); align-items: baseline; } .criteria li:first-child { border-top: 0; }
.criteria h3 { margin: 0; overflow-wrap: anywhere; } .criteria .value small { display: block; } .criteria .value { font-variant-numeric: tabular-nums; overflow-wrap: anywhere; } .criteria p { grid-column: 2 / -1; margin: 0; font-size: 13.5px; color: var(--muted); max-width: 110ch; overflow-wrap: anywhere; }
.criteria .failed { box-shadow: inset 4px 0 0 var(--fail); } .criteria .failed p, .criteria .failed .value { color: var(--ink); } .criteria .failed .measured { color: var(--fail); font-weight: 650; }
.line { display: block; background: var(--sunken); border-radius: 6px; padding: 6px 12px; margin-top: 8px; user-select: all; }
.said { list-style: none; } .problem ul.said { columns: auto; padding: 0; display: grid; gap: 2px; } .said b { font-weight: 600; } .said li { overflow-wrap: anywhere; max-width: 110ch; }
.pairs { list-style: none; margin: 0; padding: 0; display: grid; gap: 10px; } .pair { background: var(--surface); border-radius: 8px; box-shadow: var(--shadow); padding: 14px 20px 16px; } .pair h3 { margin: 0 0 10px; overflow-wrap: anywhere; }
.pair > div { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 16px 32px; } .pair .who { margin-bottom: 4px; display: flex; gap: 8px; align-items: center; flex-wrap: wrap; }
.pair dl { margin: 0; } .pair dt { font-weight: 600; margin-top: 8px; overflow-wrap: anywhere; } .pair dd { margin: 0; font-size: 13.5px; overflow-wrap: anywhere; } .pair dd .line { font-size: 12px; }
.clean { margin-top: 12px; } .clean summary, .unseen summary { cursor: pointer; padding: 6px 0; } .names { list-style: none; margin: 6px 0 0; padding: 0; columns: 3 260px; font-size: 13px; } .names li { overflow-wrap: anywhere; break-inside: avoid; }
.chart { background: var(--surface); border-radius: 8px; box-shadow: var(--shadow); padding: 16px 20px 18px; margin: 0; } .chart figcaption { font-weight: 650; margin-bottom: 4px; }
.chart .row { margin-top: 10px; } .chart .row > span { display: flex; justify-content: space-between; gap: 4px 16px; flex-wrap: wrap; font-size: 13px; } .chart .row > span > small { font-variant-numeric: tabular-nums; } .chart svg { display: block; width: 100%; overflow: visible; }
.chart .grid { stroke: var(--line); stroke-width: 1; } .chart .range { fill: var(--side-soft); } .chart .point { fill: var(--side); }
.chart .range { margin: 0; max-width: none; } .chart .axis { display: flex; justify-content: space-between; font-size: 11.5px; color: var(--muted); font-variant-numeric: tabular-nums; } .chart .axis span { flex: 0 0 0; display: flex; justify-content: center; white-space: nowrap; } .chart .axis span:first-child { justify-content: flex-start; } .chart .axis span:last-child { justify-content: flex-end; }
.keys { font-size: 12.5px; color: var(--muted); display: flex; gap: 4px 18px; flex-wrap: wrap; }
@media (max-width: 820px) {
  .gate h1 .badge { font-size: 24px; } .criteria li { grid-template-columns: minmax(0, 1fr) auto; padding: 12px 16px; } .criteria h3 { grid-column: 1; grid-row: 1; } .criteria .badge { grid-column: 2; grid-row: 1; justify-self: end; } .criteria .value { grid-column: 1 / -1; } .criteria .value small { display: inline; margin-right: 6px; } .criteria p { grid-column: 1 / -1; }
  .pair > div { grid-template-columns: minmax(0, 1fr); } .pair, .chart, .problem { padding-left: 16px; padding-right: 16px; }
}
@media print { .pair, .chart, .criteria { box-shadow: none; border: 1px solid var(--line); } .pair, .criteria li { break-inside: avoid; } }
`;
