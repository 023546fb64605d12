#!/usr/bin/env node
// Plain JavaScript that old Nodes can parse, so that they get a sentence and not a syntax error.
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';

const CONDITION = 'scaleproof-source';

const inPackage = import.meta.url.includes('/node_modules/');
const source = new URL('../cli/main.ts', import.meta.url);
const inClone = !inPackage && existsSync(source);

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  const remedy = inClone
    ? '`npm ci` brings Node 24 into this clone, and `npm start`, `npx scaleproof` and `node_modules/.bin/node bin/scaleproof.js` use it'
    : '`npm install --save-dev node@24` brings one into your project, and `npx scaleproof` uses it';
  console.error(`scaleproof needs Node 22.19 or later and this is ${process.versions.node}: ${remedy}.`);
  process.exitCode = 2;
} else {
  // Reading some hundred modules and stripping their types takes longer than most commands do.
  nodeModule.enableCompileCache();
  guard(start());
}

/**
 * Nothing but the command itself decides its exit code: a user's file that calls process.exit, awaits what never comes,
 * or throws where nobody catches it says nothing about the target.
 * @param {Promise<number>} command
 */
function guard(command) {
  const UNKNOWN = 3;
  let isOver = false;
  process.on('uncaughtException', (error) => {
    console.error(error);
    process.exit(UNKNOWN);
  });
  process.on('exit', () => {
    if (isOver) return;
    console.error('scaleproof: the process ended before the command was over.');
    process.exitCode = UNKNOWN;
  });
  command.then((code) => {
    isOver = true;
    process.exitCode = code;
  });
}

/** @param {string} path without its extension @returns {string} the URL of a module: of its source in a clone, else of what was built */
function moduleAt(path) {
  return new URL(inClone ? `../${path}.ts` : `../dist/${path}.js`, import.meta.url).href;
}

/** Runs the command. @returns {Promise<number>} its exit code */
async function start() {
  // In a clone a user's `import 'scaleproof'` means the sources. A second process with --conditions would say the same for 40 ms.
  if (inClone) {
    nodeModule.registerHooks({
      resolve: (specifier, context, next) =>
        next(specifier, specifier === 'scaleproof' ? { ...context, conditions: [...context.conditions, CONDITION] } : context),
    });
  }
  try {
    const { avoidExitDeadlock } = await import(moduleAt('runtime/exit-deadlock'));
    avoidExitDeadlock();
    const { main } = await import(moduleAt('cli/main'));
    return await main(process.argv.slice(2));
  } catch (error) {
    // The command reports what it foresees. The rest is an error of the harness, which says nothing about the target: unknown.
    console.error(error);
    return 3;
  }
}
