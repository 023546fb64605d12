import { z } from 'zod';
import { formatGo } from '../../../protocols/kube/json.ts';
import type { JsonObject } from '../../../protocols/kube/json.ts';
import { StatusError } from '../../../protocols/kube/status.ts';
import type { Random } from '../../../runtime/random.ts';
import { Waiting } from '../inquiries.ts';
import type { ApiObject } from '../resource.ts';
import { newUid } from '../uids.ts';
import { typeProblem } from './caller.ts';
import type { Reviewed, WebhookCaller } from './caller.ts';
import type { ConversionWebhook, Converter } from './configuration.ts';

const GROUP = 'apiextensions.k8s.io';
const VERSIONS = ['v1', 'v1beta1'];
const TIMEOUT_MS = 30_000;
/** Most conversions of objects that are not stored yet, which are remembered for the next attempt of their requests. */
const MAX_REMEMBERED = 256;

const responseShape = z.object({
  uid: z.string().default(''),
  convertedObjects: z.array(z.looseObject({ apiVersion: z.string(), kind: z.string(), metadata: z.looseObject({}).optional() })).nullish(),
  result: z.object({ status: z.string().default(''), message: z.string().default('') }).default({ status: '', message: '' }),
});

type Outcome = { readonly object: ApiObject } | { readonly problem: string };

/** Converters that call webhooks (`apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go`). */
export class ConversionWebhooks {
  readonly #caller: WebhookCaller;
  readonly #uids: Random;

  constructor({ caller, random }: { caller: WebhookCaller; random: Random }) {
    this.#caller = caller;
    this.#uids = random;
  }

  converterOf(webhook: ConversionWebhook): Converter {
    // Conversions of stored objects are remembered as long as the objects, as in the real server's watch caches.
    const ofStored = new WeakMap<ApiObject, Map<string, Outcome>>();
    const ofOthers = new Map<string, Outcome>();
    const known = (object: ApiObject, apiVersion: string): { get(): Outcome | undefined; set(outcome: Outcome | undefined): void } => {
      if (Object.isFrozen(object)) {
        const outcomes = ofStored.get(object) ?? new Map<string, Outcome>();
        ofStored.set(object, outcomes);
        return {
          get: () => outcomes.get(apiVersion),
          set: (outcome) => (outcome === undefined ? outcomes.delete(apiVersion) : outcomes.set(apiVersion, outcome)),
        };
      }
      const key = JSON.stringify([apiVersion, object]);
      return {
        get: () => ofOthers.get(key),
        set: (outcome) => {
          ofOthers.delete(key);
          if (outcome !== undefined) ofOthers.set(key, outcome);
          const [oldest] = ofOthers.keys();
          if (ofOthers.size > MAX_REMEMBERED && oldest !== undefined) ofOthers.delete(oldest);
        },
      };
    };
    return {
      convert: (object, apiVersion) => {
        if (object.apiVersion === apiVersion) return object;
        const entry = known(object, apiVersion);
        const outcome = entry.get();
        if (outcome === undefined) throw new Waiting(this.#ask(webhook, object, apiVersion).then((one) => entry.set(one)));
        if ('object' in outcome) return outcome.object;
        // The next request asks again.
        entry.set(undefined);
        throw new StatusError(500, '', outcome.problem);
      },
      remember: (stored, shown) => known(stored, shown.apiVersion).set({ object: shown }),
    };
  }

  async #ask(
    { clientConfig = {}, conversionReviewVersions = [] }: ConversionWebhook,
    object: ApiObject,
    apiVersion: string,
  ): Promise<Outcome> {
    const version = conversionReviewVersions.find((one) => VERSIONS.includes(one));
    if (version === undefined) return { problem: 'no supported conversion review versions' };
    const uid = newUid(this.#uids);
    const request: JsonObject = { uid, desiredAPIVersion: apiVersion, objects: [object] };
    const review = (): JsonObject => ({ kind: 'ConversionReview', apiVersion: `${GROUP}/${version}`, request });
    const question = this.#caller.question({ config: clientConfig, timeoutMs: TIMEOUT_MS, key: uid, review });
    return read(await question.ask(TIMEOUT_MS), { version, uid, object, apiVersion });
  }
}

/** What was asked. */
interface Asked {
  readonly version: string;
  readonly uid: string;
  readonly object: ApiObject;
  readonly apiVersion: string;
}

function read(reviewed: Reviewed, { version, uid, object, apiVersion }: Asked): Outcome {
  const of = `conversion webhook for ${object.apiVersion}, Kind=${object.kind}`;
  const failed = (why: string): Outcome => ({ problem: `${of} failed: ${why}` });
  if ('problem' in reviewed) return failed(reviewed.problem);
  const wrongType = typeProblem(reviewed.review, { kind: 'ConversionReview', versions: VERSIONS.map((one) => `${GROUP}/${one}`) });
  if (wrongType !== undefined) return failed(wrongType);
  const { response } = reviewed.review;
  if (response === undefined || response === null) return failed('no response provided');
  const parsed = responseShape.safeParse(response);
  if (!parsed.success) return failed(`json: cannot unmarshal response: ${parsed.error.issues[0]?.message}`);
  const { uid: got, convertedObjects, result } = parsed.data;
  if (version === 'v1' && got !== uid) return failed(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(got)}`);
  if (result.status !== 'Success') {
    return failed(result.message === '' ? `response.result.status was '${result.status}', not 'Success'` : result.message);
  }
  const objects = convertedObjects ?? [];
  const [converted] = objects;
  if (converted === undefined || objects.length !== 1) return { problem: `${of} returned ${objects.length} objects, expected 1` };
  const invalid = (what: string, expected: string, received: string): Outcome => {
    return { problem: `${of} returned invalid object at index 0: invalid ${what} (expected ${expected}, received ${received})` };
  };
  if (converted.apiVersion !== apiVersion) return invalid('groupVersion', apiVersion, converted.apiVersion);
  if (converted.kind !== object.kind) return invalid('kind', object.kind, converted.kind);
  const metadata: JsonObject = converted.metadata ?? {};
  for (const [field, shown] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [before, after] = [object.metadata[field] ?? '', metadata[field] ?? ''];
    if (before !== after) return { problem: `${of} returned invalid object: must have the same ${shown}: ${before} != ${formatGo(after)}` };
  }
  // Of the metadata, a webhook may change only labels and annotations.
  const { labels: _labels, annotations: _annotations, ...kept } = object.metadata;
  const own = Object.fromEntries(
    Object.entries(metadata).filter(([key, value]) => ['labels', 'annotations'].includes(key) && value !== null),
  );
  return { object: { ...converted, metadata: { ...kept, ...own } } };
}
