/**
 * A value comes to Google: the secret is created once, gets a version, and loses the one before.
 */
import type { SyncPut, SyncPutResult } from '../../sys/sync/port.ts'
import { failed } from '../sync/failure.ts'
import { crc32c } from './crc32c.ts'
import { isRefusal } from './failures.ts'
import { labelsOf } from './rules.ts'
import type { ManagerClient, Secret } from './sdk.ts'
import { destroyBefore, versionNumber } from './versions.ts'

type Labels = Readonly<Record<string, string>>

export async function put(client: ManagerClient, parent: string, request: SyncPut): Promise<SyncPutResult> {
  const { name, value, tags, previous, mode } = request
  const secret = `${parent}/secrets/${name}`
  const { created, first } = await settle(client, { parent, secret, name, previous, mode, labels: labelsOf(tags) })
  const data = Buffer.from(value)
  const [added] = await client.addSecretVersion({ parent: secret, payload: { data, dataCrc32c: `${crc32c(data)}` } })
  const version = versionNumber(added)
  if (version === undefined) throw failed('external', 'version')
  if (first !== undefined) await destroyBefore(client, secret, version, first)
  return { created, externalVersion: `${version}` }
}

interface Target {
  readonly parent: string
  readonly secret: string
  readonly name: string
  readonly previous: string | undefined
  readonly mode: SyncPut['mode']
  readonly labels: Labels
}

/**
 * Brings the secret about, with its labels. Labels come before the value, since a version that was added is added again when the push is tried
 * again.
 * @returns `first`: the first version that is to be destroyed; undefined: none.
 */
async function settle(client: ManagerClient, target: Target): Promise<{ created: boolean; first: number | undefined }> {
  const { previous, mode } = target
  if (mode === 'create') {
    if (await create(client, target)) return { created: true, first: undefined }
    throw failed('conflict', 'ALREADY_EXISTS')
  }
  if (previous !== undefined && (await updated(client, target))) return { created: false, first: Number(previous) || undefined }
  if (await create(client, target)) return { created: true, first: undefined }
  const ours = await carries(client, target)
  if (!(await updated(client, target))) throw failed('conflict', 'changing')
  // A push without a previous version that finds all its labels is one whose answer was lost.
  return { created: false, first: ours ? 1 : undefined }
}

async function create(client: ManagerClient, { parent, name, labels }: Target): Promise<boolean> {
  try {
    await client.createSecret({ parent, secretId: name, secret: { replication: { automatic: {} }, labels } })
    return true
  } catch (error) {
    if (isRefusal(error, 409, 'ALREADY_EXISTS')) return false
    throw error
  }
}

/** @returns Whether it is there. */
async function updated(client: ManagerClient, { secret, labels }: Target): Promise<boolean> {
  try {
    await client.updateSecret({ secret: { name: secret, labels }, updateMask: { paths: ['labels'] } })
    return true
  } catch (error) {
    if (isRefusal(error, 404)) return false
    throw error
  }
}

/** Whether it has the labels already. Who may not look finds none. */
async function carries(client: ManagerClient, { secret, labels }: Target): Promise<boolean> {
  const keys = Object.keys(labels)
  let there: Secret
  try {
    ;[there] = await client.getSecret({ name: secret })
  } catch (error) {
    if (isRefusal(error, 403) || isRefusal(error, 404)) return false
    throw error
  }
  return keys.length > 0 && keys.every((key) => there.labels?.[key] === labels[key])
}
