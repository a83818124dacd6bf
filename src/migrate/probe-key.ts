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

/** Whether `to` accepts what `from` made with a version of the key. */
async function accepts(
  from: Caller,
  to: Caller,
  { mount, name }: MigrationItem,
  key: KeyInfo,
  version: number,
): Promise<boolean> {
  const at = (operation: string) => `${pathOf(mount)}${operation}/${pathOf(name)}`
  const input = randomBytes(24).toString('base64')
  const context = key.derived ? { context: randomBytes(24).toString('base64') } : {}
  if (key.supports_encryption) {
    const made = await call(from, at('encrypt'), { plaintext: input, key_version: version, ...context })
    const opened = await call(to, at('decrypt'), { ciphertext: made?.['ciphertext'], ...context })
    return opened?.['plaintext'] === input
  }
  const signing = key.supports_signing ? 'sign' : 'hmac'
  const member = key.supports_signing ? 'signature' : 'hmac'
  const made = await call(from, at(signing), { input, key_version: version, ...context })
  const checked = await call(to, at('verify'), { input, [member]: made?.[member], ...context })
  return checked?.['valid'] === true
}

/** Returns the first version whose probe fails in either direction, or undefined. @param last The last version to be tested. */
export async function failedProbe(
  { from, to }: Sides,
  item: MigrationItem,
  key: KeyInfo,
  last: number,
): Promise<number | undefined> {
  const first = Math.max(1, key.min_available_version, key.min_decryption_version, key.min_encryption_version)
  for (let version = first; version <= last; version++) {
    if (!(await accepts(from, to, item, key, version))) return version
    if (!(await accepts(to, from, item, key, version))) return version
  }
  return undefined
}
