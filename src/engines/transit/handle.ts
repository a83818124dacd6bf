/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A key whose methods answer without a promise.
 */
import { invalid } from '../../core/base/errors.ts'
import type { Counter } from '../../core/contract/counter.ts'
import type { FacadeParts } from '../../core/contract/engine.ts'
import type { SyncCallHandle, SyncMethod } from '../../core/contract/sync-call.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { gather } from '../../core/transaction/gather.ts'
import type { DecryptArguments, EncryptArguments, HmacArguments, SignArguments, VerifyArguments } from './api-arguments.ts'
import { ENCRYPTIONS } from './encryptions.ts'
import { decrypt } from './operations/decrypt.ts'
import { encrypt } from './operations/encrypt.ts'
import { hmac } from './operations/hmac.ts'
import { sign } from './operations/sign.ts'
import { verify } from './operations/verify.ts'
import { RING } from './ring.ts'
import { ringInUse } from './ring-keys.ts'
import { textOf } from './text-calls.ts'
import { producingVersion } from './versions.ts'

export interface KeyHandleOptions {
  /** Encryptions reserved ahead, 0 to 1,048,576: as many as are made before the event loop has its turn. Default 1,024. */
  readonly reserve?: number
}

export type EncryptSyncOptions = Omit<EncryptArguments, 'name' | 'plaintext' | 'type' | 'convergent_encryption'>
export type DecryptSyncOptions = Omit<DecryptArguments, 'name' | 'ciphertext'>
export type HmacSyncOptions = Omit<HmacArguments, 'name' | 'input'>
export type SignSyncOptions = Omit<SignArguments, 'name' | 'input'>
export type VerifySyncOptions = Omit<VerifyArguments, 'name' | 'input'>

/**
 * One key, used without a promise. The methods check, count, audit and refuse as the asynchronous ones of the same names do, and throw
 * what those reject with. Where those would have to load something first, they throw `ERR_NOT_READY` (503), and what is missing is loaded in the
 * background: when the kernel was just unsealed, when the reserved encryptions are used up, in the moment after a rotation, or when the
 * event loop stood still for longer than `cache.stalenessMs`. Texts and bytes of a call may be 256 KiB together, 32 KiB where calls are
 * audited or made with a token; more is refused with 413.
 */
export interface TransitHandle extends AsyncDisposable {
  /** Whether a call would be answered now. */
  readonly ready: boolean
  /** Encrypts as `encrypt` does, and never makes a key. Returns the ciphertext. */
  encryptSync(plaintext: Uint8Array, options?: EncryptSyncOptions): string
  /** Decrypts as `decrypt` does. Returns the plaintext. */
  decryptSync(ciphertext: string, options?: DecryptSyncOptions): Uint8Array
  /** Decrypts as `decrypt` does. Returns the plaintext as text. @throws KernelError 400 too where it is not UTF-8. */
  decryptTextSync(ciphertext: string, options?: DecryptSyncOptions): string
  /** Makes an HMAC as `hmac` does. */
  hmacSync(input: Uint8Array, options?: HmacSyncOptions): string
  /** Signs as `sign` does. Returns the signature. */
  signSync(input: Uint8Array, options?: SignSyncOptions): string
  /** Verifies a signature or an HMAC as `verify` does. */
  verifySync(input: Uint8Array, options: VerifySyncOptions): boolean
  /**
   * Resolves when everything is at hand, as of now.
   * @throws KernelError where the key cannot be used, or 503 where the store does not answer
   */
  refresh(): Promise<void>
  /** Ends the work in the background. Calls are refused from then on. */
  close(): void
}

const DEFAULT_RESERVED_ENCRYPTIONS = 1_024

/** What is left of it is lost in a crash. */
const MAX_RESERVED_ENCRYPTIONS = 2 ** 20

/** Older versions are loaded when something under them is decrypted for the first time. */
const MAX_LOADED_VERSIONS = 256

export async function openKeyHandle(
  hold: FacadeParts['openSyncCalls'],
  name: string,
  options: KeyHandleOptions,
): Promise<TransitHandle> {
  if (typeof options !== 'object' || options === null) throw new TypeError('options: must be an object of named arguments')
  const { reserve = DEFAULT_RESERVED_ENCRYPTIONS, ...others } = options
  for (const other of Object.keys(others)) throw new TypeError(`${other}: unknown argument`)
  if (!Number.isInteger(reserve) || reserve < 0 || reserve > MAX_RESERVED_ENCRYPTIONS)
    throw new TypeError(`reserve: must be a whole number from 0 to ${MAX_RESERVED_ENCRYPTIONS}`)
  const load = (tx: Tx): Counter | undefined => loadForHandle(tx, name)
  const all = hold({ load, trigger: { kind: RING, id: name }, reserve })
  const handle = new Handle(all, name)
  await all.open()
  return handle
}

/** Reads what calls need. @throws KernelError 400 */
function loadForHandle(tx: Tx, name: string): Counter | undefined {
  const keys = ringInUse(tx, name)
  const { ring, type } = keys
  if (type.isManaged) throw invalid(`name: keys of type ${ring.type} are used where they are kept, which takes a promise`)
  const latest = producingVersion(ring, 0)
  const usable = Object.keys(ring.versions)
    .map(Number)
    .filter((version) => version >= ring.min_decryption_version)
  gather(usable.slice(-MAX_LOADED_VERSIONS), (version) => keys.version(version))
  const isCounted = type.encryptor?.counted === true && !ring.convergent_encryption
  return isCounted ? tx.counter(ENCRYPTIONS, ring.id, latest) : undefined
}

type Method = (first: unknown, options?: object) => unknown

class Handle implements TransitHandle {
  readonly #held: SyncCallHandle
  readonly #encrypt: Method
  readonly #decrypt: Method
  readonly #hmac: Method
  readonly #sign: Method
  readonly #verify: Method

  constructor(all: SyncCallHandle, name: string) {
    const method = (operation: SyncMethod['operation'], first: string, answer: string, without: readonly string[] = []) =>
      all.method({ operation, fixed: { name }, firstParameter: first, resultMember: answer, omitted: without }) as Method
    this.#held = all
    this.#encrypt = method(encrypt, 'plaintext', 'ciphertext', ['type', 'convergent_encryption'])
    this.#decrypt = method(decrypt, 'ciphertext', 'plaintext')
    this.#hmac = method(hmac, 'input', 'hmac')
    this.#sign = method(sign, 'input', 'signature')
    this.#verify = method(verify, 'input', 'valid')
  }

  get ready(): boolean {
    return this.#held.ready
  }

  encryptSync(plaintext: Uint8Array, options?: EncryptSyncOptions): string {
    return this.#encrypt(plaintext, options) as string
  }

  decryptSync(ciphertext: string, options?: DecryptSyncOptions): Uint8Array {
    return this.#decrypt(ciphertext, options) as Uint8Array
  }

  decryptTextSync(ciphertext: string, options?: DecryptSyncOptions): string {
    return textOf(this.decryptSync(ciphertext, options))
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
    return this.#held.refresh()
  }

  close(): void {
    this.#held.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
  }
}
