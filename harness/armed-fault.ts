import type { FaultSpec } from '../faults/fault.ts';
import type { EventOf } from '../history/events.ts';
import { defined } from '../model/defined.ts';

type Armed = EventOf<'fault.armed'>['fault'];

/** A fault as recorded in the history. @param id unique in the trial */
export function armedFault(id: string, fault: FaultSpec, firing: Armed['firing']): Armed {
  return {
    id,
    fault: fault.name,
    description: fault.description,
    params: fault.params as Armed['params'],
    legal: fault.legal,
    ...defined({ hinders: fault.hinders, visible: fault.visible }),
    firing,
    color: fault.color,
  };
}
