import { isJsonObject } from '../../protocols/kube/json.ts';
import { badRequest, success } from '../../protocols/kube/status.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import type { Random } from '../../runtime/random.ts';
import type { AdmissionRequest } from './admission.ts';
import { checkedBody } from './checked-bodies.ts';
import type { Sent } from './checked-bodies.ts';
import { decodeObject } from './decode.ts';
import { evictPod } from './eviction.ts';
import type { Deletion } from './deletion.ts';
import { checkSameNamespace } from './identity.ts';
import type { Inquiries } from './inquiries.ts';
import { bindPod, readBinding } from './pod-subresources.ts';
import type { Registry } from './registry.ts';
import type { ApiObject, BodyType, Location } from './resource.ts';
import { checkAccountName, readTokenRequest, withToken } from './tokens.ts';
import { newUid } from './uids.ts';
import type { Writer } from './writer.ts';

/* Subresources to which only actions are posted: evictions and bindings of pods, and requests for tokens. */

/** What an action may be. */
export type Action = keyof typeof TYPES;

const BUILT_IN = { custom: false, rules: {} };
const TYPES = {
  eviction: { group: 'policy', version: 'v1', kind: 'Eviction', ...BUILT_IN },
  binding: { group: '', version: 'v1', kind: 'Binding', ...BUILT_IN },
  token: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', ...BUILT_IN },
} as const satisfies Record<string, BodyType>;

export function isAction(subresource: string): subresource is Action {
  return Object.hasOwn(TYPES, subresource);
}

/** What actions need. */
interface ActionSite {
  readonly registry: Registry;
  readonly types: KubeTypes;
  /** For the identities of tokens. */
  readonly random: Random;
}

/** One request for an action. */
interface ActionRequest extends Sent {
  readonly writer: Writer;
  readonly inquiries: Inquiries;
  readonly nowMs: number;
}

/** Serves an action. @returns the body of the answer @throws StatusError */
export function serveAction(site: ActionSite, action: Action, at: Location, request: ActionRequest): string {
  const sent = readAction(site, action, at, request);
  const { writer, nowMs } = request;
  if (action === 'token') return createToken(site, at, sent, request);
  const { name = '' } = sent.metadata;
  if (name !== at.name) throw badRequest(`name in URL does not match name in ${TYPES[action].kind} object`);
  if (action === 'binding') {
    bindPod(site.registry, at, readBinding(sent), writer, nowMs);
  } else {
    const options = (sent['deleteOptions'] ?? {}) as Deletion & { readonly dryRun?: readonly string[] };
    const dryRun = writer.dryRun || (options.dryRun?.length ?? 0) > 0;
    evictPod(site.registry, at, options, { ...writer, dryRun }, nowMs);
  }
  return JSON.stringify(success(201));
}

/** The action, with the right type and in the namespace of the request. @throws StatusError 400 */
function readAction({ types }: ActionSite, action: Action, at: Location, request: ActionRequest): ApiObject {
  const type = TYPES[action];
  const body = action === 'eviction' ? inNewVersion(request.body) : request.body;
  const sent = decodeObject(type, checkedBody({ ...request, body }, type, types));
  checkSameNamespace(sent.metadata, at.namespace);
  return sent;
}

/** Evictions had another version, which clients may still send. */
function inNewVersion(body: unknown): unknown {
  return isJsonObject(body) && body['apiVersion'] === 'policy/v1beta1' ? { ...body, apiVersion: 'policy/v1' } : body;
}

function createToken({ registry, random }: ActionSite, at: Location, sent: ApiObject, request: ActionRequest): string {
  const { inquiries, writer } = request;
  const { nowMs } = inquiries;
  checkAccountName(at.name, sent);
  const account = registry.get(at).object;
  const made = readTokenRequest(account, sent, nowMs);
  const { group, version, kind } = TYPES.token;
  const details = (): ReturnType<AdmissionRequest['details']> => {
    const uid = inquiries.once('uid', () => newUid(random));
    const object = { ...made, metadata: { ...made.metadata, uid }, status: { expirationTimestamp: null, token: '' } };
    return { object, old: undefined, kind: { group, version, kind } };
  };
  registry.admit({ operation: 'CREATE', at, subresource: 'token', writer, details });
  const id = inquiries.once('token', () => newUid(random));
  return JSON.stringify(withToken(made, account, { find: registry.lookup.find, nowMs, id }));
}
