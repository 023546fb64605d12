package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/pricing"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
)

// refusal is what the SDK makes of a refused request.
type refusal struct {
	Code   string `json:"code"`
	Status int    `json:"status"`
	// Type is the error's type in Go: one of the service's own, or the SDK's for errors that its model does not have.
	Type string `json:"type"`
}

// refuses calls an operation that must be refused, and prints how.
func refuses[I, O, F any](ctx context.Context, call method[I, O, F], input *I) {
	_, err := call(ctx, input)
	say(line{Operation: operationOf[O](), Refusal: readRefusal(operationOf[O](), err)})
}

// readRefusal is what a service's refusal says.
func readRefusal(operation string, err error) *refusal {
	var refused smithy.APIError
	var answer *awshttp.ResponseError
	if !errors.As(err, &refused) || !errors.As(err, &answer) {
		fail("%s: not refused by the service: %v", operation, err)
	}
	if answer.ServiceRequestID() == "" {
		fail("%s: a refusal without the request's id: %v", operation, err)
	}
	return &refusal{Code: refused.ErrorCode(), Status: answer.HTTPStatusCode(), Type: fmt.Sprintf("%T", refused)}
}

func refusals(ctx context.Context, s site) {
	refusedByEc2(ctx, s)
	refusedBySqs(ctx, s)
	refusedByIam(ctx, s)
	refuses(ctx, s.sts.AssumeRole, &sts.AssumeRoleInput{
		RoleArn: aws.String("arn:aws:iam::123456789012:role/nobody"), RoleSessionName: aws.String("me"),
	})
	refuses(ctx, s.sts.GetSessionToken, &sts.GetSessionTokenInput{})
	refuses(ctx, s.ssm.GetParameter, &ssm.GetParameterInput{Name: aws.String("/none")})
	refuses(ctx, s.ssm.ListDocuments, &ssm.ListDocumentsInput{})
	refuses(ctx, s.eks.DescribeCluster, &eks.DescribeClusterInput{Name: aws.String("nobody")})
	refuses(ctx, s.eks.ListClusters, &eks.ListClustersInput{})
	refuses(ctx, s.pricing.GetProducts, &pricing.GetProductsInput{ServiceCode: aws.String("AmazonNothing")})
	refuses(ctx, s.pricing.GetProducts, &pricing.GetProductsInput{ServiceCode: aws.String("AmazonEC2"), NextToken: aws.String("none")})
	refuses(ctx, s.pricing.DescribeServices, &pricing.DescribeServicesInput{})
}

func refusedByEc2(ctx context.Context, s site) {
	launch := ec2.RunInstancesInput{
		ImageId: &s.image, InstanceType: types.InstanceTypeM5Large, SubnetId: &s.subnet, MinCount: aws.Int32(1), MaxCount: aws.Int32(1),
	}
	dryRun := launch
	dryRun.DryRun = aws.Bool(true)
	refuses(ctx, s.ec2.RunInstances, &dryRun)
	launch.ClientToken = aws.String("refusals")
	made := *ask(ctx, s.ec2.RunInstances, &launch).Instances[0].InstanceId
	if again := *ask(ctx, s.ec2.RunInstances, &launch).Instances[0].InstanceId; again != made {
		fail("the same token launched %s and %s", made, again)
	}
	launch.InstanceType = types.InstanceTypeM5Xlarge
	refuses(ctx, s.ec2.RunInstances, &launch)
	ask(ctx, s.ec2.TerminateInstances, &ec2.TerminateInstancesInput{InstanceIds: []string{made}})
	refuses(ctx, s.ec2.CreateFleet, &ec2.CreateFleetInput{
		DryRun: aws.Bool(true), Type: types.FleetTypeInstant,
		TargetCapacitySpecification: &types.TargetCapacitySpecificationRequest{TotalTargetCapacity: aws.Int32(1)},
		LaunchTemplateConfigs: []types.FleetLaunchTemplateConfigRequest{{
			LaunchTemplateSpecification: &types.FleetLaunchTemplateSpecificationRequest{
				LaunchTemplateName: aws.String("nobody"), Version: aws.String("$Latest"),
			},
		}},
	})
	refuses(ctx, s.ec2.DescribeInstances, &ec2.DescribeInstancesInput{InstanceIds: []string{"i-00000000000000000"}})
	refuses(ctx, s.ec2.DescribeInstances, &ec2.DescribeInstancesInput{InstanceIds: []string{"nonsense"}})
	refuses(ctx, s.ec2.DescribeInstances, &ec2.DescribeInstancesInput{NextToken: aws.String("nonsense")})
	refuses(ctx, s.ec2.DescribeLaunchTemplates, &ec2.DescribeLaunchTemplatesInput{LaunchTemplateNames: []string{"nobody"}})
	refuses(ctx, s.ec2.DeleteLaunchTemplate, &ec2.DeleteLaunchTemplateInput{LaunchTemplateId: aws.String("lt-00000000000000000")})
	refuses(ctx, s.ec2.DescribeSubnets, &ec2.DescribeSubnetsInput{Filters: filter("nonsense", "a")})
	refuses(ctx, s.ec2.DescribeAddresses, &ec2.DescribeAddressesInput{})
}

func refusedBySqs(ctx context.Context, s site) {
	refuses(ctx, s.sqs.GetQueueUrl, &sqs.GetQueueUrlInput{QueueName: aws.String("nobody")})
	name := aws.String("refusals")
	queue := ask(ctx, s.sqs.CreateQueue, &sqs.CreateQueueInput{QueueName: name}).QueueUrl
	refuses(ctx, s.sqs.CreateQueue, &sqs.CreateQueueInput{QueueName: name, Attributes: map[string]string{"VisibilityTimeout": "60"}})
	refuses(ctx, s.sqs.SetQueueAttributes, &sqs.SetQueueAttributesInput{QueueUrl: queue, Attributes: map[string]string{"Nonsense": "1"}})
	refuses(ctx, s.sqs.SendMessage, &sqs.SendMessageInput{QueueUrl: queue, MessageBody: aws.String("\x01")})
	refuses(ctx, s.sqs.ReceiveMessage, &sqs.ReceiveMessageInput{QueueUrl: queue, MaxNumberOfMessages: 11})
	refuses(ctx, s.sqs.DeleteMessage, &sqs.DeleteMessageInput{QueueUrl: queue, ReceiptHandle: aws.String("none")})
	refuses(ctx, s.sqs.DeleteMessageBatch, &sqs.DeleteMessageBatchInput{QueueUrl: queue, Entries: []sqstypes.DeleteMessageBatchRequestEntry{}})
	ask(ctx, s.sqs.PurgeQueue, &sqs.PurgeQueueInput{QueueUrl: queue})
	refuses(ctx, s.sqs.PurgeQueue, &sqs.PurgeQueueInput{QueueUrl: queue})
	refuses(ctx, s.sqs.ListDeadLetterSourceQueues, &sqs.ListDeadLetterSourceQueuesInput{QueueUrl: queue})
}

func refusedByIam(ctx context.Context, s site) {
	name, role := aws.String("refusals"), aws.String(nodeRole(s))
	profile := iam.CreateInstanceProfileInput{InstanceProfileName: name}
	refuses(ctx, s.iam.GetInstanceProfile, &iam.GetInstanceProfileInput{InstanceProfileName: name})
	ask(ctx, s.iam.CreateInstanceProfile, &profile)
	refuses(ctx, s.iam.CreateInstanceProfile, &profile)
	refuses(ctx, s.iam.CreateInstanceProfile, &iam.CreateInstanceProfileInput{InstanceProfileName: aws.String("a/b")})
	add := iam.AddRoleToInstanceProfileInput{InstanceProfileName: name, RoleName: role}
	ask(ctx, s.iam.AddRoleToInstanceProfile, &add)
	refuses(ctx, s.iam.AddRoleToInstanceProfile, &add)
	refuses(ctx, s.iam.DeleteInstanceProfile, &iam.DeleteInstanceProfileInput{InstanceProfileName: name})
	refuses(ctx, s.iam.ListUsers, &iam.ListUsersInput{})
}
