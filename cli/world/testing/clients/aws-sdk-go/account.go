package main

import (
	"context"
	"encoding/json"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	iamtypes "github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/aws-sdk-go-v2/service/pricing"
	pricingtypes "github.com/aws/aws-sdk-go-v2/service/pricing/types"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// account asks the services that know the account, its roles, its cluster, its images and their prices.
func account(ctx context.Context, s site) {
	profiles(ctx, s)
	identity := ask(ctx, s.sts.GetCallerIdentity, &sts.GetCallerIdentityInput{})
	answered(identity, values{"account": identity.Account, "arn": identity.Arn})
	taken := ask(ctx, s.sts.AssumeRole, &sts.AssumeRoleInput{
		RoleArn: aws.String("arn:aws:iam::" + *identity.Account + ":role/" + nodeRole(s)), RoleSessionName: aws.String("me"),
	})
	answered(taken, values{"arn": taken.AssumedRoleUser.Arn, "expires": taken.Credentials.Expiration, "key": taken.Credentials.AccessKeyId})
	parameter := ask(ctx, s.ssm.GetParameter, &ssm.GetParameterInput{Name: aws.String(imageParameter)})
	answered(parameter, values{
		"image": parameter.Parameter.Value, "type": parameter.Parameter.Type, "modified": parameter.Parameter.LastModifiedDate,
	})
	parameters := ask(ctx, s.ssm.GetParameters, &ssm.GetParametersInput{Names: []string{imageParameter, "/none"}})
	answered(parameters, values{"image": parameters.Parameters[0].Value, "invalid": parameters.InvalidParameters})
	check("active", eks.NewClusterActiveWaiter(s.eks).Wait(ctx, &eks.DescribeClusterInput{Name: &s.cluster}, waitLimit))
	described := ask(ctx, s.eks.DescribeCluster, &eks.DescribeClusterInput{Name: &s.cluster})
	cluster := described.Cluster
	answered(described, values{
		"cluster": cluster.Name, "status": cluster.Status, "version": cluster.Version, "created": cluster.CreatedAt,
		"group": cluster.ResourcesVpcConfig.ClusterSecurityGroupId, "range": cluster.KubernetesNetworkConfig.ServiceIpv4Cidr,
	})
	products := pages(ctx, pricing.NewGetProductsPaginator(s.pricing, &pricing.GetProductsInput{
		ServiceCode: aws.String("AmazonEC2"),
		Filters: []pricingtypes.Filter{
			{Field: aws.String("tenancy"), Type: pricingtypes.FilterTypeTermMatch, Value: aws.String("Shared")},
			{Field: aws.String("instanceType"), Type: pricingtypes.FilterTypeContains, Value: aws.String("large")},
		},
	}))
	var product struct {
		Product struct {
			Attributes struct{ InstanceType string }
		}
	}
	check("product", json.Unmarshal([]byte(products[0].PriceList[0]), &product))
	answered(products[0], values{
		"pages": len(products), "format": products[0].FormatVersion, "type": product.Product.Attributes.InstanceType,
		"products": len(items(products, func(page *pricing.GetProductsOutput) []string { return page.PriceList })),
	})
}

// imageParameter names the newest image of Amazon Linux 2023.
const imageParameter = "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id"

func nodeRole(s site) string { return "KarpenterNodeRole-" + s.cluster }

// profiles takes an instance profile from its creation to its end.
func profiles(ctx context.Context, s site) {
	name, role := aws.String("operations"), aws.String(nodeRole(s))
	created := ask(ctx, s.iam.CreateInstanceProfile, &iam.CreateInstanceProfileInput{
		InstanceProfileName: name, Path: aws.String("/karpenter/"),
		Tags: []iamtypes.Tag{{Key: aws.String("a"), Value: aws.String("<1 & 2>")}},
	})
	answered(created, values{
		"profile": created.InstanceProfile.InstanceProfileId, "roles": len(created.InstanceProfile.Roles),
		"created": created.InstanceProfile.CreateDate,
	})
	check("profile", iam.NewInstanceProfileExistsWaiter(s.iam).Wait(ctx, &iam.GetInstanceProfileInput{InstanceProfileName: name}, waitLimit))
	found := ask(ctx, s.iam.GetRole, &iam.GetRoleInput{RoleName: role})
	answered(found, values{"role": found.Role.RoleName, "arn": found.Role.Arn, "created": found.Role.CreateDate})
	answered(ask(ctx, s.iam.AddRoleToInstanceProfile, &iam.AddRoleToInstanceProfileInput{InstanceProfileName: name, RoleName: role}), nil)
	answered(ask(ctx, s.iam.TagInstanceProfile, &iam.TagInstanceProfileInput{
		InstanceProfileName: name, Tags: []iamtypes.Tag{{Key: aws.String("b"), Value: aws.String("")}},
	}), nil)
	read := ask(ctx, s.iam.GetInstanceProfile, &iam.GetInstanceProfileInput{InstanceProfileName: name})
	profile := read.InstanceProfile
	tags := map[string]*string{}
	for _, tag := range profile.Tags {
		tags[*tag.Key] = tag.Value
	}
	answered(read, values{
		"profile": profile.InstanceProfileId, "role": profile.Roles[0].RoleName,
		"tags": tags,
	})
	other := aws.String("another")
	ask(ctx, s.iam.CreateInstanceProfile, &iam.CreateInstanceProfileInput{InstanceProfileName: other, Path: aws.String("/karpenter/")})
	list := pages(ctx, iam.NewListInstanceProfilesPaginator(s.iam, &iam.ListInstanceProfilesInput{
		PathPrefix: aws.String("/karpenter/"), MaxItems: aws.Int32(1),
	}))
	answered(list[0], values{
		"pages": len(list),
		"profiles": names(items(list, func(page *iam.ListInstanceProfilesOutput) []iamtypes.InstanceProfile { return page.InstanceProfiles }),
			func(one iamtypes.InstanceProfile) *string { return one.InstanceProfileName }),
	})
	answered(ask(ctx, s.iam.RemoveRoleFromInstanceProfile, &iam.RemoveRoleFromInstanceProfileInput{
		InstanceProfileName: name, RoleName: role,
	}), nil)
	answered(ask(ctx, s.iam.DeleteInstanceProfile, &iam.DeleteInstanceProfileInput{InstanceProfileName: name}), nil)
	ask(ctx, s.iam.DeleteInstanceProfile, &iam.DeleteInstanceProfileInput{InstanceProfileName: other})
}
