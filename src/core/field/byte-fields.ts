/** Fields whose values are bytes. On the wire, the bytes are encoded as strings. `fields.ts` documents each field type. */
import { decodeBase64, decodeBase64Steps, encodeBase64, LONG_BASE64 } from '../base/base64.ts'
import { plainBytes } from '../base/bytes.ts'
import { invalid } from '../base/errors.ts'
import { toHex } from '../base/identifiers.ts'
import { checkShare, readShare } from '../crypto/shamir/shares.ts'
import { coerceText, strictText, typedText, typeError } from './coercion.ts'
import { type Builder, buildField } from './field.ts'

export const bytesField = (description: string): Builder<Uint8Array> =>
  buildField({
    fromTyped: (value, name) => {
      if (value instanceof Uint8Array) return plainBytes(value)
      throw typeError(name, 'a Uint8Array')
    },
    coerce: coerceText,
    strict: strictText,
    decode: (given, name) => (given instanceof Uint8Array ? given : decodeBase64(given as string, name)),
    isLong: (given) => typeof given === 'string' && given.length > LONG_BASE64,
    decodeSteps: (text, name) => decodeBase64Steps(text as string, name),
    encode: encodeBase64,
    description,
    schema: { type: 'string', format: 'byte' },
  })

export const formattedBytesField = (description: string): Builder<Uint8Array> =>
  buildField({
    ...bytesField(description),
    encode: (value, { format }) => (format === 'hex' ? toHex(value) : encodeBase64(value)),
    schema: { type: 'string' },
  })

export const shareField = (description: string): Builder<Uint8Array, Uint8Array | string> =>
  buildField({
    fromTyped: (value, name) => {
      if (value instanceof Uint8Array) return checkShare(plainBytes(value).slice())
      return readShare(typedText(value, name))
    },
    coerce: strictText,
    decode: (value, name) => {
      if (value === '') throw invalid(`${name}: must be specified in the request body`)
      return readShare(value as string)
    },
    description,
    schema: { type: 'string' },
  })
