import type { z } from 'zod';
import type { Capability } from '../history/capabilities.ts';
import type { ClusterConfig } from '../model/cluster.ts';
import { defined } from '../model/defined.ts';
import type { FaultPorts, Heal } from '../world/ports.ts';
import type { ArmInjection } from '../wire/effects.ts';

/** What an armed fault may touch. */
export interface FaultSite {
  /** Arms an effect on the wires. */
  readonly arm: ArmInjection;
  readonly ports: FaultPorts;
  /** What the target's instances are launched into: faults name its parts as AWS would. */
  readonly cluster: ClusterConfig;
  /** Says that the fault changed what the target would have met; `span` is the request, where there is one. */
  readonly fired: (span?: number, note?: string) => void;
}

/**
 * A kind of fault: what is done. When it strikes is said by its parameters (a trigger) or by the scenario, which arms and
 * heals it. One file a fault, which calls `defineFault`, and one line in `catalogue.ts`.
 */
export interface Fault<P, Given = P> {
  readonly name: string;
  readonly summary: string;
  readonly params: z.ZodType<P, Given>;
  /** Whether a correct API server or EC2 may behave so. What is not legal belongs to the robustness profile. */
  readonly legal: boolean;
  /** `false` where no strike of it can keep the target from its work, so that no bound begins anew with one. */
  readonly hinders?: false;
  /** What a world must be able to do for it, with these parameters. */
  capabilities(params: P): readonly Capability[];
  /** Of its bands in timelines: a CSS colour. */
  readonly color: string;
  /** Actions of AWS Fault Injection Service that do much the same to real AWS, by their ids. */
  readonly fis?: readonly string[];
  /** One sentence with the parameters put in. */
  describe(params: P): string;
  /** Arms it: it strikes from when this has returned or resolved. */
  inject(params: P, site: FaultSite): Heal | Promise<Heal>;
}

/** A fault with its parameters: what a scenario injects. */
export interface FaultSpec {
  readonly name: string;
  readonly params: unknown;
  readonly legal: boolean;
  readonly hinders?: false;
  readonly capabilities: readonly Capability[];
  readonly color: string;
  readonly description: string;
  /** A trial is unknown in which a fault did not fire that had to, as all do that don't say otherwise. */
  readonly firing?: 'may-fire';
  inject(site: FaultSite): Heal | Promise<Heal>;
}

/** A fault that is called with its parameters, and then is what a scenario injects. */
export type CallableFault<P, Given = P> = Fault<P, Given> & ((params: Given) => FaultSpec);

/** Makes a fault of its definition. Calling it throws where the parameters don't fit its schema. */
export function defineFault<P, Given>(definition: Fault<P, Given>): CallableFault<P, Given> {
  const call = (params: Given): FaultSpec => specify(definition, params);
  // A function has a name of its own, which can't be assigned to.
  return Object.assign(Object.defineProperty(call, 'name', { writable: true, enumerable: true }), definition);
}

/** The same fault where some autoscalers never meet it: that it did not fire makes no trial unknown. */
export function mayFire(fault: FaultSpec): FaultSpec {
  return { ...fault, firing: 'may-fire' };
}

/**
 * Puts parameters to a fault, for who has both by name only, and for faults that are plain objects. In scenarios it is deprecated:
 * call the fault itself, which `defineFault` made.
 * @throws Error that names the fault and the parameter when they don't fit its schema
 */
export function specify<P, Given>(fault: Fault<P, Given>, params: Given): FaultSpec {
  const parsed = fault.params.safeParse(params);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'parameters'}: ${issue.message}`);
    throw new Error(`fault ${fault.name}: ${problems.join('; ')}`);
  }
  return {
    name: fault.name,
    params: parsed.data,
    legal: fault.legal,
    ...defined({ hinders: fault.hinders }),
    capabilities: fault.capabilities(parsed.data),
    color: fault.color,
    description: fault.describe(parsed.data),
    inject: (site) => fault.inject(parsed.data, site),
  };
}
