/** Record kinds and their encodings. */
import { fromUtf8, toUtf8 } from '../base/bytes.ts'
import { KernelError } from '../base/errors.ts'
import { fromUtf8Steps } from '../base/long-text.ts'
import { deepFreeze } from '../base/state.ts'
import type { Steps } from '../base/steps.ts'

/**
 * The record class, which is the first segment of every storage key. `r`: replicated to all secondaries; `l`: replicated to DR secondaries
 * only; `i`: never replicated. Code that copies the records of one class cannot read or write the records of another class.
 */
export type KeyClass = 'r' | 'l' | 'i'

export interface RecordKind<T> {
  /** The record class. In a local mount, records of a kind with class `r` are stored with class `l`. */
  readonly class: KeyClass
  /** One path segment below the mount, unique among the kinds of the engine. Record ids may contain slashes; the folder must not. */
  readonly folder: string
  /**
   * The version of the stored form, which is the first byte of every record. A record with a newer version is refused; a record with an
   * older version is passed to `decode`.
   */
  readonly format: number
  /**
   * Whether every commit that creates or deletes a record of the kind also writes the guard record of the folder. A write that used
   * `tx.list` then conflicts if another commit has changed the list.
   */
  readonly guarded: boolean
  encode(value: T): Uint8Array
  /** For kinds whose values are strings: returns the string that {@link encode} encodes as UTF-8. */
  text?(value: T): string
  /** Decodes a record. The result must be frozen, because all readers share it. */
  decode(bytes: Uint8Array, format: number): T
  /**
   * Like {@link decode}, for kinds whose values are strings and for long records: a generator that yields to the event loop while it
   * decodes.
   */
  readonly decodeSteps?: (bytes: Uint8Array) => Steps<T>
}

/**
 * A kind for key material, with one binary record per key version. Caches contain only the usable object that is built from the record,
 * never the bytes.
 */
export interface SecretKind {
  readonly class: KeyClass
  readonly folder: string
  readonly format: number
}

export interface JsonRecordOptions<T> {
  readonly class?: KeyClass
  readonly folder: string
  readonly guarded?: boolean
  readonly format?: number
  /** Converts a record that has an older format to the current format. */
  readonly migrate?: (old: unknown, format: number) => T
}

/** A kind for metadata, stored as JSON. Never use it for key material, because strings cannot be wiped. */
export function jsonRecord<T>(options: JsonRecordOptions<T>): RecordKind<T> {
  const format = options.format ?? 1
  const text = (value: T): string => JSON.stringify(value)
  return {
    class: options.class ?? 'r',
    folder: options.folder,
    format,
    guarded: options.guarded ?? false,
    encode: (value) => toUtf8(text(value)),
    text,
    decode: (bytes, found) => {
      const value: unknown = JSON.parse(fromUtf8(bytes))
      return deepFreeze(found === format || !options.migrate ? (value as T) : options.migrate(value, found))
    },
  }
}

/** A kind for strings, such as a JSON document that must keep every digit. */
export function textRecord(options: { readonly class?: KeyClass; readonly folder: string }): RecordKind<string> {
  return {
    class: options.class ?? 'r',
    folder: options.folder,
    format: 1,
    guarded: false,
    encode: toUtf8,
    text: (value) => value,
    decode: fromUtf8,
    decodeSteps: fromUtf8Steps,
  }
}

/** Puts the format byte before the bytes of a record. The format byte is encrypted together with the record. */
export function withFormat(format: number, bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length + 1)
  out[0] = format
  out.set(bytes, 1)
  return out
}

/** The greatest code point that UTF-8 encodes in one byte. */
const LAST_ASCII = 0x7f

/**
 * Returns the stored form of a value, equal to the result of {@link withFormat}. If the values of the kind are strings, the format byte and
 * the value are encoded together, which avoids a copy of the value.
 */
export const encodeRecord = <T>(kind: RecordKind<T>, value: T): Uint8Array =>
  kind.text && kind.format <= LAST_ASCII
    ? toUtf8(String.fromCharCode(kind.format) + kind.text(value))
    : withFormat(kind.format, kind.encode(value))

/** Separates the format byte from the bytes of the record. @throws KernelError ERR_INTERNAL for a record that a newer release wrote. */
export function splitFormat(
  kind: { readonly format: number; readonly folder: string },
  stored: Uint8Array,
): [number, Uint8Array] {
  const format = stored[0] ?? 0
  if (format < 1 || format > kind.format) {
    throw new KernelError(
      'ERR_INTERNAL',
      `a stored ${kind.folder} record has format ${format}; this release reads up to ${kind.format}`,
    )
  }
  return [format, stored.subarray(1)]
}

/** Decodes a stored record. @throws KernelError as {@link splitFormat}. */
export function decodeRecord<T>(
  kind: { readonly format: number; readonly folder: string; decode(bytes: Uint8Array, format: number): T },
  stored: Uint8Array,
): T {
  const [format, bytes] = splitFormat(kind, stored)
  return kind.decode(bytes, format)
}
