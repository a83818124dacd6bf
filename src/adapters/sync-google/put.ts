/** Pushes a value: creates the secret if necessary, adds a version, and destroys the former versions. */
import type { SyncPut, SyncPutResult } from '../../sys/sync/port.ts'
import { syncError } from '../sync/sync-error.ts'
import { crc32c } from './crc32c.ts'
import { isGoogleError } from './failures.ts'
import { labelsOf } from './rules.ts'
import type { GoogleSecret, ManagerClient } from './sdk.ts'
import { destroyBefore, versionNumber } from './versions.ts'

type Labels = Readonly<Record<string, string>>

export async function putGoogleSecret(client: ManagerClient, parent: string, request: SyncPut): Promise<SyncPutResult> {
  const { name, value, tags, previous, mode } = request
  const secret = `${parent}/secrets/${name}`
  const { created, first } = await ensureSecret(client, { parent, secret, name, previous, mode, labels: labelsOf(tags) })
  const data = Buffer.from(value)
  const [added] = await client.addSecretVersion({ parent: secret, payload: { data, dataCrc32c: `${crc32c(data)}` } })
  const version = versionNumber(added)
  if (version === undefined) throw syncError('external', 'version')
  if (first !== undefined) await destroyBefore(client, secret, version, first)
  return { created, externalVersion: `${version}` }
}

interface PutTarget {
  readonly parent: string
  readonly secret: string
  readonly name: string
  readonly previous: string | undefined
  readonly mode: SyncPut['mode']
  readonly labels: Labels
}

/**
 * Creates the secret or updates its labels. The labels are written before the value: if they were written after it and that failed, a retry
 * of the push would add another version.
 * @returns `first`: the first version to destroy; undefined if no version is to be destroyed.
 */
async function ensureSecret(client: ManagerClient, target: PutTarget): Promise<{ created: boolean; first: number | undefined }> {
  const { previous, mode } = target
  if (mode === 'create') {
    if (await createSecret(client, target)) return { created: true, first: undefined }
    throw syncError('conflict', 'ALREADY_EXISTS')
  }
  if (previous !== undefined && (await updateLabels(client, target)))
    return { created: false, first: Number(previous) || undefined }
  if (await createSecret(client, target)) return { created: true, first: undefined }
  const ours = await hasLabels(client, target)
  if (!(await updateLabels(client, target))) throw syncError('conflict', 'changing')
  // If the secret already has all labels of this push, an earlier attempt of the push created the secret and its response was lost. So all
  // former versions are from such attempts and can be destroyed.
  return { created: false, first: ours ? 1 : undefined }
}

async function createSecret(client: ManagerClient, { parent, name, labels }: PutTarget): Promise<boolean> {
  try {
    await client.createSecret({ parent, secretId: name, secret: { replication: { automatic: {} }, labels } })
    return true
  } catch (error) {
    if (isGoogleError(error, 409, 'ALREADY_EXISTS')) return false
    throw error
  }
}

/** @returns Whether the secret exists. */
async function updateLabels(client: ManagerClient, { secret, labels }: PutTarget): Promise<boolean> {
  try {
    await client.updateSecret({ secret: { name: secret, labels }, updateMask: { paths: ['labels'] } })
    return true
  } catch (error) {
    if (isGoogleError(error, 404)) return false
    throw error
  }
}

/** Whether the secret already has the labels. False without permission to read it. */
async function hasLabels(client: ManagerClient, { secret, labels }: PutTarget): Promise<boolean> {
  const keys = Object.keys(labels)
  let there: GoogleSecret
  try {
    ;[there] = await client.getSecret({ name: secret })
  } catch (error) {
    if (isGoogleError(error, 403) || isGoogleError(error, 404)) return false
    throw error
  }
  return keys.length > 0 && keys.every((key) => there.labels?.[key] === labels[key])
}
