package main

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/smithy-go"
)

// retries lists instances once, and prints each attempt that the SDK made.
func retries(ctx context.Context, s site) {
	answer, err := s.ec2.DescribeInstances(ctx, &ec2.DescribeInstancesInput{})
	mode := s.ec2.Options().RetryMode
	operation := operationOf[ec2.DescribeInstancesOutput]()
	var gaveUp *retry.MaxAttemptsError
	if errors.As(err, &gaveUp) {
		say(line{Operation: operation, Refusal: readRefusal(operation, err), Values: values{"mode": mode, "attempts": gaveUp.Attempt}})
		return
	}
	check(operation, err)
	attempts, _ := retry.GetAttemptResults(answer.ResultMetadata)
	codes := each(attempts.Results, func(one retry.AttemptResult) string { return codeOf(one.Err) })
	say(line{Operation: operation, Values: values{"mode": mode}, Attempts: codes})
}

// shortage asks for a fleet where there is no capacity: the answer is no refusal, but has errors.
func shortage(ctx context.Context, s site) {
	template := ask(ctx, s.ec2.CreateLaunchTemplate, &ec2.CreateLaunchTemplateInput{
		LaunchTemplateName: aws.String("shortage"), LaunchTemplateData: &types.RequestLaunchTemplateData{ImageId: &s.image},
	}).LaunchTemplate.LaunchTemplateId
	fleet := ask(ctx, s.ec2.CreateFleet, &ec2.CreateFleetInput{
		Type:                        types.FleetTypeInstant,
		TargetCapacitySpecification: &types.TargetCapacitySpecificationRequest{TotalTargetCapacity: aws.Int32(1)},
		LaunchTemplateConfigs: []types.FleetLaunchTemplateConfigRequest{{
			LaunchTemplateSpecification: &types.FleetLaunchTemplateSpecificationRequest{LaunchTemplateId: template, Version: aws.String("$Latest")},
			Overrides:                   []types.FleetLaunchTemplateOverridesRequest{{InstanceType: types.InstanceTypeM5Large, SubnetId: &s.subnet}},
		}},
	})
	answered(fleet, values{
		"instances": len(fleet.Instances),
		"errors": each(fleet.Errors, func(one types.CreateFleetError) values {
			overrides := one.LaunchTemplateAndOverrides.Overrides
			return values{"code": one.ErrorCode, "lifecycle": one.Lifecycle, "type": overrides.InstanceType, "subnet": overrides.SubnetId}
		}),
	})
}

// codeOf is the code of a refusal, and "" for any other error and none.
func codeOf(err error) string {
	var refused smithy.APIError
	if !errors.As(err, &refused) {
		return ""
	}
	return refused.ErrorCode()
}
