/**
 * The kinds of records that an engine keeps, and their encoding.
 */
import { fromUtf8, toUtf8 } from '../base/bytes.ts'
import { KernelError } from '../base/errors.ts'
import { fromUtf8Steps } from '../base/long-text.ts'
import { deepFreeze } from '../base/state.ts'
import type { Steps } from '../base/steps.ts'

/**
 * The first segment of every physical key: `r` is replicated, `l` is local to the cluster, `i` never leaves this store.
 * Code that copies one class cannot address another.
 */
export type KeyClass = 'r' | 'l' | 'i'

export interface RecordKind<T> {
  /** Kinds of class `r` lie in class `l` where their mount is local. */
  readonly class: KeyClass
  /** One path segment below the mount, of no other kind of the engine whatever its class; ids may contain slashes, the folder may not. */
  readonly folder: string
  /**
   * Version of the stored form, written in front of every record. A newer version is refused, an older one is passed to `decode`.
   */
  readonly format: number
  /** Creates and deletes write the folder's guard, so that a write may rely on `tx.list`. */
  readonly guarded: boolean
  encode(value: T): Uint8Array
  /** The text that {@link encode} gives the bytes of, for kinds whose records are texts. */
  text?(value: T): string
  /** Decodes a record. The result must be frozen, because all readers share it. */
  decode(bytes: Uint8Array, format: number): T
  /** Decodes long records in steps, for kinds whose values are texts. */
  readonly decodeSteps?: (bytes: Uint8Array) => Steps<T>
}

/** Key material: one binary record per version, built into a usable object and cached only as that object, never as bytes. */
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
  /** Turns a record of an older format into the present one. */
  readonly migrate?: (old: unknown, format: number) => T
}

/** Metadata as JSON. Never for key material: its strings could not be wiped. */
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

/** Plain text, such as a JSON document whose every digit counts. */
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

/** Puts the format in front of a record's bytes; both are sealed together. */
export function withFormat(format: number, bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length + 1)
  out[0] = format
  out.set(bytes, 1)
  return out
}

/** The last number that is one byte of UTF-8. */
const LAST_ASCII = 0x7f

/** What is stored of a value: {@link withFormat} of its bytes, made at once where they are those of a text. */
export const encodeRecord = <T>(kind: RecordKind<T>, value: T): Uint8Array =>
  kind.text && kind.format <= LAST_ASCII
    ? toUtf8(String.fromCharCode(kind.format) + kind.text(value))
    : withFormat(kind.format, kind.encode(value))

/** Takes the format off again. @throws KernelError ERR_INTERNAL for a record that a newer release wrote. */
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

/** What a stored record holds. @throws KernelError as {@link splitFormat}. */
export function decodeRecord<T>(
  kind: { readonly format: number; readonly folder: string; decode(bytes: Uint8Array, format: number): T },
  stored: Uint8Array,
): T {
  const [format, bytes] = splitFormat(kind, stored)
  return kind.decode(bytes, format)
}
