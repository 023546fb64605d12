import type { Principal } from '../../model/operation.ts';
import type { Author } from './ownership.ts';

/** Whose request it is, and whether it may change anything. */
export interface Writer {
  readonly principal: Principal;
  readonly dryRun: boolean;
  /** Whose the fields are that it changes: the principal's if nobody is named. Who applies says it in the object: `nobody`. */
  readonly author?: Author | 'nobody';
}
