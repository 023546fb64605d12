import { NEVER_REGISTERS } from '../history/events.ts';
import type { EventOf, HistoryEvent } from '../history/events.ts';
import { ofType, wasKilled } from '../history/lives.ts';
import { defined } from '../model/defined.ts';
import { formatCount, formatMoment } from './format.ts';
import { formatList } from '../model/format-list.ts';
import { hasErrorsBeside } from './outcome.ts';

/** The kind of an event: `bad` went wrong, `unsure` has an unknown outcome, `fault` was caused by a fault. */
export type Tone = 'plain' | 'good' | 'bad' | 'unsure' | 'fault';

/** The description of an event. Texts may contain anything from a cluster. */
interface EventInWords {
  readonly what: string;
  /** The object that it is about, `resource/namespace/name`. */
  readonly object?: string;
  readonly tone: Tone;
}

/** Describes events of one history. */
export type Describe = (event: HistoryEvent) => EventInWords;

/** Most objects of a request that are named; more are counted. */
const MAX_IDS_NAMED = 4;

/** Indexes requests by span and faults by id; everything else in a description comes from the event itself. */
export function createDescriber(events: readonly HistoryEvent[]): Describe {
  const requests = new Map(ofType(events, 'request.start').map((event) => [event.span, event]));
  const watches = new Map(ofType(events, 'watch.open').map((event) => [event.span, event]));
  const faults = new Map(ofType(events, 'fault.armed').map((event) => [event.fault.id, event.fault]));
  const operationOf = (span: number): string => requests.get(span)?.operation ?? watches.get(span)?.object ?? `request ${span}`;
  const watchedBy = (span: number): string => watches.get(span)?.object ?? operationOf(span);
  const objectOf = (span: number): string | undefined => requests.get(span)?.object;

  return (event) => {
    switch (event.type) {
      case 'trial.begin':
        return plain(`The trial starts: ${event.scenario.id} on ${event.target.name} in ${event.world.name}, seed ${event.seed}`);
      case 'trial.end':
        return plain('The trial ends');
      case 'phase':
        return plain(PHASE_WORDS[event.phase]);
      case 'bound':
        return plain(`Bound ${event.bound.name}: ${event.bound.formula}`);
      case 'pool':
        return plain(`Pool ${event.pool.name} is ${event.withdrawn === true ? 'withdrawn' : `applied${limitsInWords(event.pool.limits)}`}`);
      case 'budget':
        return about(
          `poddisruptionbudgets/${event.budget}`,
          event.minAvailable === undefined
            ? `The scenario allows at most ${event.maxUnavailable ?? 0} pods of ${event.workload} to be unavailable`
            : `The scenario requires at least ${event.minAvailable} pods of ${event.workload} to be available`,
        );
      case 'workload':
        return plain(
          `The scenario deploys ${event.workload}: ${event.note === '' ? formatCount(event.replicas, 'pod') : event.note} (${event.truth.kind})`,
        );
      case 'expectation':
        return plain(`Expected: ${event.expectation.kind}`);
      case 'fault.armed':
        return { what: `Fault ${event.fault.fault} armed: ${event.fault.description}`, tone: 'fault' };
      case 'fault.fired':
        return {
          what: `Fault ${faults.get(event.fault)?.fault ?? event.fault} fires${event.span === undefined ? '' : ` on ${operationOf(event.span)}`}${event.note === undefined ? '' : `: ${event.note}`}`,
          tone: 'fault',
        };
      case 'fault.healed':
        return { what: `Fault ${faults.get(event.fault)?.fault ?? event.fault} healed`, tone: 'fault' };
      case 'request.start':
        return about(event.object, `The target (incarnation ${event.incarnation}) sends ${event.operation}`);
      case 'request.effect':
        return about(objectOf(event.span), ...describeEffect(operationOf(event.span), event.effect));
      case 'request.end':
        return about(objectOf(event.span), ...describeEnd(operationOf(event.span), event));
      case 'watch.open':
        return plain(`The target (incarnation ${event.incarnation}) watches ${event.object}`);
      case 'watch.mark':
        return plain(`Watch of ${watchedBy(event.span)}: ${formatCount(event.events, 'event')} delivered, up to ${event.revision}`);
      case 'watch.close':
        return plain(`Watch of ${watchedBy(event.span)} closed: ${event.reason}`);
      case 'pod':
        return about(`pods/${event.pod}`, `Pod ${event.to}${event.node === undefined ? '' : ` on ${event.node}`}${because(event.reason)}`);
      case 'node':
        return about(
          `nodes/${event.node}`,
          `Node ${event.to}${event.instance === undefined ? '' : ` (instance ${event.instance})`}${because(event.reason)}`,
        );
      case 'claim':
        return about(
          `nodeclaims/${event.claim}`,
          `NodeClaim ${event.to}${event.instance === undefined ? '' : ` (instance ${event.instance})`}${because(event.reason)}`,
        );
      case 'instance':
        return about(
          `instance/${event.instance}`,
          `Instance ${event.to} (${event.capacityType} ${event.instanceType} in ${event.zone})${because(event.reason)}`,
        );
      case 'group':
        return about(`group/${event.group}`, `Group ${event.to} (desired ${event.desired}, ${event.min} to ${event.max})`);
      case 'group-activity':
        return about(
          `group/${event.group}`,
          `Group: ${event.what}${event.instance === undefined ? '' : ` of ${event.instance}`} ${event.to}${because(event.message)}`,
        );
      case 'foreign-instance':
        return about(`instance/${event.instance}`, `An instance of another client ${event.to}`);
      case 'launch-template':
        return about(`launchtemplate/${event.template}`, `Launch template ${event.name} ${event.to}`);
      case 'notice':
        return about(
          `instance/${event.instance}`,
          event.to === 'sent'
            ? `EC2 sends a notice: ${event.kind}${event.endsInMs === undefined ? '' : `, the instance terminates in ${event.endsInMs / 1000} s`}`
            : `The target receives the notice: ${event.kind}`,
        );
      case 'said':
        if (event.reason === NEVER_REGISTERS && event.principal === 'node') {
          return { ...about(event.about, `It will never register: ${event.message}`), tone: 'bad' };
        }
        return about(
          event.about,
          `${SAID_WORDS[event.by]}${event.by === 'log' ? '' : ` ${event.reason}`}${event.principal === undefined ? '' : ` by ${event.principal}`}: ${event.message}`,
        );
      case 'target.start':
        return plain(
          `${event.target === undefined ? 'The target' : `${event.target}, which replaces the target,`} starts (incarnation ${event.incarnation})`,
        );
      case 'target.ready':
        return { what: `The target is ready (incarnation ${event.incarnation})`, tone: 'good' };
      case 'target.stop':
        return plain(`The target is requested to stop (incarnation ${event.incarnation})`);
      case 'target.exit':
        return wasKilled(event)
          ? { what: `The target is killed (incarnation ${event.incarnation}): ${event.reason}`, tone: 'fault' }
          : { what: `The target exits by itself (incarnation ${event.incarnation}): ${event.reason}`, tone: 'bad' };
      case 'target.panic':
        return { what: `The target panics${event.recovered ? ' and recovers' : ''}: ${event.message}`, tone: 'bad' };
      case 'target.dropped':
        return plain(`${formatCount(event.calls, 'call')} of the dead incarnation ${event.incarnation} dropped`);
      case 'upgrade': {
        const bad = event.invalid.length + event.altered.length;
        return {
          what: `The upgrade is over: of ${formatCount(event.objects, 'stored object')}, ${event.invalid.length} are invalid now, and ${event.altered.length} were altered`,
          tone: bad === 0 ? 'good' : 'bad',
        };
      }
      case 'convergence':
        return event.waiting.length === 0
          ? { what: `The world has converged (${event.phase})`, tone: 'good' }
          : {
              what: `The world has not converged (${event.phase}): ${formatList(event.waiting.map(({ object, why }) => `${object} ${why}`))}`,
              tone: 'bad',
            };
      case 'harness.error':
        return {
          what: event.cutShort === true ? `The trial was cut short: ${event.message}` : `The harness failed: ${event.message}`,
          tone: 'unsure',
        };
      case 'supervisor':
        return {
          what: `The supervisor aborted the trial (${event.cause}, ${event.culprit}): ${event.message}`,
          tone: event.culprit === 'target' ? 'bad' : 'unsure',
        };
    }
  };
}

const PHASE_WORDS: Readonly<Record<EventOf<'phase'>['phase'], string>> = {
  'set-up': 'Phase set up: the world and the target start',
  act: 'Phase act: the scenario acts, faults are injected',
  heal: 'Phase heal: every fault is healed',
  settle: 'Phase settle: the world has to converge',
  remove: 'Phase remove: workloads and pools are removed, and everything created for them must be removed',
  over: 'All phases are over',
};

const SAID_WORDS: Readonly<Record<EventOf<'said'>['by'], string>> = { event: 'Event', condition: 'Condition', log: 'Log' };

function describeEffect(operation: string, effect: EventOf<'request.effect'>['effect']): [string, Tone] {
  switch (effect.kind) {
    case 'applied':
      return [`${operation} took effect${effect.ids.length === 0 ? '' : `: ${nameIds(effect.ids)}`}`, 'plain'];
    case 'rejected':
      return [`${operation} was refused: ${effect.code}`, 'bad'];
    case 'none':
      return [`${operation} had no effect`, 'plain'];
    case 'unobservable':
      return [`${operation}: it is unknown whether it took effect`, 'unsure'];
  }
}

function describeEnd(operation: string, end: EventOf<'request.end'>): [string, Tone] {
  const details = [end.status?.toString(), end.code, end.note].filter((part) => part !== undefined).join(' ');
  switch (end.outcome) {
    case 'ok':
      return [`${operation} answered${details === '' ? '' : `: ${details}`}`, hasErrorsBeside(end) ? 'unsure' : 'plain'];
    case 'fail':
      return [`${operation} failed: ${details}`, 'bad'];
    case 'info':
      return [
        `${operation} got no response: the target doesn't know whether it took effect${details === '' ? '' : ` (${details})`}`,
        'unsure',
      ];
  }
}

function limitsInWords(limits: EventOf<'pool'>['pool']['limits']): string {
  const { cpu, memoryMiB, nodes } = limits ?? {};
  const parts = [
    ...(nodes === undefined ? [] : [formatCount(nodes, 'node')]),
    ...(cpu === undefined ? [] : [`${cpu} CPU`]),
    ...(memoryMiB === undefined ? [] : [`${memoryMiB} MiB`]),
  ];
  return parts.length === 0 ? '' : `, limited to ${parts.join(', ')}`;
}

function nameIds(ids: readonly string[]): string {
  const named = ids.slice(0, MAX_IDS_NAMED).join(', ');
  return ids.length > MAX_IDS_NAMED ? `${named} and ${ids.length - MAX_IDS_NAMED} more` : named;
}

function because(reason: string | undefined): string {
  return reason === undefined || reason === '' ? '' : `: ${reason}`;
}

function plain(what: string): EventInWords {
  return { what, tone: 'plain' };
}

function about(object: string | undefined, what: string, tone: Tone = 'plain'): EventInWords {
  return { what, tone, ...defined({ object }) };
}

/** One event as a line: `0:12.345  Pod running on node-1  pods/default/web-1`. */
export function formatEvidence(evidence: { readonly t: number; readonly what: string; readonly object?: string | undefined }): string {
  return `${formatMoment(evidence.t)}  ${evidence.what}${evidence.object === undefined || evidence.what.includes(evidence.object) ? '' : `  [${evidence.object}]`}`;
}
