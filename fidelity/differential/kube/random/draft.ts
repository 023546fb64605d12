import type { Random } from '../../../../runtime/random.ts';
import { KINDS, collectionOf } from './kinds.ts';
import type { Kind } from './kinds.ts';
import { CASE_LABEL } from './script.ts';
import type { Operation, Step } from './script.ts';

export const MEDIA = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;
export const PARTIAL = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
export const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
export const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
export const FINALIZER = 'example.com/a';

/** A script about objects of one kind, under construction. */
export class Draft {
  readonly random: Random;
  readonly id: string;
  readonly kind: Kind;
  readonly collection: string;
  /** Whether the objects of this script are created by server-side apply. */
  readonly applies: boolean;
  readonly steps: Step[] = [];
  /** Steps whose answer is an object, by the object's name. */
  readonly #answers = new Map<string, number[]>();

  constructor(random: Random, id: string, namespace: string) {
    this.random = random;
    this.id = id;
    this.kind = random.pick(KINDS.flatMap((kind) => Array<Kind>(kind.weight).fill(kind)));
    this.collection = collectionOf(this.kind, namespace);
    this.applies = random.chance(0.25);
  }

  /** @param object the name of the object in the answer, if any */
  add(operation: Operation, method: Step['method'], path: string, more: Partial<Step> = {}, object?: string): void {
    if (object !== undefined && more.accept !== TABLE && more.accept !== PARTIAL) {
      this.#answers.set(object, [...(this.#answers.get(object) ?? []), this.steps.length]);
    }
    this.steps.push({ operation, resource: this.kind.plural, method, path, ...more });
  }

  /** The steps whose answer is this object. */
  answersOf(name: string): readonly number[] {
    return this.#answers.get(name) ?? [];
  }

  get labels(): Record<string, string> {
    return { [CASE_LABEL]: this.id };
  }

  get head(): object {
    return { apiVersion: this.kind.apiVersion, kind: this.kind.kind };
  }

  /** Selects the objects of this script. */
  get selected(): string {
    return `${this.collection}?labelSelector=${CASE_LABEL}%3D${this.id}`;
  }

  at(name: string): string {
    return `${this.collection}/${name}`;
  }
}
