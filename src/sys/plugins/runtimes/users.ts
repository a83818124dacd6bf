/** Which registered plugins name a runtime: kept in the commits of the registrations, asked by a deletion of the runtime. */
import { inUse, notFound } from '../../../core/base/errors.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { isName } from '../../../core/field/coercion.ts'
import type { PluginId } from '../records.ts'
import { pluginId, readPluginId } from '../records.ts'
import { checkLength, RUNTIME_TYPES } from './fields.ts'
import { RUNTIME, RUNTIME_USER, runtimeId } from './records.ts'

/** How many plugins a refusal names. */
const MOST_NAMED = 10

/**
 * A plugin that named the runtime `former` names `next` in its place; empty: none. The commit rests on the record of the runtime, so one that
 * is deleted meanwhile is missed.
 * @throws KernelError 400 where there is no runtime `next`.
 */
export function useRuntime(tx: Tx, plugin: PluginId, former: string, next: string): void {
  if (next !== '') checkRegistered(tx, next)
  if (former === next) return
  if (former !== '') tx.delete(RUNTIME_USER, `${former}/${pluginId(plugin)}`)
  if (next !== '') tx.put(RUNTIME_USER, `${next}/${pluginId(plugin)}`, {})
}

function checkRegistered(tx: Tx, name: string): void {
  checkLength(name, 'runtime')
  const isThere = isName(name) && RUNTIME_TYPES.some((type) => tx.get(RUNTIME, runtimeId({ type, name })))
  if (!isThere) throw notFound('runtime: no plugin runtime of this name is registered', 400)
}

/** @throws KernelError 400 where a registered plugin names the runtime. */
export function checkUnused(tx: Tx, runtime: string): void {
  const users = tx.list(RUNTIME_USER, { prefix: `${runtime}/`, limit: MOST_NAMED + 1 })
  if (users.length === 0) return
  const named = users.slice(0, MOST_NAMED).map((id) => {
    const { type, name, version } = readPluginId(id)
    return version === '' ? `${type}/${name}` : `${type}/${name} ${version}`
  })
  const more = users.length > MOST_NAMED ? ', and others' : ''
  throw inUse(`name: unable to delete "${runtime}" runtime. Registered plugins=[${named.join(', ')}${more}] are referencing it.`)
}
