// Starts shared informers on pods and nodes, and prints how long they take until they know all of them.
//
//	informers KUBECONFIG NAMESPACE CONTENT-TYPE
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const timeout = 100 * time.Second

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig, namespace, contentType string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.ContentType = contentType
	config.AcceptContentTypes = contentType
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	pods, nodes := factory.Core().V1().Pods(), factory.Core().V1().Nodes()
	synced := []cache.InformerSynced{pods.Informer().HasSynced, nodes.Informer().HasSynced}
	start := time.Now()
	factory.Start(ctx.Done())
	// WaitForCacheSync of client-go looks only every 100 ms.
	for !allSynced(synced) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		time.Sleep(time.Millisecond)
	}
	elapsed := time.Since(start)
	allPods, err := pods.Lister().List(labels.Everything())
	if err != nil {
		return err
	}
	allNodes, err := nodes.Lister().List(labels.Everything())
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"syncMs": float64(elapsed.Microseconds()) / 1000,
		"pods":   len(allPods),
		"nodes":  len(allNodes),
	})
}

func allSynced(all []cache.InformerSynced) bool {
	for _, synced := range all {
		if !synced() {
			return false
		}
	}
	return true
}
