import type { JsonObject } from '../../protocols/kube/json.ts';
import { PolicyAdmission } from './policies/admission.ts';
import type { Attributes } from './policies/matching.ts';
import { ADMINISTRATOR } from './rbac/users.ts';
import type { ApiObject, Location } from './resource.ts';
import { WebhookAdmission } from './webhooks/admission.ts';
import type { Patching } from './webhooks/admission.ts';
import type { Writer } from './writer.ts';

/** A request for admission. */
export interface AdmissionRequest {
  readonly operation: Attributes['operation'];
  /** The name is empty for a deletion of many. */
  readonly at: Location;
  readonly subresource?: string | undefined;
  readonly writer: Writer;
  /** Its objects; not called if there are neither policies nor webhooks. */
  readonly details: () => Pick<Attributes, 'object' | 'old' | 'kind'> & { readonly options?: JsonObject };
}

/** The admission plugins that users configure, in their order: mutating webhooks, policies, validating webhooks. */
export class Admission {
  readonly #policies: PolicyAdmission;
  readonly #webhooks: WebhookAdmission;

  constructor(parts: ConstructorParameters<typeof WebhookAdmission>[0]) {
    this.#policies = new PolicyAdmission(parts);
    this.#webhooks = new WebhookAdmission(parts);
  }

  /** @returns the object as webhooks change it; undefined if they don't. @throws StatusError if one refuses the request */
  mutate(request: AdmissionRequest, patching?: Patching): ApiObject | undefined {
    return this.#webhooks.mutate(() => attributesOf(request), request.writer, patching);
  }

  /** @throws StatusError if a policy or a webhook refuses the request */
  validate(request: AdmissionRequest): void {
    const { writer } = request;
    this.#policies.check(() => attributesOf(request), writer.warn ?? (() => undefined));
    this.#webhooks.validate(() => attributesOf(request), writer);
  }
}

function attributesOf({ operation, at, subresource, writer, details }: AdmissionRequest): Attributes {
  const { resource, namespace, name } = at;
  const { dryRun, options = {}, user = ADMINISTRATOR } = writer;
  // The namespace of a Namespace is its own name.
  const within = resource.id === 'namespaces' && name !== '' ? name : namespace;
  return { operation, resource, subresource, namespace: within, name: name === '' ? undefined : name, dryRun, options, user, ...details() };
}
