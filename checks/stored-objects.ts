import type { EventOf } from '../history/events.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { count, safetyPart } from './parts.ts';

/**
 * After an upgrade, objects of the target's custom resources that were stored and valid before are still there and valid, and nothing of their content is
 * lost or altered, neither by the definitions nor by the new version. Fields that are added are no finding, and metadata is left out, where autoscalers
 * keep their own annotations. Nothing to judge without an upgrade.
 */
export const storedObjects: Check = {
  name: 'stored-objects',
  summary: 'an upgrade leaves stored objects valid, and what users wrote in them',
  codes: {
    'invalid-after-upgrade': 'a stored object would be refused by the definitions of the new version',
    'altered-by-upgrade': 'a stored object, or a field of one, was lost or altered by the upgrade',
  },
  judge: (view) => {
    const { upgrade } = view;
    if (upgrade === undefined) return undefined;
    const findings = [
      ...upgrade.invalid.map(({ object, why }) => ({
        code: 'invalid-after-upgrade',
        object,
        events: [upgrade.i],
        message: `${object} is stored, but would be refused after the upgrade: ${why}`,
      })),
      ...upgrade.altered.map(({ object, why }) => ({
        code: 'altered-by-upgrade',
        object,
        events: [upgrade.i],
        message: `${why} of ${object} was lost or altered in the upgrade, and nobody had asked for that.`,
      })),
      ...lostOf(view, upgrade).map((object) => ({
        code: 'altered-by-upgrade',
        object,
        events: [upgrade.i],
        message: `${object} was stored before the upgrade and is gone after it, although nobody deleted it.`,
      })),
    ];
    return safetyPart(view, findings, `${count(upgrade.objects, 'stored object')} after the upgrade`);
  },
};

/** What is gone without a request of the target to delete it: it deletes claims of its own. */
function lostOf(view: View, { gone }: EventOf<'upgrade'>): string[] {
  const deleted = new Set(
    [...view.requests.values()].flatMap(({ start: { operation, object } }) => (operation.startsWith('delete ') ? [object ?? ''] : [])),
  );
  return gone.filter((object) => !deleted.has(object));
}
