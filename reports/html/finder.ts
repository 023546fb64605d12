import { formatCount } from '../format.ts';
import type { RunReport } from '../run-report.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { badge } from './parts.ts';

/**
 * The head that stays in view: search, a filter for what did not pass, and steps from one failure to the next. It does nothing without
 * the page's script, which shows it.
 */
export function renderFinder({ run, verdict, scenarios }: RunReport): Markup {
  const bad = scenarios.filter((scenario) => scenario.verdict !== 'pass');
  const [word, ofBad] = bad.some((scenario) => scenario.verdict === 'unknown')
    ? ['Not passed', 'scenario that did not pass']
    : ['Failed', 'failed scenario'];
  return html`<div class="finder" role="search" aria-label="Scenarios" hidden>
    <div class="finder-row">
      <span class="finder-run">${badge(verdict)} <span>${run.target.name}</span></span>
      <input
        type="search"
        placeholder="Search (/)"
        aria-label="Search scenarios by name, title, requirement or suite"
        aria-keyshortcuts="/"
      />
      ${
        bad.length > 0 &&
        html`<button type="button" data-only aria-pressed="false">${word}<span class="wide-only"> only</span></button>
          <span class="finder-steps">
            <button type="button" data-step="-1" aria-keyshortcuts="p" title="Previous ${ofBad} (p)" aria-label="Previous ${ofBad}">
              ↑
            </button>
            <span role="status">– of ${bad.length}</span>
            <button type="button" data-step="1" aria-keyshortcuts="n" title="Next ${ofBad} (n)" aria-label="Next ${ofBad}">↓</button>
          </span>`
      }
      <span class="finder-shown" role="status" data-all="${formatCount(scenarios.length, 'scenario')}"></span>
    </div>
  </div>`;
}

/** What the search finds a scenario by, besides its id and title. */
export function findableBy({
  suite,
  profile,
  requirements,
}: Pick<RunReport['scenarios'][number], 'suite' | 'profile' | 'requirements'>): string {
  return [suite, profile, ...requirements].join(' ');
}

/** The part of the page's script for the finder. Uses `all`. */
export const FINDER_SCRIPT = `
const finder = document.querySelector('.finder');
const field = finder.querySelector('input');
const onlyBad = finder.querySelector('[data-only]');
// A scenario has a row in the table and a section; one that was not run has only the row.
const rows = new Map(all('.scenarios tbody tr:not(.group)').map((row) => [row.querySelector('a[href]')?.hash.slice(1) ?? row, row]));
const findable = [
  ...all('.scenario').map((section) => ({
    section,
    parts: [section, rows.get(section.id)],
    isBad: section.dataset.verdict !== 'pass',
    text: [...all('.scenario-title, .scenario-id', section.firstElementChild).map((part) => part.textContent), section.dataset.find].join(' ').toLowerCase(),
  })),
  ...all('.scenarios tr.not-run').map((row) => ({ section: null, parts: [row], isBad: false, text: row.textContent.toLowerCase() })),
];
let current = null;

function filterScenarios() {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const isOnlyBad = onlyBad?.getAttribute('aria-pressed') === 'true';
  for (const { parts, isBad, text } of findable)
    for (const part of parts) part.hidden = (isOnlyBad && !isBad) || !words.every((word) => text.includes(word));
  for (const group of all('.scenarios tbody')) group.hidden = all('tr:not(.group)', group).every((row) => row.hidden);
  for (const profile of all('section.profile')) profile.hidden = all('.scenario', profile).every((section) => section.hidden);
  const shown = findable.filter(({ section }) => section !== null && !section.hidden);
  const status = finder.querySelector('.finder-shown');
  status.textContent = words.length > 0 || isOnlyBad ? (shown.length === 0 ? 'none' : shown.length) + ' of ' + status.dataset.all : '';
  current = shown.some(({ section }) => section === current) ? current : null;
  tellStep();
  const isSeen = ({ top, bottom, height }) => height > 0 && bottom > finder.offsetHeight && top < innerHeight;
  if (!findable.some(({ parts }) => parts.some((part) => isSeen(part.getBoundingClientRect()))))
    document.getElementById('scenarios').scrollIntoView();
}

function showAllScenarios() {
  field.value = '';
  onlyBad?.setAttribute('aria-pressed', 'false');
  filterScenarios();
}

const badShown = () => findable.filter(({ section, isBad }) => isBad && !section.hidden).map(({ section }) => section);

function tellStep() {
  const status = finder.querySelector('.finder-steps [role=status]');
  if (status === null) return;
  const bad = badShown();
  status.textContent = (current === null ? '–' : bad.indexOf(current) + 1) + ' of ' + bad.length;
}

// From the current one while it is in view, else from where the reader scrolled to. After the last comes the first.
function step(by) {
  const bad = badShown();
  if (bad.length === 0) return null;
  const isInView = (section) => section.getBoundingClientRect().top < innerHeight && section.getBoundingClientRect().bottom > finder.offsetHeight;
  const below = bad.findIndex((section) => section.getBoundingClientRect().top > finder.offsetHeight);
  const next = below === -1 ? bad.length : below;
  const at = current !== null && isInView(current) ? bad.indexOf(current) + by : by > 0 ? next : next - 1;
  current = bad[(at + bad.length) % bad.length];
  showScenario(current);
  tellStep();
  return current;
}

function showScenario(section) {
  section.open = true;
  section.scrollIntoView();
}

field.addEventListener('input', filterScenarios);
field.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    showAllScenarios();
    field.blur();
  }
  const first = findable.find(({ section }) => section !== null && !section.hidden);
  if (event.key !== 'Enter' || first === undefined) return;
  // The key must not close the scenario that gets the focus.
  event.preventDefault();
  showScenario(first.section);
  first.section.firstElementChild.focus({ preventScroll: true });
});
onlyBad?.addEventListener('click', () => {
  onlyBad.setAttribute('aria-pressed', String(onlyBad.getAttribute('aria-pressed') !== 'true'));
  filterScenarios();
});
for (const button of all('[data-step]', finder)) button.addEventListener('click', () => step(Number(button.dataset.step)));
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, select, textarea') !== null) return;
  if (event.key === '/') {
    event.preventDefault();
    field.focus();
    field.select();
  }
  const by = { n: 1, p: -1 }[event.key];
  if (by !== undefined) step(by)?.firstElementChild.focus({ preventScroll: true });
});
finder.hidden = false;
`;
