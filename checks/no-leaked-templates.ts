import type { Bound } from '../history/events.ts';
import type { RequestLife, TemplateLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { count, duration, indexes, measure, mergeParts, nameBound, safetyPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** From the removal of all workloads and pools to the end of everything created for them. */
const TEARDOWN_BOUND = 'teardown';

/** A template that a request of the target created. */
interface Made {
  readonly template: TemplateLife;
  readonly request: RequestLife;
  readonly createdMs: number;
}

/**
 * Launch templates cost nothing, but an account can hold only 5,000 of them, and then launches fail. As long as there are
 * pools, the target may keep any templates. When all pools are gone, the templates must be deleted within the bound, no
 * matter by whom.
 */
export const noLeakedTemplates: Check = {
  name: 'no-leaked-templates',
  summary: 'every launch template that the target created is deleted by the end',
  codes: { 'leaked-launch-template': "one of the target's launch templates still existed when the trial was over" },
  judge: (view) => {
    const made = view.templates.flatMap((template) => madeByTarget(view, template));
    return made.length === 0 ? undefined : mergeParts([withBound(view, TEARDOWN_BOUND, (bound) => judgeTemplates(view, made, bound))]);
  },
};

function madeByTarget(view: View, template: TemplateLife): Made[] {
  const { created } = template;
  const request = created?.span === undefined ? undefined : view.requests.get(created.span);
  return created === undefined || request === undefined ? [] : [{ template, request, createdMs: created.t }];
}

function judgeTemplates(view: View, made: readonly Made[], bound: Bound): Part {
  const over = view.phases.get('over');
  const remove = view.phases.get('remove');
  const left = over === undefined ? [] : made.filter(({ template: { deleted } }) => (deleted?.i ?? Infinity) > over.i);
  const findings = left.map(({ template, request, createdMs }) => ({
    code: 'leaked-launch-template',
    object: template.object,
    events: indexes([...eventsOf(request), ...template.steps, remove, over]),
    message: `Launch template ${template.name} (${template.id}), created at ${duration(createdMs)} by incarnation ${request.start.incarnation}, still existed when the trial was over, although all pools had been removed (${nameBound(bound)}).`,
  }));
  const ends = made.flatMap(({ template: { deleted, object } }) =>
    remove === undefined || deleted === undefined || deleted.t < remove.t ? [] : [{ value: deleted.t - remove.t, object }],
  );
  return safetyPart(view, findings, `${left.length} of ${count(made.length, 'launch template')} left behind`, [measure(bound, ends)]);
}
