import { faults } from '../faults/catalogue.ts';
import { mayFire } from '../faults/fault.ts';
import type { Scenario, Trial } from '../harness/scenario.ts';
import { LABEL } from '../model/kube.ts';
import { loadOf } from './load.ts';
import { place, untilServed } from './placed.ts';
import type { Placed } from './placed.ts';
import { isBoundTo } from './placement.ts';
import type { ScenarioSet, Theme } from './theme.ts';

/** Scenarios in which capacity runs out: spot, or a zone. */
export function marketScenarios(theme: Theme): ScenarioSet {
  return {
    noSpot: theme.hasSpot ? noSpot(theme) : undefined,
    zoneOutage: theme.zones.length > 1 ? zoneOutage(theme) : undefined,
  };
}

function noSpot({ mix, define }: Theme): Scenario {
  return define({
    id: 'no-spot',
    title: 'your mix while no spot capacity is left anywhere: what may run on demand does',
    faults: { shortage: mayFire(faults.insufficientCapacity({ capacityTypes: ['spot'], errors: 'all' })) },
    async run(t, { shortage }) {
      const active = await t.inject(shortage);
      const placed = await place(t, mix, 'fallback', ({ feasibility }) => {
        const isStuck = 'seats' in feasibility && feasibility.seats.every(({ offering }) => offering.capacityType === 'spot');
        return isStuck ? 'its pools have only spot capacity' : undefined;
      });
      await healWhenServed(t, placed, active.heal);
    },
  });
}

function zoneOutage({ mix, zones, define }: Theme): Scenario {
  return define({
    id: 'zone-outage',
    title: 'your mix while a zone, another with each seed, has no capacity: what may go elsewhere does',
    capabilities: ['capacity.set'],
    async run(t) {
      const zone = t.random.pick(zones);
      const outage = await t.inject(mayFire(faults.insufficientCapacity({ zones: [zone], errors: 'all' })));
      const placed = await place(t, mix, 'fallback', (workload) => {
        const { feasibility, volumes } = workload;
        if (volumes.immediate.length > 0) return `its volume ${volumes.immediate.join(', ')} may have been created in ${zone}`;
        if (volumes.existingZones.includes(zone)) return `one of its volumes is in ${zone}`;
        if ('seats' in feasibility && feasibility.seats.every(({ offering }) => offering.zone === zone))
          return `it may run only in ${zone}`;
        return isBoundTo(LABEL.zone, loadOf(workload)) ? `its pods are bound to zones, and ${zone} has no capacity` : undefined;
      });
      await healWhenServed(t, placed, outage.heal);
    },
  });
}

/** Waits for workloads that can be served during the fault, heals it, and waits for the others. */
async function healWhenServed(t: Trial, placed: readonly Placed[], heal: () => Promise<void>): Promise<void> {
  const isStuck = ({ truth }: Placed): boolean => truth.kind === 'schedulable-after-heal';
  await untilServed(
    t,
    placed.filter((one) => !isStuck(one)),
    'fallback',
  );
  await heal();
  await untilServed(t, placed.filter(isStuck), 'recover');
}
