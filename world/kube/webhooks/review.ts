import { z } from 'zod';
import type { JsonObject } from '../../../protocols/kube/json.ts';
import { StatusError } from '../../../protocols/kube/status.ts';
import { typeProblem } from './caller.ts';
import type { Reviewed } from './caller.ts';

/* AdmissionReviews (`apiserver/pkg/admission/plugin/webhook/request`). */

const GROUP = 'admission.k8s.io';
const BAD_REQUEST = 400;

/** The versions of reviews that the API server can send. */
export const REVIEW_VERSIONS = ['v1', 'v1beta1'];

const cause = z.looseObject({ reason: z.string(), message: z.string(), field: z.string() }).partial();
const responseShape = z.object({
  uid: z.string().default(''),
  allowed: z.boolean().default(false),
  status: z
    .looseObject({
      message: z.string().optional(),
      reason: z.string().optional(),
      code: z.int().optional(),
      details: z
        .looseObject({
          name: z.string(),
          group: z.string(),
          kind: z.string(),
          uid: z.string(),
          causes: z.array(cause),
          retryAfterSeconds: z.int(),
        })
        .partial()
        .nullish(),
    })
    .nullish(),
  patch: z.string().nullish(),
  patchType: z.string().nullish(),
  warnings: z.array(z.string()).nullish(),
});

/** What a webhook says about a request. */
export type Response = z.infer<typeof responseShape>;

/** A review to send. */
export function admissionReview(version: string, uid: string, request: JsonObject): JsonObject {
  return { kind: 'AdmissionReview', apiVersion: `${GROUP}/${version}`, request: { uid, ...request } };
}

/** `VerifyAdmissionResponse`. @returns the response, or why the call has failed */
export function readResponse(
  reviewed: Reviewed,
  version: string,
  uid: string,
  isMutating: boolean,
): Response | { readonly failure: string } {
  const failedCall = (why: string): { readonly failure: string } => ({ failure: `failed to call webhook: ${why}` });
  const unusable = (why: string): { readonly failure: string } => ({ failure: `received invalid webhook response: ${why}` });
  if ('problem' in reviewed) return failedCall(reviewed.problem);
  const { kind, apiVersion, response } = reviewed.review;
  const wrongType = typeProblem(reviewed.review, { kind: 'AdmissionReview', versions: REVIEW_VERSIONS.map((one) => `${GROUP}/${one}`) });
  if (wrongType !== undefined) return failedCall(wrongType);
  if (response === undefined || response === null) return unusable('webhook response was absent');
  const parsed = responseShape.safeParse(response);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return failedCall(`json: cannot unmarshal into field response.${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { data } = parsed;
  const { patch, patchType } = data;
  if (version === 'v1') {
    if (data.uid !== uid) return unusable(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(data.uid)}`);
    if (kind !== 'AdmissionReview' || apiVersion !== `${GROUP}/v1`) {
      const [group, found] = typeof apiVersion === 'string' ? apiVersion.split('/') : ['', ''];
      const got = `${group ?? ''}/${found ?? ''}, Kind=${typeof kind === 'string' ? kind : ''}`;
      return unusable(`expected webhook response of ${GROUP}/v1, Kind=AdmissionReview, got ${got}`);
    }
    const has = { patch: (patch ?? '') !== '', type: patchType !== undefined && patchType !== null };
    if (!isMutating && has.patch) return unusable('validating webhook may not return response.patch');
    if (!isMutating && has.type) return unusable('validating webhook may not return response.patchType');
    if (has.patch && !has.type) return unusable('webhook returned response.patch but not response.patchType');
    if (!has.patch && has.type) return unusable('webhook returned response.patchType but not response.patch');
    if (has.type && patchType === '') return unusable('webhook returned invalid response.patchType of ""');
  }
  return data;
}

/** `ToStatusErr` */
export function denialOf(webhook: string, { status }: Response): StatusError {
  const { message = '', reason = '', code = 0, details } = status ?? {};
  const why = message === '' ? reason : message;
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const text = why === '' ? `${by} without explanation` : `${by}: ${why}`;
  return new StatusError(Math.max(code, BAD_REQUEST), reason, text, details ?? undefined);
}
