const ZONE_LETTERS = 'abcdef';

/**
 * `use1-az1` for `us-east-1a`. In EC2 every account has its own order; here it is alphabetical.
 * @param zone name of a zone of us-east-1
 */
export function zoneIdOf(zone: string): string {
  return `use1-az${ZONE_LETTERS.indexOf(zone.slice(-1)) + 1}`;
}
