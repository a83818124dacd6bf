import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { crc32c } from '../../../src/adapters/sync-google/crc32c.ts'
import { googleSync } from '../../../src/adapters/sync-google/index.ts'
import { labelsOf } from '../../../src/adapters/sync-google/rules.ts'
import { rsaPkcs8 } from '../../../src/core/crypto/rsa/encoding.ts'
import { anyCharacter } from '../../fixtures/any-character.ts'
import fc from '../../fixtures/fast-check.ts'
import { RSA_PAIR } from '../../fixtures/rsa-keys.ts'
import { naiveCrc32c } from '../../fixtures/sync/naive-crc32c.ts'
import { nameLaws } from '../../fixtures/sync/names.ts'

const destination = googleSync()

describe('names normalized by googleSync', () => {
  nameLaws(destination, /^[A-Za-z0-9_-]$/)

  it('keep letter case, and have dashes in place of invalid characters', () => {
    const { rules } = destination
    expect(rules.normalizeName('vault/kv_1234/My secret')).toBe('vault-kv_1234-My-secret')
    expect(rules.foldName('App')).not.toBe(rules.foldName('app'))
    expect(rules).toMatchObject({ maxNameLength: 255, maxValueBytes: 65_536, granularityDefault: 'secret-path', tags: true })
  })
})

describe('labelsOf', () => {
  it.each([
    [{ 'hashicorp:vault': '' }, { hashicorp_vault: '' }],
    [{ Team: 'Blue Team' }, { team: 'blue_team' }],
    [
      { '1st': 'x', '': 'y' },
      { x1st: 'x', x: 'y' },
    ],
    [{ é: 'ü' }, { x_: '_' }],
  ])('converts the tags %j to valid labels', (tags, labels) => {
    expect(labelsOf(tags)).toEqual(labels)
  })

  it('returns labels that Google accepts, whatever the tags are', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 40 })
    fc.assert(
      fc.property(fc.dictionary(text, text), (tags) => {
        for (const [key, value] of Object.entries(labelsOf(tags))) {
          expect(key).toMatch(/^[a-z][a-z0-9_-]*$/)
          expect(value).toMatch(/^[a-z0-9_-]*$/)
        }
      }),
    )
  })
})

describe('crc32c', () => {
  // RFC 3720, appendix B.4.
  it.each([
    ['32 zero bytes', new Uint8Array(32), 0x8a9136aa],
    ['32 bytes of 0xff', new Uint8Array(32).fill(0xff), 0x62a8ab43],
    ['rising bytes', Uint8Array.from({ length: 32 }, (_, index) => index), 0x46dd794e],
    ['falling bytes', Uint8Array.from({ length: 32 }, (_, index) => 31 - index), 0x113fdb5c],
    ['digits', new TextEncoder().encode('123456789'), 0xe3069283],
    ['no bytes', new Uint8Array(0), 0],
  ])('is correct for %s', (_, bytes, expected) => {
    expect(crc32c(bytes)).toBe(expected)
  })

  it('agrees with a naive implementation', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void expect(crc32c(bytes)).toBe(naiveCrc32c(bytes))))
  })
})

describe('googleSync validate', () => {
  const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' })
  /** A key of this size with random numbers: finding primes for it takes seconds, and Node 26 accepts no JWK with such numbers. */
  const largeKey = (bits: number): string => {
    const number = (size: number): bigint => BigInt(`0x${randomBytes(size / 8).toString('hex')}`) | (1n << BigInt(size - 1)) | 1n
    const half = number(bits / 2)
    const numbers = { n: number(bits), e: 65_537n, d: number(bits), p: half, q: half, dp: half, dq: half, qInv: half }
    const der = Buffer.from(rsaPkcs8(numbers)).toString('base64')
    return `-----BEGIN PRIVATE KEY-----\n${der.replaceAll(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`
  }
  const key = {
    type: 'service_account',
    project_id: 'project-1',
    private_key: pem(RSA_PAIR.privateKey),
    client_email: 'sync@project-1.iam.gserviceaccount.com',
  }
  const rules = (change: object, options = {}) =>
    googleSync(options)
      .validate({ credentials: JSON.stringify({ ...key, ...change }) })
      .map(({ field, rule }) => `${field} ${rule}`)

  it('accepts a service account key, even without type or project', () => {
    expect(rules({})).toEqual([])
    expect(rules({ type: undefined })).toEqual([])
    expect(rules({ project_id: undefined })).toEqual([])
    expect(rules({ universe_domain: 'googleapis.com' })).toEqual([])
  })

  it.each([
    [{ client_email: undefined }, /client_email/],
    [{ client_email: 'no address' }, /client_email/],
    [{ private_key: undefined }, /private_key/],
    [{ private_key: 'no key' }, /private_key/],
    [{ private_key: pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey) }, /private_key/],
    [{ private_key: largeKey(4224) }, /private_key/],
    [{ type: 'external_account' }, /service_account/],
    [{ type: 'authorized_user' }, /service_account/],
    [{ project_id: undefined, client_email: 'sync@example.com' }, /project_id/],
    [{ project_id: '../other', client_email: 'sync@example.com' }, /project_id/],
    [{ universe_domain: 'evil.example' }, /endpoint/],
  ])('refuses a key with %j', (change, rule) => {
    expect(rules(change)).toEqual([expect.stringMatching(rule)])
  })

  it('accepts a service account of another universe if the application sets the endpoint', () => {
    expect(rules({ universe_domain: 'sovereign.example' }, { endpoint: 'https://secretmanager.sovereign.example' })).toEqual([])
  })

  it.each([undefined, '', '{', '[]', 'null', '"text"', '@/etc/passwd', `{"x":"${'x'.repeat(40_000)}"}`])(
    'refuses the credentials %s',
    (credentials) => {
      expect(destination.validate({ credentials }).map(({ field }) => field)).toEqual(['credentials'])
    },
  )

  it('returns errors that contain no configured value', () => {
    expect(JSON.stringify(rules({ private_key: 'ShOwN', client_email: 'sync@shown.example' }))).not.toMatch(/shown/i)
  })
})

it.each(['', 'store.example', 'ftp://store.example'])('googleSync refuses the endpoint %j', (endpoint) => {
  expect(() => googleSync({ endpoint })).toThrow(TypeError)
})
