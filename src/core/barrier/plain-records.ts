/**
 * Records in the clear, for a store whose owner has said that nothing in it needs to be kept secret.
 *
 * Record: byte 255, which begins no record of the barrier, value.
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
  // Copying takes no time that others would wait for.
  // biome-ignore lint/correctness/useYield: there is nothing to pause for.
  *encodeSteps(_key, value): Steps<Uint8Array> {
    return encode(_key, value)
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
  if (record[0] !== PLAIN) throw new KernelError('ERR_INTERNAL', `the stored value of ${key.slice(0, 120)} is not in the clear`)
  // The reader owns what it gets.
  return record.slice(1)
}
