import type { Artefact } from '../../../../targets/go/artefacts/cache.ts';
import { createEmbeddedWorld } from '../../../../world/embedded.ts';
import type { World, WorldSite } from '../../../../world/world.ts';
import { startScheduler } from './program.ts';

/** The embedded world with a real scheduler in place of its own. */
export function createWorldWithScheduler(site: WorldSite, artefact: Artefact): World {
  const world = createEmbeddedWorld(site, { without: ['scheduler'] });
  const scope = site.timeline.scope('kube-scheduler');
  const wires = world.open('scheduler', 1, scope);
  let kill = (): void => undefined;
  return {
    ...world,
    start: async () => {
      await world.start();
      const { program, failed } = startScheduler({ artefact, clock: scope, random: site.random.fork('kube-scheduler'), wire: wires.kube });
      failed.catch(site.onFailure);
      kill = () => program.kill();
    },
    stop: async () => {
      kill();
      scope.kill();
      wires.close();
      await world.stop();
    },
  };
}
