/** Wrapping tokens as signed JWTs. Clients can verify which kernel created them (RFC 7519; ES512 of RFC 7518). */
import type { Allowance } from '../../base/allowance.ts'
import { decodeBase64Url, encodeBase64Url } from '../../base/base64.ts'
import { fromUtf8, toUtf8 } from '../../base/bytes.ts'
import type { Entropy } from '../../base/entropy.ts'
import type { CoreSecretKind } from '../../contract/core-record.ts'
import { KernelService } from '../../contract/kernel-service.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import type { CryptoBackend, EcdsaSignKey, EcdsaVerifyKey, Wipeable } from '../../crypto/backend.ts'
import { NIST_CURVES } from '../../crypto/curves/curve-code.ts'
import { ecSpkiPem } from '../../crypto/spki.ts'
import { isWrapping } from '../policies.ts'
import { TOKEN } from '../token/token.ts'
import { TOKEN_SALT } from '../token/token-id.ts'

/** Stored at `r/core/wrapping-key/jwt/1`: the private scalar, created when the first token is signed. */
const KEY: CoreSecretKind = { class: 'r', folder: 'wrapping-key', format: 1 }

const OWNER = 'jwt'

const CURVE = 'P-521'

const HASH = 'sha2-512'

/** `nbf` is this many seconds before the creation, for clients whose clocks are slow. */
const SKEW_SECONDS = 5

/** A signed wrapping token has fewer than 600 characters. If it contains an address and a key, it has up to 512 more. */
const MAX_JWT_CHARACTERS = 1280

/** The 132 bytes of r and s fill 176 characters exactly, so each signature has only one encoding. */
const SIGNATURE = /^[A-Za-z0-9_-]{176}$/

/**
 * The maximum number of failed verifications per second for requests without another token. A verification takes 7 to 15 ms, so failed
 * verifications take less than a tenth of a processor's time. A signature is verified only if the claims match a valid wrapping token.
 */
export const WRONG_SIGNATURES_PER_SECOND = 5

/** Limits failed verifications. */
export const WRAPPING_SIGNATURE_ALLOWANCE = /* @__PURE__ */ new KernelService<Allowance>()

/**
 * Whether a string may be a JWT: it has three parts, is not too long, and its first and second characters are not dots. The second
 * character matters because `s.x.y` is a token of a namespace.
 */
export const isJwt = (text: string): boolean =>
  text.length <= MAX_JWT_CHARACTERS && /^[^.][^.]*\.[^.]*\.[^.]*$/.test(text) && text[1] !== '.'

interface Claims {
  /** The wrapping token itself. */
  readonly jti: string
  /** The accessor of the wrapped token; empty if the wrapped answer contains no token. */
  readonly accessor: string
}

type Basis = Pick<TokenRecord, 'created' | 'creation_ttl' | 'meta'>

const encode = (part: object): string => encodeBase64Url(toUtf8(JSON.stringify(part)))

const HEADER = /* @__PURE__ */ encode({ alg: 'ES512', typ: 'JWT' })

/** The text that is signed. Each wrapping token has exactly one such text. */
function signedText({ jti, accessor }: Claims, { created, creation_ttl, meta }: Basis): string {
  const iat = Math.floor(created / 1000)
  const { addr = '', key } = meta ?? {}
  const times = { exp: iat + creation_ttl, iat }
  const claims = { accessor, addr, ...times, jti, ...(key ? { key } : {}), nbf: iat - SKEW_SECONDS, type: 'wrapping' }
  return `${HEADER}.${encode(claims)}`
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

  sign(text: string, entropy: Entropy): Uint8Array {
    return this.#signing.signMessage(toUtf8(text), HASH, entropy)
  }

  verify(text: string, signature: Uint8Array): boolean {
    this.#verifying ??= this.#crypto.ecdsaVerify(CURVE, this.#signing.publicKey)
    return this.#verifying.verifyMessage(signature, toUtf8(text), HASH)
  }

  wipe(): void {
    this.#signing.wipe()
  }
}

const openKey = (scalar: Uint8Array, crypto: CryptoBackend): JwtKey => new JwtKey(scalar, crypto)

function existingKey(tx: Tx): JwtKey | undefined {
  NIST_CURVES.assertLoaded()
  return tx.secret(KEY, OWNER, 1, openKey, tx.env.crypto)
}

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

/** Must run in a write transaction, because the first call creates the key. */
export function signJwt(tx: Tx, claims: Claims, record: Basis): string {
  const text = signedText(claims, record)
  return `${text}.${encodeBase64Url(keyOf(tx).sign(text, tx.env.entropy))}`
}

/**
 * Returns the wrapping token inside a JWT. Undefined if this store did not sign the JWT. The cheap checks run before the signature is
 * verified: the header, the length of the signature, and whether the claims match a valid wrapping token. A caller can thus find out
 * whether a wrapping token is valid, but a caller who knows a wrapping token could also use it directly.
 * @throws KernelError 429 if too many signatures were wrong recently. Callers with a token do not get this error.
 */
export function openJwt(tx: Tx, text: string): string | undefined {
  const [header, body = '', signature = ''] = text.split('.')
  if (header !== HEADER || !SIGNATURE.test(signature)) return undefined
  const claims = claimsIn(body)
  const record = claims && tx.get(TOKEN, TOKEN_SALT.of(tx).id(claims.jti))
  if (!claims || !record || !mayBeGood(record, tx.now)) return undefined
  const signed = signedText(claims, record)
  if (signed !== `${header}.${body}`) return undefined
  return isSigned(tx, record, signed, signature) ? claims.jti : undefined
}

function claimsIn(body: string): Claims | undefined {
  try {
    const { jti, accessor } = JSON.parse(fromUtf8(decodeBase64Url(body, 'token'))) as Partial<Record<keyof Claims, unknown>>
    return typeof jti === 'string' && typeof accessor === 'string' ? { jti, accessor } : undefined
  } catch {
    // The part is not base64url, UTF-8 or a JSON object, so this kernel did not create the token.
    return undefined
  }
}

/** Whether the token may be valid. Also true while its only use is in progress. */
const mayBeGood = (token: TokenRecord, now: number): boolean =>
  isWrapping(token) && token.state === 'live' && token.expires !== null && now < token.expires

/** The last verified JWT of each token, so that a repeated check needs no verification. */
const verified = new WeakMap<TokenRecord, string>()

function isSigned(tx: Tx, record: TokenRecord, signed: string, signature: string): boolean {
  const text = `${signed}.${signature}`
  if (verified.get(record) === text) return true
  const key = existingKey(tx)
  if (!key) return false
  const allowance = WRAPPING_SIGNATURE_ALLOWANCE.of(tx)
  const stranger = tx.call.caller.kind !== 'token'
  if (stranger) allowance.take()
  if (!key.verify(signed, decodeBase64Url(signature, 'token'))) return false
  if (stranger) allowance.giveBack()
  verified.set(record, text)
  return true
}

/** The public key as PEM. The first call creates the key. */
export const jwtPublicKey = (tx: Tx): string => keyOf(tx).publicKey
