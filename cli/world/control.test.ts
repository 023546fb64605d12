import { expect, test } from '@playwright/test';
import { createRandom } from '../../runtime/random.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { serveWire } from '../../wire/http-server.ts';
import { readText } from '../../wire/wire.ts';
import { createEmbeddedWorld } from '../../world/embedded.ts';
import type { World } from '../../world/world.ts';
import { scaleproofHere } from '../testing/command.ts';
import { askControl, createControl } from './control.ts';
import { Injections } from './injections.ts';

/** A world that is not started, with its control API on a socket. */
async function withControl(work: (base: string, injections: Injections, world: World) => Promise<void>): Promise<void> {
  const fail = (error: unknown): never => {
    throw error;
  };
  const whole = createEmbeddedWorld({
    timeline: createRealTimeline(),
    random: createRandom(1),
    recorder: { record: () => 0 },
    onKill: fail,
    onFailure: fail,
    onFlood: fail,
  });
  const world = { ...whole, capabilities: whole.capabilities.filter((capability) => capability !== 'target.kill') };
  const injections = new Injections(world, () => undefined);
  const server = await serveWire({ wire: createControl(injections), log: (_level, message) => fail(new Error(message)) });
  try {
    await work(server.url, injections, world);
  } finally {
    await server.close();
    await world.stop();
  }
}

test('faults are injected, listed and healed by id', async () => {
  await withControl(async (base) => {
    expect(await askControl(base, 'GET', '/faults')).toEqual([]);
    const first = { id: 'fault-1', fault: 'insufficient-capacity', description: expect.stringContaining('us-east-1a'), firings: 0 };
    expect(await askControl(base, 'POST', '/faults', { fault: 'insufficient-capacity', params: { zones: ['us-east-1a'] } })).toEqual([
      first,
    ]);
    const [second] = await askControl(base, 'POST', '/faults', { fault: 'insufficient-capacity' });
    expect(await askControl(base, 'GET', '/faults')).toEqual([first, second]);
    expect(await askControl(base, 'DELETE', '/faults/fault-1')).toEqual([first]);
    expect(await askControl(base, 'GET', '/faults')).toEqual([second]);
    await expect(askControl(base, 'DELETE', '/faults/fault-1')).rejects.toThrow('there is no injected fault "fault-1"; there are: fault-2');
  });
});

test('healing a fault restores the world', async () => {
  await withControl(async (base, _injections, world) => {
    const wires = world.open('target', 1, world.timeline.scope('target'));
    const launch = async (): Promise<string> => {
      const form = { Action: 'RunInstances', Version: '2016-11-15', ImageId: world.cluster.imageIds.x86_64, InstanceType: 'm5.large' };
      const body = new URLSearchParams({ ...form, MinCount: '1', MaxCount: '1', 'Placement.AvailabilityZone': 'us-east-1a' }).toString();
      const { body: answer } = await wires.aws({
        method: 'POST',
        path: '/',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: 'AWS4-HMAC-SHA256 Credential=scaleproof/20260101/us-east-1/ec2/aws4_request',
        },
        body,
        signal: new AbortController().signal,
      });
      return readText(answer);
    };
    await askControl(base, 'POST', '/faults', { fault: 'insufficient-capacity' });
    expect(await launch()).toContain('InsufficientInstanceCapacity');
    expect(await askControl(base, 'DELETE', '/faults/fault-1')).toEqual([expect.objectContaining({ firings: 1 })]);
    expect(await launch()).toContain('<instanceId>i-');
    wires.close();
  });
});

for (const { what, body, message } of [
  {
    what: 'an unknown fault',
    body: { fault: 'earthquake' },
    message: /^there is no fault "earthquake"; there are: .*insufficient-capacity/,
  },
  {
    what: 'a fault with a typo',
    body: { fault: 'spot-interuption' },
    message: /^there is no fault "spot-interuption"; did you mean spot-interruption\?/,
  },
  {
    what: 'invalid parameters',
    body: { fault: 'insufficient-capacity', params: { zones: 3 } },
    message: /^fault insufficient-capacity: `zones` must be a list, and is 3/,
  },
  { what: 'an unknown parameter', body: { fault: 'insufficient-capacity', params: { zone: 'a' } }, message: /zone/ },
  { what: 'no fault', body: {}, message: /^the body must be/ },
  { what: 'a body that is not an object', body: 'x', message: /^the body must be/ },
]) {
  test(`refused: ${what}`, async () => {
    await withControl(async (base, injections) => {
      await expect(askControl(base, 'POST', '/faults', body)).rejects.toThrow(message);
      expect(injections.list()).toEqual([]);
    });
  });
}

test('a fault that would kill the user’s program is refused', async () => {
  await withControl(async (base) => {
    const crash = { fault: 'crash', params: { operation: 'ec2:CreateFleet', phase: 'after' } };
    await expect(askControl(base, 'POST', '/faults', crash)).rejects.toThrow(/target\.kill|fault crash: /);
  });
});

test('a request without the header, as from a web page, is refused', async () => {
  await withControl(async (base) => {
    const answer = await fetch(new URL('/faults', base), { method: 'POST', body: JSON.stringify({ fault: 'insufficient-capacity' }) });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({ message: 'the header x-scaleproof is missing' });
    expect(await askControl(base, 'GET', '/faults')).toEqual([]);
  });
});

test('the error for any other path lists the endpoints', async () => {
  await withControl(async (base) => {
    await expect(askControl(base, 'PUT', '/faults')).rejects.toThrow(
      'PUT /faults: unknown; use GET /faults, POST /faults or DELETE /faults/ID',
    );
  });
});

test('the commands: injected, listed, healed, refused', async () => {
  await withControl(async (base) => {
    const ask = (...args: string[]): ReturnType<typeof scaleproofHere> => scaleproofHere(['world', ...args, '--control', base]);
    expect(await ask('inject', 'insufficient-capacity', '{"capacityTypes": ["spot"]}')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^injected fault-1: .*spot.*\n$/),
    });
    const { stdout } = await ask('faults', '--json');
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ id: 'fault-1' })]);
    expect(await ask('heal', 'fault-2')).toMatchObject({ code: 2, stderr: expect.stringContaining('there are: fault-1') });
    expect((await ask('faults')).stdout).toMatch(/^fault-1: spot capacity .*; it never fired\n$/);
    expect(await ask('heal', 'fault-1')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^healed fault-1: spot .*; it never fired\n$/),
    });
    expect((await ask('faults')).stdout).toBe('no fault is injected\n');
    expect(await ask('inject', 'insufficient-capacity', '{')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must be JSON, such as'),
    });
  });
});

test('an error says that another server, or none, answers', async () => {
  const server = await serveWire({ wire: () => Promise.resolve({ status: 200, headers: {}, body: '<html>' }), log: () => undefined });
  await expect(askControl(server.url, 'GET', '/faults')).rejects.toThrow(`the server at ${server.url} is not the control API of a world`);
  await server.close();
  await expect(askControl(server.url, 'GET', '/faults')).rejects.toThrow(
    `no world answers at ${server.url}; start one with: scaleproof world up`,
  );
});
