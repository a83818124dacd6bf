/**
 * One configured repository.
 */
import { encodeBase64 } from '../../core/base/base64.ts'
import { toUtf8 } from '../../core/base/bytes.ts'
import type { Entropy } from '../../core/base/entropy.ts'
import { sealBox } from '../../core/crypto/sealed-box.ts'
import type { SyncDescribe, SyncDescription, SyncPut, SyncPutResult, SyncSession } from '../../sys/sync/port.ts'
import { membersOf, type RestAnswer, refusalOf } from '../sync/answer.ts'
import { failed, type SyncError } from '../sync/failure.ts'
import type { Rest } from '../sync/rest.ts'
import { KeptKey, type PublicKey, readPublicKey } from './public-key.ts'

/** A key that is replaced again and again while one value is pushed. */
const MOST_KEYS = 3
/** What the store's own documentation says to wait where a limit comes without a time. */
const UNTOLD_WAIT_MS = 60_000
const LIMITED = /secondary rate limit|abuse detection/i

export function openSession(rest: Rest, secrets: string, entropy: Entropy): SyncSession {
  const pathOf = (name: string): string => `${secrets}/${encodeURIComponent(name)}`

  const key = new KeptKey(async (signal) => {
    const answer = await rest.ask({ method: 'GET', path: `${secrets}/public-key` }, signal)
    if (answer.status !== 200) throw refusal(answer)
    return readPublicKey(answer.body)
  })

  const describe = async ({ name, owner, externalVersion }: SyncDescribe, signal: AbortSignal): Promise<SyncDescription> => {
    const answer = await rest.ask({ method: 'GET', path: pathOf(name) }, signal)
    if (answer.status === 404) return { exists: false }
    if (answer.status !== 200) throw refusal(answer)
    const version = versionOf(answer.body)
    if (version === undefined) return { exists: true }
    // Without an earlier version there is no telling: GitHub keeps no marks.
    const managed = owner !== undefined &&
      externalVersion !== undefined && { managed: createdAt(version) === createdAt(externalVersion) }
    return { exists: true, externalVersion: version, ...managed }
  }

  /** The value is there by then: without a version it is merely less well known. */
  const versionAfter = (name: string, signal: AbortSignal): Promise<Pick<SyncDescription, 'externalVersion'>> =>
    describe({ name }, signal).then(
      ({ externalVersion }) => (externalVersion === undefined ? {} : { externalVersion }),
      () => ({}),
    )

  const put = async ({ name, value, mode }: SyncPut, signal: AbortSignal): Promise<SyncPutResult> => {
    // GitHub has no write that only creates, so look as late as possible.
    if (mode === 'create' && (await describe({ name }, signal)).exists) throw failed('conflict', 'exists')
    for (let tried = 0; tried < MOST_KEYS; tried++) {
      const used = await key.get(signal)
      const body = { encrypted_value: sealed(value, used, entropy), key_id: used.id }
      const answer = await rest.ask({ method: 'PUT', path: pathOf(name), body }, signal)
      const { status } = answer
      if (status === 201 || status === 204) return { created: status === 201, ...(await versionAfter(name, signal)) }
      if (status !== 422 || !(await key.wasReplaced(used, signal))) throw refusal(answer)
    }
    throw failed('conflict', 'key_replaced')
  }

  return {
    put,
    async remove({ name }, signal) {
      const answer = await rest.ask({ method: 'DELETE', path: pathOf(name) }, signal)
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

/** When it was created and last changed. A secret that was deleted and made again has another time of creation. */
function versionOf(body: unknown): string | undefined {
  const { created_at, updated_at } = membersOf(body)
  const isTime = (value: unknown): value is string => typeof value === 'string' && value.length <= 40
  return isTime(created_at) && isTime(updated_at) ? `${created_at}/${updated_at}` : undefined
}

const createdAt = (version: string): string | undefined => version.split('/', 1)[0]

function sealed(value: string, { bytes }: PublicKey, entropy: Entropy): string {
  const message = toUtf8(value)
  const box = sealBox(message, bytes, entropy)
  message.fill(0)
  if (!box) throw failed('external', 'no_public_key')
  return encodeBase64(box)
}

/** Some limits are told by words alone. */
function refusal(answer: RestAnswer): SyncError {
  const { message } = membersOf(answer.body)
  const error = refusalOf(answer)
  const limited = answer.status === 403 && typeof message === 'string' && LIMITED.test(message)
  if (error.kind !== 'throttled' && !limited) return error
  return failed('throttled', error.code, error.retryAfterMs ?? UNTOLD_WAIT_MS)
}
