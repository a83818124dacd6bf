import type { SyncPutResult, SyncSession } from '../../sys/sync/port.ts'
import type { RestClient } from '../sync/rest-client.ts'
import { syncError } from '../sync/sync-error.ts'
import type { Project } from './settings.ts'
import { type EnvironmentVariable, isOwnVariable, overlaps, variableIdOf } from './variable.ts'
import { type VariableValue, VercelCalls } from './vercel-calls.ts'

export function openVercelSession(rest: RestClient, project: Project): SyncSession {
  const calls = new VercelCalls(rest, project)

  const inTheWay = async (key: string, signal: AbortSignal): Promise<EnvironmentVariable[]> =>
    (await calls.find(key, signal)).filter((one) => overlaps(one, project.targets))

  /**
   * Replaces the variables that conflict with a value. Vercel allows one variable per name and environment. If the same owner has several
   * variables, they come from a push whose response was lost or from a former configuration of environments, and are merged into one. If a
   * conflicting variable belongs to another owner, nothing changes and the call fails, unless `adopts` is set.
   */
  const replace = async (value: VariableValue, adopts: boolean, signal: AbortSignal): Promise<EnvironmentVariable> => {
    const found = await inTheWay(value.key, signal)
    if (!adopts && found.some((one) => !isOwnVariable(one, value.owner))) throw syncError('client', 'ENV_CONFLICT')
    const [kept, ...others] = found
    for (const { id } of others) await calls.remove(id, signal)
    const written = kept && (await calls.update(kept.id, value, signal))
    // Another process has deleted the variable, or created another conflicting one, since this push last read the variables.
    if (!written || written === 'gone') throw syncError('conflict', 'ENV_CONFLICT')
    return written
  }

  const done = ({ version }: EnvironmentVariable, created: boolean): SyncPutResult => ({ externalVersion: version, created })

  const create = async (value: VariableValue, signal: AbortSignal): Promise<SyncPutResult> => {
    const created = await calls.create(value, signal)
    if (!created) throw syncError('conflict', 'ENV_CONFLICT')
    return done(created, true)
  }

  return {
    async put({ name: key, value: text, previous, mode, owner }, signal) {
      const value: VariableValue = { key, value: text, owner }
      if (mode === 'create') return create(value, signal)
      const id = variableIdOf(previous)
      const updated = id === undefined ? 'gone' : await calls.update(id, value, signal)
      if (updated && updated !== 'gone') return done(updated, false)
      // If another variable conflicted with the update, it would also conflict with a creation. So create a variable only if the known one
      // is gone.
      const created = updated === 'gone' ? await calls.create(value, signal) : undefined
      if (created) return done(created, created.isNew)
      return done(await replace(value, mode === 'adopt', signal), false)
    },

    async remove({ name, externalVersion, owner }, signal) {
      const id = variableIdOf(externalVersion)
      if (id !== undefined && (await calls.remove(id, signal))) return { existed: true }
      // A push whose response was lost may have created the variable under an unknown ID.
      const left = (await inTheWay(name, signal)).filter((one) => isOwnVariable(one, owner))
      const removed = []
      for (const one of left) removed.push(await calls.remove(one.id, signal))
      return { existed: removed.includes(true) }
    },

    async describe({ name, owner }, signal) {
      const found = await inTheWay(name, signal)
      const own = found.filter((one) => isOwnVariable(one, owner))
      const one = own[0] ?? found[0]
      if (!one) return { exists: false }
      const foreign = own.length > 0 && own.length < found.length && { foreign: true }
      return { exists: true, externalVersion: one.version, managed: own.length > 0, ...foreign }
    },

    async close() {
      rest.close()
    },
  }
}
