import { memberLines } from '../align-columns.ts'
import { command } from '../command.ts'
import { usageError } from '../command-error.ts'

export const inspect = command({
  name: 'inspect',
  summary: 'Show what a ciphertext, signature or HMAC reveals without its key',
  details: `The text does not contain the key type. So the command lists what the text can be by its length: the nonce is shown as it would be
for each of these types. No config is needed.`,
  positionals: [{ name: 'ciphertext', summary: 'The text, or - to read it from standard input' }],
  example: 'inspect strongroom:v1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  async run({ args, session }) {
    const [given] = args as readonly [string]
    const text = given === '-' ? await session.secrets.read({ what: 'ciphertext', file: '-' }) : given
    const data = inspectText(text.trim())
    const forms = data.forms.map(({ form, nonce, plaintext_bytes }) =>
      nonce === undefined ? form : `${form}, nonce ${nonce}, ${plaintext_bytes} bytes of plaintext`,
    )
    return {
      data,
      text: [...memberLines({ ...data, forms: undefined }), 'can be:', ...forms.map((form) => `  ${form}`)].join('\n'),
    }
  },
})

/** A kind of text that has the length of the inspected text. */
export interface PossibleForm {
  readonly form: string
  /** In hexadecimal. */
  readonly nonce?: string
  readonly plaintext_bytes?: number
}

export interface InspectedText {
  readonly prefix: string
  readonly key_version: number
  /** The length of the text. */
  readonly characters: number
  /** The length of the content. */
  readonly bytes: number
  readonly forms: readonly PossibleForm[]
}

const TEXT = /^([A-Za-z0-9][A-Za-z0-9._-]*):v([1-9]\d{0,9}):([A-Za-z0-9+/_-]+={0,2})$/

/** @throws CommandError `usage` if the text does not have the form `<prefix>:v<version>:<base64>`. */
export function inspectText(text: string): InspectedText {
  const [, prefix, version, content] = TEXT.exec(text) ?? []
  if (prefix === undefined || version === undefined || content === undefined)
    throw usageError('<ciphertext>: must have the form <prefix>:v<version>:<base64>')
  const isUrlForm = /[-_]/.test(content)
  const bytes = Buffer.from(content, isUrlForm ? 'base64url' : 'base64')
  return {
    prefix,
    key_version: Number(version),
    characters: text.length,
    bytes: bytes.length,
    forms: [...signatureForms(bytes), ...ciphertextForms(bytes)],
  }
}

const TAG_BYTES = 16
const NONCES = [
  { bytes: 12, types: 'AES-GCM or ChaCha20-Poly1305' },
  { bytes: 24, types: 'XChaCha20-Poly1305' },
]

const ciphertextForms = (bytes: Uint8Array): readonly PossibleForm[] =>
  NONCES.filter((nonce) => bytes.length >= nonce.bytes + TAG_BYTES).map((nonce) => ({
    form: `ciphertext with ${nonce.types}`,
    nonce: Buffer.from(bytes.subarray(0, nonce.bytes)).toString('hex'),
    plaintext_bytes: bytes.length - nonce.bytes - TAG_BYTES,
  }))

const RSA_BYTES: Readonly<Record<number, string>> = { 256: '2048', 384: '3072', 512: '4096' }
const HMAC_HASHES: Readonly<Record<number, string>> = { 20: 'SHA-1', 28: 'SHA-224', 32: 'SHA-256', 48: 'SHA-384', 64: 'SHA-512' }
/** The curve by the length of a signature in JWS form: two numbers of the length of the curve's order. */
const JWS_CURVES: Readonly<Record<number, string>> = { 64: 'P-256', 96: 'P-384', 132: 'P-521' }

function signatureForms(bytes: Uint8Array): readonly PossibleForm[] {
  const { length } = bytes
  const forms: string[] = []
  if (length === 64) forms.push('Ed25519 signature')
  if (JWS_CURVES[length]) forms.push(`ECDSA signature in JWS form, curve ${JWS_CURVES[length]}`)
  if (isDerSequence(bytes)) forms.push('ECDSA signature in DER form')
  if (RSA_BYTES[length]) forms.push(`RSA signature or RSA-OAEP ciphertext, ${RSA_BYTES[length]} bits`)
  if (HMAC_HASHES[length]) forms.push(`HMAC with ${HMAC_HASHES[length]}`)
  return forms.map((form) => ({ form }))
}

/** Whether the bytes are exactly one DER sequence that begins with an integer. Sequences of up to 139 bytes, as long as those of P-521. */
function isDerSequence(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x30) return false
  const isLongForm = bytes[1] === 0x81
  const head = isLongForm ? 3 : 2
  const length = isLongForm ? bytes[2] : bytes[1]
  return length === bytes.length - head && bytes[head] === 0x02
}
