import type { Command, Option } from 'commander';
import { PROFILES } from '../history/events.ts';
import { allSources, suites } from '../suites/catalogue.ts';
import { targetCatalogue } from '../targets/catalogue.ts';
import type { Shell } from './options.ts';

/** Some of the places in which a word can be completed, and the words that fit there. */
interface Arm {
  /** `run` after that command, `run --suite` after that flag of it. The place after the program's name is an empty text. */
  readonly places: readonly string[];
  readonly words: readonly string[];
}

interface Completions {
  /** Every command with the one that it belongs to, as in `target build`; with a space before those of the program. */
  readonly commands: readonly string[];
  /** Flags whose values are known. */
  readonly values: readonly Arm[];
  /** Flags that take any other value, such as a file. */
  readonly files: readonly string[];
  /** What each command has: commands, flags, known arguments. */
  readonly words: readonly Arm[];
}

/**
 * A script that completes commands, flags and their values, made from the definitions of the commands. It starts no process, so it
 * answers at once.
 */
export function completionScript(program: Command, shell: Shell): string {
  return SCRIPTS[shell](completionsOf(program));
}

/** Values of flags that commander does not know: their parsers would have to import the catalogues. */
function namesByFlag(): ReadonlyMap<string, readonly string[]> {
  const targets = targetCatalogue.map(({ name }) => name);
  return new Map<string, readonly string[]>([
    ['--scenario', allSources.map(({ scenario }) => scenario.id)],
    ['--suite', suites.map(({ name }) => name)],
    ['--profile', PROFILES],
    ...['--target', '--baseline', '--candidate'].map((flag) => [flag, targets] as const),
  ]);
}

function completionsOf(program: Command): Completions {
  const names = namesByFlag();
  const all = withPaths(program, '');
  const withValues = all.flatMap(({ path, options }) =>
    options
      .filter(({ required, optional }) => required || optional)
      .flatMap((option) =>
        flagsOf(option).map((flag) => ({ place: `${path} ${flag}`, words: option.argChoices ?? names.get(flag) ?? [] })),
      ),
  );
  return {
    commands: all.flatMap(({ path, commands }) => commands.map((name) => `${path} ${name}`)),
    values: grouped(withValues.filter(({ words }) => words.length > 0)),
    files: withValues.filter(({ words }) => words.length === 0).map(({ place }) => place),
    words: all
      .map(({ path, commands, options, choices }) => ({ places: [path], words: [...commands, ...choices, ...options.flatMap(flagsOf)] }))
      .filter(({ words }) => words.length > 0),
  };
}

interface CommandAt {
  readonly path: string;
  readonly commands: readonly string[];
  readonly options: readonly Option[];
  /** Known values of its arguments. */
  readonly choices: readonly string[];
}

/** A command and all below it. */
function withPaths(command: Command, path: string): CommandAt[] {
  const help = command.createHelp();
  const options = help.visibleOptions(command);
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const below = help.visibleCommands(command);
  return [
    { path, options, choices, commands: below.map((one) => one.name()) },
    ...below.flatMap((one) => withPaths(one, `${path} ${one.name()}`.trim())),
  ];
}

function flagsOf({ short, long }: Option): string[] {
  return [short, long].filter((flag) => flag !== undefined);
}

/** Long lists, such as all scenarios, are written once for all flags that take them. */
function grouped(all: readonly { readonly place: string; readonly words: readonly string[] }[]): Arm[] {
  return [...Map.groupBy(all, ({ words }) => words.join(' ')).values()].map((same) => ({
    places: same.map(({ place }) => place),
    words: same[0]?.words ?? [],
  }));
}

/** All words are names and flags: nothing in them ends a quoted text. */
function quoted(places: readonly string[], separator: string): string {
  return places.map((place) => `'${place}'`).join(separator);
}

const SCRIPTS: Readonly<Record<Shell, (completions: Completions) => string>> = {
  // Without a match, bash completes file names. It takes `mutant:x` for two words, so the first must not be repeated.
  bash: ({ commands, values, files, words }) => `\
_scaleproof() {
  local line=\${COMP_LINE:0:COMP_POINT} at= words= word
  local cur=\${line##*[[:space:]]}
  local -a before
  read -ra before <<<"\${line%"$cur"}"
  COMPREPLY=()
  for word in "\${before[@]:1}"; do
    case "$at $word" in ${quoted(commands, '|')}) at=\${at:+$at }$word ;; esac
  done
  case "$at \${before[\${#before[@]}-1]}" in
${values.map(({ places, words: list }) => `    ${quoted(places, '|')}) words='${list.join(' ')}' ;;\n`).join('')}\
    ${quoted(files, '|')}) [[ $cur == -* ]] || return ;;
  esac
  if [[ -z $words || $cur == -* ]]; then
    case "$at" in
${words.map(({ places, words: list }) => `      ${quoted(places, '|')}) words='${list.join(' ')}' ;;\n`).join('')}\
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then COMPREPLY=("\${COMPREPLY[@]#"\${cur%:*}:"}"); fi
}
complete -o default -F _scaleproof scaleproof
`,
  zsh: ({ commands, values, files, words }) => `\
#compdef scaleproof
_scaleproof() {
  local at= word cur=\${words[CURRENT]} prev=\${words[CURRENT-1]}
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in ${quoted(commands, '|')}) at=\${at:+$at }$word ;; esac
  done
  if [[ $cur != -* ]]; then
    case "$at $prev" in
${values.map(({ places, words: list }) => `      ${quoted(places, '|')}) compadd -- ${list.join(' ')}; _files; return ;;\n`).join('')}\
      ${quoted(files, '|')}) _files; return ;;
    esac
  fi
  case "$at" in
${words.map(({ places, words: list }) => `    ${quoted(places, '|')}) compadd -- ${list.join(' ')} ;;\n`).join('')}\
  esac
  [[ $cur == -* ]] || _files
}
if whence compdef >/dev/null; then compdef _scaleproof scaleproof; fi
`,
  // fish adds file names itself.
  fish: ({ commands, values, files, words }) => `\
function __scaleproof
    set -l before (commandline -opc)
    set -l at ''
    for word in $before[2..-1]
        switch "$at $word"
            case ${quoted(commands, ' ')}
                set at (string trim -- "$at $word")
        end
    end
    if not string match -q -- '-*' (commandline -ct)
        switch "$at $before[-1]"
${values.map(({ places, words: list }) => `            case ${quoted(places, ' ')}\n                printf '%s\\n' ${list.join(' ')}\n                return\n`).join('')}\
            case ${quoted(files, ' ')}
                return
        end
    end
    switch "$at"
${words.map(({ places, words: list }) => `        case ${quoted(places, ' ')}\n            printf '%s\\n' ${list.join(' ')}\n`).join('')}\
    end
end
complete -c scaleproof -a '(__scaleproof)'
`,
};
