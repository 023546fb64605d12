package main

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// queues sends messages to a queue of their own, receives and deletes them. The SDK checks the digests of their bodies.
func queues(ctx context.Context, s site) {
	created := ask(ctx, s.sqs.CreateQueue, &sqs.CreateQueueInput{QueueName: aws.String("operations")})
	queue := created.QueueUrl
	answered(created, values{"queue": queue})
	url := ask(ctx, s.sqs.GetQueueUrl, &sqs.GetQueueUrlInput{QueueName: aws.String("operations")})
	answered(url, values{"queue": url.QueueUrl})
	list := pages(ctx, sqs.NewListQueuesPaginator(s.sqs, &sqs.ListQueuesInput{MaxResults: aws.Int32(1)}))
	answered(list[0], values{
		"pages": len(list), "queues": items(list, func(page *sqs.ListQueuesOutput) []string { return page.QueueUrls }),
	})
	answered(ask(ctx, s.sqs.SetQueueAttributes, &sqs.SetQueueAttributesInput{
		QueueUrl: queue, Attributes: map[string]string{"VisibilityTimeout": "60"},
	}), nil)
	attributes := ask(ctx, s.sqs.GetQueueAttributes, &sqs.GetQueueAttributesInput{
		QueueUrl: queue, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll},
	})
	answered(attributes, values{"timeout": attributes.Attributes["VisibilityTimeout"], "arn": attributes.Attributes["QueueArn"]})
	received := messages(ctx, s, queue)
	first, second := received[0], received[1]
	answered(ask(ctx, s.sqs.ChangeMessageVisibility, &sqs.ChangeMessageVisibilityInput{
		QueueUrl: queue, ReceiptHandle: first.ReceiptHandle, VisibilityTimeout: 30,
	}), nil)
	changed := ask(ctx, s.sqs.ChangeMessageVisibilityBatch, &sqs.ChangeMessageVisibilityBatchInput{
		QueueUrl: queue,
		Entries: []types.ChangeMessageVisibilityBatchRequestEntry{
			{Id: aws.String("a"), ReceiptHandle: second.ReceiptHandle, VisibilityTimeout: 30},
		},
	})
	answered(changed, values{"successful": changed.Successful[0].Id, "failed": len(changed.Failed)})
	answered(ask(ctx, s.sqs.DeleteMessage, &sqs.DeleteMessageInput{QueueUrl: queue, ReceiptHandle: first.ReceiptHandle}), nil)
	deleted := ask(ctx, s.sqs.DeleteMessageBatch, &sqs.DeleteMessageBatchInput{
		QueueUrl: queue,
		Entries: []types.DeleteMessageBatchRequestEntry{
			{Id: aws.String("a"), ReceiptHandle: second.ReceiptHandle}, {Id: aws.String("b"), ReceiptHandle: aws.String("none")},
		},
	})
	answered(deleted, values{
		"successful": deleted.Successful[0].Id, "failed": deleted.Failed[0].Id, "code": deleted.Failed[0].Code,
		"sender": deleted.Failed[0].SenderFault,
	})
	answered(ask(ctx, s.sqs.PurgeQueue, &sqs.PurgeQueueInput{QueueUrl: queue}), nil)
}

// messages sends two messages, and returns them as received.
func messages(ctx context.Context, s site, queue *string) []types.Message {
	sent := ask(ctx, s.sqs.SendMessage, &sqs.SendMessageInput{
		QueueUrl: queue, MessageBody: aws.String("one"),
		MessageAttributes: map[string]types.MessageAttributeValue{
			"bytes": {DataType: aws.String("Binary"), BinaryValue: []byte{0, 255}},
		},
	})
	answered(sent, values{"message": sent.MessageId})
	batch := ask(ctx, s.sqs.SendMessageBatch, &sqs.SendMessageBatchInput{
		QueueUrl: queue,
		Entries: []types.SendMessageBatchRequestEntry{
			{Id: aws.String("a"), MessageBody: aws.String("two")}, {Id: aws.String("b"), MessageBody: aws.String("\x01")},
		},
	})
	answered(batch, values{
		"successful": batch.Successful[0].Id, "message": batch.Successful[0].MessageId, "failed": batch.Failed[0].Id,
		"code": batch.Failed[0].Code,
	})
	received := map[string]types.Message{}
	answer := until(ctx, func() *sqs.ReceiveMessageOutput {
		answer := ask(ctx, s.sqs.ReceiveMessage, &sqs.ReceiveMessageInput{
			QueueUrl: queue, MaxNumberOfMessages: 10, WaitTimeSeconds: 1, MessageAttributeNames: []string{"All"},
			MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
		})
		for _, message := range answer.Messages {
			received[*message.Body] = message
		}
		return answer
	}, func(*sqs.ReceiveMessageOutput) bool { return len(received) == 2 })
	one, two := received["one"], received["two"]
	answered(answer, values{
		"one": one.MessageId, "two": two.MessageId, "bytes": one.MessageAttributes["bytes"].BinaryValue,
		"count": one.Attributes["ApproximateReceiveCount"],
	})
	return []types.Message{one, two}
}
