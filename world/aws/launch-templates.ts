import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import { Ec2Refusal, invalidValue } from '../../protocols/ec2/refusal.ts';
import type { Random } from '../../runtime/random.ts';
import { drawId } from './ids.ts';
import { checkTagCount, launchTags } from './tags.ts';
import type { Tags } from './tags.ts';

export type TemplateData = RequestLaunchTemplateData;

const NAME = /^[a-zA-Z0-9().\-/_]{3,128}$/;
const ID = /^lt-([0-9a-f]{8}|[0-9a-f]{17})$/;
/** Source: "Launch template restrictions": 5,000 templates a region. */
const TEMPLATES_MAX = 5_000;
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
  readonly tags: Tags;
}

/** How requests name a template. */
interface TemplateName {
  readonly LaunchTemplateId?: string | undefined;
  readonly LaunchTemplateName?: string | undefined;
}

/** The account's launch templates. Versions beyond the first can't be made yet. */
export class LaunchTemplates {
  readonly #random: Random;
  readonly #byId = new Map<string, LaunchTemplate>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** In the order of their ids, as pages need them. */
  list(): readonly LaunchTemplate[] {
    return [...this.#byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  get(id: string): LaunchTemplate | undefined {
    return this.#byId.get(id);
  }

  /** @throws Ec2Refusal for a name that is malformed or taken, or data that EC2 does not take */
  create(template: { name: string; data: TemplateData; description?: string | undefined; tags: Tags; nowMs: number }): LaunchTemplate {
    const { name, data, description, tags, nowMs } = template;
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
    // Refused here rather than when an instance is launched.
    decodeUserData(data);
    launchTags(data.TagSpecifications, 'instance');
    const created: LaunchTemplate = {
      id: drawId(this.#random, 'lt'),
      name,
      versions: [{ number: 1, data, createdAtMs: nowMs, ...(description === undefined ? {} : { description }) }],
      defaultVersion: 1,
      createdAtMs: nowMs,
      tags,
    };
    this.#byId.set(created.id, created);
    return created;
  }

  /** @throws Ec2Refusal where there is none, or where the request names none or two */
  find({ LaunchTemplateId: id, LaunchTemplateName: name }: TemplateName): LaunchTemplate {
    if (id !== undefined && name !== undefined) {
      throw new Ec2Refusal('InvalidParameterCombination', 'Specify either a launch template ID or a launch template name, not both.');
    }
    if (id !== undefined) {
      if (!ID.test(id)) throw new Ec2Refusal('InvalidLaunchTemplateId.Malformed', `The launch template ID '${id}' is malformed`);
      const template = this.#byId.get(id);
      if (template === undefined) {
        const message = `The specified launch template, with template ID ${id}, does not exist.`;
        throw new Ec2Refusal('InvalidLaunchTemplateId.NotFound', message);
      }
      return template;
    }
    if (name === undefined) {
      throw new Ec2Refusal('MissingParameter', 'The request must contain the parameter LaunchTemplateId or LaunchTemplateName');
    }
    const template = this.list().find((known) => known.name === name);
    if (template === undefined) {
      const message = `The specified launch template, with template name ${name}, does not exist.`;
      throw new Ec2Refusal('InvalidLaunchTemplateName.NotFoundException', message);
    }
    return template;
  }

  delete(id: string): void {
    this.#byId.delete(id);
  }

  /** Sets tags and takes others away. @throws Ec2Refusal for too many */
  retag(id: string, change: (tags: Tags) => Tags): void {
    const template = this.#byId.get(id);
    if (template === undefined) return;
    const tags = change(template.tags);
    checkTagCount(tags);
    this.#byId.set(id, { ...template, tags });
  }
}

/** One version of a template. @param version a number, `$Latest` or `$Default` @throws Ec2Refusal where there is none */
export function versionOf(template: LaunchTemplate, version: string): TemplateVersion {
  const number = version === '$Default' ? template.defaultVersion : Number(version);
  const found = version === '$Latest' ? template.versions.at(-1) : template.versions.find((one) => one.number === number);
  if (found !== undefined) return found;
  throw new Ec2Refusal(
    'InvalidLaunchTemplateId.VersionNotFound',
    `Could not find the specified version ${version} for the launch template with ID ${template.id}.`,
  );
}

/** User data as an instance gets it. @throws Ec2Refusal where it is no base64, or too long */
export function decodeUserData({ UserData: encoded = '' }: TemplateData): string {
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(encoded))
    throw new Ec2Refusal('InvalidUserData.Malformed', 'Invalid BASE64 encoding of user data.');
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > USER_DATA_BYTES_MAX) throw invalidValue(`User data is limited to ${USER_DATA_BYTES_MAX} bytes`);
  return bytes.toString('utf8');
}
