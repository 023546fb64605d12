import { canonicalJson } from '../../model/canonical-json.ts';
import type { Operation } from '../../model/operation.ts';
import { EC2_CONTENT_TYPE, encodeRefusal, invalidAction } from '../../protocols/ec2/codec.ts';
import type { Ec2Codec, Ec2Request } from '../../protocols/ec2/codec.ts';
import { describeEc2Answer } from '../../protocols/ec2/answer.ts';
import { Ec2Refusal } from '../../protocols/ec2/refusal.ts';
import type { Random } from '../../runtime/random.ts';
import type { Answer, AnswerNote, Backend, Caller, Refusal, WholeAnswer } from '../../wire/backend.ts';
import { withDecoded } from '../../wire/wire.ts';
import type { WireRequest, WireResponse } from '../../wire/wire.ts';
import { drawUuid } from './ids.ts';
import { refusedFleet } from './fleet/errors.ts';
import type { Account, Ec2Operation, Outcome } from './operation.ts';
import type { RequestBuckets } from './request-buckets.ts';
import { TokenLedger } from './tokens.ts';

const SERVICE_PREFIX = 'ec2:';

/**
 * Serves the EC2 wire. A dry run of a known action always "would have succeeded": it is answered before its parameters are
 * checked, although EC2 checks some of them first.
 */
export class Ec2Backend implements Backend {
  readonly #account: Account;
  readonly #codec: Ec2Codec;
  readonly #random: Random;
  readonly #operations: Readonly<Record<string, Ec2Operation>>;
  readonly #buckets: RequestBuckets;
  readonly #tokens = new TokenLedger();

  constructor(parts: {
    account: Account;
    codec: Ec2Codec;
    random: Random;
    operations: Readonly<Record<string, Ec2Operation>>;
    buckets: RequestBuckets;
  }) {
    this.#account = parts.account;
    this.#codec = parts.codec;
    this.#random = parts.random;
    this.#operations = parts.operations;
    this.#buckets = parts.buckets;
  }

  describe(request: WireRequest): Operation {
    return this.#codec.describe(request);
  }

  async handle(request: WireRequest, operation: Operation, caller: Caller): Promise<Answer> {
    const requestId = drawUuid(this.#random);
    const headers = this.#headers(requestId);
    try {
      const read = this.#read(request, operation);
      const { output, effect, refusal } = await this.#run(read, caller);
      if (refusal !== undefined) return { status: refusal.status, headers, body: encodeRefusal(refusal, requestId), effect };
      const decoded = this.#codec.copy(read.action, output);
      const answer = { status: 200, headers, effect };
      if (decoded === undefined) return { ...answer, body: this.#codec.encode(read.action, output, requestId) };
      return withDecoded(answer, decoded, () => this.#codec.encode(read.action, decoded, requestId));
    } catch (error) {
      if (!(error instanceof Ec2Refusal)) throw error;
      const effect = { kind: 'rejected', code: error.code } as const;
      return { status: error.status, headers, body: encodeRefusal(error, requestId), effect };
    }
  }

  /**
   * The real EC2 never sends Retry-After by itself, but the SDK honours one. A fleet refused with status 200 gets a normal answer
   * with that error and no instances.
   */
  refuse(operation: Operation, { status, code, message, retryAfterSeconds }: Refusal): WireResponse {
    const requestId = drawUuid(this.#random);
    if (status === 200) {
      const output = refusedFleet(`fleet-${drawUuid(this.#random)}`, operation.input, { code, message });
      return { status, headers: this.#headers(requestId), body: this.#codec.encode('CreateFleet', output, requestId) };
    }
    const retryAfter: Record<string, string> = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    const body = encodeRefusal(new Ec2Refusal(code, message, status), requestId);
    return { status, headers: { ...this.#headers(requestId), ...retryAfter }, body };
  }

  describeAnswer({ name }: Operation, answer: WholeAnswer): AnswerNote {
    return describeEc2Answer(name, answer);
  }

  #headers(requestId: string): Readonly<Record<string, string>> {
    return {
      'x-amzn-requestid': requestId,
      'content-type': EC2_CONTENT_TYPE,
      date: new Date(this.#account.clock.nowMs()).toUTCString(),
    };
  }

  /** Reuses what `describe` parsed. */
  #read(request: WireRequest, { name, input }: Operation): Ec2Request {
    if (input === undefined) return this.#codec.decode(request);
    return { action: name.slice(SERVICE_PREFIX.length), input: input as Ec2Request['input'] };
  }

  async #run({ action, input }: Ec2Request, caller: Caller): Promise<Outcome> {
    const operation = Object.hasOwn(this.#operations, action) ? this.#operations[action] : undefined;
    if (operation === undefined) throw invalidAction(action);
    this.#buckets.take(action, input, caller.span);
    const { DryRun: isDryRun, ClientToken: token, ...rest } = input;
    if (isDryRun === true) {
      throw new Ec2Refusal('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.', 412);
    }
    // The schema that decoded the input is that of the operation's input type.
    const run = async (): Promise<Outcome> => operation.run(this.#account, input as never, caller);
    const { idempotent } = operation;
    if (idempotent === undefined || typeof token !== 'string') return run();
    const scope = idempotent.scopeOf?.(this.#account, input as never, caller.span);
    const name = scope === undefined ? action : `${action} in ${scope}`;
    // The order of a form's parameters does not matter.
    const request = { action: name, token, request: canonicalJson(rest), nowMs: this.#account.clock.nowMs() };
    const { outcome, replayed } = await this.#tokens.once(request, run);
    if (!replayed) return outcome;
    idempotent.checkReplay?.(this.#account, outcome.effect);
    return { output: outcome.output, effect: { kind: 'none' } };
  }
}
