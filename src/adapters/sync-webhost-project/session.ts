/**
 * One configured project.
 */
import type { SyncPutResult, SyncSession } from '../../sys/sync/port.ts'
import { failed } from '../sync/failure.ts'
import type { Rest } from '../sync/rest.ts'
import { Calls, type Value } from './calls.ts'
import type { Project } from './settings.ts'
import { idOf, overlaps, type Variable } from './variable.ts'

export function openSession(rest: Rest, project: Project): SyncSession {
  const calls = new Calls(rest, project)

  const inTheWay = async (key: string, signal: AbortSignal): Promise<Variable[]> =>
    (await calls.find(key, signal)).filter((one) => overlaps(one, project.targets))

  /**
   * The store takes one variable of a name and an environment. Those of ours become one: they come from a push whose answer was lost, or from
   * environments that were configured before. What is somebody else's stays.
   */
  const replace = async (value: Value, signal: AbortSignal): Promise<Variable> => {
    const found = await inTheWay(value.key, signal)
    if (found.some(({ isOurs }) => !isOurs)) throw failed('client', 'ENV_CONFLICT')
    const [kept, ...others] = found
    for (const { id } of others) await calls.remove(id, signal)
    const written = kept && (await calls.update(kept.id, value, signal))
    // It was taken away, or another came, since the list was made.
    if (!written || written === 'gone') throw failed('conflict', 'ENV_CONFLICT')
    return written
  }

  const done = ({ version }: Variable, created: boolean): SyncPutResult => ({ externalVersion: version, created })

  return {
    async put({ name: key, value, previous }, signal) {
      const id = idOf(previous)
      const updated = id === undefined ? 'gone' : await calls.update(id, { key, value }, signal)
      if (updated && updated !== 'gone') return done(updated, false)
      // One that is in the way of an update is in the way of a creation, too.
      const created = updated === 'gone' ? await calls.create({ key, value }, signal) : undefined
      if (created) return done(created, created.isNew)
      return done(await replace({ key, value }, signal), false)
    },

    async remove({ name, externalVersion }, signal) {
      const id = idOf(externalVersion)
      if (id !== undefined && (await calls.remove(id, signal))) return { existed: true }
      // Its id may be one that nobody was told of.
      const left = (await inTheWay(name, signal)).filter(({ isOurs }) => isOurs)
      const removed = []
      for (const one of left) removed.push(await calls.remove(one.id, signal))
      return { existed: removed.includes(true) }
    },

    async describe({ name }, signal) {
      const found = await inTheWay(name, signal)
      const one = found.find(({ isOurs }) => isOurs) ?? found[0]
      return one ? { exists: true, externalVersion: one.version, managed: one.isOurs } : { exists: false }
    },

    async close() {
      rest.close()
    },
  }
}
