/** Builds tokens from their parts, and texts of the maximum length that are hard to parse as a token. */
import { encode } from './tokens.ts'

export const MAX_LENGTH = 16_384

export const HEADER = { alg: 'ES256', typ: 'JWT' }
export const CLAIMS = { iss: 'kubernetes/serviceaccount', 'kubernetes.io': { namespace: 'prod' } }
export const SIGNATURE = encode(new Uint8Array(64).fill(7))

/** A string as header or payload is encoded unchanged. */
export const made = (header: unknown = HEADER, payload: unknown = CLAIMS, signature = SIGNATURE): string =>
  `${encode(header)}.${encode(payload)}.${signature}`
const filled = (head: string, piece: (i: number) => string, tail: string): string => {
  let text = head
  for (let i = 0; text.length + tail.length < 12_000; i++) text += piece(i)
  return text + tail
}

export const HARD_TOKENS: readonly (readonly [what: string, text: string])[] = [
  ['dots', '.'.repeat(MAX_LENGTH)],
  ['padding', `${'='.repeat(MAX_LENGTH - 1)}a`],
  ['white space', `a${' a'.repeat(MAX_LENGTH / 2 - 1)}`],
  ['brackets', made(HEADER, '['.repeat(12_000))],
  ['braces', made(HEADER, '{"":'.repeat(3000))],
  [
    'names',
    made(
      HEADER,
      filled('{', (i) => `"${i}":1,`, '"":1}'),
    ),
  ],
  [
    'names going down',
    made(
      HEADER,
      filled('{', (i) => `"${99_999 - i}":1,`, '"":1}'),
    ),
  ],
  [
    'names far apart',
    made(
      HEADER,
      filled('{', (i) => `"${i * 999_983}":1,`, '"":1}'),
    ),
  ],
  [
    'names and one twice',
    made(
      HEADER,
      filled('{', (i) => `"${i}":1,`, '"0":1}'),
    ),
  ],
  [
    'escapes',
    made(
      HEADER,
      filled('{"a":"', () => '\\u00e9', '"}'),
    ),
  ],
  [
    'numbers',
    made(
      HEADER,
      filled('{"a":[', () => '9007199254740993,', '1]}'),
    ),
  ],
  ['digits', made(HEADER, `{"a":${'9'.repeat(12_000)}}`)],
  [
    'audiences',
    made(
      HEADER,
      filled('{"aud":[', () => '"",', '""]}'),
    ),
  ],
]
