import type { CreateFleetError, CreateFleetInstance, CreateFleetRequest } from '@aws-sdk/client-ec2';

/** A fleet of type instant: what was asked for and what came of it, kept until it is deleted. */
export interface FleetRecord {
  readonly id: string;
  readonly request: CreateFleetRequest;
  readonly createdAtMs: number;
  readonly errors: readonly CreateFleetError[];
  readonly instances: readonly CreateFleetInstance[];
}

/** A fleet whose instances are gone is forgotten by EC2 in the end; here when there are more than these. */
const FLEETS_MAX = 1_000;

/** The account's fleets. */
export class Fleets {
  /** In the order in which they were made. */
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
