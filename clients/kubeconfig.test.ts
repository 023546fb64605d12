import { writeFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { stringify } from 'yaml';
import { readKubeconfig } from './kubeconfig.ts';

function kubeconfig(cluster: object, user: object): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

const CASES = [
  {
    name: 'certificates in the file',
    cluster: { server: 'https://10.0.0.1:6443', 'certificate-authority-data': base64('CA') },
    user: { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
    expected: { baseUrl: 'https://10.0.0.1:6443', tls: { ca: 'CA', cert: 'CERT', key: 'KEY' } },
  },
  {
    name: 'a token and insecure-skip-tls-verify',
    cluster: { server: 'https://10.0.0.1:6443', 'insecure-skip-tls-verify': true, 'tls-server-name': 'kubernetes' },
    user: { token: 'secret' },
    expected: { baseUrl: 'https://10.0.0.1:6443', tls: { insecure: true, serverName: 'kubernetes' }, bearerToken: 'secret' },
  },
  {
    name: 'plain HTTP, as a world on sockets serves',
    cluster: { server: 'http://127.0.0.1:8080' },
    user: { token: 'secret' },
    expected: { baseUrl: 'http://127.0.0.1:8080', tls: {}, bearerToken: 'secret' },
  },
];

for (const { name, cluster, user, expected } of CASES) {
  test(`reads a kubeconfig with ${name}`, async ({}, info) => {
    const path = info.outputPath('kubeconfig');
    await writeFile(path, kubeconfig(cluster, user));
    expect(await readKubeconfig(path)).toEqual(expected);
  });
}

test('reads files that the kubeconfig names, relative to it', async ({}, info) => {
  await writeFile(info.outputPath('ca.pem'), 'CA from the file');
  const path = info.outputPath('kubeconfig');
  await writeFile(path, kubeconfig({ server: 'https://10.0.0.1:6443', 'certificate-authority': 'ca.pem' }, {}));
  expect((await readKubeconfig(path)).tls.ca).toBe('CA from the file');
});

test('reads the token from tokenFile, which takes precedence over token', async ({}, info) => {
  await writeFile(info.outputPath('token'), 'from the file\n');
  const path = info.outputPath('kubeconfig');
  const expected = { bearerToken: 'from the file', tokenFile: info.outputPath('token') };
  for (const server of ['https://10.0.0.1:6443', 'http://127.0.0.1:8080']) {
    await writeFile(path, kubeconfig({ server }, { tokenFile: 'token', token: 'inline' }));
    expect(await readKubeconfig(path)).toMatchObject(expected);
  }
});

test('explains what is wrong with a file that names no cluster', async ({}, info) => {
  const path = info.outputPath('kubeconfig');
  await writeFile(path, stringify({ apiVersion: 'v1', kind: 'Config', clusters: [], users: [], contexts: [] }));
  await expect(readKubeconfig(path)).rejects.toThrow('names no cluster');
  await expect(readKubeconfig(`${path}-missing`)).rejects.toThrow('ENOENT');
});
