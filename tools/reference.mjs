// Writes docs/reference.md from the sources, or with `--check` fails if the page is stale. tools/typed-surface.mjs imports this file after it has
// loaded the sources.
import { readFileSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { referenceOf, typedMethods } from './reference-table.mjs'

register('./typed-surface/source-hooks.mjs', import.meta.url)

const file = new URL('../docs/reference.md', import.meta.url)
const load = (module) => import(new URL(`../src/${module}`, import.meta.url).href)
const { FACADES, SERVICE_METHODS } = await load('configsvc/operations.ts')
const { DEFERRED_BY_ALL, engineSetOf } = await load('engine-set.ts')
const { loadEngines } = await load('load-engines.ts')
const choices = { ...(await load('sys-parts.ts')), ...(await load('engines.ts')) }
/** The order of the page. */
const PARTS = ['policies', 'leases', 'namespaces', 'wrapping', 'audit', 'rekey', 'generateRoot', 'help']
const OF_SYS = ['plugins', 'replication', 'sync', 'configsvc']
const ENGINES = ['transit', 'kv', 'database', 'cloud', 'cubbyhole', 'orchestrator']
/** Adds the operations of the parts that are loaded later. */
const whole = async ({ deferredParts = [], ...engine }) => {
  const parts = await loadEngines(deferredParts)
  return { ...engine, operations: Object.assign({}, ...[engine, ...parts].map(({ operations }) => operations)) }
}
const [administration, ...others] = await loadEngines(DEFERRED_BY_ALL)
const chosen = await loadEngines([...PARTS, ...ENGINES, ...OF_SYS].map((name) => choices[name]()))
const { kv2 } = await load('engines/kv/index.ts')
const engines = [
  ...(await Promise.all(engineSetOf([administration, ...chosen, ...others]).engines.map(whole))),
  { ...kv2, title: 'version 2', fresh: [{ path: 'secret/' }] },
]
const text = referenceOf(engines, { ...FACADES, '': SERVICE_METHODS }, await typedMethods(load))

if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  console.error('docs/reference.md is stale: run `npm run reference`')
  process.exitCode = 1
} else console.log('reference: up to date')
