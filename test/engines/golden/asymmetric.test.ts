import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { ask } from '../../property/support.ts'
import { bytes, type Data, describeGolden, golden, goldenPresent, type Texts, vaultKernel } from './load.ts'

interface Key {
  readonly name: string
  readonly type: string
  readonly derived?: boolean
  readonly latest_version: number
  readonly backup: string
  readonly record: Data & {
    min_decryption_version: number
    min_encryption_version: number
    min_available_version: number
    keys?: Data
  }
  readonly signatures?: readonly { body: Data; signature: string; public_key?: string; deterministic?: boolean }[]
  readonly invalid?: readonly { note: string; body: Data }[]
  readonly hmacs?: readonly { body: Data; hmac: string }[]
  readonly ciphertexts?: readonly { plaintext: string; ciphertext: string }[]
  readonly exports: Readonly<Record<string, Texts>>
  readonly certificate_chains?: Texts
  readonly public_keys_by_context?: Readonly<Record<string, Texts>>
}

const keys = goldenPresent ? golden<{ keys: readonly Key[] }>('transit-asymmetric').keys : []
const all = <T>(pick: (key: Key) => readonly T[] | undefined) => keys.reduce((sum, key) => sum + (pick(key)?.length ?? 0), 0)
const counts = `${keys.length} keys, ${all((key) => key.signatures)} signatures, ${all((key) => key.invalid)} wrong signatures, ${all((key) => key.hmacs)} HMACs`
const named = keys.map((key) => [key.name, key] as const)

const versionOf = (text: string): number => Number(/:v(\d+):/.exec(text)?.[1])

describeGolden('transit-asymmetric', `the transit engine with key pairs from OpenBao backups (${counts})`, () => {
  let kernel: Kernel
  const post = (path: string, body: object) => ask(kernel, 'POST', path, body)
  const get = (path: string) => ask(kernel, 'GET', path)

  beforeAll(async () => {
    kernel = await vaultKernel()
    for (const { name, backup } of keys) expect(await post(`restore/${name}`, { backup })).toMatchObject({ status: 204 })
  })
  afterAll(() => kernel.close())

  it.each(named)('returns the settings of %s as recorded', async (name, { record, latest_version }) => {
    const { status, data } = await get(`keys/${name}`)
    expect(status).toBe(200)
    expect(data['restore_info']).toMatchObject({ version: latest_version })
    const { backup_info, keys: versions, ...settings } = record
    expect(data).toMatchObject(settings)
    expect((data['backup_info'] as Data)['version']).toBe((backup_info as Data)['version'])
    for (const [version, shown] of Object.entries(versions ?? {})) {
      if (typeof shown === 'number') expect((data['keys'] as Data)[version]).toBe(shown)
      else {
        const { creation_time: goldenTime, ...rest } = shown as Data
        const ownKey = (data['keys'] as Record<string, Data>)[version]!
        expect(ownKey).toMatchObject(rest)
        expect(Date.parse(String(ownKey['creation_time']))).toBe(Date.parse(String(goldenTime)))
      }
    }
  })

  it.each(named)('verifies the recorded signatures and HMACs of %s, and reproduces the deterministic ones', async (name, key) => {
    const lower = Math.max(key.record.min_decryption_version, 1)
    for (const { body, signature, public_key, deterministic } of key.signatures ?? []) {
      const { key_version: _, ...verifying } = body
      const verified = await post(`verify/${name}`, { ...verifying, signature })
      if (versionOf(signature) < lower) {
        expect(verified.status).toBe(400)
        continue
      }
      expect(verified).toMatchObject({ status: 200, data: { valid: true } })
      const made = await post(`sign/${name}`, body)
      expect(made.status).toBe(200)
      if (public_key) expect(made.data['public_key']).toBe(public_key)
      if (deterministic) expect(made.data['signature']).toBe(signature)
      else
        expect(await post(`verify/${name}`, { ...verifying, signature: made.data['signature'] })).toMatchObject({
          data: { valid: true },
        })
    }
    for (const { body } of key.invalid ?? []) {
      const verdict = await post(`verify/${name}`, body)
      expect(verdict).toMatchObject({ status: 200, data: { valid: false } })
    }
    for (const { body, hmac } of key.hmacs ?? []) {
      if (versionOf(hmac) < lower) continue
      expect(await post(`hmac/${name}`, body)).toMatchObject({ status: 200, data: { hmac } })
      const { input, algorithm } = body
      expect(await post(`verify/${name}`, { input, ...(algorithm ? { algorithm } : {}), hmac })).toMatchObject({
        data: { valid: true },
      })
    }
    for (const { plaintext, ciphertext } of key.ciphertexts ?? [])
      expect(await post(`decrypt/${name}`, { ciphertext })).toMatchObject({ status: 200, data: { plaintext } })
  })

  it.each(named)('exports the keys of %s in every format as recorded', async (name, key) => {
    // All versions were in use when the exports were recorded.
    await lower(name, key)
    for (const [what, values] of Object.entries(key.exports)) {
      const [kind, format] = what.split('?format=')
      const shown = await get(`export/${kind}/${name}${format ? `/latest?format=${format}` : ''}`)
      if (kind === 'public-key' && key.derived) expect(shown.status).toBe(400)
      else if (kind === 'certificate-chain') {
        for (const [version, chain] of Object.entries(values))
          expect(await get(`export/certificate-chain/${name}/${version}`)).toMatchObject({ data: { keys: { [version]: chain } } })
      } else expect(shown).toMatchObject({ status: 200, data: { keys: withinReach(values, key) } })
    }
    for (const [context, byVersion] of Object.entries(key.public_keys_by_context ?? {})) {
      const shown = (await get(`keys/${name}?context=${encodeURIComponent(context)}`)).data['keys'] as Record<string, Data>
      for (const [version, public_key] of Object.entries(byVersion)) expect(shown[version]).toMatchObject({ public_key })
    }
  })

  it.each(named)(
    'can use archived versions of %s again after a change of min_decryption_version, unless they were trimmed',
    async (name, key) => {
      await lower(name, key)
      const least = Math.max(1, key.record.min_available_version)
      for (const { body, signature } of key.signatures ?? []) {
        const { key_version: _, ...verifying } = body
        const verdict = await post(`verify/${name}`, { ...verifying, signature })
        if (versionOf(signature) < least) expect(verdict.status).toBe(400)
        else expect(verdict).toMatchObject({ status: 200, data: { valid: true } })
      }
      if (least > 1) expect((await post(`keys/${name}/config`, { min_decryption_version: least - 1 })).status).toBe(400)
    },
  )

  it.each(named)('backs up %s with the same members, values and number formats as recorded', async (name, key) => {
    await post('restore/fresh', { backup: key.backup, force: true })
    const backup = await get('backup/fresh')
    const [ownBackup, goldenBackup] = [String(backup.data['backup']), key.backup].map((text) =>
      Buffer.from(bytes(text)).toString(),
    )
    expect(comparable(ownBackup as string)).toBe(comparable(goldenBackup as string))
    expect(await post(`restore/again-${name}`, { backup: backup.data['backup'] })).toMatchObject({ status: 204 })
  })

  async function lower(name: string, { record }: Key): Promise<void> {
    const least = Math.max(1, record.min_available_version)
    const encryption = record.min_available_version > 0 ? { min_encryption_version: least } : {}
    if (record.min_decryption_version > least)
      expect((await post(`keys/${name}/config`, { min_decryption_version: least, ...encryption })).status).toBe(200)
  }
})

/** The versions that trimming has not deleted. */
const withinReach = (values: Texts, { record }: Key): Texts =>
  Object.fromEntries(Object.entries(values).filter(([version]) => Number(version) >= record.min_available_version))

/**
 * Compares text, because numbers may have more digits than a double. Times are stored in milliseconds, and only strongroom's archive keeps
 * certificate chains.
 */
function comparable(text: string): string {
  return text
    .replaceAll(/"time":"[^"]*"/g, '"time":""')
    .replaceAll(/"certificate_chain":(null|\[[^\]]*\])/g, '')
    .replace(/"restore_info":(null|\{[^}]*\})/, '')
    .replace(/"name":"[^"]*"/, '')
}
