import type { Random } from '../../../runtime/random.ts';
import type { Operation, Step } from './script.ts';

/** A tag in a request. */
interface Tag {
  readonly Key: string;
  readonly Value: string;
}

const KEYS = ['team', 'env', 'karpenter.sh/nodepool', 'Name'] as const;
const VALUES = ['a', 'b', 'a longer value', ''] as const;
/** Ids that no account has. */
const UNKNOWN = { instance: ['i-0123456789abcdef0', 'i-01234567'], template: ['lt-0123456789abcdef0', 'lt-01234567'] } as const;

/** A script under construction: its steps, and which of them create resources that later ones use. */
export class Draft {
  readonly random: Random;
  readonly steps: Step[] = [];
  /** Steps that launch an instance. */
  readonly launches: number[] = [];
  /** The existing launch templates: their names, and the steps that created them. */
  readonly templates = new Map<string, number>();

  constructor(random: Random) {
    this.random = random;
  }

  /** @returns the step's number */
  add(operation: Operation, input: Step['input']): number {
    return this.steps.push({ operation, input }) - 1;
  }

  /** A launched instance, or sometimes an unknown one. */
  instance(): string {
    const { random, launches } = this;
    return launches.length > 0 && random.chance(0.9) ? `<<${random.pick(launches)}>>` : random.pick(UNKNOWN.instance);
  }

  templateId(): string {
    const { random, templates } = this;
    return templates.size > 0 && random.chance(0.85) ? `<<${random.pick([...templates.values()])}>>` : random.pick(UNKNOWN.template);
  }

  templateName(): string {
    const { random, templates } = this;
    return templates.size > 0 && random.chance(0.85) ? random.pick([...templates.keys()]) : 'nobody-made-it';
  }

  /** A reference to a template, by id or name. */
  template(): object {
    return this.random.chance(0.5) ? { LaunchTemplateId: this.templateId() } : { LaunchTemplateName: this.templateName() };
  }

  /** An existing template, and a reference to it. */
  existingTemplate(): { readonly name: string; readonly named: object } | undefined {
    const { random, templates } = this;
    if (templates.size === 0) return undefined;
    const [name, step] = random.pick([...templates]);
    return { name, named: random.chance(0.5) ? { LaunchTemplateId: `<<${step}>>` } : { LaunchTemplateName: name } };
  }

  key(): string {
    return this.random.pick(KEYS);
  }

  value(): string {
    return this.random.pick(VALUES);
  }

  tags(most = 3): Tag[] {
    const { random } = this;
    return random
      .shuffle(KEYS)
      .slice(0, random.int(1, most))
      .map((Key) => ({ Key, Value: this.value() }));
  }

  some<T extends object>(probability: number, make: () => T): Partial<T> {
    return this.random.chance(probability) ? make() : {};
  }
}
