/** The table of key types. */
import { invalid } from '../../../core/base/errors.ts'
import type { Environment } from '../../../core/contract/environment.ts'
import { aeadType } from './aead.ts'
import { DEFERRED_TYPES } from './deferred-types.ts'
import { hmacType } from './hmac.ts'
import { type ArchiveNumbers, sameNumber } from './key-codec.ts'
import type { KeyType } from './key-type.ts'

export const KEY_TYPES = {
  'aes128-gcm96': aeadType('aes-gcm', 16, 12, sameNumber(8)),
  'aes256-gcm96': aeadType('aes-gcm', 32, 12, sameNumber(0)),
  'chacha20-poly1305': aeadType('chacha20-poly1305', 32, 12, sameNumber(5)),
  'xchacha20-poly1305': aeadType('xchacha20-poly1305', 32, 24, { openbao: 11 }),
  ...DEFERRED_TYPES,
  hmac: hmacType,
} as const satisfies Readonly<Record<string, KeyType>>

export type KeyTypeName = keyof typeof KEY_TYPES

/** The symmetric types. `encrypt` can create a missing key of these types, and a key agreement can produce keys of these types. */
export type SymmetricKeyType = Extract<KeyTypeName, `${string}-gcm96` | `${string}-poly1305`>

export const DEFAULT_KEY_TYPE: KeyTypeName = 'aes256-gcm96'
export const KEY_TYPE_NAMES = /* @__PURE__ */ Object.keys(KEY_TYPES) as readonly KeyTypeName[]

/** @throws KernelError 400 for a type that the option `fips` excludes */
export function checkFips({ fips }: Environment, name: KeyTypeName): void {
  if (fips && !KEY_TYPES[name].fips) throw invalid(`type: keys of type ${name} are not allowed with the option fips`)
}

export const isKeyType = (name: string): name is KeyTypeName => Object.hasOwn(KEY_TYPES, name)

export const keyType = (name: KeyTypeName): KeyType => KEY_TYPES[name]

/**
 * Estimated cost of importing or exporting one version. For key pairs it is about the cost of a signature, and noble may parse the keys, so
 * the estimate is that of noble.
 */
export const transferMicroseconds = (env: Environment, name: KeyTypeName): number =>
  20 + 2 * KEY_TYPES[name].costs(env, true).sign

/** Returns the types that have this number in backups of Vault or OpenBao. */
export const typesOfNumber = (number: number): readonly KeyTypeName[] =>
  KEY_TYPE_NAMES.filter((name) => {
    const { openbao, vault } = KEY_TYPES[name].numbers as ArchiveNumbers
    return number === openbao || number === vault
  })
