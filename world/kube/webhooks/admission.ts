import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../../model/defined.ts';
import { isJsonObject, jsonType } from '../../../protocols/kube/json.ts';
import type { JsonObject } from '../../../protocols/kube/json.ts';
import { depthProblem, jsonSyntaxError } from '../../../protocols/kube/json-syntax.ts';
import { applyJsonPatch } from '../../../protocols/kube/json-patch.ts';
import { StatusError, internalError, refused } from '../../../protocols/kube/status.ts';
import type { Random } from '../../../runtime/random.ts';
import { UNTYPED } from '../body-types.ts';
import type { Inquiries, Question } from '../inquiries.ts';
import { admissionRequest, clusterOf } from '../policies/admission.ts';
import { MatchConditions } from '../policies/conditions.ts';
import { PolicyExpressions } from '../policies/expressions.ts';
import { inForm, matchedResource } from '../policies/matching.ts';
import type { Attributes, Cluster } from '../policies/matching.ts';
import type { ResourceTable } from '../resource-table.ts';
import { groupResource } from '../resource.ts';
import type { ApiObject, Resource } from '../resource.ts';
import { webhooksOf } from '../rules/webhook-configurations.ts';
import type { Store } from '../store.ts';
import { newUid } from '../uids.ts';
import type { Writer } from '../writer.ts';
import type { Reviewed, WebhookCaller } from './caller.ts';
import type { Webhook } from './configuration.ts';
import { untypedProblem } from './caller.ts';
import { REVIEW_VERSIONS, admissionReview, denialOf, readResponse } from './review.ts';
import type { Response } from './review.ts';

const GROUP = 'admissionregistration.k8s.io';

/** A webhook of a stored configuration. */
interface Hook {
  /** Distinguishes it from all others. */
  readonly id: string;
  readonly webhook: Webhook;
  readonly expressions: PolicyExpressions;
  readonly conditions: MatchConditions;
}

/** A webhook that a request has to be sent to. */
interface Invocation {
  readonly hook: Hook;
  /** The form of the resource that its rules name. */
  readonly resource: Resource;
}

/** How a request's object changes when a webhook has patched it. */
export interface Patching {
  /** A patched object with the type of the form in which the webhook saw it. @throws StatusError if it has another */
  readonly retype: (object: JsonObject, form: Resource) => JsonObject;
  /** Decodes a patched object and sets its defaults. @throws StatusError */
  readonly decode: (object: JsonObject) => ApiObject;
  /** What the built-in plugins, which run again, make of it. */
  readonly admitAgain: (object: ApiObject) => ApiObject;
}

type Outcome = Response | { readonly failure: string };

/**
 * The admission plugins MutatingAdmissionWebhook and ValidatingAdmissionWebhook (`apiserver/pkg/admission/plugin/webhook`).
 * Configurations are in force as soon as they are stored, in the order of their names. The writes of the API server's own controllers,
 * which do not wait for anybody, are not sent.
 */
export class WebhookAdmission {
  readonly #store: Store;
  readonly #uids: Random;
  readonly #caller: WebhookCaller;
  readonly #cluster: Cluster;
  readonly #mutating: Resource;
  readonly #validating: Resource;
  readonly #compiled = new WeakMap<ApiObject, readonly Hook[]>();

  constructor({ store, table, random, caller }: { store: Store; table: ResourceTable; random: Random; caller: WebhookCaller }) {
    this.#store = store;
    this.#uids = random;
    this.#caller = caller;
    this.#cluster = clusterOf(store, table);
    this.#mutating = table.byId(`mutatingwebhookconfigurations.${GROUP}`);
    this.#validating = table.byId(`validatingwebhookconfigurations.${GROUP}`);
  }

  /**
   * Sends a request to mutating webhooks, one after another. If one changes the object, the built-in plugins run again, and so do the
   * webhooks before it whose policy is `IfNeeded`.
   * @param describe the request; not called if there are no webhooks
   * @returns the object, which is the same if nothing has changed it; undefined if the request has none
   * @throws StatusError if a webhook denies the request, or fails with the policy `Fail`
   */
  mutate(describe: () => Attributes, { inquiries, warn }: Writer, patching: Patching | undefined): ApiObject | undefined {
    const hooks = this.#hooks(this.#mutating);
    if (hooks.length === 0 || inquiries === undefined) return undefined;
    const request = describe();
    if (request.resource.group === GROUP) return undefined;
    const invoked = new Set<string>();
    const again = new Set<string>();
    let object = request.object;
    let isChanged = false;
    const requireAgain = (): void => {
      for (const id of invoked) again.add(id);
      invoked.clear();
    };
    const pass = (round: number): void => {
      for (const hook of hooks) {
        const current = { ...request, object };
        const resource = this.#matched(hook, current);
        if (resource === undefined || (round > 0 && !again.has(hook.id))) continue;
        const [outcome] = this.#ask([{ hook, resource }], current, inquiries, `mutate ${round}`);
        const patched = this.#patched(hook, resource, current, outcome?.outcome, warn, patching);
        if (patched !== undefined && !isDeepStrictEqual(patched, object)) {
          object = patched;
          isChanged = true;
          requireAgain();
        }
        if (hook.webhook.reinvocationPolicy === 'IfNeeded') invoked.add(hook.id);
      }
    };
    pass(0);
    if (isChanged && object !== undefined && patching !== undefined) {
      const readmitted = patching.admitAgain(object);
      if (!isDeepStrictEqual(readmitted, object)) requireAgain();
      object = readmitted;
      pass(1);
    }
    return isChanged ? object : undefined;
  }

  /**
   * Sends a request to validating webhooks, all at the same time. Of several that refuse it, the first to answer counts.
   * @throws StatusError if a webhook denies the request, or fails with the policy `Fail`
   */
  validate(describe: () => Attributes, { inquiries, warn }: Writer): void {
    const hooks = this.#hooks(this.#validating);
    if (hooks.length === 0 || inquiries === undefined) return;
    const request = describe();
    if (request.resource.group === GROUP) return;
    const invocations = hooks.flatMap((hook): Invocation[] => {
      const resource = this.#matched(hook, request);
      return resource === undefined ? [] : [{ hook, resource }];
    });
    const outcomes = this.#ask(invocations, request, inquiries, 'validate').map(({ outcome, place }, index) => {
      return { place, refusal: refusalOf(invocations[index]?.hook.webhook ?? {}, outcome, warn) };
    });
    const [first] = outcomes.filter(({ refusal }) => refusal !== undefined).sort((a, b) => a.place - b.place);
    if (first?.refusal !== undefined) throw first.refusal;
  }

  #hooks(resource: Resource): Hook[] {
    return this.#store.list(resource).flatMap(({ object }) => {
      const known = this.#compiled.get(object) ?? hooksOf(object);
      this.#compiled.set(object, known);
      return known;
    });
  }

  /** `ShouldCallHook`. @throws StatusError 403 if the match conditions can't be evaluated */
  #matched({ webhook, expressions, conditions }: Hook, request: Attributes): Resource | undefined {
    const { rules = [], namespaceSelector, objectSelector, matchPolicy, matchConditions = [] } = webhook;
    if (rules.length === 0) return undefined;
    const matching = { resourceRules: rules, ...defined({ namespaceSelector, objectSelector, matchPolicy }) };
    const resource = matchedResource(matching, request, this.#cluster);
    if (resource === undefined || matchConditions.length === 0) return resource;
    const { object = null, oldObject = null } = this.#objects(request, resource);
    const values = { object, oldObject, params: null, request: admissionRequest(request, resource), namespaceObject: undefined };
    const matches = conditions.match(expressions.values(values));
    if (typeof matches === 'boolean') return matches ? resource : undefined;
    throw refused(groupResource(request.resource), request.name ?? '', matches.problem);
  }

  /** The objects of a request in the form that a webhook's rules name. */
  #objects({ kind, resource, object, old }: Attributes, matched: Resource): { object?: ApiObject; oldObject?: ApiObject } {
    const seen = (one: ApiObject | undefined): ApiObject | undefined => {
      return one === undefined || kind !== undefined ? one : inForm(one, resource, matched);
    };
    return defined({ object: seen(object), oldObject: seen(old) });
  }

  #ask(
    invocations: readonly Invocation[],
    request: Attributes,
    inquiries: Inquiries,
    phase: string,
  ): { readonly outcome: Outcome; readonly place: number }[] {
    const asked = invocations.map(({ hook: { id, webhook }, resource }) => {
      const { object = null, oldObject = null } = this.#objects(request, resource);
      const content: JsonObject = { ...admissionRequest(request, resource), object, oldObject };
      const key = JSON.stringify([phase, id, content]);
      const version = webhook.admissionReviewVersions?.find((one) => REVIEW_VERSIONS.includes(one)) ?? 'v1';
      const uid = inquiries.once(key, () => newUid(this.#uids));
      const question: Question<Reviewed> = this.#caller.question({
        config: webhook.clientConfig ?? {},
        timeoutMs: (webhook.timeoutSeconds ?? 0) * 1_000,
        key,
        review: () => admissionReview(version, uid, content),
      });
      return { question, version, uid };
    });
    return inquiries.answers(asked.map(({ question }) => question)).map(({ answer, place }, index) => {
      const { version = '', uid = '' } = asked[index] ?? {};
      return { outcome: readResponse(answer, version, uid, phase !== 'validate'), place };
    });
  }

  /** The patched object; undefined if the webhook does not change it. @throws StatusError */
  #patched(
    { webhook }: Hook,
    matched: Resource,
    request: Attributes,
    outcome: Outcome | undefined,
    warn: Writer['warn'],
    patching: Patching | undefined,
  ): ApiObject | undefined {
    const refusal = refusalOf(webhook, outcome, warn);
    if (refusal !== undefined) throw refusal;
    if (outcome === undefined || 'failure' in outcome || (outcome.patch ?? '') === '') return undefined;
    const failed = (failure: string): undefined => {
      const error = refusalOf(webhook, { failure }, warn);
      if (error !== undefined) throw error;
    };
    const operations = decodePatch(outcome.patch ?? '');
    if ('problem' in operations) return failed(`received undecodable patch in webhook response: ${operations.problem}`);
    if (operations.length === 0) return undefined;
    const { object } = this.#objects(request, matched);
    if (object === undefined) {
      const name = JSON.stringify(webhook.name);
      throw internalError(`admission webhook ${name} attempted to modify the object, which is not supported for this operation`);
    }
    if (outcome.patchType !== 'JSONPatch') return failed(`unsupported patch type ${JSON.stringify(outcome.patchType)}`);
    const patched = applied(object, operations);
    if (patching === undefined) return undefined;
    const typed = patching.retype(patched, matched);
    const own = request.kind === undefined ? inForm(typed as ApiObject, matched, request.resource) : typed;
    try {
      return patching.decode(own);
    } catch (error) {
      if (error instanceof StatusError) throw internalError(error.message);
      throw error;
    }
  }
}

/** In the real server, too, a name of a webhook is not enough to tell it from others. */
function hooksOf(configuration: ApiObject): Hook[] {
  return webhooksOf(configuration).map((webhook, index) => {
    const expressions = new PolicyExpressions({ hasParams: false, composed: false });
    return {
      id: `${configuration.metadata.name ?? ''}/${webhook.name ?? ''}/${index}`,
      webhook,
      expressions,
      conditions: new MatchConditions(webhook.matchConditions ?? [], expressions, webhook.failurePolicy),
    };
  });
}

/** The answer to the client if a webhook does not let its request pass. */
function refusalOf(webhook: Webhook, outcome: Outcome | undefined, warn: Writer['warn']): StatusError | undefined {
  const { name = '', failurePolicy } = webhook;
  if (outcome === undefined) return undefined;
  if ('failure' in outcome) {
    return failurePolicy === 'Ignore' ? undefined : internalError(`failed calling webhook ${JSON.stringify(name)}: ${outcome.failure}`);
  }
  for (const warning of outcome.warnings ?? []) warn?.(warning);
  return outcome.allowed ? undefined : denialOf(name, outcome);
}

/** A patch from its base64, or why it is none. */
function decodePatch(patch: string): readonly JsonObject[] | { readonly problem: string } {
  const text = Buffer.from(patch, 'base64').toString();
  const problem = jsonSyntaxError(text);
  if (problem !== undefined) return { problem };
  const decoded: unknown = JSON.parse(text);
  if (Array.isArray(decoded) && decoded.every(isJsonObject)) return decoded;
  return { problem: `json: cannot unmarshal ${jsonType(decoded)} into Go value of type jsonpatch.Patch` };
}

/** @throws StatusError 500 for an operation that does not apply, in the words of the real server's library */
function applied(object: ApiObject, operations: readonly JsonObject[]): JsonObject {
  let result: unknown = structuredClone(object);
  for (const operation of operations) {
    try {
      result = applyJsonPatch(result, [operation]);
    } catch (error) {
      if (error instanceof StatusError) throw internalError(inapplicable(result, operation));
      throw error;
    }
  }
  if (!isJsonObject(result)) throw internalError(untypedProblem(result));
  const problem = depthProblem(result);
  if (problem !== undefined) throw internalError(`${UNTYPED}: ${problem}`);
  return result;
}

function inapplicable(document: unknown, operation: JsonObject): string {
  const { op } = operation;
  if (typeof op !== 'string') return 'Unexpected kind: unknown';
  const at = String(operation['path']);
  if (op === 'test') return `testing value ${at} failed: test failed`;
  const end = at.lastIndexOf('/');
  const isOnlyKeyMissing = op === 'remove' && isJsonObject(valueAt(document, at.slice(0, end)));
  if (isOnlyKeyMissing) return `error in remove for path: '${at}': Unable to remove nonexistent key: ${at.slice(end + 1)}: missing value`;
  const shown = op === 'replace' ? at : JSON.stringify(at);
  return `${op} operation does not apply: doc is missing path: ${shown}: missing value`;
}

function valueAt(document: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys.reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? (at as JsonObject)[key] : undefined), document);
}
