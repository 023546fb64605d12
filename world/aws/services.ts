import type { Operation } from '../../model/operation.ts';
import { AwsCall } from '../../protocols/aws-call/call.ts';
import { AWS_JSON_CONTENT_TYPE, TARGET_HEADER } from '../../protocols/aws-json/codec.ts';
import { versionOf } from '../../protocols/aws-query/codec.ts';
import type { Answer, AnswerNote, Backend, Caller, Refusal, WholeAnswer } from '../../wire/backend.ts';
import { asText } from '../../wire/wire.ts';
import type { WireRequest, WireResponse } from '../../wire/wire.ts';
import { AUTOSCALING_VERSION } from '../../protocols/autoscaling/codec.ts';
import { IAM_VERSION } from './iam.ts';
import { SSM_TARGET } from './ssm.ts';
import { EKS_PATH } from './eks.ts';
import { PRICING_TARGET } from './pricing.ts';
import { STS_VERSION } from './sts.ts';

/** Services by their IAM prefix. */
export interface AwsBackends {
  readonly ec2: Backend;
  readonly sqs: Backend;
  readonly autoscaling?: Backend;
  readonly iam?: Backend;
  readonly sts?: Backend;
  readonly ssm?: Backend;
  readonly eks?: Backend;
  readonly pricing?: Backend;
}

/** The JSON services other than SQS, by the name in their header. */
const BY_TARGET: Readonly<Record<string, keyof AwsBackends>> = { [PRICING_TARGET]: 'pricing', [SSM_TARGET]: 'ssm' };
/** The services of the query protocol other than EC2, by their API's version date. */
const BY_VERSION: Readonly<Record<string, keyof AwsBackends>> = {
  [AUTOSCALING_VERSION]: 'autoscaling',
  [IAM_VERSION]: 'iam',
  [STS_VERSION]: 'sts',
};

/**
 * AWS behind one wire: one endpoint for all services, as set with `AWS_ENDPOINT_URL`. Since the host of such an endpoint does not
 * identify a service, protocols do: SQS, SSM and Pricing speak JSON and name service and operation in a header, EKS has paths
 * of its own, the others send forms with their API's version. A request for an unknown service goes to EC2, which refuses it
 * as an unknown action.
 */
export class AwsServices implements Backend {
  readonly #services: AwsBackends;

  constructor(services: AwsBackends) {
    this.#services = services;
  }

  describe(request: WireRequest): Operation {
    return this.#of(request).describe(request);
  }

  handle(request: WireRequest, operation: Operation, caller: Caller): Promise<Answer> {
    return this.#of(request).handle(request, operation, caller);
  }

  refuse(operation: Operation, refusal: Refusal): WireResponse {
    return this.#ofOperation(operation).refuse(operation, refusal);
  }

  describeAnswer(operation: Operation, answer: WholeAnswer): AnswerNote {
    return this.#ofOperation(operation).describeAnswer(operation, answer);
  }

  #of(request: WireRequest): Backend {
    const { ec2, sqs, eks } = this.#services;
    const { path, headers, decoded } = request;
    if (decoded instanceof AwsCall) return this.#services[decoded.service];
    const target = headers[TARGET_HEADER];
    const named = BY_TARGET[target?.split('.', 1)[0] ?? ''];
    if (named !== undefined) return this.#services[named] ?? sqs;
    if (target !== undefined || headers['content-type'] === AWS_JSON_CONTENT_TYPE) return sqs;
    if (EKS_PATH.test(path)) return eks ?? ec2;
    return this.#services[BY_VERSION[versionOf(asText(request.body ?? '')) ?? ''] ?? 'ec2'] ?? ec2;
  }

  #ofOperation({ name }: Operation): Backend {
    const [service = ''] = name.split(':', 1);
    const { ec2 } = this.#services;
    return Object.hasOwn(this.#services, service) ? (this.#services[service as keyof AwsBackends] ?? ec2) : ec2;
  }
}
