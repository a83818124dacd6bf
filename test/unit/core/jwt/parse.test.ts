/** Tokens as texts: what is one, and which of the refusals what is none gets. */
import { describe, expect, it } from 'vitest'
import { parseJwt } from '../../../../src/core/jwt/jwt.ts'
import { CLAIMS, HARD_TOKENS, HEADER, MAX_LENGTH, made, SIGNATURE } from './hard-tokens.ts'
import { encode, NINE, reasonOf, token } from './tokens.ts'

const reason = (text: string) => reasonOf(() => parseJwt(text))

describe('a token', () => {
  it('is taken apart', () => {
    const text = made()
    const [header, payload] = text.split('.')
    const jwt = parseJwt(text)
    expect(jwt.text).toBe(text)
    expect(jwt.algorithm.name).toBe('ES256')
    expect(jwt.claims).toEqual(CLAIMS)
    expect(Buffer.from(jwt.signed).toString()).toBe(`${header}.${payload}`)
    expect(Buffer.from(jwt.signature).toString('base64url')).toBe(SIGNATURE)
  })

  it.each(NINE)('of the algorithm %s', (alg) => {
    expect(parseJwt(token(alg)).algorithm.name).toBe(alg)
  })

  it('may stand between white space, have it inside, and have its signature padded', () => {
    const text = made()
    const wrapped = (text.match(/.{1,64}/g) ?? []).join('\r\n')
    for (const given of [
      `${text}\n`,
      `  ${text}\t`,
      wrapped,
      `${text}==`,
      `${text}=\n`,
      text.replaceAll('.', ' .\v\f'),
      `${text}= =`,
    ]) {
      const jwt = parseJwt(given)
      expect(jwt.text).toBe(text)
      expect(jwt.claims).toEqual(CLAIMS)
      expect(jwt.signed).toEqual(parseJwt(text).signed)
      expect(jwt.signature).toEqual(parseJwt(text).signature)
    }
  })

  it('may say more in its header, which plays no part', () => {
    const more = {
      kid: 'k',
      jku: 'https://evil.example/keys',
      jwk: { kty: 'EC' },
      x5u: '',
      x5c: [],
      typ: 7,
      cty: 'x',
      toString: 1,
    }
    expect(parseJwt(made({ ...more, alg: 'RS512' })).algorithm.name).toBe('RS512')
  })

  it('with `null` for its claims has none', () => {
    expect(parseJwt(made(HEADER, 'null')).claims).toEqual({})
    expect(parseJwt(made(HEADER, ' null\n')).claims).toEqual({})
  })

  it('keeps numbers to the digit and names that objects inherit', () => {
    const { claims } = parseJwt(made(HEADER, '{"exp":9007199254740993,"__proto__":{"iss":"x"},"toString":null}'))
    expect(claims['exp']).toBe(9007199254740993n)
    expect(claims['iss']).toBeUndefined()
    expect(Object.keys(claims)).toEqual(['exp', '__proto__', 'toString'])
  })
})

describe('no token', () => {
  const [header, payload] = made().split('.') as [string, string]
  const bent = (part: string, last: string) => part.slice(0, -1) + last

  it.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['one part', 'a'],
    ['two parts', `${header}.${payload}`],
    ['four parts', `${made()}.${SIGNATURE}`],
    ['four parts, the last empty', `${made()}.`],
    ['dots', '...'],
    ['two dots', '..'],
    ['letters', 'a.b.c'],
    ['no header', `.${payload}.${SIGNATURE}`],
    ['no signature', `${header}.${payload}.`],
    ['padding for a signature', `${header}.${payload}.=`],
    ['too much padding', `${made()}===`],
    ['padding within the signature', `${header}.${payload}.ab=cd`],
    ['padding of the header', `${header}=.${payload}.${SIGNATURE}`],
    ['padding of the payload', `${header}.${payload}=.${SIGNATURE}`],
    ['the alphabet of base64', `${header}.${payload}.+/+/`],
    ['a character that belongs to no alphabet', `${header}.${payload}.ab*d`],
    ['a space that is not ASCII', `${made()}\u00a0`],
    ['a byte-order mark', `\ufeff${made()}`],
    ['a letter of another script that looks alike', `${header}.${payload}.аbcd`],
    ['half a pair', `${header}.${payload}.\ud83dabc`],
    ['a length that base64 does not have', `${header}.${payload}.abcde`],
    ['bits left over in the signature', `${header}.${payload}.${bent(SIGNATURE, 'x')}`],
    ['bits left over in the payload', `${header}.${bent(encode('{}'), '1')}.${SIGNATURE}`],
    ['a scheme', `Bearer ${made()}`],
    ['the JSON form', JSON.stringify({ payload, protected: header, signature: SIGNATURE })],
    ['an encrypted token', `${header}.${payload}.${payload}.${payload}.${SIGNATURE}`],
  ])('%s', (_, text) => {
    expect(reason(text)).toBe('token-malformed')
  })

  it.each([
    ['empty', ''],
    ['cut off', '{'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', '"ES256"'],
    ['not UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
    ['followed by something', '{"alg":"ES256"}{}'],
    ['with a name twice', '{"alg":"none","alg":"ES256"}'],
    ['with a name twice, spelt differently', '{"alg":"none","\\u0061lg":"ES256"}'],
    ['with a name twice further down', '{"alg":"ES256","jwk":{"kty":"EC","kty":"EC"}}'],
    ['with something critical', { ...HEADER, crit: ['x'] }],
    ['with something critical that is not there', { ...HEADER, crit: [] }],
    ['with nothing critical', { ...HEADER, crit: null }],
    ['with a payload that is not encoded', { ...HEADER, b64: false, crit: ['b64'] }],
    ['with a payload that is said not to be encoded', { ...HEADER, b64: false }],
    ['nested deeply', `{"alg":"ES256","x":${'['.repeat(100)}${']'.repeat(100)}}`],
  ])('a header that is %s', (_, bad) => {
    expect(reason(made(bad))).toBe('token-malformed')
  })

  it.each([
    [{}],
    [{ alg: null }],
    [{ alg: '' }],
    [{ alg: 'none' }],
    [{ alg: 'None' }],
    [{ alg: 'es256' }],
    [{ alg: 'ES256 ' }],
    [{ alg: 'ES256\u0000' }],
    [{ alg: ['ES256'] }],
    [{ alg: { toString: 'ES256' } }],
    [{ alg: 256 }],
    [{ alg: 'HS256' }],
    [{ alg: 'HS384' }],
    [{ alg: 'HS512' }],
    [{ alg: 'EdDSA' }],
    [{ alg: 'ES256K' }],
    [{ alg: 'RS1' }],
    [{ alg: 'RSA-OAEP' }],
    [{ alg: 'dir' }],
    [{ alg: 'constructor' }],
    [{ alg: '__proto__' }],
    ['{"__proto__":{"alg":"ES256"}}'],
  ])('a header that names no algorithm of ours: %j', (header) => {
    expect(reason(made(header))).toBe('algorithm-not-allowed')
  })

  it('of another algorithm is refused as such without a signature too', () => {
    expect(reason(made({ alg: 'none' }, CLAIMS, ''))).toBe('algorithm-not-allowed')
  })

  it.each([
    ['empty', ''],
    ['white space', ' '],
    ['no JSON', 'not json'],
    ['cut off', '{"iss":'],
    ['a list', '[]'],
    ['a number', '7'],
    ['a text', '"x"'],
    ['true', 'true'],
    ['not UTF-8', Uint8Array.of(0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc3, 0x28, 0x22, 0x7d)],
    ['with a byte-order mark', '\ufeff{}'],
    ['with a name twice', '{"exp":1,"exp":2}'],
    ['with a name twice inside', '{"kubernetes.io":{"serviceaccount":{"name":"web","uid":"u","name":"admin"}}}'],
    ['with the object twice', '{"kubernetes.io":{"namespace":"a"},"kubernetes.io":{"namespace":"b"}}'],
    ['with a number beyond a double', '{"exp":1e400}'],
    ['with an integer beyond a double', `{"exp":${'9'.repeat(400)}}`],
    ['nested deeply', `{"x":${'['.repeat(100)}${']'.repeat(100)}}`],
  ])('claims that are %s', (_, payload) => {
    expect(reason(made(HEADER, payload))).toBe('claims-malformed')
  })
})

describe('a token that is long', () => {
  const LONGEST = MAX_LENGTH

  it('is read up to a length, and refused beyond it, white space counted', () => {
    const short = made(HEADER, CLAIMS, '')
    // A multiple of four letters `A` are zeros.
    const text = short + 'A'.repeat(LONGEST - short.length - ((LONGEST - short.length) % 4))
    expect(parseJwt(text).text).toBe(text)
    expect(parseJwt(text.padEnd(LONGEST)).text).toBe(text)
    for (const given of [text.padEnd(LONGEST + 1), `${text}AAAA`, ' '.repeat(LONGEST + 1), 'x'.repeat(2 ** 24)])
      expect(reason(given)).toBe('token-too-large')
  })

  it.each(HARD_TOKENS)('is read, or refused with a reason: %s', (_, text) => {
    expect(text.length).toBeLessThanOrEqual(LONGEST)
    expect(reason(text)).toBeOneOf([undefined, 'token-malformed', 'claims-malformed'])
  })
})
