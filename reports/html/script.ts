/**
 * What the page does by itself; without it what went wrong can still be read. Runs in a browser: unpacks scenarios when
 * they are opened, and the others when it has nothing else to do; stretches timelines, shows the time under the pointer,
 * copies replay lines, opens what a link points into, opens everything for a printer.
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

function prepare(timeline) {
  const plot = timeline.querySelector('.plot');
  plot.addEventListener('pointermove', (event) => {
    const box = plot.getBoundingClientRect();
    showMoment(timeline, momentAt(timeline, (event.clientX - box.left) / box.width));
  });
  plot.addEventListener('pointerleave', () => timeline.querySelector('.cursor').setAttribute('visibility', 'hidden'));
  timeline.querySelector('.scroller').addEventListener('keydown', (event) => {
    const factor = { '+': 2, '=': 2, '-': 0.5, '0': 0 }[event.key];
    if (factor === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    stretch(timeline, factor);
    event.preventDefault();
  });
}
for (const timeline of all('.timeline')) prepare(timeline);

const unpacking = new Map();
function unpack(scenario) {
  if (!unpacking.has(scenario)) unpacking.set(scenario, unpackOnce(scenario));
  return unpacking.get(scenario);
}
async function unpackOnce(scenario) {
  const template = scenario.querySelector(':scope > .scenario-body > template.packed');
  if (template === null) return;
  const body = template.parentElement;
  try {
    const bytes = Uint8Array.from(atob(template.content.textContent), (character) => character.charCodeAt(0));
    body.innerHTML = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).text();
  } catch (error) {
    body.textContent = 'This browser could not unpack it (' + error.message + '): report.json has the same.';
  }
  for (const timeline of all('.timeline', body)) prepare(timeline);
}
const turn = () => new Promise((resolve) => ('requestIdleCallback' in window ? requestIdleCallback : setTimeout)(resolve));
async function unpackAll() {
  for (const scenario of all('.scenario')) {
    if (scenario.querySelector('template.packed') === null) continue;
    await turn();
    await unpack(scenario);
  }
  document.body.dataset.complete = 'yes';
}
for (const scenario of all('.scenario')) scenario.addEventListener('toggle', () => scenario.open && void unpack(scenario));

function openAround(element) {
  for (let at = element; at !== null; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
}

function linked() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}

async function followLink() {
  const id = linked();
  // What is packed has an id that begins with its scenario's.
  const scenario = document.getElementById(/^scenario-\\d+/.exec(id)?.[0] ?? '');
  if (scenario !== null) await unpack(scenario);
  const target = document.getElementById(id);
  // Another link may have been followed meanwhile.
  if (target === null || id !== linked()) return;
  openAround(target);
  // The page is long: to glide over it takes seconds.
  target.scrollIntoView({ behavior: 'instant' });
  if (target.hasAttribute('tabindex')) target.focus({ preventScroll: true });
}
addEventListener('hashchange', followLink);
void followLink().then(unpackAll);

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
    // A second click on the same link changes no hash.
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
    stretch(timeline, Number(timeline.dataset.stretch ?? 1) < 4 ? 4 : 1, partOf(timeline, ms));
    showMoment(timeline, ms);
    timeline.scrollIntoView({ block: 'nearest' });
  }
});

const opened = new Set();
addEventListener('beforeprint', () => {
  for (const details of all('details:not([open])')) {
    opened.add(details);
    details.open = true;
  }
});
addEventListener('afterprint', () => {
  for (const details of opened) details.open = false;
  opened.clear();
});
`;
