/** Backups from somebody who means harm: a clear refusal, at once, and nothing is left; above all the wrapping key stays. */
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

it('made by hand restores when nothing is wrong with it', async () => {
  expect((await restoreText(kernel, backupText())).status).toBe(204)
  const exported = await ask(kernel, 'GET', 'export/encryption-key/planted')
  expect(exported).toMatchObject({ data: { keys: { 1: base64(bytesOf(32, 1)) } } })
  await remove(kernel, 'planted')
})

describe('a name inside', () => {
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
  it.each(names)('%j is refused, also by force', async (name) => {
    const before = await wrappingKey(kernel)
    for (const force of [false, true])
      await refused(kernel, () => restoreText(kernel, backupText({ policy: { name } }), { force }), /name/)
    expect(await wrappingKey(kernel)).toBe(before)
  })

  it('and one in the path cannot take the place of the wrapping key', async () => {
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

describe('is refused with', () => {
  const version = { key: base64(bytesOf(32, 1)) }
  const convergent = { derived: true, convergent_encryption: true }

  it.each<[string, Plain]>([
    ['an unknown type', { type: 99 }],
    ['an external key', { type: 10000 }],
    ['a type in words', { type: 'aes256-gcm96' }],
    ['a negative type', { type: -1 }],
    ['versions that are missing', { latest_version: 3 }],
    ['very many versions that are missing', { latest_version: 2 ** 52 }],
    ['more versions than a number can count', { latest_version: 1e30 }],
    ['no latest version', { latest_version: 0 }],
    ['a fraction of a version', { latest_version: 1.5 }],
    ['min_decryption_version 0', { min_decryption_version: 0 }],
    ['min_decryption_version above the latest', { min_decryption_version: 2 }],
    ['min_encryption_version above the latest', { min_encryption_version: 2 }],
    ['min_available_version above the others', { min_available_version: 2 }],
    ['archive_version above the latest', { archive_version: 2 }],
    ['a negative bound', { min_encryption_version: -1 }],
    ['derived in words', { derived: 'yes' }],
    ['derived hmac', { derived: true, type: 10, key_size: 32 }],
    ['convergent without derived', { convergent_encryption: true }],
    ['a derivation nobody knows', { kdf: 7 }],
    ['convergent encryption that derives too little', { ...convergent, kdf: 0, convergent_version: 3 }],
    ['convergent encryption of no version', { ...convergent, kdf: 1, convergent_version: -1 }],
    ['convergent encryption of the future', { ...convergent, kdf: 1, convergent_version: 4 }],
    ['a template without its place', { version_template: 'acme:' }],
    ['a template with two places', { version_template: '{{version}}-{{version}}:' }],
    ['a template that cannot be read back', { version_template: 'acme{{version}}' }],
    ['a template without end', { version_template: `${'x'.repeat(10_000)}{{version}}:` }],
    ['a negative period', { auto_rotate_period: -1 }],
    ['an endless period', { auto_rotate_period: 1e20 }],
    ['flags as numbers', { exportable: 1 }],
    ['a stamp that is none', { backup_info: 'x' }],
  ])('%s', async (_, policy) => {
    await spoilt({ policy })
  })

  it.each<[string, Plain]>([
    ['a key of 16 bytes for a type of 32', { key: base64(bytesOf(16, 1)) }],
    ['an empty key', { key: '' }],
    ['no key', { key: null }],
    ['a key that is not base64', { key: '%%%' }],
    ['a key that is a number', { key: 5 }],
    ['an HMAC key of a thousand bytes', { hmac_key: base64(bytesOf(1000, 1)) }],
    ['a key that is kept elsewhere', { managed_key_id: 'x' }],
    ['a time that is none', { time: 'yesterday' }],
    ['a time in month 13', { time: '2026-13-01T00:00:00Z' }],
    ['a creation far beyond time', { time: null, creation_time: 2 ** 50 }],
    ['a certificate for a key that has none', { certificate_chain: ['AAAA'] }],
    ['certificates in words', { certificate_chain: 'AAAA' }],
    ['numbers of a pair in words', { ec_x: 'x' }],
  ])('a version with %s', async (_, changed) => {
    await spoilt({ version: changed })
  })

  it.each<[string, Spoilt]>([
    ['no version', { keys: {} }],
    ['a version above the latest', { keys: { 1: version, 2: version } }],
    ['a version that is no number', { keys: { one: version } }],
    ['versions as a list', { keys: [version] }],
    ['a version as a list', { keys: { 1: [1] } }],
    ['an archive as a text', { archived_keys: 'x' }],
    ['an archive with texts in it', { keys: {}, archived_keys: { keys: ['', 'x'] } }],
    ['a managed key', { policy: { type: 10 }, keys: { 1: { managed_key_id: 'x' } } }],
  ])('%s', async (_, what) => {
    await spoilt(what)
  })
})

describe('is refused when it is', () => {
  it.each(['', 'hello', '{', '[]', '1', 'null', '{}', '"x"', '{"policy":null}', '{"policy":[]}', '\ufeff{}', '{"policy":{}}{}'])(
    'the text %j',
    async (text) => {
      await asText(text)
    },
  )

  it('no base64, or no text', async () => {
    for (const backup of ['%', 'AAA', 'AAAA=', '-_-_', base64(Uint8Array.of(0xff, 0xfe, 0x22))])
      await refused(kernel, () => ask(kernel, 'POST', 'restore', { backup }))
  })

  it('cut at any place; with any byte changed it is refused or gives a key', async () => {
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

  it('nested, long or full of digits', async () => {
    for (const open of ['[', '{"a":', '{"policy":{"keys":']) await asText(open.repeat(300_000), /levels of nesting/)
    await asText(`{"policy":{"name":"x","type":${'9'.repeat(1_000_000)}}}`, /number that is too long/)
    await asText(`{"policy":{"name":"x","type":1e${'9'.repeat(1000)}}}`)
    await asText(`{"policy":${'"'.repeat(200_001)}}`)
    await asText(`{"policy":{"name":"${'\\\\'.repeat(500_000)}"}}`)
    for (const item of ['{}', '""', '0', '[]']) await asText(`[${`${item},`.repeat(450_001)}0]`, /more than 450000 values/)
    await spoilt({ archived_keys: { keys: Array.from({ length: 20_000 }, () => ({})) }, keys: {} })
  })
})

it('never shows the key it was refused for', async () => {
  const secret = base64(bytesOf(33, 77))
  expect(await spoilt({ version: { key: secret } })).not.toContain(secret)
})

it('with a period below an hour is taken, with an hour and a warning', async () => {
  const answer = await restoreText(kernel, backupText({ policy: { auto_rotate_period: 60e9 } }))
  expect(answer.status).toBe(200)
  expect(await ask(kernel, 'GET', 'keys/planted')).toMatchObject({ data: { auto_rotate_period: 3600 } })
})
