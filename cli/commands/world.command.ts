import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { REPLACEABLE_PARTS } from '../../world/replaceable.ts';
import type { ReplaceablePart } from '../../world/replaceable.ts';
import type { ServiceAccountName } from '../../model/service-account.ts';
import { parsePid, parseRbac, parseSeed, parseService, parseWithout } from '../options.ts';
import { CONTROL_VARIABLE } from '../world/control.ts';

/** `scaleproof world`. */
export function defineWorld(program: Command, { console, finish }: CommandContext): void {
  const world = program.command('world').description('serve an embedded world on local ports, for any program');
  world
    .command('up')
    .description('start a world in real time, until Ctrl-C; prints kubeconfig and AWS variables')
    .addOption(new Option('--seed <n>', 'seed of its delays and markets').default(1).argParser(parseSeed))
    .option('--quick', 'machines boot and terminate within seconds', false)
    .option('--no-limits', 'answer requests without latency, and without the request limits of EC2')
    .option('--history <file>', 'write a history to this new file')
    .addOption(
      new Option('--without <parts>', `parts that your own programs replace, separated by commas: ${REPLACEABLE_PARTS.join(', ')}`)
        .default([], 'none')
        .argParser(parseWithout),
    )
    .addOption(
      new Option('--rbac <namespace/name>', 'let roles decide: without credentials, the autoscaler is this service account').argParser(
        parseRbac,
      ),
    )
    .addOption(
      new Option('--service <namespace/name=host:port>', 'a program that is this service, for webhooks; can be repeated')
        .default(new Map<string, string>(), 'none')
        .argParser(parseService),
    )
    .addOption(new Option('--while <pid>', 'end as soon as this process is gone, even if it was killed').argParser(parsePid))
    .option('--json', 'print its addresses as one line of JSON', false)
    .action(
      async ({
        limits,
        ...flags
      }: {
        seed: number;
        quick: boolean;
        limits: boolean;
        history?: string;
        without: readonly ReplaceablePart[];
        rbac?: ServiceAccountName;
        service: ReadonlyMap<string, string>;
        while?: number;
        json: boolean;
      }) =>
        finish(
          await (
            await import('../world/up.ts')
          ).worldUp(
            { ...flags, noLimits: !limits, history: flags.history, rbac: flags.rbac, services: flags.service, while: flags.while },
            console,
          ),
        ),
    );
  const remote = (command: Command): Command =>
    command.option('--control <url>', `URL that controls the world (default: ${CONTROL_VARIABLE})`).option('--json', 'print JSON', false);
  remote(
    world.command('inject').argument('<fault>', 'its name, as in `scaleproof list faults`').argument('[params]', 'its parameters, as JSON'),
  )
    .description('inject a fault into a running world')
    .action(async (fault: string, params: string | undefined, flags: { control?: string; json: boolean }) =>
      finish(await (await import('../world/remote.ts')).worldInject(fault, params, { control: flags.control, json: flags.json }, console)),
    );
  remote(world.command('heal').argument('<id>', 'the id that inject printed'))
    .description('end an injected fault')
    .action(async (id: string, flags: { control?: string; json: boolean }) =>
      finish(await (await import('../world/remote.ts')).worldHeal(id, { control: flags.control, json: flags.json }, console)),
    );
  remote(world.command('faults'))
    .description('list the injected faults')
    .action(async (flags: { control?: string; json: boolean }) =>
      finish(await (await import('../world/remote.ts')).worldFaults({ control: flags.control, json: flags.json }, console)),
    );
}
