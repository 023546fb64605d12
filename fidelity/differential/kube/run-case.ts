import { defined } from '../../../model/defined.ts';
import { answerOf, keptOf } from './case.ts';
import type { Answer, ApiCase, Send, Step } from './case.ts';
import { ACCESS_CASES } from './cases-access.ts';
import { CONVERSION_CASES } from './cases-conversions.ts';
import { DECODING_CASES } from './cases-decoding.ts';
import { OBJECT_CASES } from './cases-objects.ts';
import { POD_PART_CASES } from './cases-pod-parts.ts';
import { POD_CASES } from './cases-pods.ts';
import { POLICY_CASES } from './cases-policies.ts';
import { POLICY_MATCHING_CASES } from './cases-policy-matching.ts';
import { POLICY_OBJECT_CASES } from './cases-policy-objects.ts';
import { QUOTA_CASES } from './cases-quotas.ts';
import { RULE_CASES } from './cases-rules.ts';
import { SCALE_CASES } from './cases-scales.ts';
import { APPLY_CASES } from './cases-applies.ts';
import { DEFAULT_CASES } from './cases-defaults.ts';
import { OPTION_CASES } from './cases-options.ts';
import { POD_FIELD_CASES } from './cases-pod-fields.ts';
import { TOKEN_CASES } from './cases-tokens.ts';
import { NAMESPACE_CASES } from './cases-namespaces.ts';
import { SERVICE_CASES } from './cases-services.ts';
import { TABLE_CASES } from './cases-tables.ts';
import { WATCH_CASES } from './cases-watches.ts';
import { WEBHOOK_OBJECT_CASES } from './cases-webhook-objects.ts';
import { WEBHOOK_CASES } from './cases-webhooks.ts';

/** The recorded answers of a real API server, in the package. */
export const ANSWERS = 'fixtures/recordings/api-server-answers.json';

/** Those whose webhooks are called, in real time. */
export const CALLED_CASES: readonly ApiCase[] = [...WEBHOOK_CASES, ...CONVERSION_CASES];

export const API_CASES: readonly ApiCase[] = [
  ...POD_CASES,
  ...OBJECT_CASES,
  ...QUOTA_CASES,
  ...RULE_CASES,
  ...POLICY_OBJECT_CASES,
  ...POLICY_CASES,
  ...POLICY_MATCHING_CASES,
  ...WEBHOOK_OBJECT_CASES,
  ...ACCESS_CASES,
  ...DECODING_CASES,
  ...WATCH_CASES,
  ...POD_PART_CASES,
  ...TABLE_CASES,
  ...NAMESPACE_CASES,
  ...SERVICE_CASES,
  ...SCALE_CASES,
  ...TOKEN_CASES,
  ...DEFAULT_CASES,
  ...APPLY_CASES,
  ...OPTION_CASES,
  ...POD_FIELD_CASES,
  ...CALLED_CASES,
];

/** The answers of a real API server. */
export interface Answers {
  /** Its version, e.g. `v1.34.4`. */
  readonly server: string;
  /** By case, one answer per step. */
  readonly cases: Record<string, Answer[]>;
}

/** Most attempts of a step that is repeated. */
const PATIENCE = 5_000;

/** Runs one case: its requests in order. Returns an answer for each. */
export async function runCase({ steps }: ApiCase, send: Send): Promise<Answer[]> {
  const answers: Answer[] = [];
  const kept = new Map<string, string>();
  for (const step of steps) answers.push(await runStep(step, send, kept));
  return answers;
}

/** @param kept what earlier steps have kept; added to */
async function runStep(step: Step, send: Send, kept: Map<string, string>): Promise<Answer> {
  const { method, path, body, contentType = 'application/json', accept = 'application/json', look } = step;
  const headers = { accept, ...step.headers, ...defined({ 'content-type': body === undefined ? undefined : contentType }) };
  const passing = step.patient === true ? [404, 429] : (step.patient ?? []);
  const sent = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const text = sent && [...kept].reduce((filled, [word, value]) => filled.replaceAll(word, value), sent);
  for (let tries = 1; ; tries += 1) {
    const answer = await send(method, path, headers, text);
    const isEarly = passing.includes(answer.status) || (step.until ?? answer.status) !== answer.status;
    if (isEarly && tries < PATIENCE) continue;
    for (const [word, value] of keptOf(answer.text, step.keep ?? {})) kept.set(word, value);
    const { warnings = '' } = answer;
    return { ...answerOf(answer.status, answer.text, look), ...defined({ warnings: step.warnings === true ? warnings : undefined }) };
  }
}
