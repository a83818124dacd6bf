/** A hostile backup is refused quickly, leaves nothing stored, and never replaces the wrapping key. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { kernelWithWrappingKey } from '../../fixtures/wrapping-kernel.ts'
import { ask, base64, bytesOf } from '../../property/support.ts'
import { importByPath, wrappingKey } from '../import-blob.ts'
import { backupText, encoded, type Plain, refused, remove, restoreText, type Spoilt } from './refusals.ts'

let kernel: Kernel
beforeAll(async () => {
  kernel = await kernelWithWrappingKey()
  await wrappingKey(kernel)
})
afterAll(() => kernel.close())

const spoilt = (what: Spoilt, words = /^backup|^version_template/) =>
  refused(kernel, () => restoreText(kernel, backupText(what)), words)
const asText = (text: string, words?: RegExp) => refused(kernel, () => restoreText(kernel, text), words)

it('transit.restoreKey accepts the unchanged backup that these tests modify', async () => {
  expect((await restoreText(kernel, backupText())).status).toBe(204)
  const exported = await ask(kernel, 'GET', 'export/encryption-key/planted')
  expect(exported).toMatchObject({ data: { keys: { 1: base64(bytesOf(32, 1)) } } })
  await remove(kernel, 'planted')
})

describe('the key name in a restored backup', () => {
  const names = [
    '',
    'a/b',
    '../up',
    'import/wrapping-key',
    'IMPORT/WRAPPING-KEY',
    '/',
    '.',
    'a.',
    '-x',
    'x y',
    'a\u0000b',
    '%2f',
    'ä',
    '\u0000123',
  ]
  it.each(names)('makes the restore fail if it is %j, even with force', async (name) => {
    const before = await wrappingKey(kernel)
    for (const force of [false, true])
      await refused(kernel, () => restoreText(kernel, backupText({ policy: { name } }), { force }), /name/)
    expect(await wrappingKey(kernel)).toBe(before)
  })

  it('never lets a restore replace the wrapping key if it is given in the path', async () => {
    const before = await wrappingKey(kernel)
    const backup = encoded(backupText())
    for (const path of ['restore/import/wrapping-key', 'restore/import%2Fwrapping-key', 'restore/..', 'restore/wrapping_key/..'])
      expect([400, 404]).toContain((await ask(kernel, 'POST', path, { backup, force: true })).status)
    for (const name of ['wrapping_key', 'wrapping-key', 'key', 'import']) {
      expect((await ask(kernel, 'POST', `restore/${name}`, { backup, force: true })).status).toBe(204)
      await remove(kernel, name)
    }
    expect(await wrappingKey(kernel)).toBe(before)
    expect(await importByPath(kernel, 'still-works', 'aes256-gcm96', bytesOf(32, 5))).toMatchObject({ status: 204 })
  })
})

describe('restore of a hostile backup', () => {
  const version = { key: base64(bytesOf(32, 1)) }
  const convergent = { derived: true, convergent_encryption: true }

  it.each<[string, Plain]>([
    ['an unknown type', { type: 99 }],
    ['an external key', { type: 10000 }],
    ['a type name instead of a number', { type: 'aes256-gcm96' }],
    ['a negative type', { type: -1 }],
    ['missing versions', { latest_version: 3 }],
    ['2^52 missing versions', { latest_version: 2 ** 52 }],
    ['a version number beyond the range of integers', { latest_version: 1e30 }],
    ['the latest version 0', { latest_version: 0 }],
    ['a fractional version', { latest_version: 1.5 }],
    ['min_decryption_version 0', { min_decryption_version: 0 }],
    ['min_decryption_version above the latest', { min_decryption_version: 2 }],
    ['min_encryption_version above the latest', { min_encryption_version: 2 }],
    ['min_available_version above the other bounds', { min_available_version: 2 }],
    ['archive_version above the latest', { archive_version: 2 }],
    ['a negative version bound', { min_encryption_version: -1 }],
    ['derived as a string', { derived: 'yes' }],
    ['a derived HMAC key', { derived: true, type: 10, key_size: 32 }],
    ['convergent encryption without derivation', { convergent_encryption: true }],
    ['an unknown key derivation function', { kdf: 7 }],
    ['convergent encryption with an unsuitable key derivation function', { ...convergent, kdf: 0, convergent_version: 3 }],
    ['a negative convergent version', { ...convergent, kdf: 1, convergent_version: -1 }],
    ['an unknown convergent version', { ...convergent, kdf: 1, convergent_version: 4 }],
    ['a version template without a placeholder', { version_template: 'acme:' }],
    ['a version template with two placeholders', { version_template: '{{version}}-{{version}}:' }],
    ['a version template that cannot be parsed back', { version_template: 'acme{{version}}' }],
    ['a version template of 10,000 characters', { version_template: `${'x'.repeat(10_000)}{{version}}:` }],
    ['a negative rotation period', { auto_rotate_period: -1 }],
    ['a rotation period that is too long', { auto_rotate_period: 1e20 }],
    ['a number as a boolean', { exportable: 1 }],
    ['invalid backup information', { backup_info: 'x' }],
  ])('is refused with %s', async (_, policy) => {
    await spoilt({ policy })
  })

  it.each<[string, Plain]>([
    ['a 16-byte key for a type with 32 bytes', { key: base64(bytesOf(16, 1)) }],
    ['an empty key', { key: '' }],
    ['a null key', { key: null }],
    ['a key that is not base64', { key: '%%%' }],
    ['a key that is a number', { key: 5 }],
    ['an HMAC key of 1,000 bytes', { hmac_key: base64(bytesOf(1000, 1)) }],
    ['a managed key id', { managed_key_id: 'x' }],
    ['an invalid time', { time: 'yesterday' }],
    ['a time in month 13', { time: '2026-13-01T00:00:00Z' }],
    ['a creation time out of range', { time: null, creation_time: 2 ** 50 }],
    ['a certificate for a symmetric key', { certificate_chain: ['AAAA'] }],
    ['a string as a certificate chain', { certificate_chain: 'AAAA' }],
    ['a string as an EC coordinate', { ec_x: 'x' }],
  ])('is refused if a version has %s', async (_, changed) => {
    await spoilt({ version: changed })
  })

  it.each<[string, Spoilt]>([
    ['no versions', { keys: {} }],
    ['a version above the latest', { keys: { 1: version, 2: version } }],
    ['a version that is not a number', { keys: { one: version } }],
    ['a list as versions', { keys: [version] }],
    ['a list as a version', { keys: { 1: [1] } }],
    ['a string as an archive', { archived_keys: 'x' }],
    ['strings in the archive', { keys: {}, archived_keys: { keys: ['', 'x'] } }],
    ['a managed key', { policy: { type: 10 }, keys: { 1: { managed_key_id: 'x' } } }],
  ])('is refused with %s', async (_, what) => {
    await spoilt(what)
  })
})

describe('restore of an invalid backup text', () => {
  it.each(['', 'hello', '{', '[]', '1', 'null', '{}', '"x"', '{"policy":null}', '{"policy":[]}', '\ufeff{}', '{"policy":{}}{}'])(
    'is refused if the text is %j',
    async (text) => {
      await asText(text)
    },
  )

  it('is refused if it is not base64 or not UTF-8', async () => {
    for (const backup of ['%', 'AAA', 'AAAA=', '-_-_', base64(Uint8Array.of(0xff, 0xfe, 0x22))])
      await refused(kernel, () => ask(kernel, 'POST', 'restore', { backup }))
  })

  it('returns no 5xx if the text is truncated or a byte of it is changed', async () => {
    const whole = backupText()
    for (let length = 0; length < whole.length; length += 7) await asText(whole.slice(0, length))
    for (let at = 0; at < whole.length; at += 5) {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] as number) ^ 0x15
      const { status } = await ask(kernel, 'POST', 'restore', { backup: base64(bytes), force: true })
      expect([204, 200, 400]).toContain(status)
    }
    for (const name of (await kernel.transit.listKeys()).keys) await remove(kernel, name)
  })

  it('is refused if it is deeply nested, is too long or has too many digits', async () => {
    for (const open of ['[', '{"a":', '{"policy":{"keys":']) await asText(open.repeat(300_000), /levels of nesting/)
    await asText(`{"policy":{"name":"x","type":${'9'.repeat(1_000_000)}}}`, /number that is too long/)
    await asText(`{"policy":{"name":"x","type":1e${'9'.repeat(1000)}}}`)
    await asText(`{"policy":${'"'.repeat(200_001)}}`)
    await asText(`{"policy":{"name":"${'\\\\'.repeat(500_000)}"}}`)
    for (const item of ['{}', '""', '0', '[]']) await asText(`[${`${item},`.repeat(450_001)}0]`, /more than 450000 values/)
    await spoilt({ archived_keys: { keys: Array.from({ length: 20_000 }, () => ({})) }, keys: {} })
  })
})

it('the refusal of a backup does not contain the key of the backup', async () => {
  const secret = base64(bytesOf(33, 77))
  expect(await spoilt({ version: { key: secret } })).not.toContain(secret)
})

it('restoring a backup raises an automatic rotation period below one hour to one hour, with a warning', async () => {
  const answer = await restoreText(kernel, backupText({ policy: { auto_rotate_period: 60e9 } }))
  expect(answer.status).toBe(200)
  expect(await ask(kernel, 'GET', 'keys/planted')).toMatchObject({ data: { auto_rotate_period: 3600 } })
})
