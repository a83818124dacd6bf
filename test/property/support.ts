import type { Kernel } from '../../src/index.ts'
import { seededEntropy } from '../../src/testing/index.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'

/** Runs of a fast property, and of one whose run takes many milliseconds. */
export const RUNS = runs({ quick: 30, soak: 1000 })
export const FEW = runs({ quick: 5, soak: 100 })

export const SYMMETRIC = ['aes128-gcm96', 'aes256-gcm96', 'chacha20-poly1305', 'xchacha20-poly1305'] as const
export const RSA = ['rsa-2048', 'rsa-3072', 'rsa-4096'] as const
/** A new key of 4,096 bits takes seconds. */
export const RSA_OF_TIER = RSA.slice(0, runs({ quick: 2, soak: 3 }))
/** The maximum plaintext bytes of OAEP with SHA-256: modulus bytes minus 66 (RFC 8017 section 7.1.1). */
export const RSA_MOST: Readonly<Record<(typeof RSA)[number], number>> = { 'rsa-2048': 190, 'rsa-3072': 318, 'rsa-4096': 446 }
export const HASHES = [
  'sha1',
  'sha2-224',
  'sha2-256',
  'sha2-384',
  'sha2-512',
  'sha3-224',
  'sha3-256',
  'sha3-384',
  'sha3-512',
] as const

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Bytes that depend only on length and seed, so that a failing case is reported as two numbers. */
export const bytesOf = (length: number, seed: number): Uint8Array => seededEntropy(`bytes ${seed}`).bytes(length)

const seed = fc.nat({ max: 1_000_000 })
const BORDERS = [0, 1, 15, 16, 17, 63, 64, 65, 4_095, 4_096, 4_097, 65_535, 65_536, 65_537]
/** Sizes around the limit above which work is done in slices, and the largest size tested. */
const LARGE = [131_071, 131_072, 131_073, 262_145, 1_048_576]

export const small = fc
  .tuple(fc.oneof(fc.nat({ max: 40 }), fc.constantFrom(0, 1, 16, 100, 1000)), seed)
  .map(([n, s]) => bytesOf(n, s))
export const some = fc.tuple(fc.integer({ min: 1, max: 100 }), seed).map(([n, s]) => bytesOf(n, s))
export const anySize = fc
  .tuple(
    fc.oneof(
      { weight: 20, arbitrary: fc.nat({ max: 5_000 }) },
      { weight: 10, arbitrary: fc.constantFrom(...BORDERS) },
      { weight: 1, arbitrary: fc.constantFrom(...LARGE) },
    ),
    seed,
  )
  .map(([n, s]) => bytesOf(n, s))
export const upTo = (most: number) =>
  fc.tuple(fc.oneof(fc.nat({ max: most }), fc.constantFrom(0, 1, most - 1, most)), seed).map(([n, s]) => bytesOf(n, s))

export interface Answer {
  readonly status: number
  readonly data: Readonly<Record<string, unknown>>
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
}

/** Sends a request with the root token and a JSON body. The path may contain a query. */
export async function ask(kernel: Kernel, method: string, path: string, body?: unknown): Promise<Answer> {
  const [below, search] = path.split('?')
  const response = await kernel.handle({
    method,
    path: `/v1/transit/${below}`,
    ...(search === undefined ? {} : { query: Object.fromEntries(new URLSearchParams(search)) }),
    headers: { 'X-Service-Token': kernel.rootToken ?? '' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = (response.body ?? {}) as {
    data?: Answer['data'] | null
    errors?: readonly string[]
    warnings?: readonly string[] | null
  }
  return { status: response.status, data: answer.data ?? {}, errors: answer.errors ?? [], warnings: answer.warnings ?? [] }
}

export const flipBit = (bytes: Uint8Array, bit: number): Uint8Array => {
  const copy = bytes.slice()
  const at = bit % (copy.length * 8)
  copy[at >> 3]! ^= 1 << (at & 7)
  return copy
}

/** Splits `<prefix>:v<version>:<body>`. */
export function partsOf(text: string): { readonly prefix: string; readonly version: number; readonly body: Uint8Array } {
  const [prefix = '', version = '', body = ''] = text.split(':')
  return { prefix, version: Number(version.slice(1)), body: Uint8Array.from(Buffer.from(body, 'base64')) }
}

export const joined = (prefix: string, version: number | string, body: Uint8Array): string =>
  `${prefix}:v${version}:${base64(body)}`

export interface Refusal {
  readonly code: string
  readonly status: number
  readonly message: string
}

/** Returns the error of a call that must fail. */
export async function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  const [outcome] = await Promise.allSettled([call])
  if (outcome.status === 'fulfilled') throw new Error(`was not refused: ${JSON.stringify(outcome.value)?.slice(0, 200)}`)
  return outcome.reason as Refusal
}
