import type { Random } from '../../../../../runtime/random.ts';

/** A kind of objects that scripts are about. */
export interface Kind {
  readonly plural: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Controllers of a real cluster also write such objects: their versions and status are not compared. */
  readonly controlled: boolean;
  /** Controllers of a real cluster annotate such objects. */
  readonly annotated?: boolean;
  /** Has a scale subresource. */
  readonly scaled?: boolean;
  readonly custom?: boolean;
  /** How often it is drawn, relative to the others. */
  readonly weight: number;
  /** A new object without metadata. @param name of the object */
  create(random: Random, name: string): object;
  /** A change, as a merge patch; most are valid. */
  change(random: Random): object;
  /** The part of a configuration to apply, if not all of it. */
  applied?(configuration: object): object;
  /** The same for its status, if clients may write it. */
  status?(random: Random): object;
  /** Strategic merge patches with list elements. */
  strategic?(random: Random): object;
}
