import { parse } from 'yaml';
import { isJsonObject, jsonType } from '../../../protocols/kube/json.ts';
import type { JsonObject } from '../../../protocols/kube/json.ts';
import { depthProblem, jsonSyntaxError } from '../../../protocols/kube/json-syntax.ts';
import { TYPE_META, UNTYPED } from '../body-types.ts';
import type { Question } from '../inquiries.ts';
import type { ResourceTable } from '../resource-table.ts';
import { objectKey } from '../resource.ts';
import type { Store } from '../store.ts';
import type { WebhookAnswer, WebhookClient } from './client.ts';
import type { ClientConfig, ServiceReference } from './configuration.ts';

const DEFAULT_PORT = 443;

/** A webhook's answer, decoded, or why there is none. */
export type Reviewed = { readonly review: JsonObject } | { readonly problem: string };

/** The problem of an answer of another type, in the words of Go's decoder; undefined if the type is right or missing. */
export function typeProblem(
  { kind, apiVersion }: JsonObject,
  expected: { readonly kind: string; readonly versions: readonly string[] },
): string | undefined {
  const { kind: wanted, versions } = expected;
  const [found, version] = [(kind ?? '') === '' ? wanted : String(kind), (apiVersion ?? '') === '' ? versions[0] : String(apiVersion)];
  if (found === wanted && versions.includes(version ?? '')) return undefined;
  return `no kind ${JSON.stringify(found)} is registered for version ${JSON.stringify(version)} in scheme "pkg/runtime/scheme.go:110"`;
}

/** One review to send. */
interface Request {
  readonly config: ClientConfig;
  readonly timeoutMs: number;
  /** What distinguishes the question from others of the same request. */
  readonly key: string;
  /** The review, made once it is sent. */
  readonly review: () => JsonObject;
}

/** Sends reviews to webhooks (`apiserver/pkg/util/webhook/client.go`, `client-go/rest`). */
export class WebhookCaller {
  readonly #store: Store;
  readonly #table: ResourceTable;
  readonly #client: WebhookClient;

  constructor({ store, table, client }: { store: Store; table: ResourceTable; client: WebhookClient }) {
    this.#store = store;
    this.#table = table;
    this.#client = client;
  }

  /** The question whether a review is answered. The time that is left limits the webhook's own time-out. */
  question({ config, timeoutMs, key, review }: Request): Question<Reviewed> {
    const ask = async (timeLeftMs: number): Promise<Reviewed> => {
      const limitMs = Math.min(timeoutMs, timeLeftMs);
      const url = `${addressOf(config)}?timeout=${Math.ceil(limitMs / 1_000)}s`;
      const answer = URL.canParse(url) ? await this.#post(config, url, review(), limitMs) : { problem: invalidPort(url) };
      return 'problem' in answer ? { problem: `Post ${JSON.stringify(url)}: ${answer.problem}` } : readAnswer(answer);
    };
    return { key, ask };
  }

  async #post({ service, caBundle }: ClientConfig, url: string, review: JsonObject, timeoutMs: number): Promise<WebhookAnswer> {
    const name = service && `${service.namespace ?? ''}/${service.name ?? ''}`;
    if (service !== undefined && name !== undefined && !this.#client.serves(name)) return { problem: this.#problemOf(service) };
    const ca = caBundle === undefined ? undefined : Buffer.from(caBundle, 'base64').toString();
    return this.#client.post({ url, service: name, ca, body: JSON.stringify(review), timeoutMs });
  }

  /** Why a service can't be reached: no program listens at its address (`ResolveCluster`). */
  #problemOf({ namespace, name = '', port = DEFAULT_PORT }: ServiceReference): string {
    const found = this.#store.get(this.#table.byId('services'), objectKey(namespace, name))?.object;
    if (found === undefined) return `service ${JSON.stringify(name)} not found`;
    const { clusterIP = '', ports = [] } = found.spec as { clusterIP?: string; ports?: readonly { port?: number }[] };
    if (clusterIP === 'None') return 'cannot route to service with ClusterIP "None"';
    if (!ports.some((one) => one.port === port)) return `no service port ${port} found for service ${JSON.stringify(name)}`;
    return `dial tcp ${clusterIP}:${port}: connect: connection refused`;
  }
}

/** The address of a webhook, without a query. */
function addressOf({ url, service }: ClientConfig): string {
  if (service === undefined) {
    const parsed = URL.parse(url ?? '');
    return parsed === null ? (url ?? '') : parsed.origin + withoutEnd(parsed.pathname);
  }
  const { name = '', namespace = '', port = DEFAULT_PORT, path = '' } = service;
  return `https://${name}.${namespace}.svc:${port}${withoutEnd(path)}`;
}

/** The only mistake of a URL that validation lets pass. */
function invalidPort(url: string): string {
  const [, port = ''] = /:(\d+)(?=[/?]|$)/.exec(url) ?? [];
  return `dial tcp: address ${port}: invalid port`;
}

/** As Go joins paths. */
function withoutEnd(path: string): string {
  return path === '' || path === '/' ? '/' : path.replace(/\/$/, '');
}

const TEXTS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};
/** Answers with these codes say themselves why. */
const OWN_TEXT = [403, 406, 415];
const FIRST_FAILURE = 300;
/** Most characters of an answer that are quoted. */
const MAX_QUOTED = 2_048;

/** `NewGenericServerResponse`, and what a decoder says about an answer that is not a review. */
function readAnswer({ status, contentType, text }: Exclude<WebhookAnswer, { readonly problem: string }>): Reviewed {
  if (status >= FIRST_FAILURE || status < 200) {
    const isText = contentType === '' || contentType.startsWith('text/');
    const said = isText && text.trim() !== '' ? text.slice(0, MAX_QUOTED).trim() : 'unknown';
    const unknown =
      status >= 500 ? `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding` : undefined;
    const bare = `the server responded with the status code ${status} but did not return more information`;
    return { problem: OWN_TEXT.includes(status) ? said : (TEXTS[status] ?? unknown ?? bare) };
  }
  if (text === '') return { problem: `0-length response with status code: ${status} and content type: ${contentType}` };
  const review = decoded(text);
  if (!isJsonObject(review)) {
    const syntax = review === undefined ? jsonSyntaxError(text) : undefined;
    return { problem: syntax === undefined ? untypedProblem(review) : `${UNTYPED}: ${syntax}` };
  }
  return { review };
}

/** The problem of a value that is no object, in the words of Go's decoder. */
export function untypedProblem(value: unknown): string {
  return `${UNTYPED}: json: cannot unmarshal ${jsonType(value)} into Go value of type ${TYPE_META}`;
}

/** Real decoders read YAML, too. Of a key that occurs twice, the last one counts. Undefined for text that is neither, or nested too deeply. */
function decoded(text: string): unknown {
  // JSON is parsed much faster as such, and large answers must not stop the world.
  const isJson = text.trimStart().startsWith('{');
  try {
    const value: unknown = isJson ? JSON.parse(text) : parse(text, { uniqueKeys: false });
    return depthProblem(value) === undefined ? value : undefined;
  } catch {
    return undefined;
  }
}
