import { DeleteLaunchTemplateCommand } from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { makeTemplate, withEc2 } from './testing/ec2.ts';

test('the history records when a launch template is created and deleted, and the world knows its owner', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench, 'one');
    await makeTemplate(bench, 'two');
    await expect(makeTemplate(bench, 'two')).rejects.toThrow('already in use');
    await bench.send(new DeleteLaunchTemplateCommand({ LaunchTemplateName: 'one' }));
    const told = bench.told.flatMap((event) => (event.type === 'launch-template' ? [`${event.name} ${event.to} ${event.span}`] : []));
    expect(told).toEqual(['one created 0', 'two created 1', 'one deleted 3']);
    expect(bench.ports.templates.list()).toMatchObject([{ name: 'two', createdBy: 'target' }]);
  });
});
