import * as sdk from '@aws-sdk/client-sqs';
import { AnswerCopier } from '../ec2/copier.ts';

const COPIER = new AnswerCopier(sdk);

/**
 * The answer as a client of SQS reads it from its JSON; undefined for an operation that answers nothing.
 * @param output the answer as in JSON
 */
export function copySqsAnswer(action: string, output: object): object | undefined {
  return COPIER.copy(action, output);
}
