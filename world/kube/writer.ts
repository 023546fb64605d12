import type { Principal } from '../../model/operation.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import type { Inquiries } from './inquiries.ts';
import type { Author } from './ownership.ts';
import type { User } from './rbac/users.ts';

/** Who sends a request, and whether it may change anything. */
export interface Writer {
  readonly principal: Principal;
  readonly dryRun: boolean;
  /** The other options of the request that admission sees. */
  readonly options?: JsonObject;
  /** Whom admission policies see; by default the administrator. */
  readonly user?: User;
  /** The owner of the changed fields; by default the principal. An apply sets the owners in the object itself: `nobody`. */
  readonly author?: Author | 'nobody';
  /** Shows a warning to the client. Absent: nobody reads it. */
  readonly warn?: (text: string) => void;
  /** A part of this world: what it writes has the right types. */
  readonly isOwn?: true;
  /** The time of the request. Absent: that of its inquiries, or now. */
  readonly nowMs?: number;
  /** What the request asks webhooks. Absent: it can't wait, and they are not asked. */
  readonly inquiries?: Inquiries;
}
