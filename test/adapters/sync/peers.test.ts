/** The SDKs are peer dependencies: they are loaded at the first push, which reports a missing SDK. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { push } from '../../fixtures/sync/world.ts'

const source = fileURLToPath(new URL('../../../src/', import.meta.url))
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'strongroom-peers-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const bundled = async (entry: string) => {
  const outfile = join(folder, `${entry.replaceAll('/', '-')}.mjs`)
  const { metafile } = await build({
    entryPoints: [join(source, entry)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['strongroom-source'],
    metafile: true,
    logLevel: 'silent',
  })
  return { outfile, inputs: Object.keys(metafile.inputs) }
}

const STORES = [
  ['aws', 'awsSync', { access_key_id: 'id', secret_access_key: 'secret', region: 'eu-central-1' }],
  [
    'azure',
    'azureSync',
    { key_vault_uri: 'https://kv.vault.azure.net', client_id: 'id', client_secret: 'secret', tenant_id: 'tenant' },
  ],
  ['google', 'googleSync', { credentials: '{"client_email":"a@b.iam.gserviceaccount.com","private_key":"key"}' }],
] as const

describe.each(STORES)('the %s sync adapter', (type, name, config) => {
  it('can be imported without its SDK, and the first push reports the missing SDK', async () => {
    const { outfile, inputs } = await bundled(`adapters/sync-${type}/index.ts`)
    expect(inputs.filter((path) => path.includes('node_modules'))).toEqual([])
    // A separate process in an empty folder, because the test runner would find the SDK.
    const program = `
      import { ${name} } from ${JSON.stringify(outfile)}
      const session = ${name}().open(${JSON.stringify(config)})
      const { kind, code, message } = await session.put(${JSON.stringify(push('app'))}, new AbortController().signal).catch((thrown) => thrown)
      await session.close()
      console.log(JSON.stringify({ kind, code, message }))`
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder, encoding: 'utf8' })
    const expected = { kind: 'internal', code: 'sdk_not_installed', message: 'the call could not be made (sdk_not_installed)' }
    expect(JSON.parse(output)).toEqual(expected)
  })
})

it('the root entry point imports no sync adapter and no SDK', async () => {
  const { inputs } = await bundled('index.ts')
  expect(inputs.length).toBeGreaterThan(100)
  expect(inputs.filter((path) => /adapters\/sync|aws-sdk|azure|google/.test(path))).toEqual([])
})
