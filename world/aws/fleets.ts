import type { CreateFleetError, CreateFleetInstance, CreateFleetRequest } from '@aws-sdk/client-ec2';

/** A fleet of type instant: the request and its result, kept until it is deleted. */
export interface FleetRecord {
  readonly id: string;
  readonly request: CreateFleetRequest;
  readonly createdAtMs: number;
  readonly errors: readonly CreateFleetError[];
  readonly instances: readonly CreateFleetInstance[];
}

/** EC2 eventually forgets a fleet whose instances are gone; here, when there are more than this. */
const FLEETS_MAX = 1_000;

/** The account's fleets. */
export class Fleets {
  /** In the order of creation. */
  readonly #byId = new Map<string, FleetRecord>();

  add(fleet: FleetRecord): void {
    this.#byId.set(fleet.id, fleet);
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > FLEETS_MAX && oldest !== undefined) this.#byId.delete(oldest);
  }

  get(id: string): FleetRecord | undefined {
    return this.#byId.get(id);
  }

  delete(id: string): void {
    this.#byId.delete(id);
  }
}
