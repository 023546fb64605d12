import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestInfo } from '@playwright/test';

/** When the fakes kill their caller: before, during and after the command. */
export const MOMENTS = [
  'kind create begins',
  'kind create has a container',
  'kind create ends',
  'docker exec begins',
  'docker exec ends',
  'kind delete begins',
  'kind delete ends',
] as const;

/** At the chosen moment, the owner named in a file is killed; a fake that is creating a container then keeps running. */
const SHARED = `\
#!/bin/sh
echo "$(basename "$0") $*" >>"$FAKE/calls"
reach() {
  [ "$(cat "$FAKE/kill-at" 2>/dev/null)" = "$1" ] || return 0
  kill -9 "$(cat "$FAKE/owner")"
}
value() { # of a flag
  flag=$1; shift
  while [ $# -gt 1 ]; do [ "$1" = "$flag" ] && { echo "$2"; return; }; shift; done
}
refuse() { # with what was laid down for it
  [ -e "$FAKE/$1" ] || return 0
  cat "$FAKE/$1" >&2; exit 1
}
`;

const KIND = `${SHARED}
name=$(value --name "$@")
case "$1 $2" in
  "version "*) echo 0.33.0 ;;
  "get clusters") ls "$FAKE/clusters" ;;
  "get kubeconfig") refuse "kind get kubeconfig"; echo "kubeconfig of $name" ;;
  "export logs") refuse "kind export logs"; mkdir -p "$3/node"; echo "log of $name" >"$3/node/kubelet.log" ;;
  "create cluster")
    reach "kind create begins"
    echo 'Creating cluster "x" ...' >&2
    printf ' \\342\\200\\242 Preparing nodes \\360\\237\\223\\246   ...\\n' >&2
    refuse "kind create cluster"
    : >"$FAKE/clusters/$name"
    if [ "$(cat "$FAKE/kill-at" 2>/dev/null)" = "kind create has a container" ]; then reach "kind create has a container"; sleep 600; fi
    [ -e "$FAKE/hang" ] && sleep 600
    echo "kubeconfig of $name" >"$(value --kubeconfig "$@")"
    reach "kind create ends" ;;
  "delete cluster") reach "kind delete begins"; refuse "kind delete cluster"; rm -f "$FAKE/clusters/$name"; reach "kind delete ends" ;;
esac
`;

const DOCKER = `${SHARED}
refuse docker
case "$1" in
  version) echo 27.0.0 ;;
  info) echo / ;;
  image) [ -e "$FAKE/image" ] ;;
  run)
    refuse "docker run"
    # As in the real engine, nobody sees a container before its labels.
    value --label "$@" | sed 's/^scaleproof.run=//' >"$FAKE/created"
    mv "$FAKE/created" "$FAKE/containers/10ca15"
    [ -e "$FAKE/hang-run" ] && sleep 600
    echo 10ca15 ;;
  port) cat "$FAKE/port" ;;
  exec) reach "docker exec begins"; refuse "docker exec"; reach "docker exec ends" ;;
  rm) eval "rm -f \\"$FAKE/containers/\\$$#\\"" ;;
  ps)
    label=$(value --filter "$@" | sed 's/^label=//')
    case "$label" in
      io.x-k8s.kind.cluster=*) ls "$FAKE/clusters" | grep -x "\${label#*=}" || true ;;
      scaleproof.run=*) grep -lx "\${label#*=}" "$FAKE"/containers/* 2>/dev/null | xargs -r -n1 basename ;;
    esac ;;
esac
`;

/** Programs called kind and docker whose clusters and containers are files. */
export interface FakeEngine {
  /** A PATH on which programs find them first. */
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  /** Makes a command fail with this message, such as `kind create cluster`; `docker` alone makes all of its commands fail. */
  refuse(command: string, words: string): void;
  write(name: string, text: string): void;
  clusters(): string[];
  containers(): string[];
  /** All calls so far. */
  calls(): string[];
}

/** Fakes for one test. */
export function createFakeEngine(testInfo: TestInfo): FakeEngine {
  const directory = testInfo.outputPath('engine');
  const bin = join(directory, 'bin');
  for (const folder of [bin, join(directory, 'clusters'), join(directory, 'containers')]) mkdirSync(folder, { recursive: true });
  for (const [name, text] of [
    ['kind', KIND],
    ['docker', DOCKER],
  ] as const) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  const write = (name: string, text: string): void => writeFileSync(join(directory, name), text);
  write('calls', '');
  return {
    environment: { PATH: [bin, process.env['PATH'] ?? ''].join(delimiter), FAKE: directory },
    directory,
    refuse: write,
    write,
    clusters: () => readdirSync(join(directory, 'clusters')).sort(),
    containers: () => readdirSync(join(directory, 'containers')).sort(),
    calls: () =>
      readFileSync(join(directory, 'calls'), 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
  };
}
