import { expect, test } from '@playwright/test';
import { withServer } from './testing/api-server.ts';

const CORE = '/api/v1/namespaces/default/events';
const NEW = '/apis/events.k8s.io/v1/namespaces/default/events';

const METADATA = { name: 'web.1', namespace: 'default' };
const SUBJECT = { kind: 'Pod', apiVersion: 'v1', namespace: 'default', name: 'web' };

/** As client-go's recorder of events.k8s.io writes it. */
const SCHEDULED = {
  metadata: METADATA,
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingController: 'default-scheduler',
  reportingInstance: 'default-scheduler-1',
  action: 'Binding',
  reason: 'Scheduled',
  regarding: SUBJECT,
  note: 'Successfully assigned default/web to node-1',
  type: 'Normal',
};

test('an event of events.k8s.io is one of v1 under other names, in reads, lists, watches and tables', async () => {
  await withServer(async ({ call, watch, merge, clock }) => {
    const watches = [await watch(`${CORE}?watch=1`), await watch(`${NEW}?watch=1`)];
    const created = await call('POST', NEW, SCHEDULED);
    expect(created.status).toBe(201);
    expect(created.effect).toEqual({ kind: 'applied', ids: ['events/default/web.1'] });
    const asNew = {
      kind: 'Event',
      apiVersion: 'events.k8s.io/v1',
      note: SCHEDULED.note,
      regarding: SUBJECT,
      reportingController: 'default-scheduler',
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
    };
    const asCore = {
      kind: 'Event',
      apiVersion: 'v1',
      message: SCHEDULED.note,
      involvedObject: SUBJECT,
      reportingComponent: 'default-scheduler',
      firstTimestamp: null,
      lastTimestamp: null,
    };
    expect(created.body).toMatchObject(asNew);
    expect(created.body).not.toHaveProperty('message');
    const core = (await call('GET', `${CORE}/web.1`)).body;
    expect(core).toMatchObject(asCore);
    for (const name of ['note', 'regarding', 'reportingController']) expect(core).not.toHaveProperty(name);

    await merge(`${NEW}/web.1`, { series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' } });
    expect((await call('GET', `${CORE}/web.1`)).body['series']).toMatchObject({ count: 2 });
    await call('DELETE', `${CORE}/web.1`);
    expect((await call('GET', `${NEW}/web.1`)).status).toBe(404);
    // A watch is some milliseconds late.
    await clock.sleep(100);
    for (const { stop, done } of watches) {
      stop();
      await done;
    }
    const [ofCore, ofNew] = watches.map(({ lines }) => lines);
    expect(ofCore?.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(ofNew?.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    for (const { object } of ofCore ?? []) expect(object).toMatchObject(asCore);
    for (const { object } of ofNew ?? []) expect(object).toMatchObject(asNew);
  });
});

test('events of both kinds are in both lists, and each version has its own field selectors', async () => {
  await withServer(async ({ call }) => {
    await call('POST', NEW, SCHEDULED);
    const started = { metadata: { ...METADATA, name: 'web.2' }, involvedObject: { ...SUBJECT, name: 'api' }, reason: 'Started' };
    expect((await call('POST', CORE, started)).status).toBe(201);
    const names = async (path: string): Promise<unknown> => {
      const { body } = await call('GET', path);
      return body.items?.map(({ metadata }) => metadata.name) ?? body.message;
    };
    expect(await names(CORE)).toEqual(['web.1', 'web.2']);
    expect(await names(NEW)).toEqual(['web.1', 'web.2']);
    expect(await names(`${CORE}?fieldSelector=involvedObject.name%3Dweb`)).toEqual(['web.1']);
    expect(await names(`${NEW}?fieldSelector=regarding.name%3Dapi`)).toEqual(['web.2']);
    expect(await names(`${NEW}?fieldSelector=involvedObject.name%3Dapi`)).toContain('field label not supported: involvedObject.name');
    expect(await names('/apis/events.k8s.io/v1/events?fieldSelector=reason%3DStarted')).toEqual(['web.2']);
  });
});

for (const { what, change, field } of [
  { what: 'no time', change: { eventTime: null }, field: 'eventTime' },
  { what: 'no reporter', change: { reportingController: '' }, field: 'reportingController' },
  { what: 'an unknown type', change: { type: 'Odd' }, field: 'type' },
  { what: 'a series of one', change: { series: { count: 1, lastObservedTime: '2026-01-01T00:00:00.000000Z' } }, field: 'series.count' },
  { what: 'a count', change: { deprecatedCount: 3 }, field: 'count' },
  { what: 'a note of 1,025 characters', change: { note: 'x'.repeat(1_025) }, field: 'message' },
]) {
  test(`events.k8s.io refuses an event with ${what}`, async () => {
    await withServer(async ({ call }) => {
      const { status, body } = await call('POST', NEW, { ...SCHEDULED, ...change });
      expect(status).toBe(422);
      const { causes } = body['details'] as { causes: { field: string }[] };
      expect(causes.map((cause) => cause.field)).toContain(field);
    });
  });
}
