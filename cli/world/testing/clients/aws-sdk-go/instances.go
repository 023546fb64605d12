package main

import (
	"context"
	"encoding/base64"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// waitLimit is for one state of an instance of a quick world.
const waitLimit = time.Minute

// instances takes two instances, one of them of a fleet, from their launch template to their end.
func instances(ctx context.Context, s site) {
	template := launchTemplate(ctx, s)
	fleet := ask(ctx, s.ec2.CreateFleet, &ec2.CreateFleetInput{
		Type: types.FleetTypeInstant,
		TargetCapacitySpecification: &types.TargetCapacitySpecificationRequest{
			TotalTargetCapacity: aws.Int32(1), DefaultTargetCapacityType: types.DefaultTargetCapacityTypeSpot,
		},
		SpotOptions: &types.SpotOptionsRequest{AllocationStrategy: types.SpotAllocationStrategyPriceCapacityOptimized},
		LaunchTemplateConfigs: []types.FleetLaunchTemplateConfigRequest{{
			LaunchTemplateSpecification: &types.FleetLaunchTemplateSpecificationRequest{LaunchTemplateId: &template, Version: aws.String("1")},
			Overrides: []types.FleetLaunchTemplateOverridesRequest{{
				InstanceType: types.InstanceTypeC5Large, SubnetId: &s.subnet, AvailabilityZone: &s.zone,
			}},
		}},
		TagSpecifications: tagged(types.ResourceTypeFleet, types.ResourceTypeInstance),
	})
	spot := fleet.Instances[0].InstanceIds[0]
	answered(fleet, values{
		"fleet": fleet.FleetId, "instance": spot, "type": fleet.Instances[0].InstanceType, "lifecycle": fleet.Instances[0].Lifecycle,
		"errors": len(fleet.Errors), "subnet": fleet.Instances[0].LaunchTemplateAndOverrides.Overrides.SubnetId,
		"template": fleet.Instances[0].LaunchTemplateAndOverrides.LaunchTemplateSpecification.LaunchTemplateId,
	})
	launch := ask(ctx, s.ec2.RunInstances, &ec2.RunInstancesInput{
		LaunchTemplate: &types.LaunchTemplateSpecification{LaunchTemplateId: &template, Version: aws.String("$Default")},
		MinCount:       aws.Int32(1), MaxCount: aws.Int32(1), ClientToken: aws.String("once"),
	})
	made := *launch.Instances[0].InstanceId
	answered(launch, values{
		"instance": made, "key": launch.Instances[0].KeyName, "state": launch.Instances[0].State.Name,
		"launched": launch.Instances[0].LaunchTime,
	})
	both := &ec2.DescribeInstancesInput{InstanceIds: []string{made, spot}}
	check("exists", ec2.NewInstanceExistsWaiter(s.ec2, func(options *ec2.InstanceExistsWaiterOptions) {
		options.MinDelay, options.MaxDelay = pause, pause
	}).Wait(ctx, both, waitLimit))
	check("running", ec2.NewInstanceRunningWaiter(s.ec2, often).Wait(ctx, both, waitLimit))

	description := instance(ctx, s, made, spot)
	attached(ctx, s, made, *description.NetworkInterfaces[0].NetworkInterfaceId)
	status := ask(ctx, s.ec2.DescribeInstanceStatus, &ec2.DescribeInstanceStatusInput{InstanceIds: []string{made}})
	answered(status, values{
		"instance": status.InstanceStatuses[0].InstanceId, "state": status.InstanceStatuses[0].InstanceState.Name,
		"system": status.InstanceStatuses[0].SystemStatus.Status, "check": status.InstanceStatuses[0].InstanceStatus.Details[0].Name,
	})
	changes(ctx, s, made)
	tags(ctx, s, made)
	requests := ask(ctx, s.ec2.DescribeSpotInstanceRequests, &ec2.DescribeSpotInstanceRequestsInput{
		Filters: filter("instance-id", spot),
	})
	answered(requests, values{
		"instances": names(requests.SpotInstanceRequests, func(one types.SpotInstanceRequest) *string { return one.InstanceId }),
		"state":     requests.SpotInstanceRequests[0].State, "created": requests.SpotInstanceRequests[0].CreateTime,
	})
	fleets := ask(ctx, s.ec2.DescribeFleets, &ec2.DescribeFleetsInput{FleetIds: []string{*fleet.FleetId}})
	answered(fleets, values{
		"fleet": fleets.Fleets[0].FleetId, "instance": fleets.Fleets[0].Instances[0].InstanceIds[0], "type": fleets.Fleets[0].Type,
		"created": fleets.Fleets[0].CreateTime,
	})
	end(ctx, s, made, spot, *fleet.FleetId)
	deleted := ask(ctx, s.ec2.DeleteLaunchTemplate, &ec2.DeleteLaunchTemplateInput{LaunchTemplateId: &template})
	answered(deleted, values{"template": deleted.LaunchTemplate.LaunchTemplateId})
}

// launchTemplate creates a template with two versions, the second of them the default, and returns its id.
func launchTemplate(ctx context.Context, s site) string {
	created := ask(ctx, s.ec2.CreateLaunchTemplate, &ec2.CreateLaunchTemplateInput{
		LaunchTemplateName: aws.String("operations"),
		TagSpecifications:  tagged(types.ResourceTypeLaunchTemplate),
		LaunchTemplateData: &types.RequestLaunchTemplateData{
			ImageId: &s.image, InstanceType: types.InstanceTypeM5Large,
			UserData: aws.String(base64.StdEncoding.EncodeToString([]byte("nothing"))),
			BlockDeviceMappings: []types.LaunchTemplateBlockDeviceMappingRequest{
				{DeviceName: aws.String("/dev/xvda"), Ebs: &types.LaunchTemplateEbsBlockDeviceRequest{
					VolumeSize: aws.Int32(30), VolumeType: types.VolumeTypeGp3, Encrypted: aws.Bool(true), DeleteOnTermination: aws.Bool(true),
				}},
				{DeviceName: aws.String("/dev/xvdb"), Ebs: &types.LaunchTemplateEbsBlockDeviceRequest{
					VolumeSize: aws.Int32(100), VolumeType: types.VolumeTypeGp2, DeleteOnTermination: aws.Bool(true),
				}},
			},
			NetworkInterfaces: []types.LaunchTemplateInstanceNetworkInterfaceSpecificationRequest{{
				DeviceIndex: aws.Int32(0), SubnetId: &s.subnet, Groups: []string{s.group}, Description: aws.String("main"),
			}},
			MetadataOptions: &types.LaunchTemplateInstanceMetadataOptionsRequest{
				HttpTokens: types.LaunchTemplateHttpTokensStateRequired, HttpPutResponseHopLimit: aws.Int32(1),
			},
			IamInstanceProfile: &types.LaunchTemplateIamInstanceProfileSpecificationRequest{Name: aws.String("nodes")},
			Monitoring:         &types.LaunchTemplatesMonitoringRequest{Enabled: aws.Bool(true)},
			TagSpecifications: []types.LaunchTemplateTagSpecificationRequest{
				{ResourceType: types.ResourceTypeInstance, Tags: []types.Tag{{Key: aws.String("by"), Value: aws.String("go & <SDK>")}}},
				{ResourceType: types.ResourceTypeVolume, Tags: []types.Tag{{Key: aws.String("kind"), Value: aws.String("volume")}}},
			},
		},
	})
	id := created.LaunchTemplate.LaunchTemplateId
	answered(created, values{
		"template": id, "name": created.LaunchTemplate.LaunchTemplateName, "latest": created.LaunchTemplate.LatestVersionNumber,
		"created": created.LaunchTemplate.CreateTime,
	})
	second := ask(ctx, s.ec2.CreateLaunchTemplateVersion, &ec2.CreateLaunchTemplateVersionInput{
		LaunchTemplateId: id, SourceVersion: aws.String("1"),
		LaunchTemplateData: &types.RequestLaunchTemplateData{KeyName: aws.String("mine")},
	})
	answered(second, values{
		"version": second.LaunchTemplateVersion.VersionNumber, "key": second.LaunchTemplateVersion.LaunchTemplateData.KeyName,
		"image": second.LaunchTemplateVersion.LaunchTemplateData.ImageId,
	})
	modified := ask(ctx, s.ec2.ModifyLaunchTemplate, &ec2.ModifyLaunchTemplateInput{LaunchTemplateId: id, DefaultVersion: aws.String("2")})
	answered(modified, values{"default": modified.LaunchTemplate.DefaultVersionNumber})
	found := until(ctx, func() *ec2.DescribeLaunchTemplatesOutput {
		return ask(ctx, s.ec2.DescribeLaunchTemplates, &ec2.DescribeLaunchTemplatesInput{Filters: filter("tag:by", "go & <SDK>")})
	}, func(found *ec2.DescribeLaunchTemplatesOutput) bool {
		return len(found.LaunchTemplates) == 1 && *found.LaunchTemplates[0].DefaultVersionNumber == 2
	})
	answered(found, values{"template": found.LaunchTemplates[0].LaunchTemplateId, "tags": readTags(found.LaunchTemplates[0].Tags)})
	versions := pages(ctx, ec2.NewDescribeLaunchTemplateVersionsPaginator(s.ec2, &ec2.DescribeLaunchTemplateVersionsInput{
		LaunchTemplateId: id, MaxResults: aws.Int32(1),
	}))
	answered(versions[0], values{
		"pages": len(versions),
		"versions": each(items(versions, func(page *ec2.DescribeLaunchTemplateVersionsOutput) []types.LaunchTemplateVersion {
			return page.LaunchTemplateVersions
		}), func(one types.LaunchTemplateVersion) *int64 { return one.VersionNumber }),
	})
	return *id
}

// instance finds both instances by their tag and state, and returns the description of the first.
func instance(ctx context.Context, s site, made, spot string) types.Instance {
	list := pages(ctx, ec2.NewDescribeInstancesPaginator(s.ec2, &ec2.DescribeInstancesInput{
		Filters: append(filter("tag:by", "go & <SDK>"), filter("instance-state-name", "running")...), MaxResults: aws.Int32(5),
	}))
	all := items(items(list, func(page *ec2.DescribeInstancesOutput) []types.Reservation { return page.Reservations }),
		func(one types.Reservation) []types.Instance { return one.Instances })
	described := ask(ctx, s.ec2.DescribeInstances, &ec2.DescribeInstancesInput{InstanceIds: []string{made}})
	one := described.Reservations[0].Instances[0]
	answered(described, values{
		"instances": names(all, func(one types.Instance) *string { return one.InstanceId }), "zone": one.Placement.AvailabilityZone,
		"image": one.ImageId, "type": one.InstanceType, "architecture": one.Architecture, "subnet": one.SubnetId, "vpc": one.VpcId,
		"address": one.PrivateIpAddress, "name": one.PrivateDnsName, "launched": one.LaunchTime, "tags": readTags(one.Tags),
		"devices":    each(one.BlockDeviceMappings, func(one types.InstanceBlockDeviceMapping) *string { return one.DeviceName }),
		"attached":   one.BlockDeviceMappings[0].Ebs.AttachTime,
		"groups":     each(one.SecurityGroups, func(one types.GroupIdentifier) *string { return one.GroupId }),
		"tokens":     one.MetadataOptions.HttpTokens,
		"threads":    one.CpuOptions.ThreadsPerCore,
		"interface":  one.NetworkInterfaces[0].Attachment.DeviceIndex,
		"rootDevice": one.RootDeviceName,
	})
	return one
}

// attached describes an instance's volumes and network interface.
func attached(ctx context.Context, s site, made, networkInterface string) {
	volumes := pages(ctx, ec2.NewDescribeVolumesPaginator(s.ec2, &ec2.DescribeVolumesInput{Filters: filter("attachment.instance-id", made)}))
	all := items(volumes, func(page *ec2.DescribeVolumesOutput) []types.Volume { return page.Volumes })
	slices.SortFunc(all, func(a, b types.Volume) int { return int(*a.Size - *b.Size) })
	answered(volumes[0], values{
		"volumes": each(all, func(one types.Volume) values {
			return values{"size": one.Size, "type": one.VolumeType, "encrypted": one.Encrypted, "iops": one.Iops, "created": one.CreateTime,
				"instance": one.Attachments[0].InstanceId, "state": one.State, "tags": readTags(one.Tags)}
		}),
	})
	interfaces := ask(ctx, s.ec2.DescribeNetworkInterfaces, &ec2.DescribeNetworkInterfacesInput{NetworkInterfaceIds: []string{networkInterface}})
	answered(interfaces, values{
		"instance": interfaces.NetworkInterfaces[0].Attachment.InstanceId, "address": interfaces.NetworkInterfaces[0].PrivateIpAddress,
		"description": interfaces.NetworkInterfaces[0].Description, "attached": interfaces.NetworkInterfaces[0].Attachment.AttachTime,
	})
}

// changes modifies an instance's attributes, and reads its console.
func changes(ctx context.Context, s site, made string) {
	userData := ask(ctx, s.ec2.DescribeInstanceAttribute, &ec2.DescribeInstanceAttributeInput{
		InstanceId: &made, Attribute: types.InstanceAttributeNameUserData,
	})
	text, err := base64.StdEncoding.DecodeString(*userData.UserData.Value)
	check("user data", err)
	answered(userData, values{"instance": userData.InstanceId, "text": string(text)})
	answered(ask(ctx, s.ec2.ModifyInstanceAttribute, &ec2.ModifyInstanceAttributeInput{
		InstanceId: &made, DisableApiTermination: &types.AttributeBooleanValue{Value: aws.Bool(false)},
	}), nil)
	options := ask(ctx, s.ec2.ModifyInstanceMetadataOptions, &ec2.ModifyInstanceMetadataOptionsInput{
		InstanceId: &made, HttpTokens: types.HttpTokensStateOptional,
	})
	answered(options, values{
		"instance": options.InstanceId, "tokens": options.InstanceMetadataOptions.HttpTokens,
		"hops": options.InstanceMetadataOptions.HttpPutResponseHopLimit, "state": options.InstanceMetadataOptions.State,
	})
	answered(ask(ctx, s.ec2.RebootInstances, &ec2.RebootInstancesInput{InstanceIds: []string{made}}), nil)
	console := ask(ctx, s.ec2.GetConsoleOutput, &ec2.GetConsoleOutputInput{InstanceId: &made})
	output, err := base64.StdEncoding.DecodeString(*console.Output)
	check("console output", err)
	answered(console, values{"instance": console.InstanceId, "output": string(output), "at": console.Timestamp})
}

// tags adds a tag, finds it, and removes it.
func tags(ctx context.Context, s site, made string) {
	key := []types.Tag{{Key: aws.String("a"), Value: aws.String("b")}}
	find := func() *ec2.DescribeTagsOutput {
		return ask(ctx, s.ec2.DescribeTags, &ec2.DescribeTagsInput{Filters: append(filter("resource-id", made), filter("key", "a")...)})
	}
	answered(ask(ctx, s.ec2.CreateTags, &ec2.CreateTagsInput{Resources: []string{made}, Tags: key}), nil)
	found := until(ctx, find, func(found *ec2.DescribeTagsOutput) bool { return len(found.Tags) == 1 })
	answered(found, values{
		"instance": found.Tags[0].ResourceId, "kind": found.Tags[0].ResourceType, "key": found.Tags[0].Key, "value": found.Tags[0].Value,
	})
	answered(ask(ctx, s.ec2.DeleteTags, &ec2.DeleteTagsInput{Resources: []string{made}, Tags: key}), nil)
	until(ctx, find, func(found *ec2.DescribeTagsOutput) bool { return len(found.Tags) == 0 })
}

// end stops, starts and terminates one instance, and the fleet with the other.
func end(ctx context.Context, s site, made, spot, fleet string) {
	one := &ec2.DescribeInstancesInput{InstanceIds: []string{made}}
	stopped := ask(ctx, s.ec2.StopInstances, &ec2.StopInstancesInput{InstanceIds: []string{made}})
	answered(stopped, values{"instance": stopped.StoppingInstances[0].InstanceId, "from": stopped.StoppingInstances[0].PreviousState.Name})
	check("stopped", ec2.NewInstanceStoppedWaiter(s.ec2, func(options *ec2.InstanceStoppedWaiterOptions) {
		options.MinDelay, options.MaxDelay = pause, pause
	}).Wait(ctx, one, waitLimit))
	started := ask(ctx, s.ec2.StartInstances, &ec2.StartInstancesInput{InstanceIds: []string{made}})
	answered(started, values{"instance": started.StartingInstances[0].InstanceId, "from": started.StartingInstances[0].PreviousState.Name})
	check("running again", ec2.NewInstanceRunningWaiter(s.ec2, often).Wait(ctx, one, waitLimit))
	terminated := ask(ctx, s.ec2.TerminateInstances, &ec2.TerminateInstancesInput{InstanceIds: []string{made}})
	answered(terminated, values{
		"instance": terminated.TerminatingInstances[0].InstanceId, "to": terminated.TerminatingInstances[0].CurrentState.Name,
	})
	fleets := ask(ctx, s.ec2.DeleteFleets, &ec2.DeleteFleetsInput{FleetIds: []string{fleet}, TerminateInstances: aws.Bool(true)})
	answered(fleets, values{
		"fleet": fleets.SuccessfulFleetDeletions[0].FleetId, "state": fleets.SuccessfulFleetDeletions[0].CurrentFleetState,
		"failed": len(fleets.UnsuccessfulFleetDeletions),
	})
	check("terminated", ec2.NewInstanceTerminatedWaiter(s.ec2, func(options *ec2.InstanceTerminatedWaiterOptions) {
		options.MinDelay, options.MaxDelay = pause, pause
	}).Wait(ctx, &ec2.DescribeInstancesInput{InstanceIds: []string{made, spot}}, waitLimit))
}

func quickly(options *ec2.InstanceExistsWaiterOptions) {
	options.MinDelay, options.MaxDelay = pause, pause
}

func often(options *ec2.InstanceRunningWaiterOptions) {
	options.MinDelay, options.MaxDelay = pause, pause
}

func filter(name string, values ...string) []types.Filter {
	return []types.Filter{{Name: &name, Values: values}}
}

// tagged gives each kind of resource the tag by which it is found.
func tagged(kinds ...types.ResourceType) []types.TagSpecification {
	return each(kinds, func(kind types.ResourceType) types.TagSpecification {
		return types.TagSpecification{ResourceType: kind, Tags: []types.Tag{{Key: aws.String("by"), Value: aws.String("go & <SDK>")}}}
	})
}

func readTags(tags []types.Tag) map[string]string {
	read := map[string]string{}
	for _, tag := range tags {
		read[*tag.Key] = *tag.Value
	}
	return read
}
