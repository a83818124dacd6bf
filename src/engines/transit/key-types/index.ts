/** The table of key types. */
import { invalid } from '../../../core/base/errors.ts'
import type { Environment } from '../../../core/contract/environment.ts'
import { aeadType } from './aead.ts'
import { ecdsaType } from './ecdsa.ts'
import { ed25519Type } from './ed25519.ts'
import { hmacType } from './hmac.ts'
import type { ArchiveNumbers } from './key-codec.ts'
import type { KeyType } from './key-type.ts'
import { managedType } from './managed.ts'
import { rsaType } from './rsa.ts'

/** The backup numbers of a key type that has the same number in OpenBao and Vault. */
const sameNumber = (number: number): ArchiveNumbers => ({ openbao: number, vault: number })

export const KEY_TYPES = {
  'aes128-gcm96': aeadType('aes-gcm', 16, 12, sameNumber(8)),
  'aes256-gcm96': aeadType('aes-gcm', 32, 12, sameNumber(0)),
  'chacha20-poly1305': aeadType('chacha20-poly1305', 32, 12, sameNumber(5)),
  'xchacha20-poly1305': aeadType('xchacha20-poly1305', 32, 24, { openbao: 11 }),
  ed25519: ed25519Type,
  'ecdsa-p256': ecdsaType('P-256', 32, sameNumber(1), { sign: 600, verify: 2000 }),
  'ecdsa-p384': ecdsaType('P-384', 48, sameNumber(6), { sign: 1200, verify: 5000 }),
  'ecdsa-p521': ecdsaType('P-521', 66, sameNumber(7), { sign: 1800, verify: 9000 }),
  'rsa-2048': rsaType(2048, 'rsa-2048', sameNumber(3), { encrypt: 30, decrypt: 400, sign: 400, verify: 40 }),
  'rsa-3072': rsaType(3072, 'rsa-3072', sameNumber(9), { encrypt: 50, decrypt: 1800, sign: 1800, verify: 60 }),
  'rsa-4096': rsaType(4096, 'rsa-4096', sameNumber(4), { encrypt: 80, decrypt: 4000, sign: 4000, verify: 80 }),
  hmac: hmacType,
  managed_key: managedType,
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

/** Estimated cost of importing or exporting one version. For key pairs it is about the cost of a signature. */
export const transferMicroseconds = (name: KeyTypeName): number => 20 + 2 * KEY_TYPES[name].costs.sign

/** Returns the types that have this number in backups of Vault or OpenBao. */
export const typesOfNumber = (number: number): readonly KeyTypeName[] =>
  KEY_TYPE_NAMES.filter((name) => {
    const { openbao, vault } = KEY_TYPES[name].codec.numbers as ArchiveNumbers
    return number === openbao || number === vault
  })
