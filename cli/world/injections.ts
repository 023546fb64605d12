import { faultCatalogue, faultNamed } from '../../faults/catalogue.ts';
import { specify } from '../../faults/fault.ts';
import type { FaultSpec } from '../../faults/fault.ts';
import { nearest } from '../../model/nearest.ts';
import type { Heal } from '../../world/ports.ts';
import type { World } from '../../world/world.ts';

/** An injected fault, as the user sees it. */
export interface Injection {
  readonly id: string;
  readonly fault: string;
  readonly description: string;
  /** How often it has fired. */
  readonly firings: number;
}

/** Most faults that may be injected at the same time. */
const MAX_INJECTIONS = 1_000;

/** A fault can't be injected or healed. The message says why. */
export class InjectionError extends Error {
  readonly status: 400 | 404;
  constructor(status: 400 | 404, message: string) {
    super(message);
    this.name = 'InjectionError';
    this.status = status;
  }
}

/** The faults of an interactive world: injected and healed by name while it runs. */
export class Injections {
  readonly #world: World;
  readonly #onFired: (injection: Injection, note: string | undefined) => void;
  readonly #active = new Map<string, { readonly view: () => Injection; readonly heal: Heal }>();
  #next = 1;

  /** @param onFired called each time a fault fires */
  constructor(world: World, onFired: (injection: Injection, note: string | undefined) => void) {
    this.#world = world;
    this.#onFired = onFired;
  }

  list(): Injection[] {
    return [...this.#active.values()].map(({ view }) => view());
  }

  /** @throws InjectionError when the fault is unknown, its parameters are invalid, or the world does not support it */
  async inject(name: string, params: unknown): Promise<Injection> {
    if (this.#active.size >= MAX_INJECTIONS) throw new InjectionError(400, `${MAX_INJECTIONS} faults are injected: heal some first`);
    const spec = this.#specify(name, params);
    const id = `fault-${this.#next}`;
    this.#next += 1;
    let firings = 0;
    const view = (): Injection => ({ id, fault: spec.name, description: spec.description, firings });
    const heal = await spec.inject({
      arm: this.#world.arm,
      ports: this.#world.ports,
      cluster: this.#world.cluster,
      fired: (_span, note) => {
        firings += 1;
        this.#onFired(view(), note);
      },
    });
    this.#active.set(id, { view, heal });
    return view();
  }

  /** @throws InjectionError for an unknown id */
  async heal(id: string): Promise<Injection> {
    const found = this.#active.get(id);
    if (found === undefined)
      throw new InjectionError(404, `there is no injected fault "${id}"; there are: ${[...this.#active.keys()].join(', ') || 'none'}`);
    this.#active.delete(id);
    await found.heal();
    return found.view();
  }

  #specify(name: string, params: unknown): FaultSpec {
    const fault = faultNamed(name);
    if (fault === undefined) {
      const names = faultCatalogue.map((one) => one.name);
      const meant = nearest(name, names);
      throw new InjectionError(
        400,
        `there is no fault "${name}"; ${meant === undefined ? `there are: ${names.join(', ')}` : `did you mean ${meant}?`}`,
      );
    }
    let spec: FaultSpec;
    try {
      spec = specify(fault, params);
    } catch (error) {
      throw new InjectionError(400, error instanceof Error ? error.message : String(error));
    }
    const missing = spec.capabilities.filter((capability) => !this.#world.capabilities.includes(capability));
    if (missing.length > 0) throw new InjectionError(400, `fault ${name} needs ${missing.join(', ')}, which this world does not have`);
    return spec;
  }
}
