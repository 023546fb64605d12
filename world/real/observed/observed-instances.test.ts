import { expect, test } from '@playwright/test';
import type { Instance as Described } from '@aws-sdk/client-ec2';
import { Ec2Error } from '../../../clients/ec2-client.ts';
import type { NewEvent } from '../../../history/events.ts';
import { loadCatalogue } from '../../../model/instance-catalogue.ts';
import { createRandom } from '../../../runtime/random.ts';
import { createVirtualTimeline } from '../../../runtime/timeline.ts';
import { ObservedInstances, POLL_PERIOD_MS } from './observed-instances.ts';

function described(id: string, state: 'pending' | 'running' | 'terminated', pool = 'scaleproof-r1-default'): Described {
  return {
    InstanceId: id,
    InstanceType: 'm6i.large',
    Placement: { AvailabilityZone: 'us-east-1a' },
    State: { Name: state },
    Tags: [{ Key: 'karpenter.sh/nodepool', Value: pool }],
  };
}

/**
 * What is recorded when EC2 answers like this, one poll after the other.
 * @param byId EC2's answer to queries by id
 */
async function seen(
  answers: readonly (readonly Described[] | Ec2Error)[],
  byId: (ids: readonly string[], poll: number) => readonly Described[] = () => [],
): Promise<{ events: string[]; failures: string[] }> {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('test');
  const events: NewEvent[] = [];
  const failures: string[] = [];
  let polls = 0;
  const instances = new ObservedInstances({
    ec2: {
      describeInstances: ({ Filters: [filter] = [] }) => {
        if (filter?.Name === 'instance-id') return Promise.resolve([...byId(filter.Values ?? [], polls)]);
        const answer = answers[Math.min(polls, answers.length - 1)] ?? [];
        polls += 1;
        return answer instanceof Ec2Error ? Promise.reject(answer) : Promise.resolve([...answer]);
      },
    },
    clock,
    recorder: { record: (event) => events.push(event) - 1 },
    instanceType: (type) => loadCatalogue().types.get(type),
    poolPrefix: 'scaleproof-r1-',
    onFailure: (error) => failures.push(error.message),
  });
  const stopping = new AbortController();
  await timeline.run(
    (async () => {
      await instances.begin();
      const running = instances.run(stopping.signal);
      await clock.sleep(40 * POLL_PERIOD_MS);
      stopping.abort(new Error('enough'));
      await running;
    })(),
  );
  return { events: events.flatMap((event) => (event.type === 'instance' ? `${event.instance} ${event.to}` : [])), failures };
}

test('changes of state are recorded once; existing instances and those of other pools are not', async () => {
  const old = described('i-0', 'running');
  const { events, failures } = await seen([
    [old],
    [old, described('i-1', 'pending'), described('i-2', 'running', 'others')],
    [old, described('i-1', 'running'), described('i-3', 'running')],
    [described('i-1', 'running'), described('i-3', 'terminated')],
  ]);
  expect(events).toEqual(['i-1 pending', 'i-1 running', 'i-3 pending', 'i-3 running', 'i-3 terminated']);
  expect(failures).toEqual([]);
});

test('an observer that sees nothing for a minute fails; a short gap does not matter', async () => {
  const gone = new Ec2Error('ECONNREFUSED', 0, 'nobody is there');
  expect(await seen([[], gone, [described('i-1', 'running')]])).toEqual({ events: ['i-1 pending', 'i-1 running'], failures: [] });
  expect((await seen([[], gone])).failures).toEqual(['EC2 could not be observed for 60 s: ECONNREFUSED: nobody is there']);
});

test('an instance that EC2 no longer knows counts as terminated after two polls without it', async () => {
  const first = [described('i-1', 'running'), described('i-2', 'running')];
  const asked: string[] = [];
  const { events } = await seen([[], first, [], first, []], (ids, poll) => {
    asked.push(`${poll}: ${ids.join(' ')}`);
    return [];
  });
  expect(events).toEqual(['i-1 pending', 'i-1 running', 'i-2 pending', 'i-2 running', 'i-1 terminated', 'i-2 terminated']);
  expect(asked).toEqual(['3: i-1 i-2', '5: i-1 i-2', '6: i-1 i-2']);
});

test('an instance whose tags are gone is queried by id until it is terminated', async () => {
  const { events } = await seen([[], [described('i-1', 'running')], []], (ids, poll) =>
    ids.map((InstanceId) => ({ InstanceId, State: { Name: poll < 6 ? 'running' : 'terminated' } })),
  );
  expect(events).toEqual(['i-1 pending', 'i-1 running', 'i-1 terminated']);
});

test('also after a gap', async () => {
  const gap = new Ec2Error('ECONNREFUSED', 0, 'nobody is there');
  expect((await seen([[], [described('i-1', 'running')], gap, gap, []])).events).toEqual(['i-1 pending', 'i-1 running', 'i-1 terminated']);
});
