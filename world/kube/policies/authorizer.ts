import type { Environment } from '@marcbachmann/cel-js';
import { SYNC } from '../validation/custom/cel/functions.ts';

const PREFIX = 'kubernetes.authorization';

class Authorizer {
  readonly requestResource = new ResourceCheck();
}
class PathCheck {}
class GroupCheck {}
class ResourceCheck {}
class Decision {}

/** The type of the variable `authorizer`. */
export const AUTHORIZER = `${PREFIX}.Authorizer`;

/** The value of the variable `authorizer`. */
export const everythingAllowed = (): object => new Authorizer();

/** The functions of `apiserver/pkg/cel/library/authz.go`. Everybody may do everything here, so every check allows. */
export function registerAuthorizer(env: Environment): void {
  const [path, group, resource, decision] = ['PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map((name) => `${PREFIX}.${name}`);
  env
    .registerType(`${path}`, PathCheck)
    .registerType(`${group}`, GroupCheck)
    .registerType(`${resource}`, ResourceCheck)
    .registerType(`${decision}`, Decision)
    .registerType(AUTHORIZER, { ctor: Authorizer, fields: { requestResource: `${resource}` } })
    .registerFunction(`${AUTHORIZER}.path(string): ${path}`, () => new PathCheck(), SYNC)
    .registerFunction(`${AUTHORIZER}.group(string): ${group}`, () => new GroupCheck(), SYNC)
    .registerFunction(`${AUTHORIZER}.serviceAccount(string, string): ${AUTHORIZER}`, everythingAllowed, SYNC)
    .registerFunction(`${path}.check(string): ${decision}`, () => new Decision(), SYNC)
    .registerFunction(`${group}.resource(string): ${resource}`, () => new ResourceCheck(), SYNC)
    .registerFunction(`${resource}.check(string): ${decision}`, () => new Decision(), SYNC)
    .registerFunction(`${decision}.allowed(): bool`, () => true, SYNC)
    .registerFunction(`${decision}.errored(): bool`, () => false, SYNC)
    .registerFunction(`${decision}.error(): string`, () => '', SYNC)
    .registerFunction(`${decision}.reason(): string`, () => '', SYNC);
  for (const part of ['subresource', 'namespace', 'name', 'fieldSelector', 'labelSelector']) {
    env.registerFunction(`${resource}.${part}(string): ${resource}`, (check: ResourceCheck) => check, SYNC);
  }
}
