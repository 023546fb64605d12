import type { Random } from '../../../../../runtime/random.ts';

/** A kind of objects that scripts are about. */
export interface Kind {
  readonly plural: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Controllers of a real cluster write such objects too: their versions and status are not compared. */
  readonly controlled: boolean;
  /** Controllers of a real cluster annotate such objects. */
  readonly annotated?: boolean;
  /** Has a scale subresource. */
  readonly scaled?: boolean;
  readonly custom?: boolean;
  /** How often it is drawn, against the others. */
  readonly weight: number;
  /** All but the metadata of a new object. @param name of the object */
  create(random: Random, name: string): object;
  /** A change, as a merge patch; most are valid. */
  change(random: Random): object;
  /** What of a configuration is applied, where not all of it is. */
  applied?(configuration: object): object;
  /** The same for its status, if it has one that a client may write. */
  status?(random: Random): object;
  /** Strategic changes, which name elements of lists. */
  strategic?(random: Random): object;
}
