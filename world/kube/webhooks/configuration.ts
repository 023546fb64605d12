import type { LabelSelector } from '../../../model/kube.ts';
import type { ApiObject } from '../resource.ts';
import type { NamedExpression, ResourceRule } from '../policies/policy.ts';

/** Where a webhook is: a URL, or a service of the cluster. */
export interface ClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  /** PEM certificates in base64; by default the system's. */
  readonly caBundle?: string;
}

export interface ServiceReference {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: number;
}

/** One webhook of a ValidatingWebhookConfiguration or a MutatingWebhookConfiguration. */
export interface Webhook {
  readonly name?: string;
  readonly clientConfig?: ClientConfig;
  readonly rules?: readonly ResourceRule[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: readonly NamedExpression[];
  /** Of mutating webhooks only. */
  readonly reinvocationPolicy?: string;
}

/** `spec.conversion.webhook` of a CustomResourceDefinition. */
export interface ConversionWebhook {
  readonly clientConfig?: ClientConfig;
  readonly conversionReviewVersions?: readonly string[];
}

/** Converts objects of one definition between its versions. */
export interface Converter {
  /**
   * An object in another version.
   * @throws Waiting if the webhook has to be asked first, StatusError 500 if it fails
   */
  convert(object: ApiObject, apiVersion: string): ApiObject;
  /** Notes the converted form of an object that has been stored. */
  remember(stored: ApiObject, shown: ApiObject): void;
}
