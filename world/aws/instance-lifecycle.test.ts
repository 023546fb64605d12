import {
  DeleteFleetsCommand,
  DescribeFleetsCommand,
  DescribeInstanceStatusCommand,
  DescribeInstancesCommand,
  DescribeSpotInstanceRequestsCommand,
  DescribeTagsCommand,
  DescribeVolumesCommand,
  ModifyInstanceAttributeCommand,
  StartInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { DescribeInstanceStatusCommandInput, DescribeInstancesCommandInput } from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { fleet, idsOf, instancesOf, makeTemplate, refusal, withEc2 } from './testing/ec2.ts';
import type { Bench, FleetSpec } from './testing/ec2.ts';

const [A, B] = ['us-east-1a', 'us-east-1b'] as const;

async function launch(bench: Bench, spec: FleetSpec = {}): Promise<string> {
  const [id = ''] = idsOf(await bench.send(fleet({ capacityType: 'on-demand', zones: [A], ...spec })));
  return id;
}

test('status checks pass some minutes after an instance runs, and are listed for running instances', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const id = await launch(bench);
    const statuses = async (input: DescribeInstanceStatusCommandInput = {}): Promise<unknown[]> =>
      ((await bench.send(new DescribeInstanceStatusCommand(input))).InstanceStatuses ?? []).map((one) => {
        return [one.InstanceId, one.InstanceState?.Name, one.SystemStatus?.Status, one.InstanceStatus?.Details?.[0]?.Status];
      });
    const broken = { Filters: [{ Name: 'instance-status.status', Values: ['impaired'] }] };
    expect(await statuses()).toEqual([]);
    expect(await statuses({ IncludeAllInstances: true })).toEqual([[id, 'pending', 'not-applicable', undefined]]);
    await bench.clock.sleep(10_000);
    expect(await statuses()).toEqual([[id, 'running', 'initializing', 'initializing']]);
    await bench.clock.sleep(120_000);
    expect(await statuses({ InstanceIds: [id] })).toEqual([[id, 'running', 'ok', 'passed']]);
    expect(await statuses(broken)).toEqual([]);
    const events = { Filters: [{ Name: 'event.code', Values: ['instance-retirement'] }] };
    expect(await statuses(events)).toEqual([]);
    const both = new DescribeInstanceStatusCommand({ InstanceIds: [id], MaxResults: 5 });
    expect(await refusal(bench.send(both))).toBe('400 InvalidParameterCombination');
    const unknown = new DescribeInstanceStatusCommand({ InstanceIds: ['i-00000001'] });
    expect(await refusal(bench.send(unknown))).toBe('400 InvalidInstanceID.NotFound');
  });
});

test('an instance stops, keeps its address, and starts again if there is room', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const id = await launch(bench);
    await bench.clock.sleep(10_000);
    const address = bench.ports.instances.get(id)?.privateIp;
    const stop = new StopInstancesCommand({ InstanceIds: [id] });
    const { StoppingInstances } = await bench.send(stop);
    expect(StoppingInstances).toMatchObject([{ CurrentState: { Code: 64 }, PreviousState: { Code: 16 } }]);
    expect(bench.effect()).toEqual({ kind: 'applied', ids: [id] });
    const start = new StartInstancesCommand({ InstanceIds: [id] });
    expect(await refusal(bench.send(start))).toBe('400 IncorrectInstanceState');
    await bench.clock.sleep(60_000);
    expect(bench.ports.instances.get(id)).toMatchObject({ state: 'stopped', privateIp: address });
    const heal = bench.ports.capacity.limit({ selector: {}, remaining: 0, naming: 'one', fired: () => undefined });
    expect(await refusal(bench.send(start))).toBe('500 InsufficientInstanceCapacity');
    heal();
    await bench.send(start);
    await bench.clock.sleep(10_000);
    expect(bench.ports.instances.get(id)).toMatchObject({ state: 'running', privateIp: address });
    const spot = await launch(bench, { capacityType: 'spot' });
    expect(await refusal(bench.send(new StopInstancesCommand({ InstanceIds: [spot] })))).toBe('400 UnsupportedOperation');
    await bench.send(new StopInstancesCommand({ InstanceIds: [id] }));
    await bench.clock.sleep(60_000);
    await bench.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    await bench.clock.sleep(60_000);
    expect(bench.ports.instances.get(id)?.state).toBe('terminated');
  });
});

test('termination protection fails the request, yet instances in other zones are terminated', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const [guarded, beside, elsewhere] = [await launch(bench), await launch(bench), await launch(bench, { zones: [B] })];
    await bench.send(new ModifyInstanceAttributeCommand({ InstanceId: guarded, DisableApiTermination: { Value: true } }));
    const end = new TerminateInstancesCommand({ InstanceIds: [guarded, beside, elsewhere] });
    expect(await refusal(bench.send(end))).toBe('400 OperationNotPermitted');
    expect(bench.effect()).toEqual({ kind: 'applied', ids: [elsewhere] });
    const states = [guarded, beside, elsewhere].map((id) => bench.ports.instances.get(id)?.state);
    expect(states).toEqual(['pending', 'pending', 'shutting-down']);
    await bench.send(new ModifyInstanceAttributeCommand({ InstanceId: guarded, DisableApiTermination: { Value: false } }));
    expect(await refusal(bench.send(end))).toBe('none');
    const bad = new TerminateInstancesCommand({ InstanceIds: [guarded, 'i-0123456789abcdef0'] });
    expect(await refusal(bench.send(bad))).toBe('400 InvalidInstanceID.NotFound');
  });
});

for (const { name, values } of [
  { name: 'availability-zone-id', values: ['use1-az1'] },
  { name: 'instance-lifecycle', values: ['spot'] },
  { name: 'instance-state-code', values: ['0'] },
  { name: 'owner-id', values: ['123456789012'] },
  { name: 'spot-instance-request-id', values: ['sir-*'] },
  { name: 'tag-key', values: ['aws:ec2:fleet-id'] },
  { name: 'tenancy', values: ['default'] },
  { name: 'vpc-id', values: ['vpc-*'] },
]) {
  test(`instances filter by ${name}`, async () => {
    await withEc2(async (bench) => {
      await makeTemplate(bench);
      const id = await launch(bench, { capacityType: 'spot' });
      const input: DescribeInstancesCommandInput = { Filters: [{ Name: name, Values: values }] };
      expect(instancesOf(await bench.send(new DescribeInstancesCommand(input))).map(({ InstanceId }) => InstanceId)).toEqual([id]);
      const none = { Filters: [{ Name: name, Values: ['nothing like it'] }] };
      expect(instancesOf(await bench.send(new DescribeInstancesCommand(none)))).toEqual([]);
    });
  });
}

test('fleets are described by id and deleted with their instances', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const { FleetId = '', Instances } = await bench.send(fleet({ count: 2 }));
    expect((await bench.send(new DescribeFleetsCommand({}))).Fleets).toEqual([]);
    const { Fleets } = await bench.send(new DescribeFleetsCommand({ FleetIds: [FleetId] }));
    expect(Fleets).toMatchObject([{ FleetId, FleetState: 'active', FulfilledCapacity: 2, Type: 'instant', Instances }]);
    const missing = 'fleet-00000000-0000-0000-0000-000000000000';
    const deletion = new DeleteFleetsCommand({ FleetIds: [FleetId, missing], TerminateInstances: true });
    const { SuccessfulFleetDeletions, UnsuccessfulFleetDeletions } = await bench.send(deletion);
    expect(SuccessfulFleetDeletions).toMatchObject([{ FleetId, CurrentFleetState: 'deleted_terminating' }]);
    expect(UnsuccessfulFleetDeletions).toMatchObject([{ FleetId: missing, Error: { Code: 'fleetIdDoesNotExist' } }]);
    expect(bench.ports.instances.list().map(({ state }) => state)).toEqual(['shutting-down', 'shutting-down']);
    expect(await refusal(bench.send(new DescribeFleetsCommand({ FleetIds: [FleetId] })))).toBe('400 InvalidFleetId.NotFound');
  });
});

test('tags, spot requests and volumes are listed', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const id = await launch(bench, { capacityType: 'spot' });
    const Filters = [{ Name: 'resource-id', Values: [id] }];
    const { Tags = [] } = await bench.send(new DescribeTagsCommand({ Filters }));
    expect(Tags.map(({ Key, ResourceType }) => [Key, ResourceType])).toEqual([
      ['aws:ec2:fleet-id', 'instance'],
      ['aws:ec2launchtemplate:id', 'instance'],
      ['aws:ec2launchtemplate:version', 'instance'],
    ]);
    const page = await bench.send(new DescribeTagsCommand({ MaxResults: 5 }));
    expect(page.Tags).toHaveLength(5);
    expect(page.NextToken).toBeDefined();
    const { SpotInstanceRequests } = await bench.send(new DescribeSpotInstanceRequestsCommand({}));
    expect(SpotInstanceRequests).toMatchObject([{ InstanceId: id, State: 'active', Status: { Code: 'fulfilled' } }]);
    const { Volumes } = await bench.send(new DescribeVolumesCommand({}));
    expect(Volumes).toMatchObject([{ State: 'in-use', Attachments: [{ InstanceId: id, Device: '/dev/xvda' }] }]);
    expect(await refusal(bench.send(new DescribeVolumesCommand({ VolumeIds: ['vol-1'] })))).toBe('400 InvalidVolume.NotFound');
  });
});
