import { conflict } from '../../protocols/kube/status.ts';
import type { StatusError } from '../../protocols/kube/status.ts';
import type { Random } from '../../runtime/random.ts';
import { groupResource, objectKey } from './resource.ts';
import type { Location } from './resource.ts';

/** A UUID of version 4, from the seed. */
export function newUid(random: Random): string {
  const digits = random.hex(32);
  const variant = '89ab'[Number.parseInt(digits.charAt(16), 16) % 4];
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `${variant}${digits.slice(17, 20)}`];
  return [...parts, digits.slice(20)].join('-');
}

/** The storage's refusal of a body with another uid than the stored object. */
export function otherUid({ resource, namespace, name }: Location, sent: string, uid: string): StatusError {
  const { custom, group, plural } = resource;
  const folder = custom ? [group, plural] : [STORED_AS[plural] ?? plural];
  const key = ['/registry', ...folder, objectKey(namespace, name)].join('/');
  const failed = `Precondition failed: UID in precondition: ${sent}, UID in object meta: ${uid}`;
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${failed}`;
  return conflict(groupResource(resource), name, why);
}

/** Resources with another name in etcd than their own. */
const STORED_AS: Readonly<Record<string, string>> = { nodes: 'minions', services: 'services/specs' };
