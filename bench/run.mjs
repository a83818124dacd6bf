/**
 * `npm run bench`: measures the built package and writes RESULTS.md. `node bench/run.mjs encrypt overhead` runs only those subjects and
 * writes nothing; with `--replace`, it puts their results into RESULTS.md. How it measures: measure.mjs; what it compares with: node-loop.mjs.
 *
 * Each subject has a process of its own, and each of its variants too: V8 gives code that several kernels of one process have used with
 * different backends other machine code than an application gets that has one.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { replaceResults } from './replace-results.mjs'
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
  'workers',
  'datakey',
  'import',
  'hmac',
  'sign',
  'verify',
  'many-keys',
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
  'lasting',
  'replication',
  'vault-benchmark',
]
const RESULTS = fileURLToPath(new URL('RESULTS.md', import.meta.url))

const isReplacing = process.argv.includes('--replace')
const names = process.argv.slice(2).filter((name) => name !== '--replace')
const known = readdirSync(new URL('subjects/', import.meta.url)).map((file) => file.replace('.mjs', ''))
for (const name of names) if (!known.includes(name)) throw new Error(`there is no subject ${name}; there are ${known.join(', ')}`)

/** What a subject, or one variant of it, has measured. */
function measured(name, variant) {
  console.error(`measuring ${variant ? `${name}, ${variant}` : name}`)
  const program = fileURLToPath(new URL('run-subject.mjs', import.meta.url))
  const { status, output } = spawnSync(process.execPath, ['--expose-gc', program, name, ...(variant ? [variant] : [])], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    maxBuffer: 2 ** 26,
  })
  if (status !== 0) throw new Error(`${name} ended with ${status}`)
  return JSON.parse(output[3])
}

const subjects = []
for (const name of names.length > 0 ? names : ORDER) {
  const { title, variants } = await import(`./subjects/${name}.mjs`)
  const parts = (variants ?? [undefined]).map((variant) => ({ variant, ...measured(name, variant) }))
  const text = parts.map((part) => (part.variant ? `### ${part.variant}\n\n${part.text}` : part.text)).join('\n\n')
  subjects.push({ title, text, targets: parts.flatMap((part) => part.targets) })
}

const [cpu] = cpus()
const when = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} x ${cpu?.model.trim()}`
const report = `# Results

${when}.

This file is written by \`npm run bench\`. Each table is measured in a process of its own. The process runs all candidates of a row in rounds, in a random order in each round. Times are medians. Ratios and
differences are medians over the rounds, with the middle half of the rounds in parentheses. A ratio \`a : b\` is the speed of a divided by the speed of b.

- **typed**: \`kernel.transit.<operation>()\`, awaited. **path**: \`kernel.handle()\` with the root token and a parsed body.
- **backend**: only the kernel's cryptographic function, with bytes as input and output. **stock noble**: the function of noble itself.
- **loop**: a hand-written node:crypto loop with the same result (\`node-loop.mjs\`).
- **expected**: what was reached on two processors. If a profile shows that more cannot be reached, \`docs/numbers.md\` says why.

## Targets

${targetTable(subjects.flatMap(({ targets }) => targets))}

${subjects.map(({ title, text }) => `## ${title}\n\n${text}\n`).join('\n')}`
console.log(report)
if (names.length === 0) writeFileSync(RESULTS, report)
if (isReplacing) writeFileSync(RESULTS, replaceResults(readFileSync(RESULTS, 'utf8'), subjects, when))
