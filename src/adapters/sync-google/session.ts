import type { SyncDescribe, SyncDescription, SyncSession } from '../../sys/sync/port.ts'
import { SessionClient } from '../sync/client.ts'
import { currentSignal, openClient } from './client.ts'
import type { GoogleServiceAccount } from './credentials.ts'
import { isGoogleError, toGoogleSyncError } from './failures.ts'
import { putGoogleSecret } from './put.ts'
import { labelKey } from './rules.ts'
import type { ManagerClient } from './sdk.ts'
import { versionNumber } from './versions.ts'

export function openGoogleSession(account: GoogleServiceAccount, endpoint: URL | undefined): SyncSession {
  const held = new SessionClient({
    make: () => openClient(account, endpoint),
    // Do not close the SDK's client: calls on a closed client reject where no caller can catch the error. Over REST, the client has no
    // other resources than the agents.
    destroy({ agents }) {
      for (const agent of agents) agent.destroy()
    },
    failureOf: toGoogleSyncError,
    secrets: () => [account.privateKey],
  })
  const parent = `projects/${account.project}`
  const under = <T>(signal: AbortSignal, work: (client: ManagerClient) => Promise<T>, value?: string): Promise<T> =>
    held.use(signal, ({ client }, own) => currentSignal.run(own, () => work(client)), value)

  return {
    put: (request, signal) => under(signal, (client) => putGoogleSecret(client, parent, request), request.value),
    remove: ({ name }, signal) =>
      under(signal, async (client) => ({ existed: await remove(client, `${parent}/secrets/${name}`) })),
    describe: (request, signal) => under(signal, (client) => describe(client, `${parent}/secrets/${request.name}`, request)),
    close: () => held.close(),
  }
}

async function remove(client: ManagerClient, name: string): Promise<boolean> {
  try {
    await client.deleteSecret({ name })
    return true
  } catch (error) {
    if (isGoogleError(error, 404)) return false
    throw error
  }
}

/** Undefined if the object does not exist. */
export async function orUndefined<T>(asked: Promise<readonly [T, ...unknown[]]>): Promise<T | undefined> {
  try {
    return (await asked)[0]
  } catch (error) {
    if (isGoogleError(error, 404)) return undefined
    throw error
  }
}

async function describe(client: ManagerClient, name: string, { mark, owner }: SyncDescribe): Promise<SyncDescription> {
  const secret = await orUndefined(client.getSecret({ name }))
  if (!secret) return { exists: false }
  const labels = secret.labels ?? {}
  const key = labelKey(mark ?? '')
  // If all versions are destroyed, there is no latest version.
  const latest = versionNumber(await orUndefined(client.getSecretVersion({ name: `${name}/versions/latest` })))
  return {
    exists: true,
    ...(latest !== undefined && { externalVersion: `${latest}` }),
    ...(mark !== undefined && { managed: Object.hasOwn(labels, key) && (owner === undefined || labels[key] === owner) }),
  }
}
