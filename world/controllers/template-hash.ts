import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from '../../model/canonical-json.ts';
import type { PodTemplate } from '../../model/kube.ts';

/** The label by which a Deployment distinguishes the pods of its ReplicaSets. */
export const POD_TEMPLATE_HASH = 'pod-template-hash';
/** The same for the revisions of DaemonSets and StatefulSets. */
export const REVISION_HASH = 'controller-revision-hash';

/** `rand.SafeEncodeString` of apimachinery writes every character as one of these. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * A short hash of a pod template, like the real `ComputeHash`: 32-bit FNV-1a, in letters that form no words.
 * The real one hashes a dump of the Go structure, so its values differ; equal templates have equal hashes in both.
 * @param collisions how often another template had the same hash
 */
export function templateHash(template: PodTemplate, collisions = 0): string {
  let hash = FNV_OFFSET;
  const text = canonicalJson(template) + (collisions === 0 ? '' : String(collisions));
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, FNV_PRIME) >>> 0;
  return [...String(hash)].map((digit) => ALPHABET.charAt(digit.charCodeAt(0) % ALPHABET.length)).join('');
}

/** Whether two templates are equal but for their hash labels (`EqualIgnoreHash`). */
export function equalTemplates(a: PodTemplate, b: PodTemplate): boolean {
  return isDeepStrictEqual(withoutHash(a), withoutHash(b));
}

function withoutHash({ metadata = {}, spec }: PodTemplate): object {
  const { [POD_TEMPLATE_HASH]: _hash, ...labels } = metadata.labels ?? {};
  return { metadata: { ...metadata, labels }, spec };
}
