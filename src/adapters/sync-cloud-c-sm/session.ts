/**
 * One configured Google Secret Manager.
 */
import type { SyncDescription, SyncSession } from '../../sys/sync/port.ts'
import { failed } from '../sync/failure.ts'
import { Lazy } from '../sync/lazy.ts'
import { untilAborted } from '../sync/until-aborted.ts'
import { openClient, underway } from './client.ts'
import type { ServiceAccount } from './credentials.ts'
import { failureOf, isRefusal } from './failures.ts'
import { put } from './put.ts'
import { labelKey } from './rules.ts'
import type { ManagerClient } from './sdk.ts'
import { versionNumber } from './versions.ts'

export function openSession(account: ServiceAccount, endpoint: URL | undefined): SyncSession {
  const made = new Lazy(
    () => openClient(account, endpoint),
    async ({ client, agents }) => {
      await client.close()
      for (const agent of agents) agent.destroy()
    },
  )
  const parent = `projects/${account.project}`

  const under = <T>(signal: AbortSignal, work: (client: ManagerClient) => Promise<T>): Promise<T> =>
    untilAborted(signal, async (abortSignal) => {
      try {
        const { client } = await made.get()
        return await underway.run(abortSignal, () => work(client))
      } catch (error) {
        throw abortSignal.aborted ? failed('external', 'aborted') : failureOf(error)
      }
    })

  return {
    put: (request, signal) => under(signal, (client) => put(client, parent, request)),
    remove: ({ name }, signal) =>
      under(signal, async (client) => ({ existed: await remove(client, `${parent}/secrets/${name}`) })),
    describe: ({ name, mark }, signal) => under(signal, (client) => describe(client, `${parent}/secrets/${name}`, mark)),
    close: () => made.close(),
  }
}

async function remove(client: ManagerClient, name: string): Promise<boolean> {
  try {
    await client.deleteSecret({ name })
    return true
  } catch (error) {
    if (isRefusal(error, 404)) return false
    throw error
  }
}

/** Of what is not there: undefined. */
export async function found<T>(asked: Promise<readonly [T, ...unknown[]]>): Promise<T | undefined> {
  try {
    return (await asked)[0]
  } catch (error) {
    if (isRefusal(error, 404)) return undefined
    throw error
  }
}

async function describe(client: ManagerClient, name: string, mark: string | undefined): Promise<SyncDescription> {
  const secret = await found(client.getSecret({ name }))
  if (!secret) return { exists: false }
  // Of a secret whose versions are all gone there is no latest one.
  const latest = versionNumber(await found(client.getSecretVersion({ name: `${name}/versions/latest` })))
  return {
    exists: true,
    ...(latest !== undefined && { externalVersion: `${latest}` }),
    ...(mark !== undefined && { managed: Object.hasOwn(secret.labels ?? {}, labelKey(mark)) }),
  }
}
