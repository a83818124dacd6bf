/** Tests whether two transit keys have the same key material, without reading it. */
import { randomBytes } from 'node:crypto'
import type { MigrationItem, Sides } from './item.ts'
import type { KeyInfo } from './key-info.ts'
import { MigrationError } from './migration-error.ts'
import { type Caller, pathOf } from './party.ts'

/** Sends a request, and returns undefined if it is refused as invalid: the other side has another key. */
async function call(caller: Caller, path: string, body: object): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    return (await caller.call('POST', path, body)).data
  } catch (error) {
    if (error instanceof MigrationError && error.status === 400) return undefined
    throw error
  }
}

/** A random value, and a ciphertext, signature or HMAC of it that one side has made. */
interface Probe {
  readonly input: string
  readonly made: string
}

/** The operation and the member of its result, and the inverse operation, of a key. */
const OPERATIONS = {
  encryption: { make: 'encrypt', member: 'ciphertext', check: 'decrypt' },
  signing: { make: 'sign', member: 'signature', check: 'verify' },
  hmac: { make: 'hmac', member: 'hmac', check: 'verify' },
} as const

const operationsOf = ({ supports_encryption, supports_signing }: KeyInfo) =>
  OPERATIONS[supports_encryption ? 'encryption' : supports_signing ? 'signing' : 'hmac']

class KeyProber {
  readonly #path: (operation: string) => string
  readonly #key: KeyInfo
  readonly #context: Readonly<Record<string, string>>

  constructor({ mount, name }: MigrationItem, key: KeyInfo) {
    this.#path = (operation) => `${pathOf(mount)}${operation}/${pathOf(name)}`
    this.#key = key
    this.#context = key.derived ? { context: randomBytes(24).toString('base64') } : {}
  }

  async make(side: Caller, version: number): Promise<Probe | undefined> {
    const { make, member } = operationsOf(this.#key)
    const input = randomBytes(24).toString('base64')
    const value = this.#key.supports_encryption ? { plaintext: input } : { input }
    const data = await call(side, this.#path(make), { ...value, key_version: version, ...this.#context })
    const made = data?.[member]
    return typeof made === 'string' ? { input, made } : undefined
  }

  /** Whether a side accepts the probe of the other side. @param own A probe of this side, which has the prefix that it reads. */
  async accepts(side: Caller, { input, made }: Probe, own: Probe): Promise<boolean> {
    const { member, check } = operationsOf(this.#key)
    const body = { [member]: withPrefixOf(own.made, made), ...this.#context }
    if (!this.#key.supports_encryption) return (await call(side, this.#path(check), { input, ...body }))?.['valid'] === true
    return (await call(side, this.#path(check), body))?.['plaintext'] === input
  }
}

/** The sides may have different prefixes, such as `vault` and `strongroom`: `<prefix>:v<version>:<rest>`. */
const withPrefixOf = (own: string, made: string): string => `${own.slice(0, own.indexOf(':'))}${made.slice(made.indexOf(':'))}`

/** Returns the first version whose probe fails in either direction, or undefined. @param last The last version to be tested. */
export async function failedProbe(
  { from, to }: Sides,
  item: MigrationItem,
  key: KeyInfo,
  last: number,
): Promise<number | undefined> {
  const prober = new KeyProber(item, key)
  const first = Math.max(1, key.min_available_version, key.min_decryption_version, key.min_encryption_version)
  for (let version = first; version <= last; version++) {
    const ofSource = await prober.make(from, version)
    const ofTarget = await prober.make(to, version)
    if (!ofSource || !ofTarget) return version
    if (!(await prober.accepts(to, ofSource, ofTarget))) return version
    if (!(await prober.accepts(from, ofTarget, ofSource))) return version
  }
  return undefined
}
