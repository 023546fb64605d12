import type { EventOf } from '../history/events.ts';
import type { RequestLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { count, duration, indexes, mergeParts, safetyPart } from './parts.ts';

type Step = EventOf<'foreign-instance'>;

/** What a request did to an instance, by the step that shows it. */
const ACTIONS: Partial<Record<Step['to'], string>> = {
  'shutting-down': 'terminated',
  stopping: 'stopped',
  retagged: 'changed the tags of',
};

/**
 * An account is seldom used by one cluster only. The target must leave instances alone that it did not launch and that do not
 * carry its tags: it must not terminate, stop or retag them.
 */
export const foreignInstances: Check = {
  name: 'foreign-instances',
  summary: 'foreign instances in the account are left alone',
  codes: { 'foreign-instance-ended': 'the target terminated, stopped or retagged a foreign instance' },
  judge: (view) => {
    const known = new Set(view.foreign.map(({ instance }) => instance));
    if (known.size === 0) return undefined;
    const actions = view.foreign.flatMap((step) => actionOf(view, step));
    const findings = actions.map(({ step, what, request }) => ({
      code: 'foreign-instance-ended',
      object: `instance/${step.instance}`,
      events: indexes([...eventsOf(request), step]),
      message: `The target (incarnation ${request.start.incarnation}) ${what} ${step.instance} with ${request.start.operation} at ${duration(step.t)}: it belongs to someone else (tags ${JSON.stringify(tagsAsFound(view, step))}).`,
    }));
    const touched = new Set(actions.map(({ step }) => step.instance)).size;
    return mergeParts([safetyPart(view, findings, `${touched} of ${count(known.size, 'foreign instance')} touched`)]);
  },
};

/** Other clients' requests are not in the view. */
function actionOf(view: View, step: Step): { readonly step: Step; readonly what: string; readonly request: RequestLife }[] {
  const what = ACTIONS[step.to];
  const request = step.span === undefined ? undefined : view.requests.get(step.span);
  return what === undefined || request === undefined ? [] : [{ step, what, request }];
}

function tagsAsFound(view: View, { instance, tags }: Step): Step['tags'] {
  return view.foreign.find((step) => step.instance === instance && step.to === 'found')?.tags ?? tags;
}
