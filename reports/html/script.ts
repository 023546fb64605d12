import { FINDER_SCRIPT } from './finder.ts';
import { TIME_TRAVEL_SCRIPT } from './time-travel.ts';

/**
 * The script of the page; without it, problems can still be read. Runs in a browser: unpacks what is packed when it is opened, and
 * what is open from the start when the browser is idle; filters scenarios, steps through failures, stretches timelines, shows the time under the pointer, copies replay lines, opens the section that a
 * link points into, and opens everything for printing.
 */
export const PAGE_SCRIPT = `
'use strict';
const MAX_STRETCH = 32;
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

function formatMoment(ms) {
  const whole = Math.floor(ms / 1000);
  const pad = (value, digits) => String(value).padStart(digits, '0');
  const rest = pad(whole % 60, 2) + '.' + pad(Math.floor(ms % 1000), 3);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  return hours === 0 ? minutes + ':' + rest : hours + ':' + pad(minutes, 2) + ':' + rest;
}

function stretch(timeline, factor, centre) {
  const scroller = timeline.querySelector('.scroller');
  const plot = timeline.querySelector('.plot');
  const before = Number(timeline.dataset.stretch ?? 1);
  const after = factor === 0 ? 1 : Math.min(MAX_STRETCH, Math.max(1, before * factor));
  const at = centre ?? (scroller.scrollLeft + scroller.clientWidth / 2) / plot.clientWidth;
  timeline.dataset.stretch = String(after);
  timeline.classList.toggle('stretched', after >= 4);
  plot.style.width = after * 100 + '%';
  scroller.scrollLeft = at * plot.clientWidth - scroller.clientWidth / 2;
}

// The scale is linear between knots of [milliseconds, part].
function interpolate(knots, value, from, to) {
  const after = Math.max(1, knots.findIndex((knot) => knot[from] >= value));
  const [low, high] = [knots[after - 1], knots[after]];
  return low[to] + ((value - low[from]) / (high[from] - low[from])) * (high[to] - low[to]);
}
const scaleOf = (timeline) => JSON.parse(timeline.dataset.scale);
const partOf = (timeline, ms) => interpolate(scaleOf(timeline), ms, 0, 1);
const momentAt = (timeline, part) => interpolate(scaleOf(timeline), Math.min(1, Math.max(0, part)), 1, 0);

function showMoment(timeline, ms) {
  const cursor = timeline.querySelector('.cursor');
  const plot = timeline.querySelector('.plot');
  const x = partOf(timeline, ms) * plot.clientWidth;
  const line = cursor.querySelector('line');
  const text = cursor.querySelector('text');
  line.setAttribute('x1', x);
  line.setAttribute('x2', x);
  const isRight = x > plot.clientWidth - 80;
  text.setAttribute('x', isRight ? x - 4 : x + 4);
  text.setAttribute('text-anchor', isRight ? 'end' : 'start');
  text.textContent = formatMoment(ms);
  cursor.setAttribute('visibility', 'visible');
}

// Labels and plot have the same rows in the same order: rows after a hidden one move up.
function show(timeline, isShown) {
  const [top, ...heights] = JSON.parse(timeline.dataset.rows);
  const labels = all('.labels .row', timeline);
  const lanes = all('.plot .row', timeline);
  const isGroup = (row) => row.classList.contains('group');
  const shown = labels.map((row) => !isGroup(row) && isShown(row));
  labels.forEach((row, index) => {
    if (!isGroup(row)) return;
    const next = labels.findIndex((other, at) => at > index && isGroup(other));
    shown[index] = shown.slice(index + 1, next === -1 ? undefined : next).some(Boolean);
  });
  let y = top;
  labels.forEach((row, index) => {
    for (const part of [row, lanes[index]]) {
      part.classList.toggle('away', !shown[index]);
      part.setAttribute('transform', 'translate(0 ' + y + ')');
    }
    if (shown[index]) y += heights[index];
  });
  for (const part of all('.labels, .plot', timeline)) part.setAttribute('height', y + 8);
}

function showFiltered(timeline, text) {
  const wanted = text.trim().toLowerCase();
  show(timeline, (row) => wanted === '' || row.textContent.toLowerCase().includes(wanted));
}

// A pod, its node, its claim, its instance and the request that launched it share the instance.
function follow(timeline, object) {
  const panel = document.getElementById(timeline.id + '-followed');
  const rows = all('.labels .row[data-object]', timeline);
  const chosen = rows.find((row) => row.dataset.object === object);
  if (panel === null) return;
  panel.hidden = chosen === undefined;
  panel.replaceChildren();
  if (chosen === undefined) return void showFiltered(timeline, '');
  const { instance } = chosen.dataset;
  const isPod = (row) => row.dataset.object.startsWith('pods/');
  const related = rows.filter((row) => row === chosen || (instance !== undefined && row.dataset.instance === instance && !(isPod(chosen) && isPod(row))));
  show(timeline, (row) => row.dataset.object === undefined || related.includes(row));
  const steps = related
    .flatMap((row) => JSON.parse(row.dataset.steps).map(([ms, index, text]) => ({ ms, index, text, object: row.dataset.object })))
    .sort((a, b) => a.index - b.index);
  const title = document.createElement('h5');
  title.textContent = 'The path of ' + object;
  const list = document.createElement('ol');
  let last;
  for (const { ms, index, text, object: about } of steps) {
    const item = document.createElement('li');
    const moment = document.createElement('button');
    moment.className = 'moment';
    moment.dataset.moment = String(ms);
    moment.textContent = formatMoment(ms);
    const gap = document.createElement('span');
    gap.className = 'muted gap';
    gap.textContent = last === undefined ? '' : '+' + ((ms - last) / 1000).toFixed(1) + ' s';
    last = ms;
    const name = document.createElement('code');
    name.textContent = about;
    const link = document.createElement('a');
    link.href = '#' + panel.dataset.trial + '-event-' + index;
    link.textContent = 'event ' + index;
    item.append(moment, gap, ' ' + text + ' ', name, ' ', link);
    list.append(item);
  }
  panel.append(title, list);
}

${TIME_TRAVEL_SCRIPT}
const TOOLS =
  '<label class="tool" hidden>Follow <select data-follow aria-label="Follow an object from its request to its end"><option value="">everything</option></select></label>' +
  '<label class="tool">Filter <input type="search" data-filter placeholder="pod, node, instance, operation" aria-label="Show only lanes whose name has this"></label>' +
  '<label class="tool" hidden>Moment <input type="range" data-travel min="0" max="1000" value="0" aria-label="Show the state at a moment"></label>' +
  '<span class="stretchers"><button type="button" data-stretch="out" aria-label="Show more time">−</button><button type="button" data-stretch="in" aria-label="Show less time, larger">+</button><button type="button" data-stretch="fit">Fit</button></span>';

function prepareTools(tools, timeline) {
  tools.innerHTML = TOOLS;
  const chooser = tools.querySelector('[data-follow]');
  const rows = all('.labels .row[data-object]', timeline);
  if (rows.length > 0) {
    const groups = new Map();
    for (const { dataset } of rows) {
      const kind = dataset.object.split('/')[0];
      if (!groups.has(kind)) groups.set(kind, Object.assign(document.createElement('optgroup'), { label: kind }));
      groups.get(kind).append(new Option(dataset.object.slice(kind.length + 1), dataset.object));
    }
    for (const kind of ['pods', ...groups.keys()]) if (groups.has(kind)) chooser.append(groups.get(kind));
    chooser.parentElement.hidden = false;
    prepareTravel(tools.querySelector('[data-travel]'), timeline);
  }
  const field = tools.querySelector('[data-filter]');
  chooser.addEventListener('change', () => {
    field.value = '';
    follow(timeline, chooser.value);
  });
  field.addEventListener('input', () => {
    chooser.value = '';
    follow(timeline, '');
    showFiltered(timeline, field.value);
  });
  for (const row of rows) {
    row.addEventListener('click', () => {
      const isChosen = chooser.value === row.dataset.object;
      chooser.value = isChosen ? '' : row.dataset.object;
      field.value = '';
      follow(timeline, chooser.value);
    });
  }
}

function prepare(timeline) {
  const plot = timeline.querySelector('.plot');
  const readout = document.createElement('p');
  readout.className = 'readout';
  readout.setAttribute('aria-hidden', 'true');
  timeline.after(readout);
  plot.addEventListener('pointermove', (event) => {
    const box = plot.getBoundingClientRect();
    showMoment(timeline, momentAt(timeline, (event.clientX - box.left) / box.width));
    let at = event.target;
    while (at !== plot && at !== null && at.querySelector(':scope > title') === null) at = at.parentNode;
    const row = event.target.closest('.row');
    const label = row === null ? null : all('.labels .row', timeline)[all('.plot .row', timeline).indexOf(row)].querySelector('title');
    const title = at === plot || at === null ? label : at.querySelector(':scope > title');
    readout.textContent = title === null ? '' : title.textContent;
  });
  plot.addEventListener('pointerleave', () => {
    if (timeline.dataset.at === undefined) timeline.querySelector('.cursor').setAttribute('visibility', 'hidden');
    else showMoment(timeline, Number(timeline.dataset.at));
    readout.textContent = '';
  });
  timeline.querySelector('.scroller').addEventListener('keydown', (event) => {
    const factor = { '+': 2, '=': 2, '-': 0.5, '0': 0 }[event.key];
    if (factor === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    stretch(timeline, factor);
    event.preventDefault();
  });
  const tools = all('.timeline-tools').find(({ dataset }) => dataset.for === timeline.id);
  if (tools !== undefined) prepareTools(tools, timeline);
}
for (const timeline of all('.timeline')) prepare(timeline);

// What scrolls sideways in a narrow window must also do so with the keyboard.
const scrollers = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute('tabindex');
  }
});
const watchScrollers = (root) => all('table.data, .table-wrap', root).forEach((one) => scrollers.observe(one));
watchScrollers(document);

const unpacking = new Map();
// Packed content may have packed parts itself.
async function unpack(root) {
  for (let templates = all('template.packed', root); templates.length > 0; templates = all('template.packed', root))
    await Promise.all(templates.map(unpackTemplate));
}
function unpackTemplate(template) {
  if (!unpacking.has(template)) unpacking.set(template, unpackOnce(template));
  return unpacking.get(template);
}
async function unpackOnce(template) {
  const body = template.parentElement;
  const instead = template.nextElementSibling;
  const content = document.createElement('template');
  try {
    const bytes = Uint8Array.from(atob(template.content.textContent), (character) => character.charCodeAt(0));
    content.innerHTML = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).text();
  } catch (error) {
    instead.textContent = 'This browser could not unpack it (' + error.message + '): report.json has the same content.';
    template.remove();
    return;
  }
  const added = [...content.content.children];
  instead.remove();
  template.replaceWith(content.content);
  for (const timeline of added.flatMap((one) => all('.timeline', one))) prepare(timeline);
  watchScrollers(body);
  await Promise.all(seenPacks(body).map(unpackTemplate));
}
const turn = () => new Promise((resolve) => ('requestIdleCallback' in window ? requestIdleCallback : setTimeout)(resolve));
// Only what can be seen: with everything unpacked, the page of a whole suite has 200,000 elements, and is slow.
const seenPacks = (root) => all('template.packed', root).filter((template) => template.closest('details:not([open])') === null);
async function unpackSeen() {
  for (let [next] = seenPacks(); next !== undefined; [next] = seenPacks()) {
    await turn();
    await unpackTemplate(next);
  }
  document.body.dataset.complete = 'yes';
}
// These events don't bubble.
document.addEventListener('toggle', ({ target }) => seenPacks(target).forEach(unpackTemplate), true);

function openAround(element) {
  for (let at = element; at !== null; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
}

${FINDER_SCRIPT}
function linked() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}

// Similar events share the row of the first one; the event before also covers indexes without their own row.
function nearestEvent(id) {
  const parts = /^(.*-event-)(\\d+)$/.exec(id);
  if (parts === null) return null;
  const rows = all('tr[id^="' + CSS.escape(parts[1]).replaceAll('"', '') + '"]');
  const numberOf = (row) => Number(row.id.slice(parts[1].length));
  const before = rows.filter((row) => numberOf(row) <= Number(parts[2])).sort((a, b) => numberOf(b) - numberOf(a));
  return before[0] ?? rows[0] ?? null;
}

async function followLink() {
  const id = linked();
  // Ids of packed content start with that of their scenario.
  const scenario = document.getElementById(/^scenario-\\d+/.exec(id)?.[0] ?? '');
  if (scenario !== null) await unpack(scenario);
  const target = document.getElementById(id) ?? nearestEvent(id);
  // The user may have followed another link in the meantime.
  if (target === null || id !== linked()) return;
  if (findable.some(({ parts }) => parts.some((part) => part.hidden && part.contains(target)))) showAllScenarios();
  openAround(target);
  target.scrollIntoView({ block: target.tagName === 'TR' ? 'center' : 'start' });
  for (const row of all('tr.linked')) row.classList.remove('linked');
  if (target.tagName === 'TR') target.classList.add('linked');
  if (target.hasAttribute('tabindex')) target.focus({ preventScroll: true });
}
addEventListener('hashchange', followLink);
// What is unpacked above the target moves it: the page returns to it, unless the reader has done something.
let hasActed = false;
for (const type of ['wheel', 'pointerdown', 'keydown', 'touchstart'])
  addEventListener(type, () => (hasActed = true), { once: true, passive: true });
void followLink()
  .then(unpackSeen)
  .then(() => (hasActed || linked() === '' ? undefined : followLink()));

async function copy(button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = 'Copied';
  } catch {
    const range = document.createRange();
    range.selectNodeContents(button.parentElement.querySelector('code'));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    button.textContent = 'Selected';
  }
  setTimeout(() => (button.textContent = before), 1500);
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (button === null) {
    // A second click on the same link does not change the hash.
    const link = event.target.closest('a[href^="#"]');
    if (link !== null && link.getAttribute('href') === location.hash) void followLink();
    return;
  }
  if (button.dataset.copy !== undefined) void copy(button);
  const timeline = document.getElementById(button.closest('[data-for]')?.dataset.for ?? '');
  if (timeline === null) return;
  if (button.dataset.stretch !== undefined) stretch(timeline, { in: 2, out: 0.5, fit: 0 }[button.dataset.stretch]);
  if (button.dataset.moment !== undefined) {
    const ms = Number(button.dataset.moment);
    openAround(timeline);
    stretch(timeline, Number(timeline.dataset.stretch ?? 1) < 4 ? 4 : 1, partOf(timeline, ms));
    showMoment(timeline, ms);
    timeline.scrollIntoView({ block: 'nearest' });
  }
});

// Scenarios that passed and logs are printed as one line, unless the reader opened them: a full suite would take hundreds of pages.
const opened = new Set();
addEventListener('beforeprint', () => {
  for (const details of all('details:not([open]):not(.scenario):not(:has(> template.packed))')) {
    opened.add(details);
    details.open = true;
  }
});
addEventListener('afterprint', () => {
  for (const details of opened) details.open = false;
  opened.clear();
});
`;
