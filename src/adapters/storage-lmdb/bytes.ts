/**
 * The encoding of records in the tables.
 *
 * A key is UTF-8, and LMDB compares keys byte by byte. A number takes 8 bytes, big-endian, so that keys made of numbers sort by value. A
 * record is its version followed by its value.
 */
import type { Entry } from '../../core/storage/port.ts'

const NUMBER_BYTES = 8

export const keyBytes = (key: string): Buffer => Buffer.from(key, 'utf8')

export function writeNumber(target: Buffer, value: number, at = 0): void {
  target.writeUInt32BE(Math.floor(value / 2 ** 32), at)
  target.writeUInt32BE(value % 2 ** 32, at + 4)
}

export const readNumber = (source: Buffer, at = 0): number => source.readUInt32BE(at) * 2 ** 32 + source.readUInt32BE(at + 4)

export function numberBytes(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * NUMBER_BYTES)
  values.forEach((value, index) => {
    writeNumber(bytes, value, index * NUMBER_BYTES)
  })
  return bytes
}

/** Copies `value` with space before it for its version, which is known only inside the write transaction. */
export function withVersionSpace(value: Uint8Array): Buffer {
  const record = Buffer.allocUnsafe(NUMBER_BYTES + value.length)
  record.set(value, NUMBER_BYTES)
  return record
}

/** Copies the value out of LMDB's own buffer, which the next read overwrites. */
export function toEntry(key: string, record: Buffer): Entry {
  // lmdb sets `length` on this buffer at every read. Methods such as `subarray(start)` ignore that length, so pass the end explicitly.
  const value = new Uint8Array(record.length - NUMBER_BYTES)
  value.set(record.subarray(NUMBER_BYTES, NUMBER_BYTES + value.length))
  return { key, value, version: readNumber(record) }
}

/** The smallest key that is larger than all keys with this prefix. The last byte can be incremented, because no byte of UTF-8 is 0xff. */
export function endOfPrefix(prefix: string): Buffer {
  const bytes = keyBytes(prefix)
  if (bytes.length === 0) return Buffer.from([0xff])
  bytes[bytes.length - 1]!++
  return bytes
}

/** The smallest key that is larger than this key. */
export const keyAfter = (key: string): Buffer => Buffer.concat([keyBytes(key), Buffer.from([0])])
