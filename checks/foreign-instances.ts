import type { EventOf } from '../history/events.ts';
import type { RequestLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { count, duration, indexes, mergeParts, safetyPart } from './parts.ts';

type Step = EventOf<'foreign-instance'>;

/** What a request did to an instance, by the step that shows it. */
const DEEDS: Partial<Record<Step['to'], string>> = { 'shutting-down': 'terminated', stopping: 'stopped', retagged: 'changed the tags of' };

/**
 * Accounts are seldom one cluster's alone. What the target did not launch, and what does not carry its tags, it leaves as it
 * is: it neither ends nor stops it, nor makes it look like its own.
 */
export const foreignInstances: Check = {
  name: 'foreign-instances',
  summary: 'foreign instances in the account are left alone',
  codes: { 'foreign-instance-ended': 'the target terminated, stopped or retagged a foreign instance' },
  judge: (view) => {
    const known = new Set(view.foreign.map(({ instance }) => instance));
    if (known.size === 0) return undefined;
    const deeds = view.foreign.flatMap((step) => deedOf(view, step));
    const findings = deeds.map(({ step, what, request }) => ({
      code: 'foreign-instance-ended',
      object: `instance/${step.instance}`,
      events: indexes([...eventsOf(request), step]),
      message: `The target (incarnation ${request.start.incarnation}) ${what} ${step.instance} with ${request.start.operation} at ${duration(step.t)}: it belongs to someone else (tags ${JSON.stringify(tagsAsFound(view, step))}).`,
    }));
    const touched = new Set(deeds.map(({ step }) => step.instance)).size;
    return mergeParts([safetyPart(view, findings, `${touched} of ${count(known.size, 'foreign instance')} touched`)]);
  },
};

/** Only requests of the target are in a view. */
function deedOf(view: View, step: Step): { readonly step: Step; readonly what: string; readonly request: RequestLife }[] {
  const what = DEEDS[step.to];
  const request = step.span === undefined ? undefined : view.requests.get(step.span);
  return what === undefined || request === undefined ? [] : [{ step, what, request }];
}

function tagsAsFound(view: View, { instance, tags }: Step): Step['tags'] {
  return view.foreign.find((step) => step.instance === instance && step.to === 'found')?.tags ?? tags;
}
