import { PRINCIPALS } from '../../model/operation.ts';
import type { Principal } from '../../model/operation.ts';

const PREFIX = 'scaleproof-';

/** The user agent of a principal's requests: an API server records the part before the slash as the manager of the fields that it sets. */
export function agentOf(principal: Principal): { readonly 'user-agent': string } {
  return { 'user-agent': `${PREFIX}${principal}/1` };
}

/** The principal of a field manager; undefined for managers of others. */
export function principalOfManager(manager: string): Principal | undefined {
  if (manager === 'kube-scheduler') return 'scheduler';
  return PRINCIPALS.find((principal) => manager === `${PREFIX}${principal}`);
}
