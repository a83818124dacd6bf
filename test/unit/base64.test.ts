import { describe, expect, it } from 'vitest'
import { decodeBase64, decodeBase64Shared, decodeBase64Url, encodeBase64, encodeBase64Url } from '../../src/core/base/base64.ts'
import { KernelError } from '../../src/core/base/errors.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'

const RUNS = runs({ quick: 500, soak: 20_000 })

/** A port of `decodeQuantum` in Go's `encoding/base64`. Returns the bytes, or the offset of its CorruptInputError. */
function naive(text: string, padded: boolean): Uint8Array | number {
  const letters = `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789${padded ? '+/' : '-_'}`
  const out: number[] = []
  const isBreak = (at: number) => text[at] === '\n' || text[at] === '\r'
  let at = 0
  for (;;) {
    const group: number[] = []
    while (group.length < 4) {
      if (at === text.length) {
        if (group.length === 0) return Uint8Array.from(out)
        if (group.length === 1 || padded) return at - group.length
        break
      }
      const letter = text[at++] as string
      const value = letters.indexOf(letter)
      if (value >= 0) group.push(value)
      else if (letter === '\n' || letter === '\r') continue
      else if (letter !== '=' || !padded || group.length < 2) return at - 1
      else {
        while (isBreak(at)) at++
        if (group.length === 2) {
          if (at === text.length) return text.length
          if (text[at] !== '=') return at - 1
          at++
        }
        while (isBreak(at)) at++
        if (at < text.length) return at
        break
      }
    }
    const [a = 0, b = 0, c = 0, d = 0] = group
    out.push(...[(a << 2) | (b >> 4), ((b << 4) | (c >> 2)) & 255, ((c << 6) | d) & 255].slice(0, group.length - 1))
    if (group.length < 4) return Uint8Array.from(out)
  }
}

const attempt = (decode: typeof decodeBase64, text: string): Uint8Array | number => {
  try {
    return decode(text, 'plaintext')
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError)
    expect((error as KernelError).status).toBe(400)
    const found = /^plaintext: illegal base64 data at input byte (\d+)$/.exec((error as Error).message)
    return Number(found?.[1])
  }
}

/** The last member is true if the result has its own buffer. */
const alphabets: [string, typeof decodeBase64, (bytes: Uint8Array) => string, boolean, boolean][] = [
  ['decodeBase64', decodeBase64, encodeBase64, true, true],
  ['decodeBase64Shared', decodeBase64Shared, encodeBase64, true, false],
  ['decodeBase64Url', decodeBase64Url, encodeBase64Url, false, true],
]

describe.each(alphabets)('the base64 function %s', (_, decode, encode, padded, own) => {
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ minLength: 40, maxLength: 300 }))

  it('decodes the output of the matching encoder to the original bytes', () => {
    fc.assert(
      fc.property(bytes, (input) => {
        const decoded = decode(encode(input), 'x')
        expect(decoded).toEqual(input)
        if (own) expect(decoded.buffer.byteLength).toBe(decoded.length)
        expect(Object.getPrototypeOf(decoded)).toBe(Uint8Array.prototype)
      }),
      { numRuns: RUNS },
    )
  })

  const odd = fc.constantFrom(
    '=',
    '==',
    '\n',
    '\r\n',
    '-',
    '_',
    '+',
    '/',
    ' ',
    '\t',
    'A',
    'é',
    'Ł',
    'Ā',
    '€',
    '\u0000',
    '\ud83d',
    '.',
  )
  const mutated = fc
    .tuple(bytes, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 2 }), odd), { maxLength: 4 }))
    .map(([input, changes]) =>
      changes.reduce((text, [where, cut, put]) => {
        const at = where % (text.length + 1)
        return text.slice(0, at) + put + text.slice(at + cut)
      }, encode(input)),
    )
  const short = fc
    .array(fc.constantFrom('A', 'Q', 'z', '9', '=', '=', '\n', '+', '_'), { maxLength: 10 })
    .map((parts) => parts.join(''))

  it.each([
    ['mutated text', mutated],
    ['short text', short],
    [
      'long text with breaks',
      fc
        .tuple(mutated, fc.integer({ min: 1, max: 80 }))
        .map(([text, n]) => text.replaceAll(new RegExp(`.{${n}}`, 'g'), '$&\r\n')),
    ],
  ])('agrees with a naive decoder on %s', (_name, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(attempt(decode, text)).toEqual(naive(text, padded))
      }),
      { numRuns: RUNS },
    )
  })

  if (own)
    it('returns bytes whose buffer contains nothing else', () => {
      for (const length of [1, 47, 48, 49, 50, 1000])
        expect(decode(encode(new Uint8Array(length)), 'x').buffer.byteLength).toBe(length)
    })

  it('decodes the encoded form of a subarray to the bytes of the subarray only', () => {
    expect(decode(encode(Uint8Array.from([1, 2, 3, 4, 5]).subarray(1, 3)), 'x')).toEqual(Uint8Array.from([2, 3]))
  })
})

describe('base64 decoding', () => {
  it.each([
    ['', []],
    ['QQ==', [65]],
    ['QR==', [65]],
    ['QUJ=', [65, 66]],
    ['Q\nU\r\nI=\n', [65, 66]],
    ['\r\n', []],
  ])('decodes %j to the bytes %j', (text, expected) => expect([...decodeBase64(text, 'x')]).toEqual(expected))

  it.each([
    ['Q', 0],
    ['QQ', 0],
    ['QQ=', 3],
    ['QUI', 0],
    ['QUJDQQ', 4],
    ['====', 0],
    ['Q===', 1],
    ['QQ==\nQQ==', 5],
    ['QQ===', 4],
    ['QUJD QUJD', 4],
    ['QUJ-', 3],
    ['\u0141UJD', 0],
  ])('refuses %j at byte %i', (text, at) => expect(attempt(decodeBase64, text)).toBe(at))

  it.each([100, 98_303, 98_304, 250_001])('refuses an invalid character at byte %i of a long text', (at) => {
    const text = 'QUJD'.repeat(75_000)
    for (const wrong of ['-', '_', '=', '!', '\u0141', '\u0441'])
      expect(attempt(decodeBase64, text.slice(0, at) + wrong + text.slice(at + 1))).toBe(
        wrong === '=' && at % 4 > 1 ? at + 1 : at,
      )
    const broken = decodeBase64(`${text.slice(0, at)}\n${text.slice(at)}`, 'x')
    expect(Buffer.compare(broken, decodeBase64(text, 'x'))).toBe(0)
  })

  it('refuses padding and the standard alphabet in base64url text', () => {
    for (const text of ['QQ==', 'QUI=', 'QUJ+', 'QUJ/', 'Q'])
      expect(() => decodeBase64Url(text, 'signature')).toThrow(/^signature: /)
  })
})
