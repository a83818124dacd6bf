/**
 * Wrapping tokens as signed JWTs, which tell who reads them where they are from (RFC 7519, ES512 of RFC 7518).
 * Room: core/wrapping. Imported by the wrapping tokens.
 */
import { fromUtf8, toUtf8 } from '../bytes.ts'
import type { CryptoBackend, EcdsaSignKey, EcdsaVerifyKey, Wipeable } from '../crypto/backend.ts'
import { ecSpkiPem } from '../crypto/spki.ts'
import type { SecretKind } from '../transaction/record-kind.ts'
import type { Tx } from '../transaction/tx.ts'

/** The private scalar, at `r/core/wrapping-key/jwt/1`; made when the first is signed. */
const KEY: SecretKind = { class: 'r', folder: 'wrapping-key', format: 1 }
const OWNER = 'jwt'
const CURVE = 'P-521'
const HASH = 'sha2-512'
const HEDGE_BYTES = 32
/** Clocks of readers may go slow by so much. */
const SKEW_SECONDS = 5
/** Tokens have less than 600 characters. */
const LONGEST = 4096

/** Three parts, and neither the first nor the third character a dot: `s.x.y` is a token of a namespace. */
export const isJwt = (text: string): boolean => /^[^.][^.]*\.[^.]*\.[^.]*$/.test(text) && text[1] !== '.'

interface Claims {
  /** The wrapping token itself. */
  readonly jti: string
  /** Of the token that is wrapped, or empty. */
  readonly accessor: string
  readonly ttl: number
}

class JwtKey implements Wipeable {
  readonly #crypto: CryptoBackend
  readonly #signing: EcdsaSignKey
  #verifying: EcdsaVerifyKey | undefined

  constructor(scalar: Uint8Array, crypto: CryptoBackend) {
    this.#crypto = crypto
    this.#signing = crypto.ecdsaSign(CURVE, scalar)
  }

  get publicKey(): string {
    return ecSpkiPem(CURVE, this.#signing.publicKey)
  }

  sign(text: string, hedge: Uint8Array): Uint8Array {
    return this.#signing.signDigest(this.#crypto.hash(HASH).digest(toUtf8(text)), hedge)
  }

  verify(text: string, signature: Uint8Array): boolean {
    this.#verifying ??= this.#crypto.ecdsaVerify(CURVE, this.#signing.publicKey)
    return this.#verifying.verifyDigest(signature, this.#crypto.hash(HASH).digest(toUtf8(text)))
  }

  wipe(): void {
    this.#signing.wipe()
  }
}

const openKey = (scalar: Uint8Array, crypto: CryptoBackend): JwtKey => new JwtKey(scalar, crypto)
const existingKey = (tx: Tx): JwtKey | undefined => tx.secret(KEY, OWNER, 1, openKey, tx.env.crypto)

function keyOf(tx: Tx): JwtKey {
  const known = existingKey(tx)
  if (known) return known
  tx.putSecret(
    KEY,
    OWNER,
    1,
    tx.env.crypto.ecdsaGenerate(CURVE, (n) => tx.env.entropy.bytes(n)),
  )
  return existingKey(tx) as JwtKey
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

/** In a write: the first one makes the key. */
export function signJwt(tx: Tx, { jti, accessor, ttl }: Claims): string {
  const now = Math.floor(tx.now / 1000)
  const header = encode({ alg: 'ES512', typ: 'JWT' })
  const claims = encode({ accessor, addr: '', exp: now + ttl, iat: now, jti, nbf: now - SKEW_SECONDS, type: 'wrapping' })
  const signature = keyOf(tx).sign(`${header}.${claims}`, tx.env.entropy.bytes(HEDGE_BYTES))
  return `${header}.${claims}.${Buffer.from(signature).toString('base64url')}`
}

/** The wrapping token inside, or undefined for everything that this store did not sign. */
export function openJwt(tx: Tx, text: string): string | undefined {
  const [header = '', claims = '', signature = ''] = text.split('.')
  const key = text.length > LONGEST ? undefined : existingKey(tx)
  if (!key?.verify(`${header}.${claims}`, Buffer.from(signature, 'base64url'))) return undefined
  const { jti, type } = JSON.parse(fromUtf8(Buffer.from(claims, 'base64url'))) as { jti: string; type: string }
  return type === 'wrapping' ? jti : undefined
}

/** PEM. The key is made when it is first asked for. */
export const jwtPublicKey = (tx: Tx): string => keyOf(tx).publicKey
