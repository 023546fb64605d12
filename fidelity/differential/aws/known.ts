import type { KnownClasses } from '../agreement.ts';

/** Classes of differences between our EC2 and SQS and LocalStack's. May only shrink. */
export const KNOWN_CLASSES: KnownClasses = {
  'DeleteMessageBatch: body.Failed.*.SenderFault differs': {
    reason: 'an unknown receipt handle is the sender’s fault; LocalStack says that it is not',
    most: 5,
    example: 'e332',
  },
  'SendMessage: 200 (ours 400 InvalidParameterValue)': {
    reason: 'LocalStack accepts a DelaySeconds of 901; the API reference says that 900 is the maximum',
    most: 5,
    example: 'e237',
  },
  'DeleteMessage: 400 ReceiptHandleIsInvalid (ours 404 ReceiptHandleIsInvalid)': {
    reason: 'the model of SQS gives this error the status 404',
    most: 3,
    example: 'e299',
  },
  'RunInstances: body.*.Tags extra': {
    reason: 'a launch without a version uses the default one; LocalStack takes the tags of the latest',
    most: 3,
    example: 'e217',
  },
  'DescribeInstances: body.Reservations missing': {
    reason: 'of two filters with one name LocalStack uses the second, the emulated EC2 both: not documented',
    most: 1,
    example: 'e383',
  },
  'DescribeLaunchTemplates: 200 (ours 400 InvalidLaunchTemplateId.NotFound)': {
    reason: 'LocalStack lists nothing for an unknown id; the error codes of the EC2 API name this one',
    most: 1,
    example: 'e230',
  },
};
