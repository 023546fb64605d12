import type { Principal } from '../../../../model/operation.ts';
import type { Clock } from '../../../../runtime/clock.ts';
import { createRandom } from '../../../../runtime/random.ts';
import { createVirtualTimeline } from '../../../../runtime/timeline.ts';
import type { Artefact } from '../../../../targets/go/artefacts/cache.ts';
import type { Wire } from '../../../../wire/wire.ts';
import { createApiServer } from '../../../../world/kube/api-server.ts';
import type { ApiServer } from '../../../../world/kube/api-server.ts';
import { startScheduler } from './program.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');
/** Until its informers are synchronized, in virtual time. */
const START_UP_MS = 10_000;

/** A client of an API server for which a real scheduler works, in virtual time. */
export interface SchedulerBench {
  readonly wire: Wire;
  readonly clock: Clock;
}

/**
 * Runs kube-scheduler, compiled for the wasm host, for an emulated API server of its own without other controllers.
 * @throws Error with its last output if it exits
 */
export async function withScheduler<T>(artefact: Artefact, seed: string, work: (bench: SchedulerBench) => Promise<T>): Promise<T> {
  const random = createRandom(seed);
  const timeline = createVirtualTimeline({ startMs: START_MS, random: random.fork('timeline') });
  const api = createApiServer({ clock: timeline.scope('world'), random: random.fork('kube') });
  const { program, failed } = startScheduler({
    artefact,
    clock: timeline.scope('kube-scheduler'),
    random: random.fork('kube-scheduler'),
    wire: wireOf(api, 'scheduler'),
  });
  const clock = timeline.scope('client');
  const worked = async (): Promise<T> => {
    await clock.sleep(START_UP_MS);
    return work({ wire: wireOf(api, 'scenario'), clock });
  };
  try {
    return await timeline.run(Promise.race([worked(), failed]));
  } finally {
    program.kill();
    api.stop();
  }
}

/** Requests without latency. */
function wireOf(api: ApiServer, principal: Principal): Wire {
  return (request) => api.backend.handle(request, api.backend.describe(request), { principal, incarnation: 1, span: 0 });
}
