/**
 * `npm run bench`: measures the built package and writes RESULTS.md. `node bench/run.mjs encrypt overhead` runs only those subjects and
 * writes nothing. How it measures: measure.mjs; what it compares with: node-loop.mjs.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { targetTable } from './report.mjs'

const ORDER = [
  'overhead',
  'callers',
  'tokens',
  'logins',
  'acl',
  'configsvc-decision',
  'configsvc',
  'config-entries',
  'kv',
  'backends',
  'stalls',
  'encrypt',
  'decrypt',
  'handles',
  'batch',
  'rewrap',
  'datakey',
  'import',
  'hmac',
  'sign',
  'verify',
  'cached-key',
  'durable-write',
  'durable-postgresql',
  'durable-etcd',
  'cached-etcd',
  'etcd-failover',
  'etcd-sizes',
  'leases',
  'database',
  'cloud',
  'sync',
  'audit',
  'stores',
  'replication',
]
const RESULTS = fileURLToPath(new URL('RESULTS.md', import.meta.url))

const asked = process.argv.slice(2)
const known = readdirSync(new URL('subjects/', import.meta.url)).map((file) => file.replace('.mjs', ''))
for (const name of asked) if (!known.includes(name)) throw new Error(`there is no subject ${name}; there are ${known.join(', ')}`)

const sections = []
const targets = []
for (const name of asked.length > 0 ? asked : ORDER) {
  const subject = await import(`./subjects/${name}.mjs`)
  console.error(`measuring ${name}`)
  const { text, targets: own } = await subject.run()
  sections.push(`## ${subject.title}\n\n${text}\n`)
  targets.push(...own)
}

const [cpu] = cpus()
const report = `# Results

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} x ${cpu?.model.trim()}.

Written by \`npm run bench\`. One process, all candidates of a row in shuffled rounds; times are medians, ratios and differences medians of
the rounds', with the middle half of the rounds in brackets. A ratio \`a : b\` says how many times as fast as b a is.

- **typed**: \`kernel.transit.<operation>()\`, awaited. **path**: \`kernel.handle()\` with the root token and a body that is parsed already.
- **backend**: the kernel's primitive alone, bytes to bytes. **stock noble**: noble's own call.
- **loop**: a hand-written node:crypto loop to the same text (\`node-loop.mjs\`).

## Targets

${targetTable(targets)}

${sections.join('\n')}`
console.log(report)
if (asked.length === 0) writeFileSync(RESULTS, report)
