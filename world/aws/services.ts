import type { Operation } from '../../model/operation.ts';
import { AWS_JSON_CONTENT_TYPE, TARGET_HEADER } from '../../protocols/aws-json/codec.ts';
import type { Answer, AnswerNote, Backend, Caller, Refusal, WholeAnswer } from '../../wire/backend.ts';
import type { WireRequest, WireResponse } from '../../wire/wire.ts';

/**
 * EC2 and SQS behind one wire: one endpoint for all services, as SDKs are given it with `AWS_ENDPOINT_URL`. They are told
 * apart by their protocols, since such an endpoint's host says nothing: SQS speaks JSON and names its operation in a header.
 */
export class AwsServices implements Backend {
  readonly #ec2: Backend;
  readonly #sqs: Backend;

  constructor(services: { readonly ec2: Backend; readonly sqs: Backend }) {
    this.#ec2 = services.ec2;
    this.#sqs = services.sqs;
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

  #of({ headers }: WireRequest): Backend {
    const isJson = headers[TARGET_HEADER] !== undefined || headers['content-type'] === AWS_JSON_CONTENT_TYPE;
    return isJson ? this.#sqs : this.#ec2;
  }

  #ofOperation({ name }: Operation): Backend {
    return name.startsWith('sqs:') ? this.#sqs : this.#ec2;
  }
}
