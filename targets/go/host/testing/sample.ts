/** A Go program whose first argument selects a test case: each is one thing that a host has to get right. */
export const SAMPLE = `package main

import (
	"bufio"
	"context"
	crand "crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	switch os.Args[1] {
	case "timers":
		start := time.Now()
		var wait sync.WaitGroup
		for _, minutes := range []int{90, 30, 60} {
			wait.Add(1)
			go func() {
				defer wait.Done()
				time.Sleep(time.Duration(minutes) * time.Minute)
				fmt.Println(minutes, time.Since(start))
			}()
		}
		stopped := time.AfterFunc(time.Hour, func() { fmt.Println("never") })
		stopped.Stop()
		wait.Wait()
		fmt.Println(time.Now().UTC().Format(time.RFC3339))
	case "moments":
		first, second := time.Now(), time.Now()
		fmt.Println(second.UnixNano()-first.UnixNano(), second.Sub(first))
	case "goroutines":
		parts := make(chan int)
		for i := range 1000 {
			go func() { parts <- i }()
		}
		sum := 0
		for range 1000 {
			sum += <-parts
		}
		fmt.Println(sum)
	case "get":
		get(context.Background(), os.Args[2])
	case "post":
		res, err := http.Post(os.Args[2], "application/json", strings.NewReader(os.Args[3]))
		fmt.Println(res.StatusCode, res.Header.Get("X-Seen"), err)
	case "give-up":
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		get(ctx, os.Args[2])
	case "panic":
		panic("on purpose")
	case "recover":
		func() {
			defer func() { fmt.Println("recovered:", recover()) }()
			var nothing *http.Request
			fmt.Println(nothing.Method)
		}()
	case "exit":
		os.Exit(7)
	case "deadlock":
		select {}
	case "hoard":
		var kept [][]byte
		for {
			kept = append(kept, make([]byte, 16<<20))
		}
	case "much":
		for i := range 20000 {
			fmt.Printf("%d %s\\n", i, strings.Repeat("x", 200))
		}
	case "restored":
		text, _ := os.ReadFile("/etc/sample/config")
		late := time.AfterFunc(time.Minute, func() { fmt.Println("a timer from before") })
		defer late.Stop()
		fmt.Println("begun", string(text), len(os.Args))
		parts := make(chan string)
		go func() { parts <- os.Getenv("NAME") }()
		get(context.Background(), "http://world.invalid/")
		time.Sleep(2 * time.Minute)
		fmt.Println(<-parts, time.Now().UTC().Format(time.RFC3339))
	case "outside":
		text, err := os.ReadFile("/etc/sample/config")
		_, missing := os.Stat("/etc/sample/none")
		entries, _ := os.ReadDir("/etc/sample")
		fmt.Println(string(text), err, errors.Is(missing, os.ErrNotExist), len(entries), os.Getenv("NAME"), os.Args[2])
		fmt.Println(os.WriteFile("/etc/sample/new", nil, 0o600))
	case "signal":
		heard := make(chan os.Signal, 1)
		signal.Notify(heard, syscall.SIGTERM)
		fmt.Println("waiting")
		fmt.Println(<-heard)
		time.Sleep(time.Second)
		os.Exit(3)
	case "serve":
		http.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "ok") })
		fmt.Println(http.ListenAndServe(":8081", nil))
	case "chance":
		fmt.Println("begun")
		http.Get("http://world.invalid/")
		var bytes [8]byte
		crand.Read(bytes[:])
		letters := map[string]bool{}
		for i := range 26 {
			letters[string(rune('a'+i))] = true
		}
		order := ""
		for letter := range letters {
			order += letter
		}
		fmt.Println(hex.EncodeToString(bytes[:]), rand.Int63(), order)
	}
}

func get(ctx context.Context, url string) {
	req, _ := http.NewRequestWithContext(ctx, "GET", url, nil)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		fmt.Println(err, errors.Is(err, context.DeadlineExceeded))
		return
	}
	defer res.Body.Close()
	fmt.Println(res.StatusCode)
	start := time.Now()
	lines := bufio.NewReader(res.Body)
	for {
		line, err := lines.ReadString('\\n')
		if line != "" {
			fmt.Println(time.Since(start), strings.TrimSpace(line))
		}
		if err != nil {
			if err != io.EOF {
				fmt.Println(err, errors.Is(err, context.DeadlineExceeded))
			}
			return
		}
	}
}
`;
