import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import { defined } from '../../model/defined.ts';
import { Ec2Refusal, invalidValue } from '../../protocols/ec2/refusal.ts';
import type { EventOf, Recorder } from '../../history/events.ts';
import type { Principal } from '../../model/operation.ts';
import type { Random } from '../../runtime/random.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Caller } from '../../wire/backend.ts';
import type { LaunchTemplatePort } from '../ports.ts';
import { drawId } from './ids.ts';
import { Replica } from './replica.ts';
import type { ReadLag } from './replica.ts';
import { checkTagCount, launchPartTags, launchTags } from './tags.ts';
import type { Tags } from './tags.ts';

export type TemplateData = RequestLaunchTemplateData;

const NAME = /^[a-zA-Z0-9().\-/_]{3,128}$/;
const ID = /^lt-([0-9a-f]{8}|[0-9a-f]{17})$/;
/** Source: "Launch template restrictions": 5,000 templates a region. */
const TEMPLATES_MAX = 5_000;
/** Source: the same page: 10,000 versions a template. */
const VERSIONS_MAX = 10_000;
const USER_DATA_BYTES_MAX = 16_384;

/** One version of a template. */
export interface TemplateVersion {
  readonly number: number;
  readonly description?: string;
  readonly data: TemplateData;
  readonly createdAtMs: number;
}

export interface LaunchTemplate {
  readonly id: string;
  readonly name: string;
  /** At least one, in the order of their numbers. */
  readonly versions: readonly [TemplateVersion, ...TemplateVersion[]];
  readonly defaultVersion: number;
  readonly createdAtMs: number;
  readonly createdBy: Principal;
  readonly tags: Tags;
}

/** How requests identify a template. */
interface TemplateName {
  readonly LaunchTemplateId?: string | undefined;
  readonly LaunchTemplateName?: string | undefined;
}

/** The account's launch templates. The history records their creation and deletion. */
export class LaunchTemplates implements LaunchTemplatePort {
  readonly #random: Random;
  readonly #recorder: Recorder;
  readonly #byId = new Map<string, LaunchTemplate>();
  /** What reads see, including recently deleted templates. */
  readonly #replica: Replica<LaunchTemplate>;
  /** Deleted templates that a read may still see. */
  readonly #deleted = new Set<string>();
  readonly #listeners = new Set<(template: LaunchTemplate) => void>();

  constructor(parts: { random: Random; clock: Clock; recorder: Recorder; readLag: ReadLag }) {
    const { random, clock, recorder, readLag } = parts;
    this.#random = random;
    this.#recorder = recorder;
    this.#replica = new Replica(clock, random.fork('reads'), readLag);
  }

  /** Allows delaying reads. */
  get replica(): Pick<Replica<LaunchTemplate>, 'delay'> {
    return this.#replica;
  }

  /** As they are, in the order of their ids. */
  list(): readonly LaunchTemplate[] {
    return [...this.#byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** As a read sees them, in the order of their ids. @param span of the request */
  readAll(span: number): readonly LaunchTemplate[] {
    const seen = [...this.#byId.keys(), ...this.#deleted].flatMap((id) => this.#read(id, span) ?? []);
    return seen.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** @throws Ec2Refusal for a name that is malformed or taken, or data that EC2 does not accept */
  create(
    template: { name: string; data: TemplateData; description?: string | undefined; tags: Tags; nowMs: number },
    { principal, span }: Caller,
  ): LaunchTemplate {
    const { name, tags, nowMs } = template;
    if (!NAME.test(name)) {
      throw new Ec2Refusal(
        'InvalidLaunchTemplateName.MalformedException',
        'A launch template name must be between 3 and 128 characters, and may contain letters, numbers, and the following characters: - ( ) . / _',
      );
    }
    if (this.list().some((known) => known.name === name)) {
      throw new Ec2Refusal('InvalidLaunchTemplateName.AlreadyExistsException', 'Launch template name already in use.');
    }
    if (this.#byId.size >= TEMPLATES_MAX) {
      throw new Ec2Refusal('MaxTemplateLimitExceeded', 'You have reached the maximum number of launch templates.');
    }
    const created: LaunchTemplate = {
      id: drawId(this.#random, 'lt'),
      name,
      versions: [makeVersion(1, template)],
      defaultVersion: 1,
      createdAtMs: nowMs,
      createdBy: principal,
      tags,
    };
    this.#keep(created);
    this.#record(created, 'created', span);
    for (const listener of [...this.#listeners]) listener(created);
    return created;
  }

  /** Adds a version. @throws Ec2Refusal for data that EC2 does not accept */
  addVersion(
    template: LaunchTemplate,
    version: { data: TemplateData; description?: string | undefined; nowMs: number },
  ): { readonly template: LaunchTemplate; readonly version: TemplateVersion } {
    if (template.versions.length >= VERSIONS_MAX) {
      const message = 'You have reached the maximum number of versions for this launch template.';
      throw new Ec2Refusal('MaxTemplateVersionLimitExceeded', message);
    }
    const added = makeVersion((template.versions.at(-1) ?? template.versions[0]).number + 1, version);
    const changed = { ...template, versions: [...template.versions, added] as const };
    this.#keep(changed);
    return { template: changed, version: added };
  }

  setDefaultVersion(template: LaunchTemplate, { number }: TemplateVersion): LaunchTemplate {
    const changed = { ...template, defaultVersion: number };
    this.#keep(changed);
    return changed;
  }

  /**
   * A template for a request that changes or uses it.
   * @throws Ec2Refusal if it does not exist, or if the request does not name exactly one
   */
  find(name: TemplateName, span: number): LaunchTemplate {
    return pick(
      name,
      this.list().filter(({ id }) => this.#replica.knows(id, span)),
    );
  }

  /** A template as a read sees it. @throws Ec2Refusal as `find` */
  readOne(name: TemplateName, span: number): LaunchTemplate {
    return pick(name, this.readAll(span));
  }

  /** Calls the listener when a template is created. @returns a function that removes it */
  onCreate(listener: (template: LaunchTemplate) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @param span of the request; undefined if it is not the target's */
  delete(template: LaunchTemplate, span: number | undefined): void {
    const { id } = template;
    if (!this.#byId.delete(id)) return;
    this.#record(template, 'deleted', span);
    this.#deleted.add(id);
    this.#replica.write(id, undefined);
  }

  /** Changes tags. @throws Ec2Refusal for too many */
  retag(id: string, change: (tags: Tags) => Tags): void {
    const template = this.#byId.get(id);
    if (template === undefined) return;
    const tags = change(template.tags);
    checkTagCount(tags);
    this.#keep({ ...template, tags });
  }

  #record({ id, name }: LaunchTemplate, to: EventOf<'launch-template'>['to'], span: number | undefined): void {
    this.#recorder.record({ type: 'launch-template', template: id, name, to, ...defined({ span }) });
  }

  #keep(template: LaunchTemplate): void {
    this.#byId.set(template.id, template);
    this.#replica.write(template.id, template);
  }

  #read(id: string, span: number): LaunchTemplate | undefined {
    const seen = this.#replica.read(id, span);
    if (seen === undefined && this.#deleted.delete(id)) this.#replica.forget(id);
    return seen;
  }
}

/** @throws Ec2Refusal for data that EC2 does not accept: here rather than when an instance is launched */
function makeVersion(
  number: number,
  { data, description, nowMs }: { data: TemplateData; description?: string | undefined; nowMs: number },
): TemplateVersion {
  decodeUserData(data);
  launchTags(data.TagSpecifications, 'instance');
  launchPartTags(data.TagSpecifications);
  return { number, data, createdAtMs: nowMs, ...defined({ description }) };
}

function pick({ LaunchTemplateId: id, LaunchTemplateName: name }: TemplateName, known: readonly LaunchTemplate[]): LaunchTemplate {
  if (id !== undefined && name !== undefined) {
    throw new Ec2Refusal('InvalidParameterCombination', 'Specify either a launch template ID or a launch template name, not both.');
  }
  if (id !== undefined) {
    if (!ID.test(id)) throw new Ec2Refusal('InvalidLaunchTemplateId.Malformed', `The launch template ID '${id}' is malformed`);
    const template = known.find((one) => one.id === id);
    if (template !== undefined) return template;
    const message = `The specified launch template, with template ID ${id}, does not exist.`;
    throw new Ec2Refusal('InvalidLaunchTemplateId.NotFound', message);
  }
  if (name === undefined) {
    throw new Ec2Refusal('MissingParameter', 'The request must contain the parameter LaunchTemplateId or LaunchTemplateName');
  }
  const template = known.find((one) => one.name === name);
  if (template !== undefined) return template;
  const message = `The specified launch template, with template name ${name}, does not exist.`;
  throw new Ec2Refusal('InvalidLaunchTemplateName.NotFoundException', message);
}

/** One version of a template. @param version a number, `$Latest` or `$Default` @throws Ec2Refusal if there is none */
export function versionOf(template: LaunchTemplate, version: string): TemplateVersion {
  const number = version === '$Default' ? template.defaultVersion : Number(version);
  const found = version === '$Latest' ? template.versions.at(-1) : template.versions.find((one) => one.number === number);
  if (found !== undefined) return found;
  throw new Ec2Refusal(
    'InvalidLaunchTemplateId.VersionNotFound',
    `Could not find the specified version ${version} for the launch template with ID ${template.id}.`,
  );
}

/** User data as an instance gets it. @throws Ec2Refusal if it is not base64, or too long */
export function decodeUserData({ UserData: encoded = '' }: TemplateData): string {
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(encoded))
    throw new Ec2Refusal('InvalidUserData.Malformed', 'Invalid BASE64 encoding of user data.');
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > USER_DATA_BYTES_MAX) throw invalidValue(`User data is limited to ${USER_DATA_BYTES_MAX} bytes`);
  return bytes.toString('utf8');
}
