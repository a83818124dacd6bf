/**
 * Records in plaintext, for a store whose owner has declared that it contains no secrets.
 *
 * A record is byte 255, then the value. No barrier record begins with byte 255.
 */
import { KernelError } from '../base/errors.ts'
import type { Steps } from '../base/steps.ts'
import type { RecordCipher } from './record-cipher.ts'

const PLAIN = 0xff

export const PLAIN_RECORDS: RecordCipher = {
  open: true,
  encode,
  encodeAll: (keys, values) => keys.map((key, index) => encode(key, values[index] as Uint8Array)),
  decode,
  // Copying is too fast to need a pause.
  // biome-ignore lint/correctness/useYield: there is nothing to pause for.
  *encodeSteps(key, value): Steps<Uint8Array> {
    return encode(key, value)
  },
  // biome-ignore lint/correctness/useYield: there is nothing to pause for.
  *decodeSteps(key, record): Steps<Uint8Array> {
    return decode(key, record)
  },
}

function encode(_key: string, value: Uint8Array): Uint8Array {
  const record = new Uint8Array(value.length + 1)
  record[0] = PLAIN
  record.set(value, 1)
  return record
}

function decode(key: string, record: Uint8Array): Uint8Array {
  if (record[0] !== PLAIN) throw new KernelError('ERR_INTERNAL', `the stored value of ${key.slice(0, 120)} is not plaintext`)
  // Return a copy, because the result belongs to the reader.
  return record.slice(1)
}
