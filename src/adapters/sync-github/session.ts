import { encodeBase64 } from '../../core/base/base64.ts'
import { toUtf8 } from '../../core/base/bytes.ts'
import type { Entropy } from '../../core/base/entropy.ts'
import type { SyncDescribe, SyncDescription, SyncPut, SyncPutResult, SyncSession } from '../../sys/sync/port.ts'
import type { RestClient } from '../sync/rest-client.ts'
import { membersOf, type RestResponse, restError } from '../sync/rest-response.ts'
import { type SyncError, syncError } from '../sync/sync-error.ts'
import { CachedRepositoryKey, type RepositoryKey, readRepositoryKey } from './repository-key.ts'

/** The maximum number of keys to try if the key keeps changing while one value is pushed. */
const MAX_KEYS_TRIED = 3
/** The wait after a rate-limit response that specifies no time, as GitHub's documentation recommends. */
const DEFAULT_LIMIT_WAIT_MS = 60_000
const LIMITED = /secondary rate limit|abuse detection/i

export function openGithubSession(rest: RestClient, secrets: string, entropy: Entropy): SyncSession {
  const pathOf = (name: string): string => `${secrets}/${encodeURIComponent(name)}`

  const key = new CachedRepositoryKey(async (signal) => {
    const answer = await rest.send({ method: 'GET', path: `${secrets}/public-key` }, signal)
    if (answer.status !== 200) throw refusal(answer)
    return readRepositoryKey(answer.body)
  })

  const describe = async ({ name, owner, externalVersion }: SyncDescribe, signal: AbortSignal): Promise<SyncDescription> => {
    const answer = await rest.send({ method: 'GET', path: pathOf(name) }, signal)
    if (answer.status === 404) return { exists: false }
    if (answer.status !== 200) throw refusal(answer)
    const version = versionOf(answer.body)
    if (version === undefined) return { exists: true }
    // GitHub stores no tags, so the secret does not name its owner. If the version of this owner's last push is known, compare its creation
    // time with that of the secret: if they are equal, this owner pushed the secret. Otherwise leave `managed` undefined.
    const managed = owner !== undefined &&
      externalVersion !== undefined && { managed: createdAt(version) === createdAt(externalVersion) }
    return { exists: true, externalVersion: version, ...managed }
  }

  /** Reads the version after a write. The value is already written, so a missing version is not an error. */
  const versionAfter = (name: string, signal: AbortSignal): Promise<Pick<SyncDescription, 'externalVersion'>> =>
    describe({ name }, signal).then(
      ({ externalVersion }) => (externalVersion === undefined ? {} : { externalVersion }),
      () => ({}),
    )

  const put = async ({ name, value, mode }: SyncPut, signal: AbortSignal): Promise<SyncPutResult> => {
    // GitHub has no write that only creates, so check right before the write.
    if (mode === 'create' && (await describe({ name }, signal)).exists) throw syncError('conflict', 'exists')
    for (let tried = 0; tried < MAX_KEYS_TRIED; tried++) {
      const used = await key.get(signal)
      const body = { encrypted_value: await sealed(value, used, entropy), key_id: used.id }
      const answer = await rest.send({ method: 'PUT', path: pathOf(name), body }, signal)
      const { status } = answer
      if (status === 201 || status === 204) return { created: status === 201, ...(await versionAfter(name, signal)) }
      if (status !== 422 || !(await key.wasReplaced(used, signal))) throw refusal(answer)
    }
    throw syncError('conflict', 'key_replaced')
  }

  return {
    put,
    async remove({ name }, signal) {
      const answer = await rest.send({ method: 'DELETE', path: pathOf(name) }, signal)
      if (answer.status === 404) return { existed: false }
      if (answer.status !== 204) throw refusal(answer)
      return { existed: true }
    },
    describe,
    async close() {
      rest.close()
    },
  }
}

/** The creation time and the time of the last change. A secret that was deleted and created again has another creation time. */
function versionOf(body: unknown): string | undefined {
  const { created_at, updated_at } = membersOf(body)
  const isTime = (value: unknown): value is string => typeof value === 'string' && value.length <= 40
  return isTime(created_at) && isTime(updated_at) ? `${created_at}/${updated_at}` : undefined
}

const createdAt = (version: string): string | undefined => version.split('/', 1)[0]

async function sealed(value: string, { bytes }: RepositoryKey, entropy: Entropy): Promise<string> {
  const { sealBox } = await import('../../core/crypto/sealed-box.ts')
  const message = toUtf8(value)
  const box = sealBox(message, bytes, entropy)
  message.fill(0)
  if (!box) throw syncError('external', 'no_public_key')
  return encodeBase64(box)
}

/** The error for a refused request. Some rate limits can be recognized only by the message. */
function refusal(answer: RestResponse): SyncError {
  const { message } = membersOf(answer.body)
  const error = restError(answer)
  const limited = answer.status === 403 && typeof message === 'string' && LIMITED.test(message)
  if (error.kind !== 'throttled' && !limited) return error
  return syncError('throttled', error.code, error.retryAfterMs ?? DEFAULT_LIMIT_WAIT_MS)
}
