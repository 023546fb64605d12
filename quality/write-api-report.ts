import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_REPORT, apiReport } from './api-report.ts';
import { root } from './sources.ts';

// `npm run api`
writeFileSync(join(root, API_REPORT), apiReport());
console.log(`wrote ${API_REPORT}`);
