import type { ClusterConfig } from '../../model/cluster.ts';
import type { Catalogue } from '../../model/instance-catalogue.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Backend } from '../../wire/backend.ts';
import { EksBackend } from './eks.ts';
import { createIam } from './iam.ts';
import { makeRole } from './iam-entities.ts';
import { createPricing } from './pricing.ts';
import type { AwsBackends } from './services.ts';
import { createSsm } from './ssm.ts';
import { createSts } from './sts.ts';

/** The dependencies of an account's services. */
interface AccountSite {
  readonly clock: Clock;
  readonly random: Random;
  readonly cluster: ClusterConfig;
  /** Source of the price list. */
  readonly catalogue: Catalogue;
}

/** By their IAM prefixes. */
type AccountServices = Readonly<
  Record<Exclude<keyof AwsBackends, 'ec2' | 'sqs' | 'autoscaling'>, Backend & { readonly operations: readonly string[] }>
>;

/**
 * The AWS services of a cluster's account other than EC2, Auto Scaling and SQS. Its roles are those that Karpenter's set-up creates: one for nodes
 * and one for the controller. Source of the names: "Getting started with Karpenter", its CloudFormation template.
 */
export function createAccountServices({ clock, random, cluster, catalogue }: AccountSite): AccountServices {
  const roles = [`KarpenterNodeRole-${cluster.name}`, `${cluster.name}-karpenter`].map((name) =>
    makeRole(name, clock.nowMs(), random.fork(`role ${name}`)),
  );
  return {
    iam: createIam({ clock, random: random.fork('iam'), roles }),
    sts: createSts({ clock, random: random.fork('sts'), roles }),
    ssm: createSsm({ clock, random: random.fork('ssm'), cluster }),
    eks: new EksBackend({ clock, random: random.fork('eks'), cluster }),
    pricing: createPricing({ clock, random: random.fork('pricing'), catalogue }),
  };
}
