import type { IntOrPercent } from '../../model/kube.ts';

/**
 * A number, or a percentage of a total rounded up or down (`GetScaledValueFromIntOrPercent` of apimachinery). Anything else
 * counts as 0: the API server refuses it.
 */
export function scaledValue(value: IntOrPercent | undefined, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value ?? '')?.[1];
  if (percent === undefined) return 0;
  const share = (Number(percent) * total) / 100;
  return round === 'up' ? Math.ceil(share) : Math.floor(share);
}
