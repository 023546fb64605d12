import { PRINCIPALS } from '../../model/operation.ts';
import type { Principal } from '../../model/operation.ts';

const PREFIX = 'scaleproof-';

/** In whose name a request is: an API server notes what stands before the slash as the manager of the fields that it sets. */
export function agentOf(principal: Principal): { readonly 'user-agent': string } {
  return { 'user-agent': `${PREFIX}${principal}/1` };
}

/** Whose requests a manager of fields stands for; undefined for those of others. */
export function principalOfManager(manager: string): Principal | undefined {
  if (manager === 'kube-scheduler') return 'scheduler';
  return PRINCIPALS.find((principal) => manager === `${PREFIX}${principal}`);
}
