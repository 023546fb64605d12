// Command clients takes AWS's services through what Go programs do with them by way of the AWS SDK for Go v2: typed clients,
// pagers, waiters, typed errors and retries. Its argument is what to do. It prints a line of JSON for what each call answered,
// and ends at the first call that did not go as it should, with exit code 1.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/pricing"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

const (
	// limit is for the whole run: on an idle machine it takes seconds.
	limit = 4 * time.Minute
	// maxPages is more than any list has.
	maxPages = 100
	// maxAttempts, half a second apart at most, are enough for reads that are two seconds late.
	maxAttempts = 20
	pause       = 500 * time.Millisecond
)

// site is what the program has to work with: clients, and the world's names.
type site struct {
	ec2     *ec2.Client
	sqs     *sqs.Client
	iam     *iam.Client
	sts     *sts.Client
	ssm     *ssm.Client
	eks     *eks.Client
	pricing *pricing.Client

	cluster, zone, subnet, group, image string
}

// line is what is printed for a call.
type line struct {
	Operation string   `json:"operation"`
	Values    values   `json:"values,omitempty"`
	Refusal   *refusal `json:"refusal,omitempty"`
	// Attempts are the codes of the refusals that were retried, and "" for the answer.
	Attempts []string `json:"attempts,omitempty"`
}

// values are what a test compares of an answer.
type values map[string]any

func main() {
	work := map[string]func(context.Context, site){
		"operations": operations,
		"refusals":   refusals,
		"retries":    retries,
		"shortage":   shortage,
	}[strings.Join(os.Args[1:], " ")]
	if work == nil {
		fail("the argument must be operations, refusals, retries or shortage")
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	// Region, keys, endpoint, and how to retry are in the environment.
	common, err := config.LoadDefaultConfig(ctx)
	check("configuration", err)
	work(ctx, newSite(common))
}

func operations(ctx context.Context, s site) {
	// Reads may be late: what is not found is asked for again.
	patient, err := config.LoadDefaultConfig(ctx, config.WithRetryer(func() aws.Retryer {
		standard := retry.AddWithMaxBackoffDelay(retry.AddWithMaxAttempts(retry.NewStandard(), maxAttempts), pause)
		return retry.AddWithErrorCodes(standard, "InvalidInstanceID.NotFound", "InvalidLaunchTemplateId.NotFound")
	}))
	check("configuration", err)
	s = newSite(patient)
	instances(ctx, s)
	lists(ctx, s)
	queues(ctx, s)
	account(ctx, s)
}

func newSite(common aws.Config) site {
	zone, subnet, _ := strings.Cut(strings.Split(os.Getenv("SUBNETS"), ",")[0], "=")
	_, images, _ := strings.Cut(os.Getenv("IMAGE_IDS"), "x86_64=")
	image, _, _ := strings.Cut(images, ",")
	return site{
		ec2: ec2.NewFromConfig(common), sqs: sqs.NewFromConfig(common), iam: iam.NewFromConfig(common), sts: sts.NewFromConfig(common),
		ssm: ssm.NewFromConfig(common), eks: eks.NewFromConfig(common), pricing: pricing.NewFromConfig(common),
		cluster: os.Getenv("CLUSTER_NAME"), zone: zone, subnet: subnet, group: os.Getenv("SECURITY_GROUP_ID"), image: image,
	}
}

// method is an operation of one of the SDK's clients, with its input, answer and options.
type method[I, O, F any] func(context.Context, *I, ...func(*F)) (*O, error)

// ask calls an operation that must be answered.
func ask[I, O, F any](ctx context.Context, call method[I, O, F], input *I) *O {
	answer, err := call(ctx, input)
	check(operationOf[O](), err)
	return answer
}

// pager is any paginator of the SDK.
type pager[O, F any] interface {
	HasMorePages() bool
	NextPage(context.Context, ...func(*F)) (*O, error)
}

// pages reads a list to its end.
func pages[O, F any](ctx context.Context, list pager[O, F]) []*O {
	var all []*O
	for list.HasMorePages() {
		page, err := list.NextPage(ctx)
		check(operationOf[O](), err)
		if all = append(all, page); len(all) > maxPages {
			fail("%s: more than %d pages", operationOf[O](), maxPages)
		}
	}
	return all
}

// items are those of all pages, or of whatever else has items.
func items[P, T any](pages []P, of func(P) []T) []T {
	var all []T
	for _, page := range pages {
		all = append(all, of(page)...)
	}
	return all
}

// each picks something of every item.
func each[T, V any](items []T, of func(T) V) []V {
	picked := make([]V, 0, len(items))
	for _, item := range items {
		picked = append(picked, of(item))
	}
	return picked
}

// names are what each item is called, sorted: lists have no order of their own.
func names[T any](items []T, of func(T) *string) []string {
	sorted := each(items, func(item T) string { return *of(item) })
	slices.Sort(sorted)
	return sorted
}

// until asks again as long as an answer is not the expected one, since reads may be late.
func until[O any](ctx context.Context, ask func() *O, isSo func(*O) bool) *O {
	for range maxAttempts {
		if answer := ask(); isSo(answer) {
			return answer
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	fail("%s: not the expected answer in %d attempts", operationOf[O](), maxAttempts)
	return nil
}

// answered prints what a test compares of an operation's answer.
func answered[O any](_ *O, values values) {
	say(line{Operation: operationOf[O](), Values: values})
}

// operationOf names the operation that has an answer of this type as docs/fidelity.md does: `ec2:RunInstances`.
func operationOf[O any]() string {
	answer := reflect.TypeFor[O]()
	return path.Base(answer.PkgPath()) + ":" + strings.TrimSuffix(answer.Name(), "Output")
}

func say(line line) {
	check("output", json.NewEncoder(os.Stdout).Encode(line))
}

func check(what string, err error) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func fail(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", arguments...)
	os.Exit(1)
}
