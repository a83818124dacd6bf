/**
 * Compares the processor time of importing the package with that of `import 'pg'`, in new processes that take turns, and fails when a ratio
 * exceeds its bound. Usage: node tools/start-up.mjs, after a build.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const ROUNDS = 9
const dist = (path) => JSON.stringify(new URL(`../dist/${path}`, import.meta.url).href)

const encrypting = (created) => `const kernel = ${created}
await kernel.transit.createKey({ name: 'a' })
await kernel.transit.encrypt({ name: 'a', plaintext: new Uint8Array(32) })`

/** The maximum ratio is above the last measurement by the noise of a busy machine. Lower it when loading gets cheaper. */
const PROGRAMS = [
  { name: "import 'pg'", code: "await import('pg')", most: 1 },
  { name: "import 'strongroom'", code: `await import(${dist('index.js')})`, most: 1.4 },
  {
    name: "import 'strongroom/kernel' and transit()",
    code: `await import(${dist('chosen-kernel.js')}); (await import(${dist('engines.js')})).transit()`,
    most: 1.5,
  },
  {
    name: 'createDevKernel() and the first encryption',
    code: encrypting(`await (await import(${dist('index.js')})).createDevKernel()`),
    most: 3.5,
  },
]

/** Prints the milliseconds of processor time that the code took, without the start of Node, and the memory of the process in bytes. */
const measured = (code) => `const before = process.cpuUsage()
${code}
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify([(user + system) / 1000, process.memoryUsage().rss]))`

function run(code) {
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', measured(code)], {
    cwd,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

const runs = PROGRAMS.map(() => [])
for (let round = 0; round < ROUNDS; round++) for (const [i, { code }] of PROGRAMS.entries()) runs[i].push(run(code))
const bare = run('')[1]
const base = median(runs[0].map(([ms]) => ms))
let failed = false
for (const [i, { name, most }] of PROGRAMS.entries()) {
  const ms = median(runs[i].map(([time]) => time))
  const megabytes = (median(runs[i].map(([, rss]) => rss)) - bare) / 1e6
  console.log(
    `start-up: ${name}: ${ms.toFixed(0)} ms, ${(ms / base).toFixed(2)} times import 'pg' (at most ${most}), ${megabytes.toFixed(0)} MB`,
  )
  if (ms / base > most) failed = true
}
process.exitCode = failed ? 1 : 0
