/** JSON with integers of any size, since backups contain RSA and ECDSA keys as numbers with hundreds of digits. */
import { encodeBase64 } from '../../../core/base/base64.ts'
import { invalid, KernelError } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { type JsonLimits, parseJson } from '../../../core/json/json.ts'

const LIMITS: JsonLimits = {
  /** Maximum levels of nesting; a backup has seven. */
  levels: 32,
  /** Maximum number of values. 9,000 versions of the largest keys, each stored twice, have fewer. */
  values: 450_000,
  /** Maximum digits of a number; the largest number of an RSA-4096 key has 1,234. */
  numberBytes: 1300,
  beyondDouble: true,
  repeatedNames: true,
}

/** @throws KernelError 400 for text that is not JSON or exceeds the limits of a backup */
export function* parseBigJson(text: Uint8Array, name: string): Steps<unknown> {
  try {
    return yield* parseJson(text, LIMITS)
  } catch (error) {
    throw error instanceof KernelError ? invalid(`${name}: ${error.message}`) : error
  }
}

/** The integer that {@link parseBigJson} read; undefined for any other value. */
export function bigOf(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value
  return Number.isSafeInteger(value) ? BigInt(value as number) : undefined
}

/** JSON text that {@link printBigJson} inserts unchanged. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type BigJson =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | JsonText
  | readonly BigJson[]
  | { readonly [name: string]: BigJson | undefined }

/** Bytes are printed as base64; undefined members are omitted. */
export function printBigJson(value: BigJson): string {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof JsonText) return value.text
  if (value instanceof Uint8Array) return `"${encodeBase64(value)}"`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isList(value)) return `[${value.map(printBigJson).join(',')}]`
  const members: string[] = []
  for (const [name, member] of Object.entries(value))
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${printBigJson(member)}`)
  return `{${members.join(',')}}`
}

const isList = (value: object): value is readonly BigJson[] => Array.isArray(value)
