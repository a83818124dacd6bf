/** `strongroom serve`: dev servers, stores with key shares, log rotation, pages, TLS. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { selfSigned } from '../http/self-signed.ts'
import type { ProgramOutcome, RunningProgram } from './installed-program.ts'
import { type OperatorProject, operatorProject, SHAMIR } from './operator-project.ts'

let project: OperatorProject
beforeAll(async () => {
  project = await operatorProject()
})

interface Served {
  readonly address: string
  readonly first: Readonly<Record<string, string>>
  readonly child: RunningProgram
}

/** Runs `serve`, uses the server, and stops it with SIGTERM. */
async function serving(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  use: (served: Served) => Promise<void>,
): Promise<ProgramOutcome> {
  let used: Promise<void> | undefined
  const outcome = await project.run(['serve', ...args, '--port', '0', '--json'], {
    env,
    onOutput(output, child) {
      if (used || !output.endsWith('\n') || !output.includes('"address"')) return
      const first = JSON.parse(output) as Served['first']
      used = use({ address: first['address'] as string, first, child }).finally(() => child.kill('SIGTERM'))
      used.catch(() => {})
    },
  })
  await used
  return outcome
}

const getJson = async (
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(url, { headers })
  return { status: response.status, body: await response.json() }
}

describe('strongroom serve', () => {
  it('--dev serves version 2 at secret/ with the given root token, and exits with 0 after SIGTERM', async () => {
    project.write('seed.json', JSON.stringify({ secrets: { 'secret/app': { a: 'b' } } }))
    const { code } = await serving(['--dev', '--token', 'root', '--seed', 'seed.json'], {}, async ({ address, first }) => {
      expect(first).toEqual({ address })
      const { body } = await getJson(`${address}/v1/secret/data/app`, { 'X-Vault-Token': 'root' })
      expect(body).toMatchObject({ data: { data: { a: 'b' } } })
    })
    expect(code).toBe(0)
  })

  it('--dev-consul shows its random management token, which is accepted', async () => {
    const { code } = await serving(['--dev-consul'], {}, async ({ address, first }) => {
      const headers = { 'X-Consul-Token': first['management_token'] as string }
      expect((await getJson(`${address}/v1/acl/policies`, headers)).status).toBe(200)
    })
    expect(code).toBe(0)
  })

  it('serves a store with key shares sealed, until unseal sends the shares to its address', async () => {
    const { code, stderr } = await serving([], SHAMIR, async ({ address, first }) => {
      expect(first['state']).toBe('sealed')
      const [one, two] = project.read('shares').trim().split('\n') as [string, string]
      const unseal = ['unseal', '--address', address, '--shares-file', '-', '--json']
      const half = await project.run(unseal, { input: one })
      expect(half.code).toBe(4)
      expect(JSON.parse(half.stdout)).toMatchObject({ sealed: true, progress: 1 })
      expect((await project.run(unseal, { input: two })).code).toBe(0)
      expect((await fetch(`${address}/v1/sys/health`)).status).toBe(200)
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('opens its audit files again after SIGHUP', async () => {
    const log = join(project.folder, 'store.audit')
    await serving([], {}, async ({ address, child }) => {
      renameSync(log, `${log}.1`)
      child.kill('SIGHUP')
      while (!existsSync(log)) await new Promise((done) => setTimeout(done, 10))
      const token = project.read('token').trim()
      expect((await getJson(`${address}/v1/auth/token/lookup-self`, { 'X-Service-Token': token })).status).toBe(200)
      expect(readFileSync(log, 'utf8')).toContain('auth/token/lookup-self')
    })
    const { code } = await project.run(['audit', 'verify', '--sink', 'log', 'store.audit.1', 'store.audit'])
    expect(code).toBe(0)
  })

  it('--ui and --metrics show the store of the config, with the last entries of its audit log', async () => {
    const { code } = await serving(['--ui', '--metrics'], {}, async ({ address }) => {
      const headers = { 'X-Service-Token': project.read('token').trim() }
      expect((await fetch(`${address}/ui/`)).headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect((await getJson(`${address}/v1/secret/app/database`, headers)).status).toBe(200)
      const { entries } = (await getJson(`${address}/ui/audit.json`, headers)).body as { entries: { path: string }[] }
      expect(entries.map(({ path }) => path)).toContain('secret/app/database')
      expect(await (await fetch(`${address}/metrics`)).text()).toContain('strongroom_kernel_state{state="open"} 1\n')
    })
    expect(code).toBe(0)
  })

  it('serves neither the page of operators nor metrics without the flags', async () => {
    await serving([], {}, async ({ address }) => {
      for (const path of ['/ui/', '/metrics']) expect((await fetch(`${address}${path}`)).status, path).toBe(404)
    })
  })

  it('serves HTTPS with a certificate and a key from files', async () => {
    const { cert, key } = selfSigned()
    project.write('cert.pem', cert)
    project.write('key.pem', key)
    const { code } = await serving(['--dev', '--tls-cert', 'cert.pem', '--tls-key', 'key.pem'], {}, async ({ address }) => {
      expect(address).toMatch(/^https:/)
      const status = await new Promise((resolve, reject) => {
        request(`${address}/v1/sys/health`, { rejectUnauthorized: false }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end()
      })
      expect(status).toBe(200)
    })
    expect(code).toBe(0)
  })

  it.each([
    [['--token', 'root'], '--token: can be used only with --dev or --dev-consul'],
    [['--dev', '--dev-consul'], '--dev, --dev-consul: use only one of them'],
    [['--dev', '--tls-cert', 'cert.pem'], '--tls-cert, --tls-key: give both of them'],
    [['--dev', '--host', '0.0.0.0'], '--token: is required, because other machines can reach this address'],
    [['--dev', '--seed', 'broken.json'], '--seed: broken.json is not JSON'],
  ])('refuses %j', async (args, message) => {
    writeFileSync(join(project.folder, 'broken.json'), '{')
    const { code, stderr } = await project.run(['serve', ...args])
    expect({ code, stderr }).toEqual({ code: 2, stderr: `strongroom: ${message}\n` })
  })
})

describe('the config file of docs/command-line.md', () => {
  it('works with init and status', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/command-line.md'), 'utf8')
    const [, config] = /^```\n([\s\S]*?)^```/m.exec(page) as unknown as [string, string]
    project.write('docs.config.mjs', config.replace('./store', './docs-store').replace('./audit.log', './docs-audit.log'))
    const env = { ROOT_KEY: Buffer.alloc(32, 7).toString('base64') }
    expect((await project.run(['init', '--out', 'docs.json', '--config', 'docs.config.mjs'], { env })).code).toBe(0)
    expect((await project.run(['status', '--config', 'docs.config.mjs'], { env })).code).toBe(0)
  })
})
