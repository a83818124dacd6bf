/** The records that every configuration service has from the start. The first process that opens the store creates them. */
import type { TokenSalt } from '../core/access/token/token-id.ts'
import { KernelError } from '../core/base/errors.ts'
import { type RecordKind, type SecretKind, splitFormat, withFormat } from '../core/contract/record-kind.ts'
import type { Op } from '../core/storage/port.ts'
import type { Host } from '../core/transaction/host.ts'
import type { Fence } from '../core/transaction/keyspace.ts'
import { CONFIGSVC } from '../core/transaction/service-keyspaces.ts'
import { builtInRecords } from './acl/built-in-records.ts'

const SALT: SecretKind = { class: 'l', folder: 'salt', format: 1 }

const SALT_BYTES = 32

export const configKey = ({ class: keyClass, folder }: { readonly class: string; readonly folder: string }, id: string): string =>
  `${keyClass}/${CONFIGSVC}/${folder}/${id}`

/** If this record changes, the service loads the first records again. */
export const TOKEN_SALT_KEY = /* @__PURE__ */ configKey(SALT, 'token')

export interface FirstRecords {
  /**
   * Every commit requires this record. If the records of the service were deleted, commits fail instead of writing to a service that no
   * longer exists.
   */
  readonly fence: Fence
}

/** Loads the salt for token ids. If the salt is missing, creates it together with all other first records. */
export async function loadFirstRecords(host: Host, salt: TokenSalt): Promise<FirstRecords> {
  for (let tries = 1; ; tries++) {
    const [found] = await host.store.getMany([TOKEN_SALT_KEY])
    if (found) {
      salt.load(host.env.crypto, splitFormat(SALT, found.value)[1])
      found.value.fill(0)
      return { fence: { key: TOKEN_SALT_KEY, version: found.version } }
    }
    if (tries > MAX_TRIES)
      throw new KernelError('ERR_UNAVAILABLE', 'other processes keep creating the first records of this service; retry later')
    await createFirstRecords(host)
  }
}

const MAX_TRIES = 5

/** If two processes create the records at the same time, only one succeeds, and both processes use the records that it created. */
async function createFirstRecords({ store, env, clock }: Host): Promise<void> {
  const bytes = env.entropy.bytes(SALT_BYTES)
  const put = <T>(kind: RecordKind<T>, id: string, value: T): Op =>
    store.encryptedPut(configKey(kind, id), withFormat(kind.format, kind.encode(value)), 0)
  const ops = [
    store.encryptedPut(TOKEN_SALT_KEY, withFormat(SALT.format, bytes), 0),
    ...builtInRecords(clock.now()).map(({ kind, id, value }) => put(kind, id, value)),
  ]
  bytes.fill(0)
  await store.commit(ops)
}
