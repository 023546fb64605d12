import { writeFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { KUBECTL, versionOf, withKubectl as withWorld } from './testing/kubectl.ts';

/**
 * kubectl against the sockets of an embedded world, in real time. Any release works: Debian's (1.20) asks for OpenAPI in
 * protobuf, newer ones for aggregated discovery and OpenAPI v3. `KUBECTL` names another one than that of the path.
 */
test.skip(versionOf(KUBECTL) === undefined, `${KUBECTL} is not installed (Debian: apt-get install kubernetes-client)`);

/** What a command left behind. */
interface Outcome {
  readonly ok: boolean;
  /** Standard output and error. */
  readonly text: string;
}

type Kubectl = (...args: readonly string[]) => Promise<Outcome>;

async function withKubectl(folder: (name: string) => string, work: (kubectl: Kubectl) => Promise<void>): Promise<void> {
  // Not started: no controller changes what the commands are about to see.
  await withWorld(folder('home'), { started: false }, (run) =>
    work(async (...args) => {
      const { code, stdout, stderr } = await run({ args });
      return { ok: code === 0, text: stdout + stderr };
    }),
  );
}

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'web', image: 'nginx:1', ports: [{ containerPort: 80 }] }] },
    },
  },
};

test('kubectl applies, shows, changes and deletes a deployment', async ({}, info) => {
  test.slow();
  const folder = (name: string): string => info.outputPath(name);
  await withKubectl(folder, async (kubectl) => {
    const file = folder('web.json');
    const apply = async (manifest: object, ...more: string[]): Promise<Outcome> => {
      await writeFile(file, JSON.stringify(manifest));
      return kubectl('apply', '-f', file, ...more);
    };
    const said = async (outcome: Promise<Outcome>, ...words: readonly (string | RegExp)[]): Promise<void> => {
      const { ok, text } = await outcome;
      for (const word of words) expect(text).toMatch(word);
      expect(ok, text).toBe(true);
    };
    await said(apply(DEPLOYMENT), 'deployment.apps/web created');
    await said(apply(DEPLOYMENT), 'deployment.apps/web unchanged');
    const { spec } = DEPLOYMENT;
    const template = { ...spec.template, spec: { ...spec.template.spec, containers: [{ name: 'web', image: 'nginx:2' }] } };
    await said(apply({ ...DEPLOYMENT, spec: { ...spec, template } }), 'deployment.apps/web configured');
    const containers = kubectl('get', 'deploy', 'web', '-o', 'jsonpath={.spec.template.spec.containers}');
    // The port is gone: kubectl merges with what it applied last, by the merge keys of the server's OpenAPI.
    expect(JSON.parse((await containers).text)).toEqual([expect.not.objectContaining({ ports: expect.anything() })]);

    await said(kubectl('get', 'deploy'), /NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +0\/2 /);
    await said(kubectl('describe', 'deploy', 'web'), /Image: +nginx:2/, /Replicas: +2 desired/);
    await said(kubectl('patch', 'deploy', 'web', '-p', '{"metadata":{"labels":{"a":"b"}}}'), 'patched');
    await said(kubectl('label', 'deploy', 'web', 'c=d'), 'labeled');
    await said(kubectl('annotate', 'deploy', 'web', 'e=f'), 'annotated');
    await said(kubectl('scale', 'deploy', 'web', '--replicas=3'), 'scaled');
    await said(kubectl('get', 'deploy', '--show-labels'), /0\/3 .*a=b,c=d/);
    await said(kubectl('explain', 'deployment.spec.replicas'), /FIELD: +replicas/);
    const unknown = await apply({ ...DEPLOYMENT, spec: { ...spec, foo: 1 } });
    expect(unknown).toMatchObject({ ok: false, text: expect.stringMatching(/unknown field "(spec\.)?foo"/) });
    const conflict = await apply(DEPLOYMENT, '--server-side');
    expect(conflict).toMatchObject({ ok: false, text: expect.stringContaining('.spec.replicas') });
    await said(apply(DEPLOYMENT, '--server-side', '--force-conflicts'), 'deployment.apps/web serverside-applied');
    await said(kubectl('delete', '-f', file), 'deployment.apps "web" deleted');
    expect(await kubectl('get', 'deploy', 'web')).toMatchObject({
      ok: false,
      text: expect.stringContaining('deployments.apps "web" not found'),
    });
  });
});

test('kubectl cordons and drains a node, and watches', async ({}, info) => {
  test.slow();
  const folder = (name: string): string => info.outputPath(name);
  await withKubectl(folder, async (kubectl) => {
    const objects = [
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p1' },
        spec: { nodeName: 'n1', terminationGracePeriodSeconds: 0, containers: [{ name: 'a', image: 'b' }] },
      },
    ];
    await writeFile(folder('objects.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    expect((await kubectl('create', '-f', folder('objects.json'))).text).toContain('pod/p1 created');
    expect((await kubectl('cordon', 'n1')).text).toContain('node/n1 cordoned');
    expect((await kubectl('get', 'nodes')).text).toMatch(/n1 +\S*SchedulingDisabled/);
    expect((await kubectl('taint', 'node', 'n1', 'a=b:NoSchedule')).text).toContain('node/n1 tainted');
    const drained = await kubectl('drain', 'n1', '--force', '--ignore-daemonsets');
    expect(drained.text).toMatch(/pod\/p1 evicted[^]*node\/n1 (drained|evicted)/);
    expect((await kubectl('get', 'pods')).text).toContain('No resources found');
    expect((await kubectl('create', 'namespace', 'team')).ok).toBe(true);
    // A watch ends here at the time-out that it asks for.
    const watched = await kubectl('get', '--raw', '/api/v1/namespaces?watch=1&timeoutSeconds=1');
    expect(watched.text).toMatch(/"type":"ADDED".*"name":"team"/);
    expect((await kubectl('wait', '--for=jsonpath={.status.phase}=Active', 'ns/team', '--timeout=5s')).text).toBeTruthy();
    expect((await kubectl('get', '--raw', '/readyz')).text).toBe('ok');
  });
});
