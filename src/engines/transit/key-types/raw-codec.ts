/** Import and export of keys that are plain bytes: symmetric keys and HMAC keys. */
import { encodeBase64 } from '../../../core/base/base64.ts'
import { invalid } from '../../../core/base/errors.ts'
import {
  BACKUP_PARAMETER,
  type IncomingKey,
  type KeyCodec,
  missingKey,
  unsupportedFormat,
  WRAPPED_PARAMETER,
} from './key-codec.ts'

export function rawCodec(least: number, most = least): KeyCodec {
  const size = least === most ? `${least}` : `${least} to ${most}`
  const take = (bytes: Uint8Array, what: string): IncomingKey => {
    if (bytes.length < least || bytes.length > most)
      throw invalid(`${what}: keys of this type must have ${size} bytes, not ${bytes.length}`)
    return { key: bytes.slice(), publicKey: '', publicOnly: false }
  }
  return {
    counterMode: true,
    fromWrapped: (_crypto, bytes) => take(bytes, WRAPPED_PARAMETER),
    toWrapped: (_crypto, key) => key.slice(),
    toText: (_crypto, key, format) => {
      if (format !== '' && format !== 'raw') throw unsupportedFormat(format)
      return encodeBase64(key)
    },
    fromArchive: (_crypto, { key }) => {
      if (!key) throw missingKey()
      return take(key, BACKUP_PARAMETER)
    },
    toArchive: (_crypto, key) => ({ key: key.slice(), public_key: '' }),
    publicKey: undefined,
  }
}
