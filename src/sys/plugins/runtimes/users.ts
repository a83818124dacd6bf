/** The registered plugins that refer to a runtime. Registrations maintain the list, and deleting a runtime reads it. */
import { inUse, notFound } from '../../../core/base/errors.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { isName } from '../../../core/field/coercion.ts'
import type { PluginId } from '../records.ts'
import { pluginId, readPluginId } from '../records.ts'
import { checkLength, RUNTIME_TYPES } from './fields.ts'
import { RUNTIME, RUNTIME_USER, runtimeId } from './records.ts'

/** The maximum number of plugins that the error message lists. */
const MAX_LISTED_PLUGINS = 10

/**
 * Changes the runtime of a plugin from `former` to `next`; empty means none. The commit requires that the runtime's record still exists, so it
 * conflicts with a concurrent deletion.
 * @throws KernelError 400 if the runtime `next` does not exist.
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

/** @throws KernelError 400 if a registered plugin refers to the runtime. */
export function checkUnused(tx: Tx, runtime: string): void {
  const users = tx.list(RUNTIME_USER, { prefix: `${runtime}/`, limit: MAX_LISTED_PLUGINS + 1 })
  if (users.length === 0) return
  const named = users.slice(0, MAX_LISTED_PLUGINS).map((id) => {
    const { type, name, version } = readPluginId(id)
    return version === '' ? `${type}/${name}` : `${type}/${name} ${version}`
  })
  const more = users.length > MAX_LISTED_PLUGINS ? ', and others' : ''
  throw inUse(`name: unable to delete "${runtime}" runtime. Registered plugins=[${named.join(', ')}${more}] are referencing it.`)
}
