/**
 * The part of the page's script that shows the state at a moment of a timeline: what each object with a lane was then. Uses `all`,
 * `momentAt`, `showMoment` and `formatMoment`.
 */
export const TIME_TRAVEL_SCRIPT = `
const KINDS = { pods: 'Pods', nodeclaims: 'Claims', nodes: 'Nodes', instance: 'Instances' };
const STATE = /^(?:Pod|NodeClaim|Node|Instance) ([a-z-]+)/;
const OVER = new Set(['gone', 'terminated']);

// Each object with its states in order: other steps, such as requests and messages, don't change its state.
const statesOf = (timeline) =>
  all('.labels .row[data-object]', timeline).map(({ dataset }) => ({
    object: dataset.object,
    states: JSON.parse(dataset.steps).flatMap(([ms, , text]) => (STATE.test(text) ? [{ ms, state: STATE.exec(text)[1] }] : [])),
  }));

function stateAt(objects, ms) {
  const kinds = new Map(Object.keys(KINDS).map((kind) => [kind, new Map()]));
  for (const { object, states } of objects) {
    const last = states.findLast((one) => one.ms <= ms);
    const kind = kinds.get(object.split('/')[0]);
    if (last === undefined || kind === undefined || OVER.has(last.state)) continue;
    const name = object.split('/').slice(1).join('/').replace(/^default\\//, '');
    kind.set(last.state, [...(kind.get(last.state) ?? []), name]);
  }
  return kinds;
}

function element(name, content, ...parts) {
  const made = document.createElement(name);
  made.append(content, ...parts);
  return made;
}

function prepareTravel(slider, timeline) {
  let objects;
  const panel = document.createElement('div');
  panel.className = 'state';
  panel.setAttribute('role', 'region');
  panel.setAttribute('aria-label', 'State at a moment of ' + timeline.querySelector('.plot').getAttribute('aria-label'));
  panel.hidden = true;
  timeline.before(panel);
  slider.parentElement.hidden = false;
  slider.addEventListener('input', () => {
    objects ??= statesOf(timeline);
    const ms = momentAt(timeline, Number(slider.value) / Number(slider.max));
    timeline.dataset.at = String(ms);
    slider.setAttribute('aria-valuetext', formatMoment(ms));
    showMoment(timeline, ms);
    const lists = [...stateAt(objects, ms)].filter(([, states]) => states.size > 0).map(([kind, states]) => {
      const count = [...states.values()].flat().length;
      const parts = [...states].map(([state, names]) => element('dd', element('b', names.length + ' ' + state), ' ' + names.join(', ')));
      return element('div', element('dt', KINDS[kind] + ' (' + count + ')'), ...parts);
    });
    const heading = element('h5', 'At ' + formatMoment(ms) + (lists.length === 0 ? ', nothing that has a lane existed' : ''));
    panel.replaceChildren(heading, element('dl', '', ...lists));
    panel.hidden = false;
  });
}
`;
