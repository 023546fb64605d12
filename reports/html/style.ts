/** Colours of verdicts differ in lightness too, and stand beside a sign and a word. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f7f6f3; --surface: #ffffff; --sunken: #f1efeb; --ink: #1d2024; --muted: #626872; --line: #e3e0da; --link: #1f52b5;
  --pass: #0b7457; --pass-back: #def2e9; --fail: #b3261a; --fail-back: #fce6e1; --unknown: #855800; --unknown-back: #fbeed0; --not-run: #5c626b; --not-run-back: #e9e8e6;
  --pod: #2f6bcb; --pod-soft: #a9c6f2; --claim: #9a6a12; --claim-soft: #e6cf9f; --node: #0f8186; --node-soft: #9fd7d6; --instance: #7446bf; --instance-soft: #cdbbec; --target: #4d5663; --target-soft: #b9bfc8; --ending: #c9c6c0; --waiting: #8d939d; --tick: #828a96;
  --band: 0.1; --shadow: 0 1px 2px rgb(30 25 15 / 6%), 0 6px 24px rgb(30 25 15 / 5%);
  --sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #121316; --surface: #1a1c20; --sunken: #22252a; --ink: #e9e6e0; --muted: #a0a5ae; --line: #31343b; --link: #8db4ff;
    --pass: #56d3a5; --pass-back: #12372b; --fail: #ff8f7c; --fail-back: #48211b; --unknown: #efc063; --unknown-back: #3d2f12; --not-run: #a7acb5; --not-run-back: #2b2e34;
    --pod: #6b9ff0; --pod-soft: #33507f; --claim: #d0a24c; --claim-soft: #5c4618; --node: #41b5b3; --node-soft: #1f5a5a; --instance: #ad87ee; --instance-soft: #4c3a75; --target: #a5aebb; --target-soft: #4a515c; --ending: #4b4d52; --waiting: #878e99; --tick: #848c99;
    --band: 0.17; --shadow: 0 1px 2px rgb(0 0 0 / 40%);
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 16px; } html:has(.finder:not([hidden])) { scroll-padding-top: 64px; } [hidden] { display: none !important; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.55 var(--sans); -webkit-text-size-adjust: 100%; }
main { max-width: 1280px; margin: 0 auto; padding: 40px 32px 96px; }
h1, h2, h3, h4, h5 { line-height: 1.25; margin: 0; font-weight: 650; letter-spacing: -0.01em; }
main > section > h2 { font-size: 20px; margin: 48px 0 16px; }
h3, h4 { font-size: 15px; margin: 28px 0 10px; }
h5 { font-size: 14px; margin: 24px 0 8px; }
p { margin: 0 0 8px; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
code { font: 0.88em/1.5 var(--mono); overflow-wrap: anywhere; }
small { font-size: 12px; font-weight: 400; color: var(--muted); }
.muted { color: var(--muted); }
.bad { color: var(--fail); font-weight: 600; } td.bad::before, dd.bad::before, .tile.bad h2::before { content: "✗ "; color: var(--fail); }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 16px; top: 16px; background: var(--surface); padding: 8px 14px; border-radius: 6px; z-index: 4; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
.definitions { position: absolute; }

.badge { display: inline-flex; align-items: center; gap: 5px; padding: 1px 9px 1px 7px; border-radius: 99px; font-size: 12.5px; font-weight: 650; line-height: 1.6; white-space: nowrap; letter-spacing: 0; }
.badge.pass { color: var(--pass); background: var(--pass-back); }
.badge.fail { color: var(--fail); background: var(--fail-back); }
.badge.unknown { color: var(--unknown); background: var(--unknown-back); }
.badge.not-run { color: var(--not-run); background: var(--not-run-back); }
.chip { display: inline-block; padding: 0 8px; margin: 0 4px 4px 0; border-radius: 4px; background: var(--sunken); color: var(--muted); font-size: 12.5px; }
.chip.warn { background: var(--unknown-back); color: var(--unknown); }

.finder { position: sticky; top: 0; z-index: 3; background: var(--surface); border-bottom: 1px solid var(--line); box-shadow: var(--shadow); }
.finder-row { max-width: 1280px; margin: 0 auto; padding: 8px 32px; display: flex; gap: 8px 12px; align-items: center; } .finder-run { display: inline-flex; gap: 10px; align-items: center; min-width: 0; flex: 0 1 auto; font-weight: 600; font-size: 14px; } .finder-run > span:last-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.finder input[type="search"] { flex: 1 1 200px; min-width: 0; max-width: 360px; height: 32px; margin-left: auto; } .finder button { height: 32px; white-space: nowrap; } .finder [aria-pressed="true"] { background: var(--ink); color: var(--surface); border-color: var(--ink); }
.finder-steps { display: inline-flex; gap: 4px; align-items: center; font-size: 13px; font-variant-numeric: tabular-nums; white-space: nowrap; } .finder-steps [role="status"] { min-width: 52px; text-align: center; } .finder-shown { font-size: 13px; color: var(--muted); white-space: nowrap; } .finder-shown:empty { display: none; }

.top { border-top: 4px solid var(--not-run); background: var(--surface); border-radius: 4px 4px 12px 12px; box-shadow: var(--shadow); padding: 28px 32px 32px; }
.top.pass { border-color: var(--pass); } .top.fail { border-color: var(--fail); } .top.unknown { border-color: var(--unknown); }
.brand { font-size: 13px; color: var(--muted); margin-bottom: 18px; } .brand span { font-weight: 700; color: var(--ink); letter-spacing: -0.01em; }
h1 { font-size: 29px; display: flex; gap: 10px 16px; align-items: center; letter-spacing: -0.02em; }
h1 .badge { font-size: 17px; padding: 3px 15px 3px 12px; }
h1 .badge { flex: none; } h1 > span:last-child { min-width: 0; overflow-wrap: anywhere; } .context { color: var(--muted); margin: 12px 0 26px; max-width: 95ch; } .context strong { color: var(--ink); font-weight: 600; }
.tiles { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 1px; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
.tile { box-shadow: 0 0 0 1px var(--line); padding: 14px 16px 15px; display: flex; flex-direction: column; gap: 2px; }
.tile h2 { font-size: 12.5px; font-weight: 500; color: var(--muted); letter-spacing: 0; }
.tile strong { font-size: 23px; font-weight: 650; letter-spacing: -0.02em; font-variant-numeric: tabular-nums; line-height: 1.3; }
.tile strong small { font-size: 14px; letter-spacing: 0; }
.tile.wide { grid-column: span 2; } .tile .level b { font-size: 15px; color: var(--ink); }
.tile span { font-size: 12.5px; color: var(--muted); }
.tile.bad { color: inherit; font-weight: inherit; } .tile.bad strong { color: var(--fail); }
.share { border-radius: 4px; margin: 3px 0 4px; }
.segment.pass { fill: var(--pass); } .segment.fail { fill: var(--fail); } .segment.unknown { fill: var(--unknown); } .segment.not-run { fill: var(--ending); }

.problems ol { list-style: none; margin: 0; padding: 0; display: grid; gap: 10px; }
.problem { background: var(--surface); border-left: 4px solid var(--fail); border-radius: 4px 8px 8px 4px; box-shadow: var(--shadow); padding: 14px 20px 12px; }
.problem.unknown { border-color: var(--unknown); } .problem.not-run { border-color: var(--not-run); color: inherit; }
.problem p { margin: 0 0 4px; max-width: 110ch; overflow-wrap: anywhere; }
.problem-head { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: center; } .problem-head code { font-weight: 650; }
.problem .muted { font-size: 13px; } .problem ul { margin: 0; padding-left: 18px; columns: 2 420px; } .problem li { break-inside: avoid; }

.table-wrap { overflow-x: auto; background: var(--surface); border-radius: 8px; box-shadow: var(--shadow); padding: 6px 20px; }
table { border-collapse: collapse; width: 100%; }
table.data { font-size: 13.5px; }
th, td { text-align: left; vertical-align: top; padding: 7px 16px 7px 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
th:last-child, td:last-child { padding-right: 0; }
thead th { border-top: 0; color: var(--muted); font-weight: 500; font-size: 12.5px; vertical-align: bottom; }
tbody th { font-weight: 500; overflow-wrap: break-word; } .scenarios tbody th { min-width: 170px; }
.num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.whole { white-space: nowrap; }
tr.total th, tr.total td { font-weight: 650; }
.scenarios tbody th a { font-weight: 600; } .scenarios tbody th small { display: block; max-width: 46ch; }
.scenarios th, .scenarios td { padding-top: 10px; padding-bottom: 10px; }
.not-run { color: var(--muted); }
.requirements summary { cursor: pointer; padding: 8px 0; } .requirements .level { margin-right: 20px; } .requirements .level strong { font-weight: 600; margin-right: 4px; } .untested { font-size: 13.5px; color: var(--muted); padding: 2px 20px; } .untested dl { margin: 0; columns: 2 420px; } .untested dl > div { break-inside: avoid; padding-bottom: 8px; } .untested dt { color: var(--ink); } .untested dt::first-letter { text-transform: uppercase; } .untested dd { margin: 0; }
.requirements tbody th { white-space: nowrap; } .requirements tbody th small { display: block; } .requirements tr.group th { padding: 18px 0 6px; border-top: 0; font-weight: 650; } .requirements .group span { display: inline-block; text-transform: none; } .requirements .group span::first-letter { text-transform: uppercase; } .requirements td:nth-child(2) { min-width: 220px; max-width: 62ch; } .requirements td:last-child { min-width: 200px; } .requirements tr:target { background: var(--sunken); }
.requirements ul { list-style: none; margin: 0; padding: 0; } .mark { position: relative; font-weight: 650; } .mark.pass { color: var(--pass); } .mark.fail { color: var(--fail); } .mark.unknown { color: var(--unknown); }
.gauge { white-space: nowrap; font-variant-numeric: tabular-nums; } .gauge svg { margin-right: 6px; width: 120px; height: 8px; } .gauge rect { height: 8px; rx: 4px; }
.gauge-back { width: 100%; fill: var(--sunken); } .gauge-fill { fill: var(--target); } .gauge-over { fill: var(--fail); }

.scenario { background: var(--surface); border-radius: 8px; box-shadow: var(--shadow); margin-top: 14px; }
main > .profile > h2 { margin-bottom: 2px; text-transform: capitalize; } .profile > p { color: var(--muted); }
.gaps { margin: 18px 0 0; padding: 14px 18px; border-radius: 8px; background: var(--unknown-back); } .gaps h2 { font-size: 15px; margin: 0 0 8px; } .gaps ul { margin: 0 0 8px; padding-left: 20px; overflow-wrap: anywhere; } .gaps p { margin: 0; font-size: 14px; }
.profiles { list-style: none; margin: 18px 0 0; padding: 0; display: grid; gap: 6px; } .profiles li { display: flex; flex-wrap: wrap; gap: 2px 12px; align-items: center; font-size: 14px; } .profiles .badge { min-width: 92px; justify-content: center; } .profiles strong { min-width: 92px; }
.unrequested { margin: 8px 0 0; font-size: 14px; } .unrequested::first-letter { text-transform: uppercase; }
.profiles strong { text-transform: capitalize; font-weight: 600; } .scenarios tr.group th { padding: 18px 0 6px; border-top: 0; font-weight: 650; } .group span { text-transform: capitalize; } .group small { margin-left: 8px; display: inline !important; }
.scenario > summary { cursor: pointer; padding: 14px 24px; list-style: none; display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); grid-template-rows: 1fr auto auto 1fr; gap: 2px 32px; border-radius: 8px; } .scenario > summary > h3 { grid-row: 2; } .scenario-id { grid-row: 3; overflow-wrap: anywhere; }
.picture { grid-column: 2; grid-row: 1 / -1; align-self: center; } .scenario[open] > summary { grid-template-columns: minmax(0, 1fr); } .scenario[open] > summary .picture { grid-column: 1; grid-row: 5; margin-top: 8px; }
.picture svg, .points svg { display: block; } .points .in-time { stroke: var(--pod); stroke-width: 5; stroke-linecap: round; stroke-opacity: 0.7; fill: none; vector-effect: non-scaling-stroke; } i.in-time { border-radius: 50%; } .picture text, .points text { font: 11px var(--sans); fill: var(--ink); paint-order: stroke; stroke: var(--surface); stroke-width: 3px; } .picture text:not([text-anchor]), .points text:not([text-anchor]) { transform: translateX(3px); } .picture .pending { fill: var(--pod-soft); } .picture .fault, .points .fault { stroke-width: 1; } .picture .fault rect, .points .fault rect { stroke: none; } .picture .fault path, .points .fault path { vector-effect: non-scaling-stroke; } path.nodes { fill: none; stroke: var(--node); stroke-width: 2; vector-effect: non-scaling-stroke; }
.picture-key { display: flex; flex-wrap: wrap; gap: 0 14px; font-size: 12px; color: var(--muted); margin-top: 2px; } .picture-key > span { display: inline-flex; align-items: center; gap: 5px; } .picture-key > :last-child { margin-left: auto; } .picture-key i { width: 14px; height: 10px; background: var(--pod-soft); } .picture-key .in-time { width: 8px; height: 8px; background: var(--pod); } .picture-key .nodes { height: 2px; background: var(--node); } .picture-key .break { background: repeating-linear-gradient(45deg, var(--ending) 0 1.5px, transparent 1.5px 5px); }
.scenario > summary::-webkit-details-marker { display: none; }
.scenario > summary h3 { margin: 0; font-size: 17px; display: flex; gap: 6px 12px; align-items: baseline; }
.scenario > summary h3::before { content: "▸"; color: var(--muted); font-size: 13px; width: 9px; }
.scenario[open] > summary h3::before { content: "▾"; }
.scenario-title::first-letter { text-transform: uppercase; }
.scenario-id { font: 13px var(--mono); color: var(--muted); }
.scenario-body { padding: 0 24px 28px; border-top: 1px solid var(--line); }
.facts { margin: 16px 0 0; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 48px; } .columns h4 { margin-top: 16px; }
.numbers { margin: 0; font-size: 13.5px; } .numbers > div { display: flex; justify-content: space-between; gap: 24px; border-top: 1px solid var(--line); padding: 7px 0; }
.numbers > div:first-child { border-top: 0; } .numbers dt { color: var(--muted); } .numbers dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; }
.numbers.wide { background: var(--surface); border-radius: 8px; box-shadow: var(--shadow); padding: 8px 24px; } .numbers.wide > div { justify-content: flex-start; } .numbers.wide dt { flex: 0 0 190px; } .numbers.wide dd { text-align: left; min-width: 0; }

.trial { margin-top: 36px; padding-top: 24px; border-top: 2px solid var(--line); }
.trial-head { display: flex; align-items: center; gap: 12px; margin-bottom: 12px; } .trial-head h4 { margin: 0; font-size: 18px; white-space: nowrap; }
.replay { display: flex; align-items: center; gap: 8px; background: var(--sunken); border-radius: 6px; padding: 6px 8px 6px 14px; } .replay code { flex: 1; }
button { font: 500 13px var(--sans); color: var(--ink); background: var(--surface); border: 1px solid var(--line); border-radius: 5px; padding: 3px 11px; cursor: pointer; } button:hover { border-color: var(--muted); }
.story { display: grid; grid-template-columns: repeat(auto-fit, minmax(252px, 1fr)); gap: 24px 36px; margin: 22px 0 8px; }
.story dt { font-weight: 650; margin-bottom: 4px; } .conduct { margin: 0 0 8px; padding-left: 18px; font-size: 14px; max-width: 120ch; overflow-wrap: anywhere; } .conduct li { margin-bottom: 4px; } .conduct time { color: var(--muted); font-variant-numeric: tabular-nums; }
.story time { color: var(--muted); font-variant-numeric: tabular-nums; margin-right: 5px; } .story dd { margin: 0 0 7px; font-size: 14px; overflow-wrap: anywhere; }
.finding { border: 1px solid var(--line); border-left: 4px solid var(--fail); border-radius: 4px 8px 8px 4px; padding: 12px 18px 10px; margin-top: 14px; }
.finding h5 { margin: 0 0 6px; display: flex; flex-wrap: wrap; align-items: center; gap: 4px 8px; font-weight: 650; } .finding h5 .muted { font-weight: 400; }
.number { background: var(--fail); color: var(--surface); border-radius: 99px; min-width: 19px; height: 19px; line-height: 19px; text-align: center; font-size: 12px; padding: 0 5px; }
.times { font-weight: 500; font-size: 13px; background: var(--fail-back); color: var(--fail); border-radius: 99px; padding: 0 9px; }
.message { max-width: 110ch; overflow-wrap: anywhere; margin: 0 0 4px; }
details details > summary, .finding summary { cursor: pointer; font-size: 13.5px; color: var(--muted); padding: 4px 0; } .trial > details { margin-top: 10px; }
.events { font-size: 13px; margin: 4px 0 10px; } .events th, .events td { padding: 4px 14px 4px 0; } .events td:first-child { width: 100px; white-space: nowrap; font-variant-numeric: tabular-nums; } .events td:nth-child(3) { width: 30%; } .events td:last-child { width: 60px; }
.events tr.bad { color: var(--fail); font-weight: 400; } .events tr.unsure { color: var(--unknown); } .events tr.fault td:nth-child(2)::before { content: "⚡ "; } .events tr.bad td:nth-child(2)::before { content: "✗ "; } .events tr.unsure td:nth-child(2)::before { content: "? "; }
.moment { font-variant-numeric: tabular-nums; padding: 0 7px; border-color: transparent; background: var(--sunken); color: inherit; }
.objects, .trials { margin: 6px 0; padding-left: 18px; font-size: 13px; } .trials { list-style: none; padding: 0; } .trials li { padding: 4px 0; }

.timeline-tools { display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: center; justify-content: flex-end; margin: 4px 0 8px; font-size: 13px; color: var(--muted); }
.stretchers { display: inline-flex; gap: 4px; } select, input[type="search"] { font: 13px var(--sans); color: var(--ink); background: var(--surface); border: 1px solid var(--line); border-radius: 5px; padding: 3px 7px; max-width: 100%; } select { width: 230px; } input[type="search"] { width: 240px; } ::placeholder { color: var(--muted); opacity: 1; }
.away { display: none; } .labels .row[data-object] { cursor: pointer; } .labels .row[data-object]:hover text { text-decoration: underline; }
.readout { min-height: 19px; margin: 3px 0 0; font-size: 12px; line-height: 19px; color: var(--muted); overflow-wrap: anywhere; }
.followed { background: var(--sunken); border-radius: 8px; padding: 12px 18px; margin: 4px 0 8px; } .followed h5 { margin: 0 0 6px; overflow-wrap: anywhere; } .followed ol { list-style: none; margin: 0; padding: 0; font-size: 13px; } .followed li { padding: 2px 0; overflow-wrap: anywhere; } .followed .gap { display: inline-block; width: 66px; text-align: right; margin-right: 8px; font-variant-numeric: tabular-nums; } .followed .moment { background: var(--surface); }
.state { background: var(--sunken); border-radius: 8px; padding: 12px 18px; margin: 4px 0 8px; font-size: 13px; } .state h5 { margin: 0 0 6px; font-variant-numeric: tabular-nums; } .state dl { margin: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(220px, 1fr)); gap: 8px 24px; } .state dt { color: var(--muted); } .state dd { margin: 0; overflow-wrap: anywhere; } .state b { font-weight: 600; } input[type="range"] { width: 200px; vertical-align: middle; accent-color: var(--link); }
tr.linked td { background: var(--unknown-back); }
.latency-chart { display: grid; grid-template-columns: 150px minmax(0, 1fr); margin: 10px 0 0; } .latency-chart p { grid-column: 1 / -1; font-size: 12.5px; margin: 4px 0 0; } .latency-chart text { font-size: 11.5px; fill: var(--ink); text-anchor: end; font-family: var(--sans); } .latency-chart svg { display: block; } .waits { background: var(--sunken); border-radius: 4px; } .wait rect { fill: var(--pod-soft); } .wait line { stroke: var(--pod-soft); } .wait.whole rect { fill: var(--pod); } .wait.whole line { stroke: var(--pod); } .wait .p95 { stroke: var(--ink); stroke-width: 1.5; } .limit line { stroke: var(--ink); stroke-width: 2; stroke-dasharray: 5 3; } .limit.broken line { stroke: var(--fail); stroke-width: 3; }
.timeline { display: flex; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; background: var(--surface); }
.labels { flex: none; border-right: 1px solid var(--line); background: var(--surface); }
.scroller { flex: 1; min-width: 0; overflow-x: auto; overflow-y: hidden; } .scroller:focus-visible { outline-offset: -2px; }
.plot, .labels { display: block; } .plot { overflow: hidden; }
.timeline text, .legend { font-family: var(--sans); }
.lane-labels { font-size: 11.5px; fill: var(--ink); text-anchor: end; } .lane-labels .nested { fill: var(--muted); font-size: 11px; } .lane-labels .muted { fill: var(--muted); } .lane-labels .flagged { fill: var(--fail); font-weight: 650; }
.group-label { font-size: 12px; font-weight: 650; fill: var(--ink); text-anchor: start; }
.group-line { stroke: var(--line); } .grid rect { fill: var(--line); y: 20px; width: 1px; height: 100%; } .grid.fine rect { opacity: 0.5; } .grid text { font-size: 11px; fill: var(--muted); font-variant-numeric: tabular-nums; }
.lane > rect, .legend rect { rx: 1.5px; y: 3px; height: 12px; } .lane.nested > rect { y: 4px; height: 7px; } .lane > .flagged-row { y: 0; rx: 0; height: 18px; } .lane.nested > .flagged-row { y: 0; height: 15px; }
.fine { display: none; } .stretched .fine { display: inline; }
.phase { fill: var(--sunken); } .phase-1 { fill: var(--line); } .phase-name { font-size: 11px; fill: var(--muted); } .phase-line { stroke: var(--muted); stroke-dasharray: 3 3; opacity: 0.55; }
.band { opacity: var(--band); } .band-edge { opacity: 0.5; } .band-head { opacity: 0.9; } .idle .band { opacity: 0.04; } .idle .band-head { opacity: 0.4; } .idle .band-edge { opacity: 0.2; } .fired-line { opacity: 0.55; stroke-dasharray: 2 2; } .mark-fired { fill: #ffffff; stroke: #1d2024; stroke-width: 0.7; }
.pod-waiting { fill: url(#hatch-waiting); stroke: var(--waiting); stroke-width: 0.75; } .pod-bound { fill: var(--pod-soft); } .pod-running { fill: var(--pod); }
.node-joining { fill: var(--node-soft); } .node-ready { fill: var(--node); } .node-lost { fill: url(#hatch-lost); stroke: var(--fail); }
.claim-waiting { fill: var(--claim-soft); } .claim-live { fill: var(--claim); } .chart-back { fill: var(--sunken); } .chart-ok { fill: var(--tick); } .chart-throttled { fill: var(--unknown); } .chart-failed { fill: var(--fail); } .chart-count { fill: var(--instance); } .chart-cost { fill: var(--claim); } .chart-use { fill: var(--node); } .top-value { font-size: 9.5px; fill: var(--muted); }
.instance-pending { fill: var(--instance-soft); } .instance-running { fill: var(--instance); } .target-starting { fill: var(--target-soft); } .target-up { fill: var(--target); } .ending { fill: var(--ending); }
.hatch-back { fill: var(--surface); } .hatch-waiting { fill: var(--waiting); opacity: 0.45; } .hatch-lost { fill: var(--fail); opacity: 0.6; }
.bar-name { font-size: 10.5px; font-weight: 600; fill: var(--surface); }
.tick { fill: var(--tick); } .tick.partial { fill: var(--unknown); } .tick.fail, .tick.killed { stroke: var(--fail); stroke-width: 2; fill: none; } .tick.info { stroke: var(--unknown); stroke-width: 2; fill: var(--surface); } .tick.panic { fill: var(--fail); stroke: var(--surface); }
.flag rect { fill: var(--fail); } .flag text { fill: var(--surface); font-size: 11.5px; font-weight: 650; } .flag-line { stroke: var(--fail); stroke-width: 1.2; stroke-dasharray: 4 3; } .flagged-row { fill: var(--fail); opacity: 0.09; }
.break text { font-size: 11px; fill: var(--muted); font-style: italic; } .break-back { fill: var(--surface); opacity: 0.72; } .hatch-break { fill: var(--ending); }
.cursor { pointer-events: none; } .cursor line { stroke: var(--ink); stroke-width: 1; opacity: 0.7; } .cursor text { font-size: 11px; font-weight: 650; fill: var(--ink); paint-order: stroke; stroke: var(--surface); stroke-width: 4px; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; font-size: 12px; color: var(--muted); margin: 8px 0 4px; } .legend span { display: inline-flex; align-items: center; gap: 5px; } .legend svg { width: 22px; height: 18px; } .legend rect { x: 1px; width: 20px; }
.foot { margin-top: 32px; display: flex; gap: 16px; align-items: center; }

@media (max-width: 820px) {
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .finder-row { padding: 6px 12px; gap: 6px; flex-wrap: wrap; } .finder-run, .wide-only { display: none; } .finder input[type="search"] { flex-basis: 80px; max-width: none; } .finder button { padding: 3px 9px; } .finder-steps { gap: 2px; } .finder-steps [role="status"] { min-width: 40px; } .finder-shown { flex-basis: 100%; }
  main { padding: 16px 12px 48px; } .top { padding: 20px 18px; } h1 { font-size: 23px; } .columns { grid-template-columns: minmax(0, 1fr); } .scenario > summary, .scenario-body { padding-left: 16px; padding-right: 16px; } .scenario > summary { grid-template-columns: minmax(0, 1fr); } .scenario > summary .picture { grid-column: 1; grid-row: 5; margin-top: 8px; }
  .labels { width: 132px; } .lane-labels { transform: translateX(122px); } .lane-labels .group-label { transform: translateX(100px); } .scroller .plot { min-width: 560px; }
  table.data { display: block; overflow-x: auto; } .table-wrap[tabindex] table.data { display: table; overflow: visible; } .data th, .data td { overflow-wrap: break-word; } .picture-key > :last-child { margin-left: 0; } .events td:nth-child(3), .events th:nth-child(3) { display: none; } .numbers.wide > div { flex-direction: column; gap: 2px; } .numbers.wide dt { flex: none; }
}
@media (max-width: 480px) { h1, .scenario > summary h3 { flex-wrap: wrap; } .table-wrap { padding: 6px 12px; } .data th, .data td { padding-right: 10px; } .requirements td:nth-child(2) { min-width: 130px; } .scenarios tbody th { min-width: 150px; } }
@media print {
  :root { --page: #ffffff; --shadow: none; color-scheme: light; }
  body { font-size: 12px; } main { max-width: none; padding: 0; }
  .top, .problem, .scenario, .numbers.wide, .table-wrap { box-shadow: none; } .scenario, .problem, .top { border-right: 1px solid var(--line); border-bottom: 1px solid var(--line); }
  button, .skip, .finder, .timeline-tools, .readout, .state { display: none; } .moment { display: inline; border: 0; padding: 0; background: none; }
  .problem, .finding > p, .timeline, .tiles, tr { break-inside: avoid; } h2, h3, h4, h5, summary { break-after: avoid; }
  .scroller { overflow: hidden; } .plot { width: 100% !important; } .scenario:not([open]) .picture { display: none; }
  .num { white-space: normal; } th, td { padding-right: 10px; } table.data { font-size: 11px; } .table-wrap { padding: 4px 0; overflow: visible; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
