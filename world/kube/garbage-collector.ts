import type { ObjectMeta, OwnerReference } from '../../model/kube.ts';
import { StatusError } from '../../protocols/kube/status.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { FOREGROUND, ORPHAN } from './deletion.ts';
import { Waiting } from './inquiries.ts';
import type { Registry } from './registry.ts';
import type { Writer } from './writer.ts';
import type { Location } from './resource.ts';
import type { Commit, Store } from './store.ts';

/** The collector's reaction time, drawn for each object. */
const DELAY_MS = { min: 20, max: 500 } as const;
/** Attempts with such a delay. Those after them are ever rarer, without end (`ItemExponentialFailureRateLimiter`). */
const PROMPT_ATTEMPTS = 5;
const BACK_OFF_MS = { base: 5, max: 1_000_000 } as const;

/** The state of an object's owners. */
interface Owners {
  /** They exist and do not wait for their dependents. */
  readonly solid: readonly OwnerReference[];
  /** They are being deleted in the foreground. */
  readonly waiting: readonly OwnerReference[];
}

/**
 * The garbage collector of the controller manager (`pkg/controller/garbagecollector`): it deletes an object whose owners are all
 * gone, and removes the references to missing owners otherwise. An owner that is deleted in the foreground is removed when the
 * dependents that block it (`blockOwnerDeletion`) are gone; one that orphans its dependents, when their references to it are
 * gone. Owners are identified by uid.
 */
export class GarbageCollector {
  readonly #registry: Registry;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #stopping = new AbortController();
  readonly #unsubscribe: () => void;
  /** The locations of all objects, by uid. */
  readonly #alive = new Map<string, Location>();
  /** The locations of an owner's dependents, by the owner's uid. */
  readonly #dependents = new Map<string, Map<string, Location>>();
  /** Work that keeps failing. */
  readonly #backingOff = new Set<string>();

  constructor(options: { store: Store; registry: Registry; clock: Clock; random: Random }) {
    this.#registry = options.registry;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#unsubscribe = options.store.onCommit((commit) => this.#follow(commit));
  }

  stop(): void {
    this.#unsubscribe();
    this.#stopping.abort(new Error('the garbage collector was stopped'));
  }

  #follow({ type, resource, key, version, previous }: Commit): void {
    const { object } = version;
    const { uid = '', name = '', namespace, ownerReferences = [] } = object.metadata;
    const id = `${resource.id}/${key}`;
    const before = previous?.object.metadata.ownerReferences ?? [];
    const at: Location = { resource, namespace, name };
    const moved = type !== 'MODIFIED' || ownerReferences !== before;
    if (moved) for (const owner of before) this.#forget(owner.uid, id);
    if (type === 'DELETED') {
      this.#alive.delete(uid);
      for (const dependent of this.#dependents.get(uid)?.values() ?? []) void this.#collect(dependent);
      this.#dependents.delete(uid);
    } else {
      this.#alive.set(uid, at);
      if (moved) for (const owner of ownerReferences) this.#remember(owner.uid, id, at);
      if (moved && ownerReferences.some((owner) => !this.#alive.has(owner.uid))) void this.#collect(at);
      if (awaits(object.metadata, FOREGROUND) && !awaits(previous?.object.metadata, FOREGROUND)) this.#beginForeground(at, uid);
      if (awaits(object.metadata, ORPHAN) && !awaits(previous?.object.metadata, ORPHAN))
        void this.#later(`orphan ${uid}`, (writer) => this.#orphan(at, uid, writer));
    }
    if (moved) for (const owner of before) this.#unblock(owner.uid);
  }

  #remember(owner: string, id: string, at: Location): void {
    const known = this.#dependents.get(owner) ?? new Map<string, Location>();
    this.#dependents.set(owner, known.set(id, at));
  }

  #forget(owner: string, id: string): void {
    const known = this.#dependents.get(owner);
    known?.delete(id);
    if (known?.size === 0) this.#dependents.delete(owner);
  }

  #beginForeground(at: Location, uid: string): void {
    for (const dependent of this.#dependents.get(uid)?.values() ?? []) void this.#collect(dependent);
    void this.#later(`finish ${uid}`, (writer) => this.#finishForeground(at, uid, writer));
  }

  /** A dependent of this owner is gone or dropped its reference. */
  #unblock(uid: string): void {
    const at = this.#alive.get(uid);
    if (at === undefined || !awaits(this.#find(at, uid), FOREGROUND)) return;
    void this.#later(`finish ${uid}`, (writer) => this.#finishForeground(at, uid, writer));
  }

  #finishForeground(at: Location, uid: string, writer: Writer): void {
    const owner = this.#find(at, uid);
    if (owner === undefined || !awaits(owner, FOREGROUND)) return;
    const blocked = this.#dependentsOf(uid).some(({ metadata }) =>
      metadata.ownerReferences?.some((one) => one.uid === uid && one.blockOwnerDeletion === true),
    );
    if (!blocked) this.#removeFinalizer(at, FOREGROUND, writer);
  }

  #orphan(at: Location, uid: string, writer: Writer): void {
    const owner = this.#find(at, uid);
    if (owner === undefined || !awaits(owner, ORPHAN)) return;
    for (const dependent of this.#dependentsOf(uid)) {
      const others = (dependent.metadata.ownerReferences ?? []).filter((one) => one.uid !== uid);
      this.#change(dependent.at, { ownerReferences: others }, writer);
    }
    this.#removeFinalizer(at, ORPHAN, writer);
  }

  #collect(at: Location): Promise<void> {
    const uid = this.#registry.findMetadata(at)?.uid;
    if (uid === undefined) return Promise.resolve();
    return this.#later(`collect ${uid}`, (writer) => {
      const metadata = this.#find(at, uid);
      const owners = metadata?.ownerReferences ?? [];
      if (metadata === undefined || owners.length === 0) return;
      const { finalizers = [], deletionTimestamp } = metadata;
      // An object that is already being deleted waits for its finalizers.
      if (deletionTimestamp !== undefined) return;
      const { solid, waiting } = this.#classify(owners);
      if (solid.length === owners.length) return;
      if (solid.length > 0) {
        this.#change(at, { ownerReferences: [...solid] }, writer);
        return;
      }
      const parents = waiting.length > 0 && this.#dependentsOf(uid).length > 0;
      const own = finalizers.includes(ORPHAN) ? 'Orphan' : finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background';
      this.#registry.delete(at, { preconditions: { uid }, propagationPolicy: parents ? 'Foreground' : own }, writer);
    });
  }

  #classify(owners: readonly OwnerReference[]): Owners {
    const present = owners.filter((owner) => this.#alive.has(owner.uid));
    const isWaiting = ({ uid }: OwnerReference): boolean => {
      const at = this.#alive.get(uid);
      return at !== undefined && awaits(this.#find(at, uid), FOREGROUND);
    };
    return { solid: present.filter((owner) => !isWaiting(owner)), waiting: present.filter(isWaiting) };
  }

  #dependentsOf(uid: string): { at: Location; metadata: ObjectMeta }[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])].flatMap((at) => {
      const metadata = this.#registry.findMetadata(at);
      return metadata === undefined ? [] : [{ at, metadata }];
    });
  }

  #find(at: Location, uid: string): ObjectMeta | undefined {
    const metadata = this.#registry.findMetadata(at);
    return metadata?.uid === uid ? metadata : undefined;
  }

  #removeFinalizer(at: Location, finalizer: string, writer: Writer): void {
    const finalizers = this.#registry.findMetadata(at)?.finalizers?.filter((one) => one !== finalizer);
    this.#change(at, { finalizers }, writer);
  }

  #change(at: Location, change: { ownerReferences?: OwnerReference[]; finalizers?: string[] | undefined }, writer: Writer): void {
    this.#registry.update(at, undefined, writer, ({ object }) => {
      const metadata = Object.entries({ ...object.metadata, ...change }).filter(([, value]) => !Array.isArray(value) || value.length > 0);
      return { ...object, metadata: Object.fromEntries(metadata) };
    });
  }

  /** Works until it succeeds. @param what names the work: of two with the same name that keep failing, one is given up */
  async #later(what: string, work: (writer: Writer) => void): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      const isPrompt = failures < PROMPT_ATTEMPTS;
      if (failures === PROMPT_ATTEMPTS && this.#backingOff.has(what)) return;
      if (!isPrompt) this.#backingOff.add(what);
      const delayMs = isPrompt ? this.#random.int(DELAY_MS.min, DELAY_MS.max) : Math.min(BACK_OFF_MS.base * 2 ** failures, BACK_OFF_MS.max);
      try {
        await this.#clock.sleep(delayMs, this.#stopping.signal);
      } catch {
        return; // Stopped.
      }
      if (!(await this.#succeeds(work))) continue;
      if (!isPrompt) this.#backingOff.delete(what);
      return;
    }
  }

  /**
   * One attempt, which waits for webhooks. All of it has one time, since webhooks are asked anew about an object that has changed.
   * @returns false if the object was gone or changed meanwhile, or could not be converted
   */
  async #succeeds(work: (writer: Writer) => void): Promise<boolean> {
    const writer: Writer = { principal: 'workloads', dryRun: false, nowMs: this.#clock.nowMs() };
    for (let answers = 0; answers <= MAX_ANSWERS && !this.#stopping.signal.aborted; answers += 1) {
      try {
        work(writer);
        return true;
      } catch (error) {
        if (error instanceof StatusError) return false;
        if (!(error instanceof Waiting)) throw error;
        await error.answered;
      }
    }
    return false;
  }
}

/** Answers of webhooks that one attempt waits for at most: each may change what the next one is asked. */
const MAX_ANSWERS = 10;

/** Whether an object is being deleted and waits for the collector. */
function awaits(metadata: ObjectMeta | undefined, finalizer: string): boolean {
  return metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer) === true;
}
