import type { Check } from './check.ts';
import { count, safetyPart } from './parts.ts';

/**
 * After an upgrade, objects of the target's custom resources that were stored before are valid by the new definitions, and nothing of them is lost or
 * altered, neither by the definitions nor by the new version. Fields that are added are no finding. Nothing to judge without an upgrade.
 */
export const storedObjects: Check = {
  name: 'stored-objects',
  summary: 'an upgrade leaves stored objects valid, and what users wrote in them',
  codes: {
    'invalid-after-upgrade': 'a stored object would be refused by the definitions of the new version',
    'altered-by-upgrade': 'a field of a stored object was lost or altered by the upgrade',
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
    ];
    return safetyPart(view, findings, `${count(upgrade.objects, 'stored object')} after the upgrade`);
  },
};
