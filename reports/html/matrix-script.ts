/**
 * The script of a matrix's page; without it, everything is shown. Runs in a browser: folds the scenarios of requirements, filters rows by
 * what changed, what failed, and words.
 */
export const MATRIX_SCRIPT = `
'use strict';
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const filters = document.querySelector('.filters');
const field = filters.querySelector('input');
const buttons = all('[data-show]', filters);
const status = filters.querySelector('[role=status]');
// A group is a requirement with its scenarios; areas are headings over them.
const groups = all('.results tbody[data-group]').map((body) => ({
  body,
  head: body.querySelector('tr.requirement'),
  more: body.querySelector('.more'),
  scenarios: all('tr.sub', body),
}));
const isOpen = new Map(groups.map((group) => [group, group.body.dataset.open === 'true' || group.more === null]));
let shown = 'all';

function matches(row, words) {
  const text = row.querySelector('th').textContent.toLowerCase();
  return words.every((word) => text.includes(word));
}
const isWanted = (row) => shown === 'all' || row.classList.contains(shown);

function filterRows() {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const isFiltered = shown !== 'all' || words.length > 0;
  let count = 0;
  for (const group of groups) {
    const isHead = group.head !== null && matches(group.head, words);
    const own = group.scenarios.filter((row) => isWanted(row) && (isHead || matches(row, words)));
    const isShown = own.length > 0 || (isHead && isWanted(group.head));
    group.body.hidden = !isShown;
    for (const row of group.scenarios) row.hidden = !own.includes(row) || !(isFiltered || isOpen.get(group));
    if (group.more !== null) {
      group.more.hidden = isFiltered;
      group.more.setAttribute('aria-expanded', String(isOpen.get(group)));
    }
    if (isShown) count += 1;
  }
  for (const area of all('.results tbody[data-area]')) {
    let next = area.nextElementSibling;
    area.hidden = true;
    for (; next !== null && next.dataset.area === undefined; next = next.nextElementSibling) if (!next.hidden) area.hidden = false;
  }
  for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.show === shown));
  status.textContent = isFiltered ? (count === 0 ? 'none' : count) + ' of ' + groups.length : '';
}

for (const group of groups) group.more?.addEventListener('click', () => {
  isOpen.set(group, !isOpen.get(group));
  filterRows();
});
for (const button of buttons) button.addEventListener('click', () => {
  shown = button.dataset.show;
  filterRows();
});
field.addEventListener('input', filterRows);
field.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  field.value = '';
  filterRows();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input') !== null) return;
  event.preventDefault();
  field.focus();
});
// A link to a requirement must not lead to a hidden row.
addEventListener('hashchange', () => {
  const row = document.getElementById(location.hash.slice(1));
  if (row === null || row.closest('[hidden]') === null) return;
  shown = 'all';
  field.value = '';
  filterRows();
  row.scrollIntoView();
});
addEventListener('beforeprint', () => {
  for (const group of groups) isOpen.set(group, true);
  filterRows();
});
filters.hidden = false;
filterRows();
`;
