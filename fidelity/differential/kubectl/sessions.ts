import { ACCESS } from './sessions-access.ts';
import { CLUSTER } from './sessions-cluster.ts';
import { OBJECTS } from './sessions-objects.ts';
import { WORKLOADS } from './sessions-workloads.ts';
import type { Session } from './session.ts';

/** Everything that people and scripts do with kubectl, except what needs running containers. */
export const SESSIONS: readonly Session[] = [...OBJECTS, ...WORKLOADS, ...CLUSTER, ...ACCESS];
