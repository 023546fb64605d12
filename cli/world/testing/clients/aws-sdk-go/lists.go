package main

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// lists reads what exists in an account from the start, with the SDK's pagers where it has them.
func lists(ctx context.Context, s site) {
	network(ctx, s)
	offers(ctx, s)
	empty(ctx, s)
	attributes := ask(ctx, s.ec2.DescribeAccountAttributes, &ec2.DescribeAccountAttributesInput{
		AttributeNames: []types.AccountAttributeName{types.AccountAttributeNameSupportedPlatforms},
	})
	answered(attributes, values{"platform": attributes.AccountAttributes[0].AttributeValues[0].AttributeValue})
	images := pages(ctx, ec2.NewDescribeImagesPaginator(s.ec2, &ec2.DescribeImagesInput{
		ImageIds: []string{s.image}, Owners: []string{"amazon"},
	}))
	image := images[0].Images[0]
	answered(images[0], values{
		"image": image.ImageId, "architecture": image.Architecture, "state": image.State, "created": image.CreationDate,
		"device": image.BlockDeviceMappings[0].DeviceName,
	})
	regions := ask(ctx, s.ec2.DescribeRegions, &ec2.DescribeRegionsInput{})
	answered(regions, values{"regions": names(regions.Regions, func(one types.Region) *string { return one.RegionName })})
	zones := ask(ctx, s.ec2.DescribeAvailabilityZones, &ec2.DescribeAvailabilityZonesInput{
		Filters: filter("zone-type", "availability-zone"),
	})
	answered(zones, values{
		"zones": names(zones.AvailabilityZones, func(one types.AvailabilityZone) *string { return one.ZoneName }),
		"state": zones.AvailabilityZones[0].State,
	})
}

// network finds the network of the cluster's first subnet.
func network(ctx context.Context, s site) {
	subnets := pages(ctx, ec2.NewDescribeSubnetsPaginator(s.ec2, &ec2.DescribeSubnetsInput{
		Filters: filter("availability-zone", s.zone),
	}))
	subnet := subnets[0].Subnets[0]
	check("subnet", ec2.NewSubnetAvailableWaiter(s.ec2).Wait(ctx, &ec2.DescribeSubnetsInput{SubnetIds: []string{s.subnet}}, waitLimit))
	answered(subnets[0], values{
		"subnet": subnet.SubnetId, "zone": subnet.AvailabilityZone, "vpc": subnet.VpcId, "range": subnet.CidrBlock,
		"free": subnet.AvailableIpAddressCount,
	})
	vpcs := pages(ctx, ec2.NewDescribeVpcsPaginator(s.ec2, &ec2.DescribeVpcsInput{}))
	answered(vpcs[0], values{"vpcs": names(vpcs[0].Vpcs, func(one types.Vpc) *string { return one.VpcId }), "range": vpcs[0].Vpcs[0].CidrBlock})
	groups := pages(ctx, ec2.NewDescribeSecurityGroupsPaginator(s.ec2, &ec2.DescribeSecurityGroupsInput{
		Filters: filter("vpc-id", *subnet.VpcId), MaxResults: aws.Int32(5),
	}))
	answered(groups[0], values{
		"pages":  len(groups),
		"groups": names(groups[0].SecurityGroups, func(one types.SecurityGroup) *string { return one.GroupName }),
		"rules":  each(groups[0].SecurityGroups, func(one types.SecurityGroup) int { return len(one.IpPermissions) }),
	})
	tables := pages(ctx, ec2.NewDescribeRouteTablesPaginator(s.ec2, &ec2.DescribeRouteTablesInput{
		Filters: filter("association.subnet-id", s.subnet),
	}))
	answered(tables[0], values{
		"vpc": tables[0].RouteTables[0].VpcId, "range": tables[0].RouteTables[0].Routes[0].DestinationCidrBlock,
		"subnet": tables[0].RouteTables[0].Associations[0].SubnetId,
	})
}

// offers reads which instance types exist, where, and at which prices.
func offers(ctx context.Context, s site) {
	kinds := pages(ctx, ec2.NewDescribeInstanceTypesPaginator(s.ec2, &ec2.DescribeInstanceTypesInput{MaxResults: aws.Int32(100)}))
	all := items(kinds, func(page *ec2.DescribeInstanceTypesOutput) []types.InstanceTypeInfo { return page.InstanceTypes })
	for _, kind := range all {
		// What Karpenter reads without asking whether it is there.
		if kind.VCpuInfo.DefaultVCpus == nil || kind.MemoryInfo.SizeInMiB == nil || kind.NetworkInfo.MaximumNetworkInterfaces == nil ||
			kind.NetworkInfo.Ipv4AddressesPerInterface == nil || len(kind.ProcessorInfo.SupportedArchitectures) == 0 ||
			kind.EbsInfo.NvmeSupport == "" || kind.BareMetal == nil || len(kind.SupportedUsageClasses) == 0 {
			fail("%s lacks a field", kind.InstanceType)
		}
	}
	one := ask(ctx, s.ec2.DescribeInstanceTypes, &ec2.DescribeInstanceTypesInput{
		InstanceTypes: []types.InstanceType{types.InstanceTypeG4dnXlarge},
	}).InstanceTypes[0]
	answered(kinds[0], values{
		"pages": len(kinds), "types": len(all), "vcpus": one.VCpuInfo.DefaultVCpus, "mebibytes": one.MemoryInfo.SizeInMiB,
		"gpu": one.GpuInfo.Gpus[0].Name, "gpus": one.GpuInfo.Gpus[0].Count, "disk": one.InstanceStorageInfo.TotalSizeInGB,
		"throughput": one.EbsInfo.EbsOptimizedInfo.MaximumThroughputInMBps, "clock": one.ProcessorInfo.SustainedClockSpeedInGhz,
	})
	offerings := pages(ctx, ec2.NewDescribeInstanceTypeOfferingsPaginator(s.ec2, &ec2.DescribeInstanceTypeOfferingsInput{
		LocationType: types.LocationTypeAvailabilityZone, MaxResults: aws.Int32(1000),
	}))
	listed := items(offerings, func(page *ec2.DescribeInstanceTypeOfferingsOutput) []types.InstanceTypeOffering {
		return page.InstanceTypeOfferings
	})
	distinct := map[types.InstanceType]bool{}
	for _, one := range listed {
		distinct[one.InstanceType] = true
	}
	answered(offerings[0], values{"pages": len(offerings), "types": len(distinct)})
	prices := pages(ctx, ec2.NewDescribeSpotPriceHistoryPaginator(s.ec2, &ec2.DescribeSpotPriceHistoryInput{
		ProductDescriptions: []string{"Linux/UNIX"}, InstanceTypes: []types.InstanceType{types.InstanceTypeM5Large},
		AvailabilityZone: &s.zone, MaxResults: aws.Int32(2),
	}))
	answered(prices[0], values{
		"pages": len(prices), "price": prices[0].SpotPriceHistory[0].SpotPrice, "zone": prices[0].SpotPriceHistory[0].AvailabilityZone,
		"type": prices[0].SpotPriceHistory[0].InstanceType, "at": prices[0].SpotPriceHistory[0].Timestamp,
	})
	matching := pages(ctx, ec2.NewGetInstanceTypesFromInstanceRequirementsPaginator(s.ec2, &ec2.GetInstanceTypesFromInstanceRequirementsInput{
		ArchitectureTypes:   []types.ArchitectureType{types.ArchitectureTypeX8664},
		VirtualizationTypes: []types.VirtualizationType{types.VirtualizationTypeHvm},
		InstanceRequirements: &types.InstanceRequirementsRequest{
			VCpuCount: &types.VCpuCountRangeRequest{Min: aws.Int32(2), Max: aws.Int32(2)},
			MemoryMiB: &types.MemoryMiBRequest{Min: aws.Int32(8192), Max: aws.Int32(8192)},
		},
		MaxResults: aws.Int32(1000),
	}))
	general := 0
	for _, one := range matching[0].InstanceTypes {
		if *one.InstanceType == string(types.InstanceTypeM5Large) {
			general++
		}
	}
	answered(matching[0], values{"pages": len(matching), "m5.large": general})
	scores := pages(ctx, ec2.NewGetSpotPlacementScoresPaginator(s.ec2, &ec2.GetSpotPlacementScoresInput{
		TargetCapacity: aws.Int32(10), SingleAvailabilityZone: aws.Bool(true),
		InstanceTypes: []string{"m5.large", "c5.large", "r5.large"},
	}))
	answered(scores[0], values{
		"scores": each(scores[0].SpotPlacementScores, func(one types.SpotPlacementScore) *int32 { return one.Score }),
		"zone":   scores[0].SpotPlacementScores[0].AvailabilityZoneId,
	})
}

// empty reads lists of what the account has none of.
func empty(ctx context.Context, s site) {
	reservations := pages(ctx, ec2.NewDescribeCapacityReservationsPaginator(s.ec2, &ec2.DescribeCapacityReservationsInput{
		Filters: filter("state", "active"),
	}))
	answered(reservations[0], values{"pages": len(reservations), "count": len(reservations[0].CapacityReservations)})
	snapshots := pages(ctx, ec2.NewDescribeSnapshotsPaginator(s.ec2, &ec2.DescribeSnapshotsInput{OwnerIds: []string{"self"}}))
	answered(snapshots[0], values{"pages": len(snapshots), "count": len(snapshots[0].Snapshots)})
	keys := ask(ctx, s.ec2.DescribeKeyPairs, &ec2.DescribeKeyPairsInput{})
	answered(keys, values{"count": len(keys.KeyPairs)})
	groups := ask(ctx, s.ec2.DescribePlacementGroups, &ec2.DescribePlacementGroupsInput{})
	answered(groups, values{"count": len(groups.PlacementGroups)})
}
