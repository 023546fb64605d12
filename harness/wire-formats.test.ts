import * as sdk from '@aws-sdk/client-ec2';
import { NormalizedSchema } from '@smithy/core/schema';
import { expect, test } from '@playwright/test';
import { FastDeserializer } from '../clients/ec2-reader.ts';
import { defined } from '../model/defined.ts';
import { AwsCall } from '../protocols/aws-call/call.ts';
import { operationOf } from '../protocols/aws-call/operation-schema.ts';
import { suites } from '../suites/catalogue.ts';
import { createReferenceTarget } from '../targets/reference.ts';
import { asText, isStream } from '../wire/wire.ts';
import type { Wire, WireResponse } from '../wire/wire.ts';
import { runInProcess } from './testing/in-process.ts';

const READER = new FastDeserializer({
  timestampFormat: { useTrait: true, default: 5 },
  httpBindings: false,
  xmlNamespace: '',
  serviceNamespace: '',
});

/** The answer with what its written body says. Refusals are never decoded. */
function readAgain({ service, action }: AwsCall, { status, headers, body, decoded }: WireResponse): WireResponse {
  if (status !== 200 || isStream(body) || (service === 'ec2' && decoded === undefined)) return { status, headers, body };
  const text = asText(body);
  const output = operationOf(sdk, action)?.output;
  const read: unknown = service === 'sqs' ? JSON.parse(text) : output && READER.read(NormalizedSchema.of(output), text);
  return { status, headers, body, decoded: read as object };
}

/** Everything is written and read, as between processes, but no request takes a turn longer than on the other wire. */
function writtenWire(aws: Wire, count: () => void): Wire {
  return async ({ method, path, headers, signal, body, decoded }) => {
    if (!(decoded instanceof AwsCall)) throw new Error(`a request of the reference is not decoded: ${asText(body ?? '')}`);
    count();
    return readAgain(decoded, await aws({ method, path, headers, ...defined({ signal, body }) }));
  };
}

function typedWire(aws: Wire, count: () => void): Wire {
  return async (request) => {
    count();
    const answer = await aws(request);
    return answer;
  };
}

// All operations of the reference, with refusals, throttling, lost answers, and messages that can't be read.
const SCENARIOS = [
  'provisioning/scale-out-and-back',
  'capacity/spot-runs-out',
  'capacity/launch-refused',
  'api-pressure/everything-throttled',
  'api-pressure/lost-launch-answer',
  'interruption/malformed-and-foreign-messages',
  'interruption/queue-outage',
];

for (const id of SCENARIOS) {
  test(`${id}: the history is the same whether calls of AWS are typed, or written and read`, async () => {
    const scenario = suites.flatMap((suite) => suite.scenarios).find((one) => one.scenario.id === id)?.scenario;
    if (scenario === undefined) throw new Error(`no scenario ${id}`);
    const histories: string[] = [];
    for (const through of [typedWire, writtenWire]) {
      let calls = 0;
      const count = (): void => void (calls += 1);
      const target = createReferenceTarget({ name: 'reference', summary: 'the reference', wrapAws: (aws) => through(aws, count) });
      const { events } = await runInProcess(scenario, target);
      expect(calls).toBeGreaterThan(10);
      histories.push(events.map((event) => JSON.stringify(event)).join('\n'));
    }
    expect(histories[1]).toBe(histories[0]);
  });
}
