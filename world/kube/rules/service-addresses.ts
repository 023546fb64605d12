import { createHash } from 'node:crypto';

/** The range of cluster addresses: EKS takes this one if the VPC's own range is not in 10.0.0.0/8, and 172.20.0.0/16 otherwise. */
const ADDRESS_PREFIX = '10.100';
/** The first and last address are not used. */
const ADDRESSES = 65_534;
/** The default of `--service-node-port-range`. */
const FIRST_NODE_PORT = 30_000;
const NODE_PORTS = 2_768;

/** A free cluster address for a service. The real server draws one; here the service's name decides, so that trials repeat. */
export function freeAddress(service: string, isTaken: (address: string) => boolean): string | undefined {
  return firstFree(service, ADDRESSES, (place) => `${ADDRESS_PREFIX}.${(place + 1) >> 8}.${(place + 1) & 255}`, isTaken);
}

/** A free port on all nodes. */
export function freeNodePort(port: string, isTaken: (port: number) => boolean): number | undefined {
  return firstFree(port, NODE_PORTS, (place) => FIRST_NODE_PORT + place, isTaken);
}

function firstFree<T>(name: string, count: number, at: (place: number) => T, isTaken: (value: T) => boolean): T | undefined {
  const start = createHash('sha256').update(name).digest().readUInt32LE(0) % count;
  for (let step = 0; step < count; step += 1) {
    const value = at((start + step) % count);
    if (!isTaken(value)) return value;
  }
  return undefined;
}
