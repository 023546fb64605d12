import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestInfo } from '@playwright/test';

/** A test's own folder with a Go module of one file, which uses only the standard library. */
export function goModule(testInfo: TestInfo, main: string): string {
  const folder = testInfo.outputPath('module');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'go.mod'), 'module scaleproof.invalid/sample\n\ngo 1.26\n');
  writeFileSync(join(folder, 'main.go'), main);
  return folder;
}

/** A minimal program. */
export const HELLO = `package main

import "os"

func main() {
	os.Stdout.WriteString("hello\\n")
}
`;

/** Requests each URL in its arguments and prints the result, like a client that decides whether to retry. */
export const ASKING = `package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
)

func say(err error) string {
	var op *net.OpError
	var number syscall.Errno
	var timeout net.Error
	text := fmt.Sprintf("%v", err)
	if errors.As(err, &op) {
		text += " op=" + op.Op
	}
	if errors.As(err, &number) {
		text += fmt.Sprintf(" errno=%d", int(number))
	}
	if errors.As(err, &timeout) && timeout.Timeout() {
		text += " timeout"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		text += " cut"
	}
	return text
}

func main() {
	// client-go and the AWS SDK dial by themselves.
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("dialled") },
	}}
	for _, url := range os.Args[1:] {
		answer, err := client.Get(url)
		if err != nil {
			fmt.Println(say(err))
			continue
		}
		body, err := io.ReadAll(answer.Body)
		fmt.Println(answer.StatusCode, string(body), say(err))
	}
}
`;
