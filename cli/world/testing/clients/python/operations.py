"""Calls each AWS operation of a running world once by way of boto3, and prints its name. Answers must be as botocore's model says."""

import base64
import os
import time

import boto3
import botocore.session
from botocore.config import Config
from botocore.exceptions import ClientError

from strict import check_answers

session = botocore.session.get_session()
check_answers(session)
boto = boto3.Session(botocore_session=session)
config = Config(retries={"max_attempts": 5, "mode": "standard"})
ec2, autoscaling, sqs, iam, sts, ssm, eks, pricing = (
    boto.client(name, config=config) for name in ("ec2", "autoscaling", "sqs", "iam", "sts", "ssm", "eks", "pricing")
)
ATTEMPTS = 10
cluster = os.environ["CLUSTER_NAME"]
zone, subnet = os.environ["SUBNETS"].split(",")[0].split("=")
image = dict(pair.split("=") for pair in os.environ["IMAGE_IDS"].split(","))["x86_64"]


def call(client, operation, **arguments):
    """Calls one operation and prints it as the table of operations names it. Reads may be late: what is not found is asked for again."""
    methods = {one: method for method, one in client.meta.method_to_api_mapping.items()}
    for attempt in range(ATTEMPTS):
        try:
            answer = getattr(client, methods[operation])(**arguments)
        except ClientError as error:
            if attempt == ATTEMPTS - 1 or not error.response["Error"]["Code"].endswith(".NotFound"):
                raise
            time.sleep(0.5)
        else:
            print(f"{client.meta.service_model.service_name}:{operation}", flush=True)
            return answer
    raise AssertionError("there must be an attempt")


# What a launch may set, so that its description shows it.
data = {
    "ImageId": image,
    "InstanceType": "m5.large",
    "BlockDeviceMappings": [
        {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 30, "VolumeType": "gp3", "Encrypted": True}},
        {"DeviceName": "/dev/xvdb", "Ebs": {"VolumeSize": 100, "VolumeType": "gp2", "DeleteOnTermination": True}},
    ],
    "NetworkInterfaces": [{"DeviceIndex": 0, "SubnetId": subnet, "Groups": [os.environ["SECURITY_GROUP_ID"]], "Description": "main"}],
    "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 1},
    "IamInstanceProfile": {"Name": "nodes"},
    "UserData": base64.b64encode(b"nothing").decode(),
    "TagSpecifications": [
        {"ResourceType": kind, "Tags": [{"Key": "kind", "Value": kind}]} for kind in ("instance", "volume", "network-interface")
    ],
}
template = call(ec2, "CreateLaunchTemplate", LaunchTemplateName="operations", LaunchTemplateData=data)["LaunchTemplate"]
named = {"LaunchTemplateId": template["LaunchTemplateId"]}
call(ec2, "CreateLaunchTemplateVersion", **named, SourceVersion="1", LaunchTemplateData={"KeyName": "mine"})
call(ec2, "ModifyLaunchTemplate", **named, DefaultVersion="2")
call(ec2, "DescribeLaunchTemplates", LaunchTemplateIds=[template["LaunchTemplateId"]])
call(ec2, "DescribeLaunchTemplateVersions", **named, Versions=["$Latest"])
fleet = call(
    ec2,
    "CreateFleet",
    Type="instant",
    TargetCapacitySpecification={"TotalTargetCapacity": 1, "DefaultTargetCapacityType": "spot"},
    LaunchTemplateConfigs=[
        {"LaunchTemplateSpecification": {**named, "Version": "1"}, "Overrides": [{"InstanceType": "c5.large", "SubnetId": subnet}]}
    ],
)
[spot_id] = fleet["Instances"][0]["InstanceIds"]
launched = call(ec2, "RunInstances", LaunchTemplate={**named, "Version": "$Default"}, MinCount=1, MaxCount=1)["Instances"][0]
made = launched["InstanceId"]
assert launched["KeyName"] == "mine" and launched["State"]["Name"] == "pending", launched
ec2.get_waiter("instance_running").wait(InstanceIds=[made, spot_id], WaiterConfig={"Delay": 1, "MaxAttempts": 60})
listed = call(ec2, "DescribeInstances", InstanceIds=[made])["Reservations"][0]["Instances"][0]
assert [one["DeviceName"] for one in listed["BlockDeviceMappings"]] == ["/dev/xvda", "/dev/xvdb"], listed
volumes = call(ec2, "DescribeVolumes", Filters=[{"Name": "attachment.instance-id", "Values": [made]}])["Volumes"]
assert sorted((one["Size"], one["Encrypted"], one["Iops"]) for one in volumes) == [(30, True, 3000), (100, False, 300)], volumes
assert all(one["Tags"] == [{"Key": "kind", "Value": "volume"}] for one in volumes), volumes
interfaces = call(ec2, "DescribeNetworkInterfaces", NetworkInterfaceIds=[listed["NetworkInterfaces"][0]["NetworkInterfaceId"]])
[interface] = interfaces["NetworkInterfaces"]
assert interface["Attachment"]["InstanceId"] == made and interface["PrivateIpAddress"] == listed["PrivateIpAddress"], interface
assert listed["SecurityGroups"] == interface["Groups"] == [{"GroupId": os.environ["SECURITY_GROUP_ID"], "GroupName": f"{cluster}-nodes"}]
call(ec2, "DescribeInstanceStatus", InstanceIds=[made])
attribute = call(ec2, "DescribeInstanceAttribute", InstanceId=made, Attribute="userData")
assert base64.b64decode(attribute["UserData"]["Value"]) == b"nothing", attribute
call(ec2, "ModifyInstanceAttribute", InstanceId=made, DisableApiTermination={"Value": False})
changed = call(ec2, "ModifyInstanceMetadataOptions", InstanceId=made, HttpTokens="optional")["InstanceMetadataOptions"]
assert changed["State"] == "pending" and changed["HttpTokens"] == "optional" and changed["HttpPutResponseHopLimit"] == 1, changed
call(ec2, "RebootInstances", InstanceIds=[made])
assert call(ec2, "GetConsoleOutput", InstanceId=made)["Output"].endswith("login: ")
call(ec2, "CreateTags", Resources=[made], Tags=[{"Key": "a", "Value": "b"}])
call(ec2, "DescribeTags", Filters=[{"Name": "resource-id", "Values": [made]}])
call(ec2, "DeleteTags", Resources=[made], Tags=[{"Key": "a"}])
call(ec2, "DescribeSpotInstanceRequests", Filters=[{"Name": "instance-id", "Values": [spot_id]}])
call(ec2, "DescribeFleets", FleetIds=[fleet["FleetId"]])
call(ec2, "StopInstances", InstanceIds=[made])
ec2.get_waiter("instance_stopped").wait(InstanceIds=[made], WaiterConfig={"Delay": 1, "MaxAttempts": 60})
call(ec2, "StartInstances", InstanceIds=[made])
call(ec2, "TerminateInstances", InstanceIds=[made])
call(ec2, "DeleteFleets", FleetIds=[fleet["FleetId"]], TerminateInstances=True)
call(ec2, "DeleteLaunchTemplate", **named)
[vpc] = call(ec2, "DescribeVpcs")["Vpcs"]
assert vpc["VpcId"] == interface["VpcId"], vpc
tables = call(ec2, "DescribeRouteTables", Filters=[{"Name": "association.subnet-id", "Values": [subnet]}])["RouteTables"]
assert len(tables) == 1 and tables[0]["Routes"][0]["DestinationCidrBlock"] == vpc["CidrBlock"], tables
groups = call(ec2, "DescribeSecurityGroups", Filters=[{"Name": "vpc-id", "Values": [vpc["VpcId"]]}])["SecurityGroups"]
assert {one["GroupName"] for one in groups} == {"default", f"{cluster}-nodes"} and all(one["IpPermissions"] for one in groups), groups
for name in (
    "DescribeAccountAttributes",
    "DescribeAvailabilityZones",
    "DescribeCapacityReservations",
    "DescribeImages",
    "DescribeInstanceTypeOfferings",
    "DescribeInstanceTypes",
    "DescribeKeyPairs",
    "DescribePlacementGroups",
    "DescribeRegions",
    "DescribeSnapshots",
    "DescribeSubnets",
):
    call(ec2, name)
call(ec2, "DescribeSpotPriceHistory", InstanceTypes=["m5.large"])
small = {"VCpuCount": {"Min": 2, "Max": 2}, "MemoryMiB": {"Min": 8192, "Max": 8192}}
kind = {"ArchitectureTypes": ["x86_64"], "VirtualizationTypes": ["hvm"]}
types = call(ec2, "GetInstanceTypesFromInstanceRequirements", InstanceRequirements=small, **kind)
assert {"InstanceType": "m5.large"} in types["InstanceTypes"], types
scores = call(ec2, "GetSpotPlacementScores", TargetCapacity=10, InstanceTypes=["m5.large", "c5.large", "r5.large"])
assert 1 <= scores["SpotPlacementScores"][0]["Score"] <= 10, scores

group = {"AutoScalingGroupName": "operations"}
launched = {"LaunchTemplateName": "group", "LaunchTemplateData": {"ImageId": image, "InstanceType": "m5.large"}}
ec2.create_launch_template(**launched)
tag = {"ResourceId": "operations", "ResourceType": "auto-scaling-group", "Key": "a", "Value": "1", "PropagateAtLaunch": True}


def members(state="InService"):
    """The group's instances, once all of them are in this state."""
    for _ in range(120):
        [described] = autoscaling.describe_auto_scaling_groups(AutoScalingGroupNames=["operations"])["AutoScalingGroups"]
        found = described["Instances"]
        if len(found) == described["DesiredCapacity"] and all(one["LifecycleState"] == state for one in found):
            return [one["InstanceId"] for one in found]
        time.sleep(0.5)
    raise AssertionError(described)


def becomes(instance, state):
    """Waits until an instance of a group is in this state."""
    for _ in range(120):
        found = autoscaling.describe_auto_scaling_instances(InstanceIds=[instance])["AutoScalingInstances"]
        if [one["LifecycleState"] for one in found] == [state]:
            return
        time.sleep(0.5)
    raise AssertionError(found)


call(autoscaling, "DescribeAccountLimits")
call(
    autoscaling,
    "CreateAutoScalingGroup",
    **group,
    MinSize=0,
    MaxSize=3,
    LaunchTemplate={"LaunchTemplateName": "group"},
    VPCZoneIdentifier=subnet,
    Tags=[tag],
)
call(autoscaling, "CreateOrUpdateTags", Tags=[{**tag, "Key": "b"}])
call(autoscaling, "DeleteTags", Tags=[{**tag, "Key": "b"}])
assert call(autoscaling, "DescribeTags")["Tags"] == [tag]
call(autoscaling, "UpdateAutoScalingGroup", **group, MaxSize=4, DefaultCooldown=0)
hook = {**group, "LifecycleHookName": "up"}
call(autoscaling, "PutLifecycleHook", **hook, LifecycleTransition="autoscaling:EC2_INSTANCE_LAUNCHING", HeartbeatTimeout=300)
call(autoscaling, "SetDesiredCapacity", **group, DesiredCapacity=1)
first = members("Pending:Wait")[0]
call(autoscaling, "RecordLifecycleActionHeartbeat", **hook, InstanceId=first)
call(autoscaling, "CompleteLifecycleAction", **hook, InstanceId=first, LifecycleActionResult="CONTINUE")
assert call(autoscaling, "DescribeLifecycleHooks", **group)["LifecycleHooks"][0]["GlobalTimeout"] == 30000
call(autoscaling, "DeleteLifecycleHook", **hook)
autoscaling.set_desired_capacity(**group, DesiredCapacity=2)
kept, ended = members()
[described] = call(autoscaling, "DescribeAutoScalingGroups", Filters=[{"Name": "tag:a", "Values": ["1"]}])["AutoScalingGroups"]
assert described["MaxSize"] == 4 and described["AvailabilityZones"] == [zone] and described["Tags"] == [tag], described
details = call(autoscaling, "DescribeAutoScalingInstances", InstanceIds=[kept])["AutoScalingInstances"]
assert details[0]["HealthStatus"] == "HEALTHY" and details[0]["LaunchTemplate"]["Version"] == "1", details
call(autoscaling, "SuspendProcesses", **group, ScalingProcesses=["ReplaceUnhealthy"])
autoscaling.set_instance_health(InstanceId=kept, HealthStatus="Unhealthy")
call(autoscaling, "SetInstanceHealth", InstanceId=kept, HealthStatus="Healthy")
call(autoscaling, "ResumeProcesses", **group)
[entering] = call(autoscaling, "EnterStandby", **group, InstanceIds=[ended], ShouldDecrementDesiredCapacity=True)["Activities"]
assert entering["Description"] == f"Moving EC2 instance to Standby: {ended}", entering
becomes(ended, "Standby")
call(autoscaling, "ExitStandby", **group, InstanceIds=[ended])
becomes(ended, "InService")
call(autoscaling, "SetInstanceProtection", **group, InstanceIds=[kept, ended], ProtectedFromScaleIn=True)
# It waits for both.
refresh = call(autoscaling, "StartInstanceRefresh", **group, Preferences={"MinHealthyPercentage": 50})["InstanceRefreshId"]
[refreshing] = call(autoscaling, "DescribeInstanceRefreshes", **group)["InstanceRefreshes"]
assert refreshing["InstanceRefreshId"] == refresh and refreshing["Preferences"]["MinHealthyPercentage"] == 50, refreshing
assert call(autoscaling, "CancelInstanceRefresh", **group)["InstanceRefreshId"] == refresh
activity = call(autoscaling, "TerminateInstanceInAutoScalingGroup", InstanceId=ended, ShouldDecrementDesiredCapacity=True)["Activity"]
assert activity["StatusCode"] == "InProgress" and ended in activity["Description"], activity
call(autoscaling, "DetachInstances", **group, InstanceIds=[kept], ShouldDecrementDesiredCapacity=True)
call(autoscaling, "AttachInstances", **group, InstanceIds=[kept])
assert len(call(autoscaling, "DescribeScalingActivities", **group)["Activities"]) >= 4
call(autoscaling, "DescribeLaunchConfigurations")
call(autoscaling, "DeleteAutoScalingGroup", **group, ForceDelete=True)

queue = {"QueueUrl": call(sqs, "CreateQueue", QueueName="operations")["QueueUrl"]}
call(sqs, "GetQueueUrl", QueueName="operations")
assert queue["QueueUrl"] in call(sqs, "ListQueues", MaxResults=10)["QueueUrls"]
call(sqs, "SetQueueAttributes", **queue, Attributes={"VisibilityTimeout": "60", "Policy": "{}"})
attributes = call(sqs, "GetQueueAttributes", **queue, AttributeNames=["All"])["Attributes"]
assert attributes["VisibilityTimeout"] == "60" and attributes["Policy"] == "{}", attributes
attribute = {"text": {"DataType": "String", "StringValue": "a"}, "bytes": {"DataType": "Binary", "BinaryValue": b"\x00\xff"}}
# boto3 checks the digest of the body, but not of the attributes.
call(sqs, "SendMessage", **queue, MessageBody="one", MessageAttributes=attribute)
sent = call(sqs, "SendMessageBatch", **queue, Entries=[{"Id": "a", "MessageBody": "two"}, {"Id": "b", "MessageBody": "\x01"}])
assert [one["Id"] for one in sent["Successful"]] == ["a"] and sent["Failed"][0]["Code"] == "InvalidMessageContents", sent
received = call(sqs, "ReceiveMessage", **queue, MaxNumberOfMessages=10, WaitTimeSeconds=1, MessageAttributeNames=["All"])["Messages"]
assert sorted(one["Body"] for one in received) == ["one", "two"], received
[with_attributes] = [one for one in received if "MessageAttributes" in one]
assert with_attributes["MessageAttributes"] == attribute, with_attributes
first, second = ({"ReceiptHandle": one["ReceiptHandle"]} for one in received)
call(sqs, "ChangeMessageVisibility", **queue, **first, VisibilityTimeout=30)
call(sqs, "ChangeMessageVisibilityBatch", **queue, Entries=[{"Id": "a", **second, "VisibilityTimeout": 30}])
call(sqs, "DeleteMessage", **queue, **first)
deleted = call(sqs, "DeleteMessageBatch", **queue, Entries=[{"Id": "a", **second}, {"Id": "b", "ReceiptHandle": "none"}])
assert [one["Id"] for one in deleted["Successful"]] == ["a"] and deleted["Failed"][0]["Code"] == "ReceiptHandleIsInvalid", deleted
call(sqs, "PurgeQueue", **queue)

role, profile = f"KarpenterNodeRole-{cluster}", {"InstanceProfileName": "operations"}
call(iam, "CreateInstanceProfile", **profile)
call(iam, "GetRole", RoleName=role)
call(iam, "AddRoleToInstanceProfile", **profile, RoleName=role)
call(iam, "TagInstanceProfile", **profile, Tags=[{"Key": "a", "Value": "b"}])
call(iam, "GetInstanceProfile", **profile)
call(iam, "ListInstanceProfiles")
call(iam, "RemoveRoleFromInstanceProfile", **profile, RoleName=role)
call(iam, "DeleteInstanceProfile", **profile)
account = call(sts, "GetCallerIdentity")["Account"]
call(sts, "AssumeRole", RoleArn=f"arn:aws:iam::{account}:role/{role}", RoleSessionName="me")
parameter = "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id"
call(ssm, "GetParameter", Name=parameter)
call(ssm, "GetParameters", Names=[parameter])
call(eks, "DescribeCluster", name=cluster)
call(pricing, "GetProducts", ServiceCode="AmazonEC2", MaxResults=10)
