import { asText } from '../../../../wire/wire.ts';
import type { Wire, WireRequest, WireResponse } from '../../../../wire/wire.ts';
import { md5Of } from '../../../aws/sqs/receiving.ts';

export const URL_OF_FAKE = 'http://localstack.test:4566';
const HEALTH = { version: '4.14.0', edition: 'community', services: { ec2: 'running', sqs: 'running', sns: 'disabled' } };

/** One request to EC2, in its query protocol. */
export interface SeenRequest {
  readonly action: string;
  /** The access key that signed it. */
  readonly account: string;
  readonly input: Readonly<Record<string, string>>;
}

/** Just enough of LocalStack's answers for these tests: ids and addresses as requested, and one queue. */
export class FakeLocalStack {
  readonly seen: SeenRequest[] = [];
  readonly messages: { readonly id: string; readonly body: string }[] = [];
  /** Refusals that replace an operation's answer, by its name. */
  readonly refusals = new Map<string, { readonly status: number; readonly code: string }>();
  /** The content of an operation's answer, by its name, if not the default. */
  readonly answers = new Map<string, string>();
  health: object = HEALTH;
  #made = 0;

  readonly wire: Wire = (request) => Promise.resolve(this.#answer(request));

  actions(): string[] {
    return this.seen.map(({ action }) => action);
  }

  #answer(request: WireRequest): WireResponse {
    const { path, headers, body = '' } = request;
    if (path === '/_localstack/health') return json(200, this.health);
    const account = /Credential=(\w+)\//.exec(headers.authorization ?? '')?.[1] ?? 'none';
    const target = headers['x-amz-target'];
    if (target !== undefined) {
      const action = target.split('.')[1] ?? '';
      const input = JSON.parse(asText(body)) as Record<string, string>;
      this.seen.push({ action, account, input });
      return this.#sqs(action, input, account);
    }
    const { Action: action = '', Version: _version, ...input } = Object.fromEntries(new URLSearchParams(asText(body)));
    this.seen.push({ action, account, input });
    const refusal = this.refusals.get(action);
    if (refusal !== undefined) {
      const error = `<Errors><Error><Code>${refusal.code}</Code><Message>no</Message></Error></Errors><RequestID>1</RequestID>`;
      return xml(refusal.status, `<Response>${error}</Response>`);
    }
    const answer = `<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">${this.#ec2(action, input)}</${action}Response>`;
    return xml(200, answer);
  }

  #ec2(action: string, input: SeenRequest['input']): string {
    const answer = this.answers.get(action);
    if (answer !== undefined) return answer;
    if (action === 'CreateVpc') return '<vpc><vpcId>vpc-1</vpcId></vpc>';
    if (action === 'CreateSubnet') return `<subnet><subnetId>subnet-of-${input.AvailabilityZone}</subnetId></subnet>`;
    if (action !== 'RunInstances') return '<return>true</return>';
    this.#made += 1;
    const address = `<privateIpAddress>${input['NetworkInterface.1.PrivateIpAddress']}</privateIpAddress>`;
    return `<instancesSet><item><instanceId>i-${this.#made}</instanceId>${address}</item></instancesSet>`;
  }

  #sqs(action: string, input: SeenRequest['input'], account: string): WireResponse {
    const refusal = this.refusals.get(action);
    if (refusal !== undefined) return json(refusal.status, { __type: `com.amazonaws.sqs#${refusal.code}`, message: 'no' });
    const url = `${URL_OF_FAKE}/queue/us-east-1/${account}/scaleproof`;
    if (action === 'SendMessage') {
      this.#made += 1;
      this.messages.push({ id: `message-${this.#made}`, body: input.MessageBody ?? '' });
      return json(200, { MessageId: `message-${this.#made}`, MD5OfMessageBody: md5Of(input.MessageBody ?? '') });
    }
    if (action === 'ReceiveMessage') {
      const Messages = this.messages.map(({ id, body }) => ({
        MessageId: id,
        ReceiptHandle: `handle of ${id}`,
        Body: body,
        MD5OfBody: md5Of(body),
      }));
      return json(200, { Messages });
    }
    if (action === 'ListQueues') return json(200, {});
    if (action === 'DeleteMessageBatch')
      return json(200, { Successful: [{ Id: '0' }], Failed: [{ Id: '1', Code: 'InternalError', SenderFault: false }] });
    return json(200, action === 'CreateQueue' || action === 'GetQueueUrl' ? { QueueUrl: url } : {});
  }
}

function json(status: number, body: object): WireResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function xml(status: number, body: string): WireResponse {
  return { status, headers: { 'content-type': 'text/xml' }, body };
}
