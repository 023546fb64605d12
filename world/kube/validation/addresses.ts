import { isIP } from 'node:net';

/** The messages for a malformed address, or address range: `k8s.io/apimachinery/pkg/util/validation/ip.go`. */
export const NO_ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
export const NO_ADDRESS_RANGE = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

const BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

export function isAddress(text: string): boolean {
  return isIP(text) !== 0;
}

/** Whether a text is a range such as `10.9.8.0/24`. */
export function isAddressRange(text: string): boolean {
  const [address = '', length = '', ...more] = text.split('/');
  const bits = BITS[isIP(address)];
  return more.length === 0 && bits !== undefined && /^\d{1,3}$/.test(length) && Number(length) <= bits;
}
