import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestInfo } from '@playwright/test';
import type { Mix } from '../mix.ts';
import { readMix } from '../read-mix.ts';
import type { MixOptions } from '../read-mix.ts';

/** Writes manifests into the test's own files, and reads them. */
export function mixOf(testInfo: TestInfo, files: Readonly<Record<string, string>>, options?: MixOptions): Promise<Mix> {
  const directory = testInfo.outputPath('mix');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, name, '..'), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return readMix(directory, options);
}

/** The same, for documents of one file. */
export function mixOfDocuments(testInfo: TestInfo, ...documents: readonly string[]): Promise<Mix> {
  return mixOf(testInfo, { 'all.yaml': documents.join('\n---\n') });
}

/** A Deployment with one container. @param resources of the container, as a YAML map */
export function deploymentManifest(name: string, replicas: number, resources = '{}'): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers: [{name: main, image: app, resources: ${resources}}]
`;
}

/** A NodePool named `general`. @param requirements each as a YAML map */
export function poolManifest(...requirements: readonly string[]): string {
  return `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
${requirements.map((requirement) => `        - ${requirement}\n`).join('')}`;
}
