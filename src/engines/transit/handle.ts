/// <reference lib="esnext.disposable" preserve="true" />
import { invalid } from '../../core/base/errors.ts'
import type { Counter } from '../../core/contract/counter.ts'
import type { FacadeParts } from '../../core/contract/facade.ts'
import type { SyncCallHandle, SyncMethod } from '../../core/contract/sync-call.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { loadAll } from '../../core/transaction/load-all.ts'
import { countsEncryptions, ENCRYPTIONS } from './encryptions.ts'
import type {
  DecryptArguments,
  EncryptArguments,
  HmacArguments,
  SignArguments,
  VerifyArguments,
} from './generated/api-arguments.ts'
import { decrypt } from './operations/decrypt.ts'
import { encrypt } from './operations/encrypt.ts'
import { hmac } from './operations/hmac.ts'
import { sign } from './operations/sign.ts'
import { verify } from './operations/verify.ts'
import { RING, usableVersionNumbers } from './ring.ts'
import { ringInUse } from './ring-keys.ts'
import { decodeUtf8Plaintext } from './text-calls.ts'
import { producingVersion } from './versions.ts'

export interface KeyHandleOptions {
  /**
   * The number of encryptions to reserve in advance, 0 to 1,048,576; the default is 1,024. Reserve at least as many as the application
   * makes in one turn of the event loop.
   */
  readonly reserve?: number
}

export type EncryptSyncOptions = Omit<EncryptArguments, 'name' | 'plaintext' | 'type' | 'convergent_encryption'>
export type DecryptSyncOptions = Omit<DecryptArguments, 'name' | 'ciphertext'>
export type HmacSyncOptions = Omit<HmacArguments, 'name' | 'input'>
export type SignSyncOptions = Omit<SignArguments, 'name' | 'input'>
export type VerifySyncOptions = Omit<VerifyArguments, 'name' | 'input'>

/**
 * One key for synchronous calls. Each method makes the same checks as the asynchronous method that it names, such as `encrypt` for
 * `encryptSync`, counts and audits the call in the same way, and throws the errors with which the asynchronous method rejects.
 *
 * If a call would have to load something first, it throws `ERR_NOT_READY` (503), and the missing data is loaded in the background. That
 * happens just after unsealing, when the reserved encryptions are used up, just after a rotation, and when the event loop was blocked for
 * longer than `cache.stalenessMs`.
 *
 * The strings and bytes of one call are limited to 256 KiB in total, and to 32 KiB if calls are audited or made with a token; longer calls
 * are refused with 413.
 */
export interface TransitHandle extends AsyncDisposable {
  /** Whether calls can be answered now, without loading data first. */
  readonly ready: boolean
  /** Encrypts like `encrypt`, but never creates a key. Returns the ciphertext. */
  encryptSync(plaintext: Uint8Array, options?: EncryptSyncOptions): string
  /** Decrypts like `decrypt`. Returns the plaintext. */
  decryptSync(ciphertext: string, options?: DecryptSyncOptions): Uint8Array
  /** Decrypts like `decrypt`. Returns the plaintext as a string. @throws KernelError 400 also if the plaintext is not UTF-8. */
  decryptTextSync(ciphertext: string, options?: DecryptSyncOptions): string
  /** Computes an HMAC like `hmac`. */
  hmacSync(input: Uint8Array, options?: HmacSyncOptions): string
  /** Signs like `sign`. Returns the signature. */
  signSync(input: Uint8Array, options?: SignSyncOptions): string
  /** Verifies a signature or an HMAC like `verify`. */
  verifySync(input: Uint8Array, options: VerifySyncOptions): boolean
  /**
   * Resolves when all data that calls need is loaded and current.
   * @throws KernelError if the key cannot be used; 503 if the store does not answer
   */
  refresh(): Promise<void>
  /** Stops the background work. Later calls are refused. */
  close(): void
}

const DEFAULT_RESERVED_ENCRYPTIONS = 1_024

/** Limited, because reserved encryptions that were not used still count as used after a crash. */
const MAX_RESERVED_ENCRYPTIONS = 2 ** 20

/** The number of newest versions that a handle keeps loaded. The first call that needs an older version loads it. */
const MAX_LOADED_VERSIONS = 256

export async function openKeyHandle(
  openSyncCalls: FacadeParts['openSyncCalls'],
  name: string,
  options: KeyHandleOptions,
): Promise<TransitHandle> {
  if (typeof options !== 'object' || options === null) throw new TypeError('options: must be an object of named arguments')
  const { reserve = DEFAULT_RESERVED_ENCRYPTIONS, ...others } = options
  for (const other of Object.keys(others)) throw new TypeError(`${other}: unknown argument`)
  if (!Number.isInteger(reserve) || reserve < 0 || reserve > MAX_RESERVED_ENCRYPTIONS)
    throw new TypeError(`reserve: must be a whole number from 0 to ${MAX_RESERVED_ENCRYPTIONS}`)
  const load = (tx: Tx): Counter | undefined => loadForHandle(tx, name)
  const calls = await openSyncCalls({ load, trigger: { kind: RING, id: name }, reserve })
  const handle = new Handle(calls, name)
  await calls.open()
  return handle
}

/** Loads the versions and the counter that the calls of a handle need. @throws KernelError 400 */
function loadForHandle(tx: Tx, name: string): Counter | undefined {
  const keys = ringInUse(tx, name)
  const { ring, type } = keys
  if (type.isManaged)
    throw invalid(`name: keys of type ${ring.type} cannot be used synchronously, because an external system keeps them`)
  const latest = producingVersion(ring, 0)
  loadAll(usableVersionNumbers(ring).slice(-MAX_LOADED_VERSIONS), (version) => keys.version(version))
  return countsEncryptions(ring) ? tx.counter(ENCRYPTIONS, ring.id, latest) : undefined
}

type Method = (first: unknown, options?: object) => unknown

class Handle implements TransitHandle {
  readonly #calls: SyncCallHandle
  readonly #encrypt: Method
  readonly #decrypt: Method
  readonly #hmac: Method
  readonly #sign: Method
  readonly #verify: Method

  constructor(calls: SyncCallHandle, name: string) {
    const method = (operation: SyncMethod['operation'], first: string, answer: string, without: readonly string[] = []) =>
      calls.method({ operation, fixed: { name }, firstParameter: first, resultMember: answer, omitted: without }) as Method
    this.#calls = calls
    this.#encrypt = method(encrypt, 'plaintext', 'ciphertext', ['type', 'convergent_encryption'])
    this.#decrypt = method(decrypt, 'ciphertext', 'plaintext')
    this.#hmac = method(hmac, 'input', 'hmac')
    this.#sign = method(sign, 'input', 'signature')
    this.#verify = method(verify, 'input', 'valid')
  }

  get ready(): boolean {
    return this.#calls.ready
  }

  encryptSync(plaintext: Uint8Array, options?: EncryptSyncOptions): string {
    return this.#encrypt(plaintext, options) as string
  }

  decryptSync(ciphertext: string, options?: DecryptSyncOptions): Uint8Array {
    return this.#decrypt(ciphertext, options) as Uint8Array
  }

  decryptTextSync(ciphertext: string, options?: DecryptSyncOptions): string {
    return decodeUtf8Plaintext(this.decryptSync(ciphertext, options))
  }

  hmacSync(input: Uint8Array, options?: HmacSyncOptions): string {
    return this.#hmac(input, options) as string
  }

  signSync(input: Uint8Array, options?: SignSyncOptions): string {
    return this.#sign(input, options) as string
  }

  verifySync(input: Uint8Array, options: VerifySyncOptions): boolean {
    return this.#verify(input, options) as boolean
  }

  refresh(): Promise<void> {
    return this.#calls.refresh()
  }

  close(): void {
    this.#calls.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
  }
}
