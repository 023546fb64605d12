import { z } from 'zod';
import { MAX_FIRINGS_RECORDED } from '../history/events.ts';
import type { FaultLife, RequestLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import { readDenial } from '../model/denial.ts';
import type { Denial } from '../model/denial.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { count, duration, indexes, safetyPart } from './parts.ts';

/** Requests that a finding refers to. */
const SHOWN = 10;

/**
 * The target's roles allow what it asks of the API server: after an upgrade, a verb may be missing. What a fault denied does not
 * count, and neither does what is denied after more firings than the history records, until the heal. Nothing to judge if nothing was
 * denied: without roles, everything is allowed.
 */
export const permissions: Check = {
  name: 'permissions',
  summary: "the target's roles allow each request that it sends to the API server",
  codes: { 'permission-missing': 'a request was denied because no rule of its roles allows it' },
  judge: (view) => {
    const denied = new Map<string, { readonly denial: Denial; readonly requests: RequestLife[] }>();
    const struck = new Set(view.faults.flatMap(({ fired }) => fired.map(({ span }) => span)));
    const unrecorded = view.faults.filter(({ fired }) => fired.length >= MAX_FIRINGS_RECORDED);
    const denying = new Set(unrecorded.filter((fault) => isDenying(view, fault)));
    // Several requests may be on their way when the last firing is recorded.
    const mayBeStruck = ({ start, end }: RequestLife): boolean =>
      unrecorded.some((fault) => {
        const { fired, healed } = fault;
        if ((end?.i ?? Infinity) <= (fired.at(-1)?.i ?? 0) || start.i >= (healed?.i ?? Infinity)) return false;
        return denying.has(fault) || deniesByName(fault, start.operation);
      });
    for (const [span, request] of view.requests) {
      const { start, end } = request;
      if (start.wire !== 'kube' || end?.code !== 'Forbidden' || struck.has(span) || mayBeStruck(request)) continue;
      const denial = readDenial(end.note ?? '');
      if (denial === undefined) continue;
      const key = JSON.stringify(denial);
      const known = denied.get(key);
      if (known === undefined) denied.set(key, { denial, requests: [request] });
      else known.requests.push(request);
    }
    if (denied.size === 0) return undefined;
    const findings = [...denied.values()].map(({ denial, requests }) => ({
      code: 'permission-missing',
      object: denial.resource === undefined ? `path ${denial.path ?? ''}` : denial.resource.resource,
      events: indexes(requests.slice(0, SHOWN).flatMap(eventsOf)),
      message: messageOf(denial, requests),
    }));
    return safetyPart(view, findings, `${count(findings.length, 'permission')} missing`);
  },
};

/** The fault that denies operations by their names. */
const DENIES = 'denied-permission';
const namedSchema = z.object({ operations: z.array(z.string()) });

/** Whether a fault denies this operation by name. All firings that are recorded may be of others. */
function deniesByName({ armed: { fault } }: FaultLife, operation: string): boolean {
  const named = namedSchema.safeParse(fault.params);
  const operations = fault.fault === DENIES && named.success ? named.data.operations : [];
  return operations.includes(operation) || operations.includes('*');
}

/** Whether a fault denied a request to the API server. */
function isDenying({ requests }: View, { fired }: FaultLife): boolean {
  return fired.some(({ span }) => {
    const { start, end } = (span === undefined ? undefined : requests.get(span)) ?? {};
    return start?.wire === 'kube' && end?.code === 'Forbidden';
  });
}

function messageOf(denial: Denial, requests: readonly RequestLife[]): string {
  const { user, verb, resource, path } = denial;
  const [first] = requests;
  const what =
    resource === undefined ? `path ${path ?? ''}` : `${resource.resource}${resource.group === '' ? '' : ` of ${resource.group}`}`;
  const namespace = resource?.namespace;
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  const kind = namespace === undefined ? 'ClusterRole' : `Role in ${namespace}, or a ClusterRole,`;
  return `${user} may not ${verb} ${what}${where}: denied ${count(requests.length, 'time')}, first at ${duration(first?.start.t ?? 0)}. Missing in a ${kind} that is bound to it: ${ruleFor(denial)}.`;
}

/** The rule that would allow it, as YAML in one line. */
function ruleFor({ verb, resource, path = '' }: Denial): string {
  const list = (value: string): string => JSON.stringify([value]);
  if (resource === undefined) return `{nonResourceURLs: ${list(path)}, verbs: ${list(verb)}}`;
  return `{apiGroups: ${list(resource.group)}, resources: ${list(resource.resource)}, verbs: ${list(verb)}}`;
}
