import * as sdk from '@aws-sdk/client-sqs';
import { isUnit, operationOf } from '../aws-call/operation-schema.ts';
import { AnswerCopier } from '../ec2/copier.ts';

const COPIER = new AnswerCopier();

/**
 * The answer as a client of SQS reads it from its JSON; undefined for an operation that answers nothing.
 * @param output the answer as in JSON
 */
export function copySqsAnswer(action: string, output: object): object | undefined {
  const schema = operationOf(sdk, action);
  return schema === undefined || isUnit(schema.output) ? undefined : COPIER.copy(schema.output, output);
}
