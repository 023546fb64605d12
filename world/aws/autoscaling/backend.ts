import type { Operation } from '../../../model/operation.ts';
import {
  AUTOSCALING_NAMESPACE,
  AUTOSCALING_VERSION,
  decodeAutoScalingForm,
  describeForm,
  encodeAutoScalingAnswer,
} from '../../../protocols/autoscaling/codec.ts';
import { QUERY_CONTENT_TYPE, QueryRefusal, describeQueryError, encodeQueryRefusal } from '../../../protocols/aws-query/codec.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import type { Random } from '../../../runtime/random.ts';
import type { Answer, AnswerNote, Backend, Caller, Refusal, WholeAnswer } from '../../../wire/backend.ts';
import { asText } from '../../../wire/wire.ts';
import type { WireRequest, WireResponse } from '../../../wire/wire.ts';
import { drawUuid } from '../ids.ts';
import type { Outcome } from '../operation.ts';
import type { RequestBuckets } from '../request-buckets.ts';
import type { AutoScalingSite } from './service.ts';
import { AUTOSCALING_OPERATIONS } from './table.ts';

/** Serves Auto Scaling. */
export class AutoScalingBackend implements Backend {
  readonly #site: AutoScalingSite;
  readonly #random: Random;
  readonly #buckets: RequestBuckets;
  readonly operations: readonly string[] = Object.keys(AUTOSCALING_OPERATIONS);

  /** @param parts.random source of request ids */
  constructor(parts: { site: AutoScalingSite; random: Random; buckets: RequestBuckets }) {
    this.#site = parts.site;
    this.#random = parts.random;
    this.#buckets = parts.buckets;
  }

  describe({ body }: WireRequest): Operation {
    return describeForm(asText(body ?? ''));
  }

  async handle(request: WireRequest, _operation: Operation, caller: Caller): Promise<Answer> {
    const requestId = drawUuid(this.#random);
    const headers = this.#headers(requestId);
    try {
      const { action, input } = decodeAutoScalingForm(asText(request.body ?? ''));
      const { output, effect } = this.#run(action, input, caller);
      return await Promise.resolve({ status: 200, headers, body: encodeAutoScalingAnswer(action, output, requestId), effect });
    } catch (error) {
      if (!(error instanceof QueryRefusal)) throw error;
      const body = encodeQueryRefusal(error, { namespace: AUTOSCALING_NAMESPACE, requestId });
      return { status: error.status, headers, body, effect: { kind: 'rejected', code: error.code } };
    }
  }

  refuse(_operation: Operation, { status, code, message, retryAfterSeconds }: Refusal): WireResponse {
    const requestId = drawUuid(this.#random);
    const retryAfter: Record<string, string> = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    const body = encodeQueryRefusal(new QueryRefusal(code, message, status), { namespace: AUTOSCALING_NAMESPACE, requestId });
    return { status, headers: { ...this.#headers(requestId), ...retryAfter }, body };
  }

  describeAnswer(_operation: Operation, { status, body }: WholeAnswer): AnswerNote {
    return status < 400 ? {} : describeQueryError(asText(body));
  }

  #run(action: string, input: Record<string, unknown>, caller: Caller): Outcome {
    const operation = Object.hasOwn(AUTOSCALING_OPERATIONS, action) ? AUTOSCALING_OPERATIONS[action] : undefined;
    if (operation === undefined) {
      throw new QueryRefusal('InvalidAction', `Could not find operation ${action} for version ${AUTOSCALING_VERSION}`);
    }
    try {
      this.#buckets.take(action, input, caller.span);
    } catch (error) {
      // Auto Scaling's own words for it.
      throw error instanceof Ec2Refusal ? new QueryRefusal('Throttling', 'Rate exceeded') : error;
    }
    // The schema that decoded the input is that of the operation's input type.
    return operation(this.#site, input as never, caller);
  }

  #headers(requestId: string): Readonly<Record<string, string>> {
    return {
      'x-amzn-requestid': requestId,
      'content-type': QUERY_CONTENT_TYPE,
      date: new Date(this.#site.account.clock.nowMs()).toUTCString(),
    };
  }
}
