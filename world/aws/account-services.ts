import type { ClusterConfig } from '../../model/cluster.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { createIam } from './iam.ts';
import { makeRole } from './iam-entities.ts';
import type { AwsBackends } from './services.ts';
import { SsmBackend } from './ssm.ts';
import { createSts } from './sts.ts';

/** What the services of an account are made of. */
interface AccountSite {
  readonly clock: Clock;
  readonly random: Random;
  readonly cluster: ClusterConfig;
}

/**
 * IAM, STS and SSM of the account that a cluster is in. Its roles are those that Karpenter's set-up makes: one for nodes and
 * one for the controller. Source of the names: "Getting started with Karpenter", its CloudFormation template.
 */
export function createAccountServices({ clock, random, cluster }: AccountSite): Required<Pick<AwsBackends, 'iam' | 'sts' | 'ssm'>> {
  const roles = [`KarpenterNodeRole-${cluster.name}`, `${cluster.name}-karpenter`].map((name) =>
    makeRole(name, clock.nowMs(), random.fork(`role ${name}`)),
  );
  return {
    iam: createIam({ clock, random: random.fork('iam'), roles }),
    sts: createSts({ clock, random: random.fork('sts'), roles }),
    ssm: new SsmBackend({ clock, random: random.fork('ssm'), cluster }),
  };
}
