#!/usr/bin/env node
// The bundled reference autoscaler as a process of its own: from the sources in a clone, else from what was built of them.
import { existsSync } from 'node:fs';

const source = new URL('../controller/main.ts', import.meta.url);
const inClone = !import.meta.url.includes('/node_modules/') && existsSync(source);
await import(inClone ? source.href : new URL('../dist/controller/main.js', import.meta.url).href);
