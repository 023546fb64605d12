import type { z } from 'zod';
import type { Capability } from '../history/capabilities.ts';
import type { OfferingSelector } from '../model/catalogue.ts';
import type { ClusterConfig } from '../model/cluster.ts';
import { defined } from '../model/defined.ts';
import { refuseUnless } from '../model/mistake.ts';
import type { FaultPorts, Heal } from '../world/ports.ts';
import type { ArmInjection } from '../wire/effects.ts';

/** What an armed fault may use. */
export interface FaultSite {
  /** Arms an effect on the wires. */
  readonly arm: ArmInjection;
  readonly ports: FaultPorts;
  /** What the target's instances are launched into, with AWS's names for its parts. */
  readonly cluster: ClusterConfig;
  /** Reports that the fault changed what the target would have seen; `span` is the request, if there is one. */
  readonly fired: (span?: number, note?: string) => void;
}

/**
 * A kind of fault: what is done. When it fires is decided by its parameters (a trigger) or by the scenario, which arms and
 * heals it. Each fault has its own file, which calls `defineFault`, and one line in `catalogue.ts`.
 */
export interface Fault<P, Given = P> {
  readonly name: string;
  readonly summary: string;
  readonly params: z.ZodType<P, Given>;
  /** Whether a correct API server or EC2 may behave like this. Illegal faults belong to the robustness profile. */
  readonly legal: boolean;
  /** `false` if no firing can keep the target from its work, so that firings don't restart bounds. */
  readonly hinders?: false;
  /** `true` if what it does to instances and Nodes can be seen on them, so that nobody needs to launch more than the pods there need. */
  readonly visible?: true;
  /**
   * The offerings that it may make unavailable, rather too many than too few, if it does nothing else: pods must run on others. Without lists
   * that is all of them.
   */
  withholds?(params: P): OfferingSelector;
  /** The capabilities that a world needs for it, with these parameters. */
  capabilities(params: P): readonly Capability[];
  /** A CSS colour for its bands in timelines. */
  readonly color: string;
  /** Ids of actions of AWS Fault Injection Service that do much the same in real AWS. */
  readonly fis?: readonly string[];
  /** Kinds of Chaos Mesh, with their action, that do something similar to an autoscaler that runs as pods. */
  readonly chaosMesh?: readonly string[];
  /** One sentence with the parameters filled in. */
  describe(params: P): string;
  /** Arms it: it is active as soon as this has returned or resolved. */
  inject(params: P, site: FaultSite): Heal | Promise<Heal>;
}

/** A fault with its parameters: what a scenario injects. */
export interface FaultSpec {
  readonly name: string;
  readonly params: unknown;
  readonly legal: boolean;
  readonly hinders?: false;
  readonly visible?: true;
  readonly capabilities: readonly Capability[];
  readonly color: string;
  readonly description: string;
  /** By default a fault must fire: otherwise the trial is unknown. */
  readonly firing?: 'may-fire';
  inject(site: FaultSite): Heal | Promise<Heal>;
}

/** A fault that can be called with its parameters to get what a scenario injects. */
export type CallableFault<P, Given = P> = Fault<P, Given> & ((params: Given) => FaultSpec);

/** Creates a fault from its definition. Calling it throws if the parameters don't match its schema. */
export function defineFault<P, Given>(definition: Fault<P, Given>): CallableFault<P, Given> {
  const call = (params: Given): FaultSpec => specify(definition, params);
  // A function's own name is read-only.
  return Object.assign(Object.defineProperty(call, 'name', { writable: true, enumerable: true }), definition);
}

/** The same fault for autoscalers that may never trigger it: the trial is not unknown if it did not fire. */
export function mayFire(fault: FaultSpec): FaultSpec {
  return { ...fault, firing: 'may-fire' };
}

/**
 * Applies parameters to a fault, for callers that have both by name only, and for faults that are plain objects. Deprecated in
 * scenarios: call the fault itself, which `defineFault` created.
 * @throws Mistake that names the user's line, the fault and the parameter if they don't match its schema
 */
export function specify<P, Given>(fault: Fault<P, Given>, params: Given): FaultSpec {
  refuseUnless(fault.params, params, { call: `fault ${fault.name}`, noun: 'its parameters' });
  const parsed = fault.params.parse(params);
  return {
    name: fault.name,
    params: parsed,
    legal: fault.legal,
    ...defined({ hinders: fault.hinders, visible: fault.visible }),
    capabilities: fault.capabilities(parsed),
    color: fault.color,
    description: fault.describe(parsed),
    inject: (site) => fault.inject(parsed, site),
  };
}
