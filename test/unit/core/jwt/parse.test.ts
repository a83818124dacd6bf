import { describe, expect, it } from 'vitest'
import { parseJwt } from '../../../../src/core/jwt/jwt.ts'
import { CLAIMS, HARD_TOKENS, HEADER, MAX_LENGTH, made, SIGNATURE } from './hard-tokens.ts'
import { encode, NINE, reasonOf, token } from './tokens.ts'

const reason = (text: string) => reasonOf(() => parseJwt(text))

describe('parsing a JSON Web Token', () => {
  it('returns its algorithm, claims, signed bytes and signature', () => {
    const text = made()
    const [header, payload] = text.split('.')
    const jwt = parseJwt(text)
    expect(jwt.text).toBe(text)
    expect(jwt.algorithm.name).toBe('ES256')
    expect(jwt.claims).toEqual(CLAIMS)
    expect(Buffer.from(jwt.signed).toString()).toBe(`${header}.${payload}`)
    expect(Buffer.from(jwt.signature).toString('base64url')).toBe(SIGNATURE)
  })

  it.each(NINE)('accepts the algorithm %s', (alg) => {
    expect(parseJwt(token(alg)).algorithm.name).toBe(alg)
  })

  it('ignores white space anywhere in the token, and padding of the signature', () => {
    const text = made()
    const wrapped = (text.match(/.{1,64}/g) ?? []).join('\r\n')
    for (const invalid of [
      `${text}\n`,
      `  ${text}\t`,
      wrapped,
      `${text}==`,
      `${text}=\n`,
      text.replaceAll('.', ' .\v\f'),
      `${text}= =`,
    ]) {
      const jwt = parseJwt(invalid)
      expect(jwt.text).toBe(text)
      expect(jwt.claims).toEqual(CLAIMS)
      expect(jwt.signed).toEqual(parseJwt(text).signed)
      expect(jwt.signature).toEqual(parseJwt(text).signature)
    }
  })

  it('ignores unknown header members and those that name a key, such as jku', () => {
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

  it('returns no claims if the payload is null', () => {
    expect(parseJwt(made(HEADER, 'null')).claims).toEqual({})
    expect(parseJwt(made(HEADER, ' null\n')).claims).toEqual({})
  })

  it('returns integers beyond 2^53 exactly, and __proto__ as a plain member', () => {
    const { claims } = parseJwt(made(HEADER, '{"exp":9007199254740993,"__proto__":{"iss":"x"},"toString":null}'))
    expect(claims['exp']).toBe(9007199254740993n)
    expect(claims['iss']).toBeUndefined()
    expect(Object.keys(claims)).toEqual(['exp', '__proto__', 'toString'])
  })
})

describe('an invalid JSON Web Token', () => {
  const [header, payload] = made().split('.') as [string, string]
  const bent = (part: string, last: string) => part.slice(0, -1) + last

  it.each([
    ['an empty string', ''],
    ['white space', ' \n'],
    ['one part', 'a'],
    ['two parts', `${header}.${payload}`],
    ['four parts', `${made()}.${SIGNATURE}`],
    ['four parts with an empty last part', `${made()}.`],
    ['dots', '...'],
    ['two dots', '..'],
    ['letters', 'a.b.c'],
    ['no header', `.${payload}.${SIGNATURE}`],
    ['an empty signature', `${header}.${payload}.`],
    ['a signature of padding only', `${header}.${payload}.=`],
    ['three padding characters', `${made()}===`],
    ['padding inside the signature', `${header}.${payload}.ab=cd`],
    ['a padded header', `${header}=.${payload}.${SIGNATURE}`],
    ['a padded payload', `${header}.${payload}=.${SIGNATURE}`],
    ['characters of the standard base64 alphabet', `${header}.${payload}.+/+/`],
    ['a character outside the base64url alphabet', `${header}.${payload}.ab*d`],
    ['a non-ASCII space at the end', `${made()}\u00a0`],
    ['a byte-order mark', `\ufeff${made()}`],
    ['a Cyrillic letter in the signature', `${header}.${payload}.аbcd`],
    ['an unpaired surrogate in the signature', `${header}.${payload}.\ud83dabc`],
    ['a signature with an impossible base64 length', `${header}.${payload}.abcde`],
    ['unused bits set in the signature', `${header}.${payload}.${bent(SIGNATURE, 'x')}`],
    ['unused bits set in the payload', `${header}.${bent(encode('{}'), '1')}.${SIGNATURE}`],
    ['an authentication scheme before the token', `Bearer ${made()}`],
    ['the JSON serialization', JSON.stringify({ payload, protected: header, signature: SIGNATURE })],
    ['an encrypted token', `${header}.${payload}.${payload}.${payload}.${SIGNATURE}`],
  ])('is refused as malformed: %s', (_, text) => {
    expect(reason(text)).toBe('token-malformed')
  })

  it.each([
    ['empty', ''],
    ['cut off', '{'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a JSON string', '"ES256"'],
    ['not UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
    ['followed by another value', '{"alg":"ES256"}{}'],
    ['an object with a duplicate name', '{"alg":"none","alg":"ES256"}'],
    ['an object with a duplicate name in another spelling', '{"alg":"none","\\u0061lg":"ES256"}'],
    ['an object with a duplicate name at a deeper level', '{"alg":"ES256","jwk":{"kty":"EC","kty":"EC"}}'],
    ['an object with unknown names in crit', { ...HEADER, crit: ['x'] }],
    ['an object with an empty crit list', { ...HEADER, crit: [] }],
    ['an object with null for crit', { ...HEADER, crit: null }],
    ['an object with b64 false in crit', { ...HEADER, b64: false, crit: ['b64'] }],
    ['an object with b64 false only', { ...HEADER, b64: false }],
    ['deeply nested', `{"alg":"ES256","x":${'['.repeat(100)}${']'.repeat(100)}}`],
  ])('is refused as malformed if its header is %s', (_, bad) => {
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
  ])('is refused if its header has no supported algorithm: %j', (header) => {
    expect(reason(made(header))).toBe('algorithm-not-allowed')
  })

  it('with the algorithm none and no signature is refused because of the algorithm', () => {
    expect(reason(made({ alg: 'none' }, CLAIMS, ''))).toBe('algorithm-not-allowed')
  })

  it.each([
    ['empty', ''],
    ['only white space', ' '],
    ['not JSON', 'not json'],
    ['cut off', '{"iss":'],
    ['an array', '[]'],
    ['a number', '7'],
    ['a JSON string', '"x"'],
    ['true', 'true'],
    ['not UTF-8', Uint8Array.of(0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc3, 0x28, 0x22, 0x7d)],
    ['preceded by a byte-order mark', '\ufeff{}'],
    ['an object with a duplicate name', '{"exp":1,"exp":2}'],
    [
      'an object with a duplicate name at a deeper level',
      '{"kubernetes.io":{"serviceaccount":{"name":"web","uid":"u","name":"admin"}}}',
    ],
    ['an object with a duplicate kubernetes.io member', '{"kubernetes.io":{"namespace":"a"},"kubernetes.io":{"namespace":"b"}}'],
    ['an object with a number beyond the range of a double', '{"exp":1e400}'],
    ['an object with an integer beyond the range of a double', `{"exp":${'9'.repeat(400)}}`],
    ['deeply nested', `{"x":${'['.repeat(100)}${']'.repeat(100)}}`],
  ])('is refused if its claims are %s', (_, payload) => {
    expect(reason(made(HEADER, payload))).toBe('claims-malformed')
  })
})

describe('a long JSON Web Token', () => {
  const LONGEST = MAX_LENGTH

  it('is refused if it is longer than the maximum length, counting white space', () => {
    const short = made(HEADER, CLAIMS, '')
    // Groups of four letters `A` decode to zero bytes.
    const text = short + 'A'.repeat(LONGEST - short.length - ((LONGEST - short.length) % 4))
    expect(parseJwt(text).text).toBe(text)
    expect(parseJwt(text.padEnd(LONGEST)).text).toBe(text)
    for (const token of [text.padEnd(LONGEST + 1), `${text}AAAA`, ' '.repeat(LONGEST + 1), 'x'.repeat(2 ** 24)])
      expect(reason(token)).toBe('token-too-large')
  })

  it.each(HARD_TOKENS)('is parsed or refused with a reason: %s', (_, text) => {
    expect(text.length).toBeLessThanOrEqual(LONGEST)
    expect(reason(text)).toBeOneOf([undefined, 'token-malformed', 'claims-malformed'])
  })
})
