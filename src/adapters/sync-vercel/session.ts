/**
 * One configured project.
 */
import type { SyncPutResult, SyncSession } from '../../sys/sync/port.ts'
import { failed } from '../sync/failure.ts'
import type { Rest } from '../sync/rest.ts'
import { Calls, type Value } from './calls.ts'
import type { Project } from './settings.ts'
import { idOf, isOwn, overlaps, type Variable } from './variable.ts'

export function openSession(rest: Rest, project: Project): SyncSession {
  const calls = new Calls(rest, project)

  const inTheWay = async (key: string, signal: AbortSignal): Promise<Variable[]> =>
    (await calls.find(key, signal)).filter((one) => overlaps(one, project.targets))

  /**
   * The store takes one variable of a name and an environment. Those of ours become one: they come from a push whose answer was lost, or from
   * environments that were configured before. Variables of other owners stay unless they are to be adopted.
   */
  const replace = async (value: Value, adopts: boolean, signal: AbortSignal): Promise<Variable> => {
    const found = await inTheWay(value.key, signal)
    if (!adopts && found.some((one) => !isOwn(one, value.owner))) throw failed('client', 'ENV_CONFLICT')
    const [kept, ...others] = found
    for (const { id } of others) await calls.remove(id, signal)
    const written = kept && (await calls.update(kept.id, value, signal))
    // It was taken away, or another came, since the list was made.
    if (!written || written === 'gone') throw failed('conflict', 'ENV_CONFLICT')
    return written
  }

  const done = ({ version }: Variable, created: boolean): SyncPutResult => ({ externalVersion: version, created })

  const create = async (value: Value, signal: AbortSignal): Promise<SyncPutResult> => {
    const created = await calls.create(value, signal)
    if (!created) throw failed('conflict', 'ENV_CONFLICT')
    return done(created, true)
  }

  return {
    async put({ name: key, value: text, previous, mode, owner }, signal) {
      const value: Value = { key, value: text, owner }
      if (mode === 'create') return create(value, signal)
      const id = idOf(previous)
      const updated = id === undefined ? 'gone' : await calls.update(id, value, signal)
      if (updated && updated !== 'gone') return done(updated, false)
      // One that is in the way of an update is in the way of a creation, too.
      const created = updated === 'gone' ? await calls.create(value, signal) : undefined
      if (created) return done(created, created.isNew)
      return done(await replace(value, mode === 'adopt', signal), false)
    },

    async remove({ name, externalVersion, owner }, signal) {
      const id = idOf(externalVersion)
      if (id !== undefined && (await calls.remove(id, signal))) return { existed: true }
      // Its id may be one that nobody was told of.
      const left = (await inTheWay(name, signal)).filter((one) => isOwn(one, owner))
      const removed = []
      for (const one of left) removed.push(await calls.remove(one.id, signal))
      return { existed: removed.includes(true) }
    },

    async describe({ name, owner }, signal) {
      const found = await inTheWay(name, signal)
      const own = found.filter((one) => isOwn(one, owner))
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
